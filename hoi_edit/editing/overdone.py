"""What bodies do in an edit that nobody asked for: feet that leave the place where they stand, and joints that bend
farther than they can, or than they did.

Feet that stand weigh a ton and most edits keep well within the limits of joints, so hardly any needs a row for these.
It is looked for once everything else holds; what is overdone then gets its rows, and the edit goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.constraints.standing_foot import StandingFoot
from hoi_edit.simulation import Rollout

STRAY = 0.01  # [m] that a foot may give
AROUND = 0.3  # [s] to either side of a time at which it gives more: there it is held
BEYOND = 1e-3  # [rad]: less than anybody sees, and repeated edits do not add up


@dataclass(frozen=True, eq=False)
class Bounds:
    """What bodies keep to where an edit began."""

    feet: Sequence[StandingFoot]
    joints: Sequence[JointLimits]


def overdone(bounds: Bounds, seen: Rollout, minded: Sequence[Constraint]) -> list[Constraint]:
    """What has to be minded from now on, beside what is already."""
    feet = [_astray(foot, seen, minded) for foot in bounds.feet]
    joints = [own for own in bounds.joints if own not in minded and _is_beyond(own, seen)]
    return [*(foot for foot in feet if foot is not None), *joints]


def _astray(foot: StandingFoot, seen: Rollout, minded: Sequence[Constraint]) -> StandingFoot | None:
    """A foot around the times at which it is too far from where it stands."""
    held = [own.times for own in minded if isinstance(own, StandingFoot) and own.label == foot.label]
    astray = foot.times[np.linalg.norm(foot.off(seen), axis=1) > STRAY]
    if not len(astray):
        return None
    near = np.abs(foot.times[:, None] - astray).min(axis=1) <= AROUND
    return foot.at(near & ~np.isin(foot.times, np.concatenate([np.zeros(0), *held])))


def _is_beyond(limits: JointLimits, seen: Rollout) -> bool:
    poses = seen.poses(limits.character)
    return bool(np.any((poses > limits.high + BEYOND) | (poses < limits.low - BEYOND)))
