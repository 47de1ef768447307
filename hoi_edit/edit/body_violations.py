"""What bodies do in an edit that nobody asked for: feet that leave the place where they stand, joints that bend farther
than they can, or than they did, and hands that go on into what they have let go.

Most edits leave feet that stand alone and keep well within the limits of joints, so few rows are needed for these.
After each step it is looked for what is overdone; that gets its rows from then on, so that no picture shows it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.joint_limits import JointLimits, LimitsMeanwhile
from hoi_edit.constraints.parting import Parting
from hoi_edit.constraints.standing_foot import StandingFoot
from hoi_edit.rollout import Rollout, begins
from hoi_edit.simulate.checks.release_penetration import DEEP, Pushed
from kinematics.rotation import Floats

ALWAYS = (-np.inf, np.inf)  # [s]
STRAY = 0.01  # [m] that a foot may give
SHOWN = 0.002  # [m] the same where a body is dragged, and its feet are looked at in every frame
AROUND = 0.3  # [s] to either side of a time at which it gives more: there it is held
BETWEEN = 0.004  # [m] that it may give between the times at which it is held
SPARSE = 0.7  # of the spacing of knots, nearer than which it is not held: too few control points would have to do it
SAME = 1e-3  # [s] after a release: what is looked at then is looked at already
BEYOND = 1e-3  # [rad]: less than anybody sees, and repeated edits do not add up


@dataclass(frozen=True, eq=False)
class Bounds:
    """What bodies keep to where an edit began."""

    feet: Sequence[StandingFoot]
    joints: Sequence[LimitsMeanwhile]
    stray: float  # [m] that a foot may give
    deep: Collection[tuple[str, str]]  # what hands let go, and when, that they went on into before the edit already

    @staticmethod
    def of(
        seen: Rollout, feet: Sequence[StandingFoot], excused: bool, stretch: tuple[float, float] | None = None,
        stray: float = STRAY,
    ) -> "Bounds":  # fmt: skip
        people = [character.name for character in seen.model.scene.characters]
        joints = [LimitsMeanwhile(JointLimits.of(seen, name), *(stretch or ALWAYS)) for name in people]
        deep = {(push.thing, _release(seen, push)) for push in _followed(seen)} if excused else set()
        return Bounds(feet, joints, stray, deep)


def overdone(bounds: Bounds, seen: Rollout, minded: Sequence[Constraint]) -> list[Constraint]:
    """What has to be minded from now on, beside what is already."""
    return [*bent_out_of_shape(bounds, seen, minded), *_following(bounds, seen, minded)]


def bent_out_of_shape(bounds: Bounds, seen: Rollout, minded: Sequence[Constraint]) -> list[Constraint]:
    """The same of feet and joints, which is soon looked at."""
    feet = [_astray(foot, bounds.stray, seen, minded) for foot in bounds.feet]
    joints = [limits for limits in bounds.joints if limits not in minded and limits.beyond(seen) > BEYOND]
    return [*(foot for foot in feet if foot is not None), *joints]


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


def _astray(foot: StandingFoot, stray: float, seen: Rollout, minded: Sequence[Constraint]) -> StandingFoot | None:
    """A foot around the times at which it is too far from where it stands: evenly at first, and where it strays all the
    same between two of these, at the worst time there."""
    held = [other.times for other in minded if isinstance(other, StandingFoot) and other.label == foot.label]
    off = np.linalg.norm(foot.off(seen), axis=1)
    astray = off > stray
    if not astray.any():
        return None
    held_times = np.concatenate([np.full(1, np.inf), *held])
    known = np.isin(foot.times, held_times)
    near = np.abs(foot.times[:, None] - foot.times[astray]).min(axis=1) <= AROUND
    even = foot.at(near & foot.evenly & ~known)
    if even is not None:
        return even
    apart = np.abs(foot.times[:, None] - held_times).min(axis=1) > SPARSE * foot.spacing
    return foot.at(np.isin(foot.times, _worst(foot.times, off, (off > BETWEEN) & apart)))


def _worst(times: Floats, off: Floats, chosen: np.ndarray) -> Floats:
    """Of each stretch of chosen times the one at which most is off."""
    if not chosen.any():
        return np.zeros(0)
    where = np.flatnonzero(chosen)
    step = np.diff(np.unique(times)).min(initial=np.inf)
    runs = np.split(where, np.flatnonzero(np.diff(times[where]) > 1.5 * step) + 1)
    return times[[run[np.argmax(off[run])] for run in runs]]
