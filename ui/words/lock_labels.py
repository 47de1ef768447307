"""What a lock keeps, in words, and whether it is in the way of a drag. No widgets here."""

from __future__ import annotations

from collections.abc import Sequence

from hoi_edit.qp import Lock
from hoi_edit.scene import Scene
from ui.words.names import plain


def offer(scene: Scene, name: str) -> str:
    """The entry of a menu that locks it."""
    return f"Lock: {_kept(scene, name)}"


def tip(scene: Scene, name: str, locked: bool) -> str:
    """What the padlock in the list says."""
    still = ", though it may still move when others are edited" if _is_thing(scene, name) else ""
    return f"{'Locked' if locked else 'Lock it'}: {_kept(scene, name)}{still}"


def done(scene: Scene, name: str) -> str:
    """What the line below says once it is locked."""
    if _is_thing(scene, name):
        moves = "it may still move when others are edited. To keep its place, pin it."
        return f"The start of {name} stays as it is; {moves}"
    if _is_contact(scene, name):
        return "Its time stays as it is."
    if "/" in name:
        return f"Edits leave the joint of {plain(name)} as it is; it still goes along with what carries it."
    return f"Edits leave {name} as it is."


def in_the_way(locks: Sequence[Lock], name: str, t: float, retimes: str | None = None) -> Lock | None:
    """The lock that a drag would be against: of the very thing, of the very limb or one of its angles, of all of the
    person; of a mark that is dragged in time, of that throw."""
    if retimes is not None:
        contact, _, end = retimes.partition(":")
        names = {contact} if end else set()  # a lock keeps when something is let go, not when it is caught
    else:
        names = {name, name.partition(".")[0], name.partition("/")[0]}
    return next((lock for lock in locks if lock.name in names and _holds(lock, t)), None)


def _holds(lock: Lock, t: float) -> bool:
    return lock.span is None or lock.span[0] <= t <= lock.span[1]


def _kept(scene: Scene, name: str) -> str:
    if _is_thing(scene, name):
        return "its start stays as it is"
    return "its time stays as it is" if _is_contact(scene, name) else "edits leave it as it is"


def _is_thing(scene: Scene, name: str) -> bool:
    return any(thing.name == name for thing in scene.things)


def _is_contact(scene: Scene, name: str) -> bool:
    return any(contact.id == name for contact in scene.contacts)
