"""Where hands go: the gentlest paths from which all balls fly as the pattern wants.

A path is that of the middle of a ball in the hand, so a throw says: the path's velocity at a release is the one with
which a ball gets from there to where the other hand is at the catch. That is linear in the control points of all paths,
and how gentle they are is a quadratic: no search, only least squares. Weights are then shifted to where a hand
accelerates most, which takes the peaks off, to where it would go too far up or down, and to where it would not get away
from the ball that it has just let go.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.compiling.runtime import one_thread
from hoi_edit.juggling.throws import HOME, Stand, Throw, Turned, level, side, throws
from hoi_edit.juggling.timing import GRAVITY, Schedule, prolonged
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import Grid, basis_at, design

SPACING = 0.035  # [s] between knots
BEYOND = 1.0  # [s] that hands go on after the end
PLACE = np.array([30000.0, 4000.0, 6000.0])  # what a place counts, beside acceleration [1/s⁴]
LEVEL = np.array([1.0, 3.0, 1.0])  # of what goes straight over: from up high it would get into the way of others
STAY = np.array([200.0, 3000.0, 3000.0])  # the same for staying about where hands are at home [1/s⁵]
ALONG, WITH = (
    6.0,
    0.3,
)  # going along with what is caught: its weight, and the share of its velocity
# [s] from a catch beside other balls, and what it counts that the hand then goes sideways as the ball does: it would
# sweep the others against it otherwise
BESIDE, SWEEP = (-0.04, -0.02, 0.0), np.array([100.0, 0.0, 100.0])
JERK = 0.02  # [s]
# [m] over the hand that balls are aimed: bodies follow paths to a millimetre, and what comes too early would lie on the
# hand for a moment instead of being caught
LIFT = 0.003
UP = np.array([0.0, 1.0, 0.0])
LEAVING = (
    (0.015, 0.0012),
    (0.03, 0.005),
    (0.05, 0.013),
    (0.08, 0.03),
)  # [s] after a release, [m] off the palm
COMING = ((-0.015, 0.012), (-0.04, 0.03), (-0.08, 0.05))  # [s] before a catch
LOWEST, HIGHEST = 1.0, 1.5  # [m] of a ball in a hand: below, the arm is straight; above, it is before the face
FIRM, REACH = 3e6, 3e5  # what these count
ROUNDS = 14
LIGHTEST = 0.3  # share of its weight that the acceleration of a hand keeps where it is small


@dataclass(frozen=True, eq=False)
class Paths:
    """Of the ball's place in each hand, two a juggler, right first."""

    grid: Grid
    controls: Floats  # (hands, K, 3)

    def at(self, times: Floats, order: int = 0) -> Floats:
        """(hands, N, 3)."""
        return np.stack([design(self.grid, times, order) @ controls for controls in self.controls])


def hand_paths(plan: Schedule, where: Sequence[Stand], turned: Turned | None = None) -> Paths:
    """For all flights of a plan; `turned` says how hands are turned, else they look up and ahead."""
    if not plan.flights:
        raise HoiError(f"pattern {plan.pattern.text!r} only holds its balls; there must be a throw in it, as in '3'")
    longest = max(flight.lasts for flight in plan.flights)
    # or hands would not know what to do before the end
    grid = Grid.over(0.0, plan.end + BEYOND + longest, SPACING)
    planned = throws(plan, prolonged(plan, float(grid.end) - plan.end), where, turned or level(where))
    home = np.stack([stand.world(HOME * side(hand)) for stand in where for hand in (0, 1)])
    known = [throw for throw in planned if throw.catch < grid.end - SPACING]
    with one_thread():
        return Paths(grid, _Problem(grid, known, home).solved())


class _Problem:
    """Least squares over the control points of all hands, one axis after the other."""

    def __init__(self, grid: Grid, throws: Sequence[Throw], home: Floats) -> None:
        self.grid, self.throws, self.home = grid, throws, home
        self.knots, self.hands = grid.count, len(home)
        spacing = float(grid.spacing)
        self.looks = np.arange(0.0, float(grid.end), spacing / 2.0)
        self.second = design(grid, self.looks, 2).toarray() * np.sqrt(spacing / 2.0)
        self.third = design(grid, self.looks, 3).toarray() * np.sqrt(spacing / 2.0) * JERK
        self.value = design(grid, self.looks).toarray() * np.sqrt(spacing / 2.0)
        self.equal, self.equal_to = self._throw_rows()
        self.heavy = np.ones((self.hands, len(self.looks)))
        self.throw_wishes = self._throw_wishes()
        self.beyond = np.zeros((self.hands, len(self.looks)))  # heights to keep to, where a hand would go beyond them
        self.pressed: set[int] = set()  # rows of gaps that would be too small
        self.gaps, self.gaps_least = self._gap_rows()

    def row(self, hand: int, time: float, order: int = 0) -> Floats:
        """(hands K,) of the value, or a derivative, of one path at one time."""
        first, weights = basis_at(self.grid, np.array([time]), order)
        row = np.zeros(self.hands * self.knots)
        at = hand * self.knots + int(first[0])
        row[at : at + 4] = weights[0]
        return row

    def _throw_rows(self) -> tuple[Floats, Floats]:
        """Rows (m, hands K) that are equal to (m, 3): each throw's velocity is the one that its flight wants."""
        rows, values = [], []
        for throw in self.throws:
            T, leave = throw.lasts, self.row(throw.thrower, throw.release)
            rows.append(self.row(throw.thrower, throw.release, 1) - (self.row(throw.catcher, throw.catch) - leave) / T)
            values.append((UP * LIFT + throw.on - throw.off) / T + 0.5 * T * GRAVITY * UP - throw.swing)
        rows += [self.row(hand, 0.0, order) for hand in range(self.hands) for order in (1, 2)]
        values += [np.zeros(3)] * (2 * self.hands)
        return np.stack(rows), np.stack(values)

    def _gap_rows(self) -> tuple[Floats, Floats]:
        """Rows (m, hands K) of heights of balls over the palms that they have left or come to, and how much they are
        to be at least (without what gravity does)."""
        rows, least = [], []
        for throw in self.throws:
            t, T = throw.release, throw.lasts
            leave, velocity = self.row(throw.thrower, t), self.row(throw.thrower, t, 1)
            for dt, gap in LEAVING:
                if dt < 0.7 * T:
                    rows.append(leave + dt * velocity - self.row(throw.thrower, t + dt))
                    least.append(gap + 0.5 * GRAVITY * dt**2)
            for dt, gap in COMING:
                if -dt < 0.7 * T:
                    rows.append(leave + (T + dt) * velocity - self.row(throw.catcher, t + T + dt))
                    least.append(
                        gap + 0.5 * GRAVITY * (T + dt) ** 2 - throw.off[1] + throw.on[1] - (T + dt) * throw.swing[1]
                    )
        return np.stack(rows), np.array(least)

    def _throw_wishes(self) -> tuple[Floats, Floats, Floats]:
        """Rows (m, hands K) about places and velocities, what they are wished to be (m, 3), and weights (m, 3)."""
        rows, wanted, weights = [], [], []
        for throw in self.throws:
            t, T = throw.release, throw.lasts
            rows += [
                self.row(throw.thrower, t),
                self.row(throw.catcher, t + T),
                self.row(throw.catcher, t + T, 1) - WITH * self.row(throw.thrower, t, 1),
            ]
            wanted += [throw.leaves - throw.off, throw.lands - throw.on, np.array([0.0, -WITH * GRAVITY * T, 0.0])]
            place = LEVEL * PLACE if throw.is_low else PLACE
            weights += [place, place, np.full(3, ALONG)]
            for dt in BESIDE if throw.joins else ():
                rows.append(self.row(throw.catcher, t + T + dt, 1) - self.row(throw.thrower, t, 1))
                wanted.append(throw.swing)
                weights.append(SWEEP)
        return np.stack(rows), np.stack(wanted), np.stack(weights)

    def _wishes(self, axis: int) -> tuple[Floats, Floats]:
        """The normal matrix and its right side of what is only wished for."""
        rows, wanted, weights = self.throw_wishes
        weighed = rows * weights[:, axis, None]
        H, right = weighed.T @ rows, weighed.T @ wanted[:, axis]
        for hand in range(self.hands):
            part = slice(hand * self.knots, (hand + 1) * self.knots)
            second = self.second * self.heavy[hand][:, None]
            H[part, part] += second.T @ second + self.third.T @ self.third + STAY[axis] * self.value.T @ self.value
            right[part] += STAY[axis] * self.value.T @ (self.value @ np.full(self.knots, self.home[hand, axis]))
        return H, right

    def _axis(self, axis: int) -> Floats:
        H, right = self._wishes(axis)
        if axis == 1:
            for hand, heights in enumerate(self.beyond):
                part, over = slice(hand * self.knots, (hand + 1) * self.knots), self.value[heights != 0.0]
                H[part, part] += REACH * over.T @ over
                scale = np.sqrt(float(self.grid.spacing) / 2.0)
                right[part] += REACH * over.T @ (scale * heights[heights != 0.0])
            firm = self.gaps[sorted(self.pressed)]
            H, right = H + FIRM * firm.T @ firm, right + FIRM * firm.T @ self.gaps_least[sorted(self.pressed)]
        m = len(self.equal)
        K = np.block([[H, self.equal.T], [self.equal, np.zeros((m, m))]])
        solution = np.linalg.solve(K, np.concatenate([right, self.equal_to[:, axis]]))
        return np.asarray(solution[: len(H)])

    def solved(self) -> Floats:
        """(hands, K, 3)"""
        for _ in range(ROUNDS):
            z = np.stack([self._axis(axis) for axis in range(3)], axis=1).reshape(self.hands, self.knots, 3)
            unscaled = np.sqrt(float(self.grid.spacing) / 2.0)
            accel = np.linalg.norm(np.einsum("tk,hkd->htd", self.second, z), axis=2) / unscaled
            self.heavy = np.clip(self.heavy * np.sqrt(accel / np.mean(accel)), LIGHTEST, None)
            self.heavy /= np.sqrt(np.mean(self.heavy**2))
            height = np.einsum("tk,hk->ht", self.value, z[:, :, 1]) / unscaled
            self.beyond = np.where(height < LOWEST, LOWEST, np.where(height > HIGHEST, HIGHEST, self.beyond))
            short = self.gaps @ z[:, :, 1].ravel() - self.gaps_least
            self.pressed.update(np.flatnonzero(short < 0.0).tolist())
        return z
