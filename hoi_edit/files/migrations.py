"""Documents of older formats, brought up to date step by step.

When a stored class changes, `FORMAT` grows by one and a function is added that turns a tree of the format before into
one of the new: `MIGRATIONS[k]` leads from k to k + 1. It works on the JSON of the whole document, so it needs none of
the classes of its day, and is never touched again.

    def _contacts_last(tree: Tree) -> Tree:
        for contact in records_in(tree["parts"], "contact"):
            contact["dwell"] = 0.0
        return tree

    MIGRATIONS = {1: _contacts_last}
"""

from collections.abc import Callable, Iterator
from typing import Any

from kinematics.errors import HoiError

FORMAT = 6
Tree = dict[str, Any]
Migration = Callable[[Tree], Tree]


def up_to_date(tree: Tree, version: int) -> Tree:
    """The tree of a document of format `version` in the present format; the tree itself may be changed."""
    for step in range(version, FORMAT):
        if step not in MIGRATIONS:
            raise HoiError(f"it is of format {version}, which this program no longer reads")
        try:
            tree = MIGRATIONS[step](tree)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise HoiError(f"it cannot be brought from format {step} to {step + 1}: {error!r}") from error
    return tree


def records_in(tree: Any, name: str) -> Iterator[Tree]:
    """All records of the type that is called `name`, those inside others included, to be changed in place."""
    if isinstance(tree, dict):
        if tree.get("$") == name:
            yield tree
        for item in list(tree.values()):
            yield from records_in(item, name)
    elif isinstance(tree, list):
        for item in tree:
            yield from records_in(item, name)


def _things_feel_no_air(tree: Tree) -> Tree:
    for thing in records_in(tree["parts"], "thing"):
        thing["air"] = None
    return tree


def _characters_know_no_recording(tree: Tree) -> Tree:
    for character in records_in(tree["parts"], "character"):
        character["recording"] = None
    return tree


def _nothing_is_switched_off(tree: Tree) -> Tree:
    for step in records_in(tree["parts"], "step"):
        step["switched_off"] = []
    return tree


def _clips_of_blends_have_no_names(tree: Tree) -> Tree:
    for blend in records_in(tree["parts"], "blend"):
        blend["names"] = []
    return tree


def _nothing_is_taken_passed_on_or_in_doubt(tree: Tree) -> Tree:
    for contact in records_in(tree["parts"], "contact"):
        contact["taken"] = False
    for controls in records_in(tree["parts"], "contact controls"):
        controls["passed"] = None
    for clip in records_in(tree["parts"], "clip"):
        clip["doubts"] = []
    return tree


MIGRATIONS: dict[int, Migration] = {
    1: _things_feel_no_air,
    2: _characters_know_no_recording,
    3: _nothing_is_switched_off,
    4: _clips_of_blends_have_no_names,
    5: _nothing_is_taken_passed_on_or_in_doubt,
}
