"""D, what a change of the variables costs, in a form whose inverse is cheap.

Of the control points (K, D) of one spline it is Kronecker: inertia per degree of freedom ⊗ smoothness over the knots.
Degrees of freedom that are free at the same knots form a group, so a joint that is locked for a while changes nothing
about the exactness of the others; inertia that couples two groups is left out. Everything else (starts, release times,
blend weights, opened laws, and variables beside u, such as the states after contacts) stands alone with a weight of its
own. What is locked is not a variable: its knots are taken out, its inverse weight is exactly zero. A large weight would
let it drift.

The whole is made once per drag and serves every step of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoi_edit.qp.smoothing import TAU, Smoothing, multiply, principal, reach_of, roughness_bands
from hoi_edit.scene.controls import Layout
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class SplineCost:
    """What the control points (K, D) of one spline cost, and which may move."""

    character: str
    offset: int  # of the control points within the character's parameters
    spacing: float  # h [s]
    mass: Floats  # (D, D) inertia
    free: np.ndarray  # (K, D)
    fade: Floats  # (K,) f, at least one


@dataclass(frozen=True, eq=False)
class Group:
    """Degrees of freedom of one spline that are free at the same knots."""

    dofs: Ints  # (d,)
    mass: Floats  # (d, d) inertia
    root: Floats  # (d, d) whose square, root · rootᵀ, is the inverse of that
    knots: Ints  # (F,) the free ones
    place: Ints  # (K,) of each knot among the free ones; -1: locked
    smoothing: Smoothing
    all_dofs: bool

    @cached_property
    def inverse(self) -> Floats:
        return np.asarray(self.root @ self.root.T)

    @property
    def pick(self) -> Ints | slice:
        """The degrees of freedom as an index; a slice, hence no copy, where they are all."""
        return slice(None) if self.all_dofs else self.dofs


@dataclass(frozen=True, eq=False)
class Spline:
    """Control points (K, D), row by row from `start` of the flat vector."""

    character: str
    offset: int
    start: int
    shape: tuple[int, int]
    bands: Floats  # (3, K) of H, locked knots and all
    groups: tuple[Group, ...]

    def of(self, x: np.ndarray) -> np.ndarray:
        """The control points' part of a flat vector, as a view (K, D)."""
        return x[self.start : self.start + self.shape[0] * self.shape[1]].reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Metric:
    """Over a flat vector (N,): u, and after it the extra variables."""

    layout: Layout
    splines: tuple[Spline, ...]
    inverse: Floats  # (N,) inverse weights of what stands alone; zero where locked and on control points
    extras: Mapping[str, slice]

    @property
    def size(self) -> int:
        return len(self.inverse)

    @cached_property
    def free(self) -> np.ndarray:
        """(N,) False where an entry is locked."""
        free = self.inverse > 0.0
        for spline in self.splines:
            control_points = spline.of(free)
            for group in spline.groups:
                control_points[np.ix_(group.knots, group.dofs)] = True
        return free

    @cached_property
    def all_free(self) -> bool:
        return bool(self.free.all())

    @cached_property
    def _locked_knots(self) -> bool:
        return any(len(group.knots) < spline.shape[0] for spline in self.splines for group in spline.groups)

    def with_extras(self, extras: Mapping[str, Floats]) -> "Metric":
        """The same with other extra variables, by name with their weights; nothing is factored again."""
        n = self.layout.size
        for name, weights in extras.items():
            if name in self.layout:
                raise HoiError(f"an extra variable is called {name!r}, which is a block of the control vector")
            if not np.all(np.asarray(weights) > 0.0):
                _refuse(name, np.asarray(weights)[~(np.asarray(weights) > 0.0)])
        ends = np.cumsum([n, *(np.size(weights) for weights in extras.values())]).tolist()
        places = {name: slice(a, b) for name, a, b in zip(extras, ends[:-1], ends[1:], strict=True)}
        inverse = np.concatenate([self.inverse[:n], *(1.0 / np.ravel(weights) for weights in extras.values())])
        return Metric(self.layout, self.splines, inverse, places)

    def slice_of(self, name: str) -> slice:
        """Where a named block of u, or an extra variable, stands."""
        if name in self.extras:
            return self.extras[name]
        if name in self.layout:
            return self.layout[name].indices
        choices = [*(block.name for block in self.layout.blocks), *self.extras]
        raise unknown("variable", name, choices)

    def splines_of(self, character: str) -> dict[int, Spline]:
        """A character's splines by their offset within its parameters."""
        return {spline.offset: spline for spline in self.splines if spline.character == character}

    def towards(self, drift: Floats) -> Floats:
        """The step that lowers the cost most when no row asks for anything; `drift` is u₀ - u.

        Free entries go back to where they came from; locked ones stay. Where a locked knot is off its origin, its
        neighbours follow it as smoothness wants.
        """
        if not drift.any():
            return np.zeros(self.size)
        step = drift.copy() if self.all_free else np.where(self.free, drift, 0.0)
        if self._locked_knots:
            for spline in self.splines:
                _follow_locked(spline, drift, step)
        return step

    def solve(self, right: Floats) -> Floats:
        """D⁻¹ times a flat vector, zero where locked."""
        result = self.inverse * right
        for spline in self.splines:
            control_points = spline.of(result)
            for group in spline.groups:
                at = np.ix_(group.knots, group.dofs)
                control_points[at] = group.smoothing.solve(0, len(group.knots), spline.of(right)[at]) @ group.inverse
        return result

    def dense(self) -> Floats:
        """D as a matrix, infinite on the diagonal where locked: to look at, and to test against."""
        D = np.zeros((self.size, self.size))
        with np.errstate(divide="ignore"):
            np.fill_diagonal(D, 1.0 / self.inverse)
        for spline in self.splines:
            index = spline.of(np.arange(self.size))
            for group in spline.groups:
                H = multiply(spline.bands, np.eye(spline.shape[0]))
                for i, row in enumerate(group.dofs):
                    for j, column in enumerate(group.dofs):
                        D[np.ix_(index[:, row], index[:, column])] = group.mass[i, j] * H
        locked = ~self.free
        D[locked, locked] = np.inf
        return D


def _follow_locked(spline: Spline, drift: Floats, step: Floats) -> None:
    spline_drift, spline_step = spline.of(drift), spline.of(step)
    for group in spline.groups:
        if spline_drift[group.place < 0][:, group.pick].any():
            held = spline_drift[:, group.dofs].copy()
            held[group.knots] = 0.0
            pull = multiply(spline.bands, held)[group.knots]
            spline_step[np.ix_(group.knots, group.dofs)] += group.smoothing.solve(0, len(group.knots), pull)


def build(
    layout: Layout, splines: Sequence[SplineCost], alone: Floats, extras: Mapping[str, Floats], tau: float = TAU
) -> Metric:
    """The metric of the given splines; entries of u that belong to none have the weights `alone` (n,).

    An infinite weight locks its entry. `extras` are further variables by name, each with its weights.
    """
    built = tuple(_spline(layout, cost, tau) for cost in splines)
    weights = np.array(alone, float)
    for spline in built:
        spline.of(weights)[:] = np.inf
    bad = np.flatnonzero(~(weights > 0.0))
    if len(bad):
        _refuse(layout.name_of(int(bad[0])), weights[bad])
    return Metric(layout, built, 1.0 / weights, {}).with_extras(extras)


def _refuse(name: str, weights: Floats) -> None:
    raise HoiError(f"the weight of {name!r} is {weights[0]}; it must be positive, or infinite to lock it")


def _spline(layout: Layout, cost: SplineCost, tau: float) -> Spline:
    if not np.all(np.diag(cost.mass) > 0.0) or not np.all(cost.fade >= 1.0):
        raise HoiError(f"the weights of character {cost.character!r} must be positive, and its fade at least one")
    bands = roughness_bands(cost.fade, cost.spacing, tau)
    masks, owner = np.unique(cost.free, axis=1, return_inverse=True)
    reach = reach_of(cost.spacing, tau)
    groups = []
    for k in range(masks.shape[1]):
        knots = np.flatnonzero(masks[:, k])
        if len(knots):
            dofs = np.flatnonzero(owner.ravel() == k)
            place = np.full(len(masks), -1)
            place[knots] = np.arange(len(knots))
            smoothing = Smoothing.of(principal(bands, knots), reach)
            mass = cost.mass[np.ix_(dofs, dofs)]
            root = np.linalg.inv(np.linalg.cholesky(mass)).T
            groups.append(Group(dofs, mass, root, knots, place, smoothing, len(dofs) == len(cost.mass)))
    start = layout.first(cost.character) + cost.offset
    shape = (cost.free.shape[0], cost.free.shape[1])
    return Spline(cost.character, cost.offset, start, shape, bands, tuple(groups))
