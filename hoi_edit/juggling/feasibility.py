"""What a body cannot do, in one sentence each: computed from the gentlest paths and the arms that follow them."""

import numpy as np

from hoi_edit.juggling.hand_paths import Paths
from hoi_edit.juggling.performer import ARMS, names
from hoi_edit.juggling.siteswap import HANDS
from hoi_edit.juggling.throws import MOST, in_hands, until
from hoi_edit.juggling.timing import Dwell, Schedule
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.rotation import Floats

REACHED = 0.02  # [m] that a hand may be off its path: the solver makes up for it
RATE = 240.0  # [Hz]
AT_ONCE = 2  # balls that a hand holds after catches


class TooQuick(HoiError):
    """A hand would have to accelerate by more than it may."""


def check_room(plan: Schedule) -> None:
    """A hand begins with some balls, and has room for fewer while it catches."""
    for hand_holds in in_hands(plan):
        holds = [*hand_holds.values()]
        waiting = [hold for hold in holds if hold.catch is None]
        which = _hand(plan, 2 * holds[0].juggler + holds[0].hand)
        if len(waiting) > MOST:
            raise HoiError(
                f"pattern {plan.pattern.text!r} begins with {len(waiting)} balls in the {which}; a hand holds {MOST}"
            )
        for time in (hold.catch for hold in holds if hold.catch is not None):
            held = [other for other in holds if _has(other, time)]
            if len(held) > AT_ONCE:
                raise HoiError(
                    f"pattern {plan.pattern.text!r}: the {which} would catch a ball at {time:.2f} s with "
                    f"{len(held) - 1} in it; our hands have room for {AT_ONCE}"
                )


def _has(hold: Dwell, time: float) -> bool:
    return (hold.catch or 0.0) <= time <= until(hold)


def check_acceleration(plan: Schedule, paths: Paths, most: float) -> None:
    """Whether hands are gentle enough, on the gentlest paths that there are."""
    times = np.arange(0.0, plan.end, 1.0 / RATE)
    accel = np.linalg.norm(paths.at(times, 2), axis=2)
    hand, at = np.unravel_index(int(np.argmax(accel)), accel.shape)
    if accel[hand, at] > most:
        raise TooQuick(
            f"{_words(plan)}: the {_hand(plan, int(hand))} would have to accelerate by {accel[hand, at]:.1f} m/s² at "
            f"{times[at]:.2f} s, and {most:.4g} m/s² is the most"
        )


def check_reach(plan: Schedule, clip: Clip, number: int, misses: Floats) -> None:
    """Whether a juggler's hands come to where they must be; `misses` (2, N) [m]."""
    hand, at = np.unravel_index(int(np.argmax(misses)), misses.shape)
    if misses[hand, at] > REACHED:
        raise HoiError(
            f"{_words(plan)}: the {_hand(plan, 2 * number + int(hand))} does not get to where it must be at "
            f"{clip.times[at]:.2f} s, by {1e3 * misses[hand, at]:.0f} mm; {_stopped(clip, int(hand), int(at))}"
        )


def _stopped(clip: Clip, hand: int, at: int) -> str:
    """The joint of the arm that is closest to its limit."""
    dofs = [clip.skeleton.dof(f"{HANDS[hand]}_{name}") for name in ARMS]
    low, high = np.asarray(clip.skeleton.limits)[dofs].T
    room = np.minimum(clip.poses[at, dofs] - low, high - clip.poses[at, dofs])
    k = int(np.argmin(room))
    return f"{clip.skeleton.topology.dof_names[dofs[k]]} is {np.rad2deg(room[k]):.0f}° from its limit then"


def _words(plan: Schedule) -> str:
    return f"pattern {plan.pattern.text!r} with a beat of {plan.beat:.3g} s"


def _hand(plan: Schedule, hand: int) -> str:
    return f"{HANDS[hand % 2]} hand of {names(plan.pattern.jugglers)[hand // 2]}"
