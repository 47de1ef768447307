"""Sessions in `.hoi` files: every step of the history, with scenes and arrays stored once."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hoi_edit.constraints import (
    FootPlant,
    HandAcceleration,
    JointLimits,
    KeepClear,
    KeepContact,
    OpenHands,
    Pin,
    SecondHand,
    SoftCatch,
)
from hoi_edit.edit.document import Call, Document, Step
from hoi_edit.files import read, register, write
from hoi_edit.qp import Freedom, Lock, Window
from hoi_edit.session.history_validation import check_history
from kinematics.errors import HoiError


@dataclass(frozen=True, eq=False)
class StoredStep:
    """A step whose scene is a number."""

    label: str
    method: str
    arguments: Any
    scene: int
    u: Any
    nodes: Any
    constraints: Any
    freedom: Freedom
    loose: Any
    switched_off: Any


register("step", StoredStep, may_be_nan=("arguments",))  # of a drag that leaves an axis open
register("pin", Pin, may_be_nan=("position", "velocity"), typed=True)
register("keep contact", KeepContact, typed=True)
register("keep clear", KeepClear, typed=True)
register("second hand", SecondHand, typed=True)
register("joint limits", JointLimits, typed=True)
register("foot plant", FootPlant, typed=True)
register("hand acceleration", HandAcceleration, typed=True)
register("soft catch", SoftCatch, typed=True)
register("open hands", OpenHands, typed=True)
register("freedom", Freedom, typed=True)
register("window", Window, typed=True)
register("lock", Lock, typed=True)


def save(path: str | PathLike[str], steps: list[Step], now: int) -> None:
    write(path, parts_of(steps, now))


def parts_of(steps: list[Step], now: int) -> dict[str, Any]:
    """A history as the parts of a document."""
    scenes = list({id(step.document.scene): step.document.scene for step in steps}.values())
    number = {id(scene): k for k, scene in enumerate(scenes)}
    stored = tuple(
        StoredStep(
            step.label, step.call.method, dict(step.call.arguments), number[id(d.scene)], d.u, dict(d.nodes),
            d.constraints, d.freedom, d.loose, d.switched_off,
        )
        for step, d in ((step, step.document) for step in steps)
    )  # fmt: skip
    return {"scenes": tuple(scenes), "steps": stored, "now": now}


def load(path: str | PathLike[str]) -> tuple[list[Step], int]:
    return steps_of(read(path), path)


def steps_of(parts: Mapping[str, Any], path: str | PathLike[str]) -> tuple[list[Step], int]:
    """The history in the parts of a document, which came from `path`."""
    missing = [name for name in ("scenes", "steps", "now") if name not in parts]
    if missing:
        raise HoiError(f"{path}: holds no session; its {missing[0]!r} is missing")
    try:
        check_history(parts, StoredStep)
    except HoiError as problem:
        raise HoiError(f"{path}: cannot be read: {problem}") from problem
    scenes = parts["scenes"]
    steps = [
        Step(s.label, Call(s.method, s.arguments),
             Document(scenes[s.scene], s.u, s.nodes, s.constraints, s.freedom, s.loose, s.switched_off))
        for s in parts["steps"]
    ]  # fmt: skip
    return steps, parts["now"]
