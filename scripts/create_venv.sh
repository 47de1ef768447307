#!/bin/sh
# Make the virtual environment $1 with a Python that fits. PYTHON=... in the environment overrides the choice.
# An environment that already works is left as it is.
set -eu

venv=$1

# A name on the PATH proves nothing: version managers leave stubs that fail when called. So each candidate is run.
# The upper limit is the newest Python for which every locked package has a wheel.
fits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

fail() {
    echo "$1" >&2
    exit 1
}

if fits "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    exit 0
fi

python=
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if fits "$candidate"; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] ||
    fail "hoi-edit needs Python 3.11 to 3.14 and found none${PYTHON:+ at $PYTHON}; make PYTHON=/path/to/python3 names one."

# Debian keeps what `venv` needs in a package of its own.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "Installing system package: $package"
        export DEBIAN_FRONTEND=noninteractive
        log=$({ apt-get update -qq && apt-get install -qq --yes --no-install-recommends "$package"; } 2>&1) ||
            echo "$log" >&2
    fi
    "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$python cannot make virtual environments; install the missing part: sudo apt-get install $package"
fi

echo "Creating $venv with $("$python" --version)"
"$python" -m venv --clear "$venv"
