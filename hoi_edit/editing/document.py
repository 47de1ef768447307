"""A document: everything an animator has decided, as one immutable value. An edit makes another one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.controls import Layout
from hoi_edit.rollout import Node
from hoi_edit.scene import Scene
from hoi_edit.solver import Freedom
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class Document:
    scene: Scene
    u: Floats
    nodes: Mapping[str, Node]
    constraints: tuple[Constraint, ...] = ()
    freedom: Freedom = field(default_factory=Freedom)
    loose: tuple[str, ...] = ()  # intended contacts that edits need not keep


@dataclass(frozen=True, eq=False)
class Call:
    """An edit as data: a method of the session and its arguments."""

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """As Python."""
        return (
            f"session.{self.method}({', '.join(f'{name}={written(value)}' for name, value in self.arguments.items())})"
        )


def written(value: Any) -> str:
    """A value as Python that gives it back to the digit."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist()).replace("nan", "float('nan')")
    if isinstance(value, float | np.floating):
        return repr(float(value))
    if isinstance(value, tuple | list):
        inner = ", ".join(written(item) for item in value)
        return (
            f"({inner},)"
            if isinstance(value, tuple) and len(value) == 1
            else f"({inner})"
            if isinstance(value, tuple)
            else f"[{inner}]"
        )
    if hasattr(value, "__dataclass_fields__"):
        given = {
            name: getattr(value, name)
            for name, own in value.__dataclass_fields__.items()
            if own.init and getattr(value, name) is not own.default
        }
        return f"hoi.{type(value).__name__}({', '.join(f'{name}={written(item)}' for name, item in given.items())})"
    return repr(value)


@dataclass(frozen=True, eq=False)
class Step:
    """One entry of the history: what was done, and the document afterwards."""

    label: str
    call: Call
    document: Document


def carried_over(u: Floats, before: Layout, after: Layout, fresh: Floats) -> Floats:
    """A control vector in another layout: blocks of the same name and shape keep their values."""
    result = fresh.copy()
    for block in after.blocks:
        if block.name in before and before[block.name].shape == block.shape:
            result[block.indices] = u[before[block.name].indices]
    return result
