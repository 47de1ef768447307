"""What an animator leaves free: the metric of a scene, with a window of time, locks, opened laws and scales.

Names are those of the scene: "juggler", "juggler/right_hand" (a joint), "juggler/right_hand.Xrotation" (one degree of
freedom), "ball1", "ball1.velocity", "catch3.release".
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.qp.metric import Metric, SplineCost, build
from hoi_edit.qp.smoothing import TAU
from hoi_edit.qp.weights import standing_masses, weights
from hoi_edit.rollout import Model
from hoi_edit.scene import Character, Scene
from hoi_edit.scene.arguments import are_numbers, is_real, is_text
from hoi_edit.scene.controls import Block
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats
from kinematics.spline import Grid

DEAREST = 100.0  # what a control point at the very edge of a window costs, over one inside


@dataclass(frozen=True)
class Window:
    """Nothing outside start..end changes; towards its ends, over `fade`, a change becomes dearer. All in seconds."""

    start: float
    end: float
    fade: float = 0.3


@dataclass(frozen=True)
class Lock:
    """What must not move; of a body, perhaps only for a while."""

    name: str
    span: tuple[float, float] | None = None  # [s]

    def __post_init__(self) -> None:
        if self.span is not None and not are_numbers(self.span, (2,)):
            raise HoiError(f"{self.name!r} is to be locked for {self.span!r}; give a start and an end in seconds")


@dataclass(frozen=True)
class Freedom:
    window: Window | None = None
    locks: Sequence[Lock] = ()
    opened: Sequence[str] = ()  # laws that may bend: "kick2.restitution", or all of "kick2"
    scales: Mapping[str, float] = field(default_factory=dict)  # name -> how much dearer than by its inertia
    things: float = 1.0  # how much dearer things are than by their mass, against people

    def __post_init__(self) -> None:
        """What is of another kind would be found by chance, deep inside."""
        wanted = {
            "window": (self.window is None or isinstance(self.window, Window), "hoi.Window(start, end), or None"),
            "locks": (_are(Lock, self.locks), "a list such as [hoi.Lock('juggler/pelvis')]"),
            "opened": (_are(str, self.opened), "a list of names such as ['kick2.restitution']"),
            "scales": (_are_scales(self.scales), "numbers by name, such as {'juggler/pelvis': 10.0}"),
            "things": (is_real(self.things), "one number"),
        }
        for what, (good, words) in wanted.items():
            if not good:
                raise HoiError(f"what may change: {what} is {getattr(self, what)!r}; give {words}")


def _are(kind: type, value: object) -> bool:
    """Whether it is a list of these."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and all(isinstance(item, kind) for item in value)  # type: ignore[attr-defined]


def _are_scales(value: object) -> bool:
    return isinstance(value, Mapping) and all(is_text(name) and is_real(scale) for name, scale in value.items())


def metric_of(
    model: Model,
    freedom: Freedom | None = None,
    extras: Mapping[str, Floats] | None = None,
    u: Floats | None = None,
    inertia: Floats | None = None,
    tau: float = TAU,
    begun: Collection[str] = (),
    lifted: Collection[str] = (),
) -> Metric:
    """The metric of a scene at u (its start), where `inertia` is `weights(model)` if that is at hand. Things that have
    `begun` before a window, and come to it as they began, may begin otherwise. Feet that are `lifted`, by
    the names of their points, are light."""
    freedom = freedom or Freedom()
    cost = np.array(weights(model) if inertia is None else inertia, float)
    masses = standing_masses(model, lifted)
    u = model.start if u is None else u
    _check(model, freedom)
    splines = []
    for character in model.scene.characters:
        splines += _splines(model, character, freedom, cost, masses[character.name])
    for block in model.layout.blocks:
        block_cost = cost[block.indices]
        block_cost *= _scale(freedom, block) * (1.0 if block.of_body else freedom.things)
        if _locked(freedom, block):
            block_cost[:] = np.inf
        elif freedom.window is not None and not (block.owner in begun and block.group == "starts"):
            block_cost[_outside(model, block, freedom.window, u[block.indices])] = np.inf
    return build(model.layout, splines, cost, extras or {}, tau)


# -- bodies -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Track:
    """One spline of a motion: its grid, and how the scene's time becomes its own."""

    grid: Grid
    offset: int
    own_time: Callable[[float], float]

    def reaches(self) -> tuple[Floats, Floats]:
        """From when to when each control point matters, in its own time."""
        start, h = float(self.grid.start), float(self.grid.spacing)
        first = start + (np.arange(self.grid.count) - 3) * h
        return np.maximum(first, start), np.minimum(first + 4 * h, float(self.grid.end))


def _tracks(motion: Any) -> list[_Track]:
    if isinstance(motion, Layer | FittedSpline):
        return [_Track(motion.grid, 0, float)]
    if not isinstance(motion, Blend) or not all(isinstance(m, Layer | FittedSpline) for m in motion.motions):
        return []
    tracks, offset = [], 0
    for k, branch in enumerate(motion.motions):
        warp = float if k == 0 else (lambda t, warp=motion.warps[k - 1]: float(warp(t)))
        tracks.append(_Track(branch.grid, offset, warp))  # type: ignore[attr-defined]
        offset += int(np.size(branch.parameters()))
    return tracks


def _splines(model: Model, character: Character, freedom: Freedom, cost: Floats, standing: Floats) -> list[SplineCost]:
    first, dofs = model.layout.first(character.name), character.skeleton.topology.n_dofs
    dearer = np.ones(dofs)
    for name, scale in freedom.scales.items():
        dearer[_dofs(character, name)] *= scale
    costs = []
    for track in _tracks(character.motion):
        start = first + track.offset
        free = np.ones((track.grid.count, dofs), bool)
        for lock in freedom.locks:
            free[np.ix_(_held_knots(track, lock), _dofs(character, lock.name))] = False
        fade = np.ones(track.grid.count)
        if freedom.window is not None:
            inside, fade = _through_window(track, freedom.window)
            free &= inside[:, None]
        root = np.sqrt(dearer)
        mass = root[:, None] * (np.diag(cost[start : start + dofs]) + standing) * root
        costs.append(SplineCost(character.name, track.offset, float(track.grid.spacing), mass, free, fade))
    return costs


def _dofs(character: Character, name: str) -> Ints:
    """Which degrees of freedom of a character a name means; none if it is another's."""
    owner, _, part = name.partition("/")
    topology = character.skeleton.topology
    if owner != character.name:
        return np.zeros(0, int)
    if not part:
        return np.arange(topology.n_dofs)
    if part in topology.dof_names:
        return np.array([topology.dof_names.index(part)])
    if part not in topology.names:
        raise unknown(f"joint of {owner!r}", part, topology.names)
    return np.array(character.skeleton.dofs_of(topology.names.index(part)), int)


def _held_knots(track: _Track, lock: Lock) -> Ints:
    """Control points that matter at some time of the lock."""
    if lock.span is None:
        return np.arange(track.grid.count)
    start, end = (track.own_time(t) for t in lock.span)
    first, last = track.reaches()
    return np.flatnonzero((last > start) & (first < end))


def _through_window(track: _Track, window: Window) -> tuple[np.ndarray, Floats]:
    """Which control points matter inside the window alone, and how dear they are."""
    start, end = track.own_time(window.start), track.own_time(window.end)
    slack = 1e-9 * float(track.grid.spacing)
    first, last = track.reaches()
    inside = (first >= start - slack) & (last <= end + slack)
    # the ends of the clip are no edges: there is nothing beyond them to meet
    depth = np.full(track.grid.count, np.inf)
    middle = float(track.grid.start) + (np.arange(track.grid.count) - 1) * float(track.grid.spacing)
    if start > float(track.grid.start):
        depth = np.minimum(depth, middle - start)
    if end < float(track.grid.end):
        depth = np.minimum(depth, end - middle)
    way = np.clip(depth / window.fade, 0.0, 1.0) if window.fade > 0.0 else np.ones(len(depth))
    return inside, 1.0 / np.maximum(way * way * (3.0 - 2.0 * way), DEAREST**-0.5) ** 2


# -- everything else --------------------------------------------------------------------------------------------------


def _scale(freedom: Freedom, block: Block) -> float:
    return float(np.prod([scale for name, scale in freedom.scales.items() if block.meant_by(name)]))


def _locked(freedom: Freedom, block: Block) -> bool:
    shut = block.is_law and not any(block.meant_by(name) for name in freedom.opened)
    return shut or any(block.meant_by(lock.name) for lock in freedom.locks if lock.span is None)


def _outside(model: Model, block: Block, window: Window, values: Floats) -> np.ndarray:
    """Which entries of a block act outside the window."""
    scene = model.scene
    if block.group == "contacts":
        if block.is_time:
            return np.asarray((values < window.start) | (values > window.end))
        return np.full(len(values), not window.start <= scene.contact(block.owner).time <= window.end)
    motion = scene.character(block.owner).motion if block.of_body else None
    if isinstance(motion, Blend) and block.part == "alpha":
        return _weights_outside(motion, window).repeat(block.shape[1])
    ends = window.end if block.of_body else np.inf  # a start matters from the start of the scene on
    return np.full(len(values), window.start > scene.start or ends < scene.end)


def _weights_outside(motion: Blend, window: Window) -> np.ndarray:
    """Per interval of a blend, whether its weights matter outside the window."""
    outside = np.zeros(len(motion.alpha), bool)
    for station, interval in enumerate(motion.stations):
        if interval >= 0:
            start = motion.ramps[station - 1][0] if station > 0 else motion.start
            end = motion.ramps[station][1] if station < len(motion.ramps) else motion.end
            outside[interval] |= start < window.start or end > window.end
    return outside


def within(scene: Scene, window: Window) -> Window:
    """A window without what of it lies before the scene or after."""
    _check_window(scene, window)
    return replace(window, start=max(window.start, scene.start), end=min(window.end, scene.end))


def _check_window(scene: Scene, window: Window) -> None:
    if not all(is_real(number) for number in (window.start, window.end, window.fade)):
        raise HoiError(
            f"the window is {window.start!r}..{window.end!r} with a fade of {window.fade!r}; give numbers of seconds"
        )
    if not window.end > window.start:
        raise HoiError(f"the window {window.start:g}..{window.end:g} s is empty; its end must come after its start")
    if not (np.isfinite(window.fade) and window.fade >= 0.0):
        raise HoiError(f"the fade of the window is {window.fade:g} s; it must be zero or more")
    if not (window.start < scene.end and scene.start < window.end):
        raise HoiError(
            f"the window {window.start:g}..{window.end:g} s lies outside the scene, "
            f"which runs from {scene.start:g} s to {scene.end:g} s"
        )


def _check_span(scene: Scene, name: str, span: tuple[float, float]) -> None:
    start, end = span
    if not end > start:
        raise HoiError(f"{name!r} is to be locked from {start:g} s to {end:g} s; the end must come after the start")
    if not (start < scene.end and scene.start < end):
        raise HoiError(
            f"{name!r} is to be locked from {start:g} s to {end:g} s, outside the scene, which runs from "
            f"{scene.start:g} s to {scene.end:g} s"
        )


def means_something(model: Model, name: str) -> bool:
    """Whether there is something in a scene that can be locked, opened or scaled by this name."""
    try:
        _check_name(model, name)
    except HoiError:
        return False
    return True


def _check_name(model: Model, name: str) -> None:
    people = {character.name: character for character in model.scene.characters}
    owner = str(name).partition("/")[0]
    if owner in people:
        _dofs(people[owner], name)
    elif not is_text(name) or not any(block.meant_by(name) for block in model.layout.blocks):
        owners = dict.fromkeys(block.owner for block in model.layout.blocks)
        raise unknown("thing to lock, open or scale", name, owners)


def _check(model: Model, freedom: Freedom) -> None:
    if freedom.window is not None:
        _check_window(model.scene, freedom.window)
    people = [character.name for character in model.scene.characters]
    for name in [*(lock.name for lock in freedom.locks), *freedom.opened, *freedom.scales]:
        _check_name(model, name)
    for lock in freedom.locks:
        if lock.span is not None and lock.name.partition("/")[0] not in people:
            raise HoiError(f"{lock.name!r} cannot be locked for a while only; joints and characters can")
        if lock.span is not None:
            _check_span(model.scene, lock.name, lock.span)
    for name, scale in [*freedom.scales.items(), ("things", freedom.things)]:
        if not (np.isfinite(scale) and scale > 0.0):
            raise HoiError(f"the scale of {name!r} is {scale}; it must be positive (a lock keeps it still)")
