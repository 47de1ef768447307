"""The one base error: whatever a user can put right is raised as a `HoiError` whose message is one clear sentence."""

from collections.abc import Iterable
from difflib import get_close_matches


class HoiError(Exception):
    """A mistake in the input. The message names the thing, the place and what would be right."""


class DoubtfulDerivative(UserWarning):
    """A derivative is right on one side only, or too large to be of use; the message says through which event."""


class DoubtfulClip(UserWarning):
    """A recording has something wrong with it, or something that no name tells; the message says what can be said."""


class FloatingPerson(UserWarning):
    """Somebody whose feet never come down to anything; the message says how high they are."""


class TouchesByHull(UserWarning):
    """A mesh has hollows that contacts do not know of; the message says how much of its hull they are."""


def unknown(kind: str, name: str, choices: Iterable[str]) -> HoiError:
    """The error for a name that does not exist, listing those that do, and the one that was perhaps meant."""
    known = list(choices)
    meant = get_close_matches(str(name), known, n=1)
    perhaps = f"; did you mean {meant[0]!r}?" if meant else ""
    return HoiError(
        f"unknown {kind} {name!r}; choose from: {', '.join(known) or 'none, as there are none here'}{perhaps}"
    )
