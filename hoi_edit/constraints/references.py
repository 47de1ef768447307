"""What a constraint names must be there, and its numbers must make sense: told when it is added, in one sentence."""

from typing import Any

from hoi_edit.constraints.base import Constraint
from hoi_edit.rollout import Rollout, begins
from hoi_edit.scene.arguments import is_number, is_text
from kinematics.errors import HoiError, unknown


def check(constraint: Constraint, seen: Rollout) -> None:
    """Raise if a constraint can have no effect in this scene, or none that makes sense."""
    if not hasattr(constraint, "rows"):
        raise HoiError(f"{constraint!r} is no constraint; give one such as hoi.Pin('ball1', t=1.2, position=[0, 1, 0])")
    check_of_kind = getattr(constraint, "check", None)
    if check_of_kind is not None:
        check_of_kind(seen)


def check_point(seen: Rollout, name: str) -> None:
    """A thing, or a point of a body."""
    if is_text(name) and "/" in name:
        seen.model.scene.place(name)
    elif name not in seen.trajectories.chains:
        raise unknown("thing", name, [*seen.trajectories.chains, "character/point"])


def check_time(seen: Rollout, owner: str, *times: float) -> None:
    scene = seen.model.scene
    for t in times:
        if not (is_number(t) and scene.start - 1e-9 <= t <= scene.end + 1e-9):
            raise HoiError(
                f"{owner}: time {t} s lies outside the scene, which runs from {scene.start:g} s to {scene.end:g} s"
            )


def check_span(seen: Rollout, name: str, after: str | None) -> None:
    """What `after` binds to: nothing, the first span of a thing, or the one that an event of it begins."""
    if after is None or after == "":
        return
    if "/" in name:
        raise HoiError(f"{name!r} is a point of a body, which has no flights; leave out after={after!r}")
    names = [begins(event) for event in seen.trajectories.chains[name].events]
    if after not in names:
        raise unknown(
            f"flight or hold of {name!r}", after, ["'' (the first)", *(span_name for span_name in names if span_name)]
        )


def check_positive(owner: str, what: str, value: Any, zero: bool = False) -> None:
    if not (is_number(value) and (value > 0.0 or (zero and value == 0.0))):
        raise HoiError(
            f"{owner}: {what} is {value}; it must be a {'number, zero or more' if zero else 'positive number'}"
        )
