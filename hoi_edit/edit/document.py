"""A document: everything an animator has decided, as one immutable value. An edit makes another one."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field
from typing import Any

import numpy as np

from hoi_edit.constraints.base import Constraint, frozen
from hoi_edit.qp import Freedom
from hoi_edit.scene import Scene
from hoi_edit.scene.controls import Layout
from hoi_edit.simulate.trajectory import Node
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats

OPEN = "open"  # how every history begins
EDITS = (
    "add", "add_contact", "add_fixture", "add_thing", "bend", "change_material", "change_thing", "drag", "free",
    "grasp", "hit", "import_clip", "let_go", "mean", "move_hold", "pass_to", "pick_up", "place", "put_down",
    "release", "remove", "remove_character", "remove_contact", "remove_fixture", "remove_thing", "rename", "retime",
    "shift", "solve", "stretch", "switch_off", "switch_on", "throw", "trim", "weigh",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Document:
    scene: Scene
    u: Floats
    nodes: Mapping[str, Node]
    constraints: tuple[Constraint, ...] = ()
    freedom: Freedom = field(default_factory=Freedom)
    loose: tuple[str, ...] = ()  # intended contacts that edits need not keep
    switched_off: tuple[Constraint, ...] = ()  # constraints that edits need not keep, to be switched on again

    def __repr__(self) -> str:
        kept = f"{len(self.constraints)} constraints"
        return f"<document on {self.scene.name}: n = {len(self.u):,}, {len(self.nodes)} nodes, {kept}>"

    def is_same_as(self, other: "Document") -> bool:
        """Whether nothing that was decided is another; how a ball is turned, which nobody decides, does not count."""
        lists = ("constraints", "switched_off")
        same = all(
            len(getattr(self, name)) == len(getattr(other, name))
            and all(a is b for a, b in zip(getattr(self, name), getattr(other, name), strict=True))
            for name in lists
        )
        same = same and self.scene is other.scene and self.loose == other.loose and self.freedom == other.freedom
        return same and self.nodes.keys() == other.nodes.keys() and np.array_equal(self.u, other.u)

    def which(self, constraint: Constraint | str | int) -> int:
        """The number of a constraint that is meant by itself, by its label or by that number."""
        return _which(constraint, self.constraints, "constraint")

    def which_off(self, constraint: Constraint | str | int) -> int:
        """The same of one that is switched off, by its number among these."""
        return _which(constraint, self.switched_off, "constraint that is switched off")

    def is_off(self, constraint: Constraint | str | int) -> bool:
        """Whether something is meant that is switched off, and nothing that is kept; a number means what is kept."""
        names = [kept.label for kept in self.constraints]
        if isinstance(constraint, str):
            return constraint not in names and constraint in [off.label for off in self.switched_off]
        return any(off is constraint for off in self.switched_off)


def _which(constraint: Constraint | str | int, among: tuple[Constraint, ...], kind: str) -> int:
    known, labels = range(len(among)), [candidate.label for candidate in among]
    if isinstance(constraint, str):
        matches = [k for k in known if labels[k] == constraint]
        if len(matches) > 1:
            which = " or ".join(map(str, matches))
            raise HoiError(f"{len(matches)} {kind.replace('constraint', 'constraints', 1)} are called {constraint!r}; "
                           f"give one itself, or {which}")  # fmt: skip
    elif isinstance(constraint, int):
        matches = [k for k in known if k == constraint]
    else:
        matches = [k for k in known if among[k] is constraint][-1:]  # of one given twice the later
    if not matches:
        meant = getattr(constraint, "label", constraint)
        raise HoiError(f"there is no {kind} {meant!r}; there are: {', '.join(labels) or 'none'}")
    return matches[0]


@dataclass(frozen=True, eq=False)
class Call:
    """An edit as data: a method of the session and its arguments. It comes to be Python, so it is one of `EDITS`."""

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)  # by name; "*contacts" are written one by one

    def __post_init__(self) -> None:
        if self.method not in (OPEN, *EDITS):
            raise unknown("edit", self.method, EDITS)
        object.__setattr__(self, "arguments", copied(dict(self.arguments)))

    def __str__(self) -> str:
        """As Python."""
        arguments: list[str] = []
        for name, value in self.arguments.items():
            arguments += [written(item) for item in value] if name.startswith("*") else [f"{name}={written(value)}"]
        return f"session.{self.method}({', '.join(arguments)})"


def copied(value: Any) -> Any:
    """A value that stays as it is, whatever its owner does to his arrays, lists and dictionaries afterwards."""
    if isinstance(value, np.ndarray):
        return frozen(value)
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if type(value) in (tuple, list):
        return tuple(copied(item) for item in value)
    return value


def written(value: Any) -> str:
    """A value as Python that gives it back to the digit."""
    if isinstance(value, np.ndarray | np.generic):
        return written(value.tolist())
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{written(key)}: {written(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(written(item) for item in value)}]"
    if isinstance(value, tuple):
        return f"({', '.join(written(item) for item in value)}{',' if len(value) == 1 else ''})"
    if hasattr(value, "__dataclass_fields__"):
        arguments = {
            name: getattr(value, name)
            for name, dataclass_field in value.__dataclass_fields__.items()
            if dataclass_field.init and not _is_default(getattr(value, name), dataclass_field)
        }
        return f"hoi.{type(value).__name__}({', '.join(f'{name}={written(item)}' for name, item in arguments.items())})"
    return repr(value)


def _is_default(value: Any, dataclass_field: Field[Any]) -> bool:
    """Whether a field need not be written; by its value, as what was read from a file is never the very same object."""
    default = (
        dataclass_field.default if dataclass_field.default_factory is MISSING else dataclass_field.default_factory()
    )
    return value is default or (type(value) is type(default) and written(value) == written(default))


@dataclass(frozen=True, eq=False)
class Step:
    """One entry of the history: what was done, and the document afterwards."""

    label: str
    call: Call
    document: Document = field(repr=False)  # which is pages long


def carried_over(u: Floats, before: Layout, after: Layout, fresh: Floats) -> Floats:
    """A control vector in another layout: blocks of the same name and shape keep their values."""
    result = fresh.copy()
    for block in after.blocks:
        if block.name in before and before[block.name].shape == block.shape:
            result[block.indices] = u[before[block.name].indices]
    return result
