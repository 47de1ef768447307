"""Words that several doors say: a session that is printed, files that leave, the command line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoi_edit.scene import Scene

MOST_NAMES = 3  # that a sentence lists


def count_of(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def some_of(names: Sequence[str]) -> str:
    """A few names, and a sign that there are more."""
    return ", ".join([*names[:MOST_NAMES], *(["…"] if len(names) > MOST_NAMES else [])])


def unsolved(scene: "Scene") -> tuple[str, ...]:
    """One sentence about contacts that are only declared, none if there are none: what is shown is then a plan, in
    which things leap into hands, and nothing else tells."""
    names = [contact.id for contact in scene.contacts if contact.declared]
    if not names:
        return ()
    many = f"{len(names)} contacts ({some_of(names)}) are" if len(names) > 1 else f"contact {names[0]} is"
    return (f"{many} only declared, so things leap there at the planned time; session.solve() makes it come true",)


def not_happening(missed: Sequence[str]) -> tuple[str, ...]:
    """One clause about intended contacts that do not happen, none if all do."""
    if not missed:
        return ()
    if len(missed) == 1:
        return (f"intended contact {missed[0]} does not happen",)
    return (f"{len(missed)} intended contacts ({some_of(missed)}) do not happen",)
