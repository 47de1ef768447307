#!/bin/sh
# Debian packages that the window and the renderer's tests need: a virtual screen, a software OpenGL, a hand for the
# mouse and a camera for screenshots. Installs what is missing if it may; otherwise says so, and never stops the build:
# all but the window works without them.
set -eu

PACKAGES="xvfb xauth xdotool imagemagick
    libgl1 libgl1-mesa-dri libglx-mesa0 libegl1 libegl-mesa0
    libx11-6 libxcursor1 libxrandr2 libxinerama1 libxi6 libxrender1 libxxf86vm1"

# macOS, and Linux without Debian's packages, bring their own windows and OpenGL.
command -v dpkg-query >/dev/null 2>&1 || exit 0

missing_packages() {
    # dpkg-query fails when it does not know a name; that name then simply is not in the list of installed ones.
    # shellcheck disable=SC2086 # the list is meant to split
    installed=" $(dpkg-query --show --showformat='${db:Status-Status}:${Package} ' $PACKAGES 2>/dev/null || true)"
    for package in $PACKAGES; do
        case "$installed" in
            *" installed:$package "*) ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

missing=$(missing_packages)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing system packages: $missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    if log=$({ apt-get update -qq && apt-get install -qq --yes --no-install-recommends $missing; } 2>&1); then
        exit 0
    fi
    echo "$log" >&2
fi
echo "The window's tests need packages that are missing; to install them: sudo apt-get install $missing" >&2
