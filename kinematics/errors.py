"""The one base error: whatever a user can put right is raised as a `HoiError` whose message is one clear sentence."""

from collections.abc import Iterable


class HoiError(Exception):
    """A mistake in the input. The message names the thing, the place and what would be right."""


def unknown(kind: str, name: str, choices: Iterable[str]) -> HoiError:
    """The error for a name that does not exist, listing those that do."""
    return HoiError(f"unknown {kind} {name!r}; choose from: {', '.join(choices) or 'none, as there are none here'}")
