"""What bodies do in an edit that nobody asked for: feet that leave the place where they stand, joints that bend farther
than they can, or than they did, and hands that go on into what they have let go.

Feet that stand weigh a ton and most edits keep well within the limits of joints, so hardly any needs a row for these.
It is looked for once everything else holds; what is overdone then gets its rows, and the edit goes on.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.constraints.parting import Parting
from hoi_edit.constraints.standing_foot import StandingFoot
from hoi_edit.rollout import Rollout, begins
from hoi_edit.simulate.checks.release_penetration import DEEP, Pushed

STRAY = 0.01  # [m] that a foot may give
AROUND = 0.3  # [s] to either side of a time at which it gives more: there it is held
SAME = 1e-3  # [s] after a release: what is looked at then is looked at already
BEYOND = 1e-3  # [rad]: less than anybody sees, and repeated edits do not add up


@dataclass(frozen=True, eq=False)
class Bounds:
    """What bodies keep to where an edit began."""

    feet: Sequence[StandingFoot]
    joints: Sequence[JointLimits]
    deep: Collection[tuple[str, str]]  # what hands let go, and when, that they went on into before the edit already

    @staticmethod
    def of(seen: Rollout, feet: Sequence[StandingFoot], excused: bool) -> "Bounds":
        joints = [JointLimits.of(seen, character.name) for character in seen.model.scene.characters]
        deep = {(push.thing, _release(seen, push)) for push in _followed(seen)} if excused else set()
        return Bounds(feet, joints, deep)


def overdone(bounds: Bounds, seen: Rollout, minded: Sequence[Constraint]) -> list[Constraint]:
    """What has to be minded from now on, beside what is already."""
    feet = [_astray(foot, seen, minded) for foot in bounds.feet]
    joints = [limits for limits in bounds.joints if limits not in minded and _is_beyond(limits, seen)]
    return [*(foot for foot in feet if foot is not None), *joints, *_following(bounds, seen, minded)]


def _following(bounds: Bounds, seen: Rollout, minded: Sequence[Constraint]) -> Iterator[Parting]:
    """Hands that go on into balls that they have let go, where they did not before and that is not minded yet."""
    for push in _followed(seen):
        after, wait = _release(seen, push), push.time - push.release
        known = [other.wait for other in minded if isinstance(other, Parting) and other.after == after]
        is_new = (push.thing, after) not in bounds.deep and all(abs(wait - other) > SAME for other in known)
        if is_new and seen.model.scene.thing(push.thing).shape.by_centre:
            yield Parting(push.thing, push.hand, after, wait, DEEP)


def _followed(seen: Rollout) -> list[Pushed]:
    """What hands go on into; not what something jams."""
    return [push for push in seen.pushed if not push.jams]


def _release(seen: Rollout, push: Pushed) -> str:
    """The name of the flight that a hand goes on into."""
    events = [event for event in seen.trajectories.chains[push.thing].events if event.lets_go]
    return str(begins(min(events, key=lambda event: abs(event.time - push.release))))


def _astray(foot: StandingFoot, seen: Rollout, minded: Sequence[Constraint]) -> StandingFoot | None:
    """A foot around the times at which it is too far from where it stands."""
    held = [
        constraint.times
        for constraint in minded
        if isinstance(constraint, StandingFoot) and constraint.label == foot.label
    ]
    astray = foot.times[np.linalg.norm(foot.off(seen), axis=1) > STRAY]
    if not len(astray):
        return None
    near = np.abs(foot.times[:, None] - astray).min(axis=1) <= AROUND
    return foot.at(near & ~np.isin(foot.times, np.concatenate([np.zeros(0), *held])))


def _is_beyond(limits: JointLimits, seen: Rollout) -> bool:
    poses = seen.poses(limits.character)
    return bool(np.any((poses > limits.high + BEYOND) | (poses < limits.low - BEYOND)))
