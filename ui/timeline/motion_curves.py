"""Motion as curves over time: which ones a selection has, their points to drag, and where they are in a panel.

A thing has its place and its speed, a limb the angles of its joint, a person those and the place of the pelvis.
Curves of one unit share a plot; plots lie below each other. Only `Axis` and `Scale` know pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoi_edit.motions import Blend
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character
from ui.timeline.scales import Axis, Scale
from ui.words.names import plain

Array = NDArray[np.float64]
PIXELS = 2.5  # between two samples
JUST = 2e-5  # [s] before an event, where a speed is still the old one
POINT = 0.1  # [s] between the points of a thing
CLOSEST = 11.0  # [px] between two points
NEAR_POINT, NEAR_CURVE = 9.0, 5.0  # [px] to the pointer
AXES = ("X", "Y", "Z")
LEAST = {"m": 0.1, "°": 6.0, "m/s": 1.0}  # that a plot shows from bottom to top: stillness is not magnified


@dataclass(frozen=True, eq=False)
class Curve:
    """One number over time, in the unit in which it is shown."""

    name: str  # what a drag takes hold of: "ball1", "juggler/right_forearm.Xrotation"
    label: str
    unit: str  # m, °, m/s
    axis: int | None  # 0, 1, 2: which way, for its colour and for drags of places
    times: Array  # (N,)
    values: Array  # (N,)
    before: Array | None = None  # (N,) where an edit has changed it
    points: Array | None = None  # (P,) times of points to drag; None: it only follows

    def at(self, t: float) -> float:
        return float(np.interp(t, self.times, self.values))

    def target(self, value: float) -> Any:
        """What the engine is asked for if it is to have this value: of a thing one axis, the others open."""
        if "/" in self.name:
            return np.radians(value) if self.unit == "°" else value
        assert self.axis is not None
        return np.where(np.arange(3) == self.axis, value, np.nan)

    def said(self, value: float) -> str:
        return f"{value:.1f}°" if self.unit == "°" else f"{value:.2f} {self.unit}"


def curves_of(rollout: Rollout, selected: str | None, scale: Scale, before: Rollout | None = None) -> list[Curve]:
    """Those of the selection, sampled as finely as the scale shows them."""
    scene = rollout.model.scene
    count = max(2, round(scale.width / PIXELS))
    times = np.linspace(max(scale.start, scene.start), min(scale.end, scene.end), count)
    if selected is None:
        return []
    if selected in rollout.trajectories.chains:
        return _of_thing(rollout, selected, times, scale, before)
    owner, _, point = selected.partition("/")
    character = next((character for character in scene.characters if character.name == owner), None)
    return [] if character is None else _of_joint(rollout, character, point, times, scale, before)


def title_of(rollout: Rollout, selected: str | None) -> str:
    """Whose curves they are: of a limb, of the joint that moves it."""
    character = next(
        (character for character in rollout.model.scene.characters if character.name == (selected or "").split("/")[0]),
        None,
    )
    if selected is None or character is None:
        return selected or ""
    names = character.skeleton.names
    return plain(f"{character.name}/{names[joint_of(character, selected.partition('/')[2])]}")


def _of_thing(rollout: Rollout, name: str, times: Array, scale: Scale, before: Rollout | None) -> list[Curve]:
    events = np.array([event.time for event in rollout.trajectories.chains[name].events])
    events = events[(events > times[0] + JUST) & (events < times[-1])]
    times = np.unique(np.concatenate([times, events, events - JUST]))
    places, speeds = _places_and_speeds(rollout, name, times)
    old = None
    if before is not None and name in before.trajectories.chains:
        old = _places_and_speeds(before, name, times)
    points = _thinned(np.arange(np.ceil(times[0] / POINT), np.floor(times[-1] / POINT) + 1) * POINT, scale)
    along_axes = [
        Curve(name, AXES[k].lower(), "m", k, times, places[:, k], None if old is None else old[0][:, k], points)
        for k in range(3)
    ]
    return [*along_axes, Curve(name, "speed", "m/s", None, times, speeds, None if old is None else old[1])]


def _places_and_speeds(rollout: Rollout, name: str, times: Array) -> tuple[Array, Array]:
    """Speeds by what comes just after, so that they jump at events as they should."""
    end = rollout.model.scene.end
    step = np.where(times + 0.5 * JUST <= end, 0.5 * JUST, -0.5 * JUST)
    places = rollout.positions(name, times)
    return places, np.linalg.norm(rollout.positions(name, times + step) - places, axis=1) / np.abs(step)


def _of_joint(
    rollout: Rollout, character: Character, point: str, times: Array, scale: Scale, before: Rollout | None
) -> list[Curve]:
    topology, joint = character.skeleton.topology, joint_of(character, point)
    now = rollout.poses(character.name, times)
    old = None if before is None else before.poses(character.name, times)
    points = _thinned(_knots(character, times), scale)
    curves = []
    for dof in np.flatnonzero(np.array(topology.dof_joints) == joint):
        name = topology.dof_names[dof]
        turns = topology.dof_kinds[dof] == "rotation"
        letter, factor = name.rpartition(".")[2][:1].upper(), 180.0 / np.pi if turns else 1.0
        curves.append(Curve(
            f"{character.name}/{name}", letter if turns else letter.lower(), "°" if turns else "m",
            AXES.index(letter) if letter in AXES else None, times, factor * now[:, dof],
            None if old is None else factor * old[:, dof], points,
        ))  # fmt: skip
    return curves


def joint_of(character: Character, point: str) -> int:
    """The joint that moves a point of a body: the nearest one towards the root that can turn. Of nothing, the root."""
    topology = character.skeleton.topology
    joint = character.skeleton.point(point)[0] if point else 0
    while joint not in topology.dof_joints and topology.parents[joint] >= 0:
        joint = topology.parents[joint]
    return joint


def _knots(character: Character, times: Array) -> Array:
    """When the control points of a motion matter most."""
    motion: Any = character.motion.motions[0] if isinstance(character.motion, Blend) else character.motion
    grid = motion.grid
    knots = float(grid.start) + float(grid.spacing) * np.arange(grid.count - 2)
    return np.asarray(knots[(knots >= times[0] - 1e-9) & (knots <= times[-1] + 1e-9)])


def _thinned(times: Array, scale: Scale) -> Array:
    """Every second, third, … of them, where they would be too close to be told apart; the same ones while it moves."""
    if len(times) < 2:
        return times
    spacing = float(times[1] - times[0])
    apart = spacing * scale.width / (scale.end - scale.start)
    every = max(1, int(np.ceil(CLOSEST / apart)))
    return times[np.round(times / spacing).astype(int) % every == 0]


@dataclass(frozen=True, eq=False)
class Plot:
    """Curves of one unit, and the axis that they share."""

    unit: str
    axis: Axis
    curves: tuple[Curve, ...]


@dataclass(frozen=True, eq=False)
class PlotHit:
    """A point of a curve under the pointer."""

    plot: Plot
    curve: Curve
    t: float

    @property
    def value(self) -> float:
        return self.curve.at(self.t)


def lay_out_plots(curves: Sequence[Curve], top: float, height: float, gap: float) -> list[Plot]:
    """A plot for each unit, the ones with more curves higher."""
    units = list(dict.fromkeys(curve.unit for curve in curves))
    shares = [1.0 + 0.35 * sum(curve.unit == unit for curve in curves) for unit in units]
    room, plots = height - gap * max(len(units) - 1, 0), []
    for unit, share in zip(units, shares, strict=True):
        alike = tuple(curve for curve in curves if curve.unit == unit)
        tall = room * share / sum(shares)
        values = [part for curve in alike for part in (curve.values, curve.before) if part is not None]
        low, high = min(float(part.min()) for part in values), max(float(part.max()) for part in values)
        half = 0.56 * max(high - low, LEAST[unit])
        middle = 0.5 * (low + high)
        plots.append(Plot(unit, Axis(middle - half, middle + half, top, tall), alike))
        top += tall + gap
    return plots


def with_axes_of(plots: Sequence[Plot], older: Sequence[Plot]) -> list[Plot]:
    """The same with the axes of before: what is dragged must not rescale under the pointer."""
    axes = {plot.unit: plot.axis for plot in older}
    return [replace(plot, axis=axes.get(plot.unit, plot.axis)) for plot in plots]


def hit_at(plots: Sequence[Plot], scale: Scale, x: float, y: float) -> PlotHit | None:
    """What is under the pointer: a point to drag if one is near, else any place on a curve that can be dragged."""
    best: tuple[float, PlotHit] | None = None
    for plot in plots:
        for curve in plot.curves:
            if curve.points is None:
                continue
            away = [(float(np.hypot(scale.x(t) - x, plot.axis.y(curve.at(t)) - y)), float(t)) for t in curve.points]
            near = min(((d, t) for d, t in away if d <= NEAR_POINT), default=None)
            t = scale.t(x)
            if near is None and abs(plot.axis.y(curve.at(t)) - y) <= NEAR_CURVE and _is_between(curve, t):
                near = NEAR_POINT + abs(plot.axis.y(curve.at(t)) - y), t  # a point wins over the curve beside it
            if near is not None and (best is None or near[0] < best[0]):
                best = near[0], PlotHit(plot, curve, near[1])
    return None if best is None else best[1]


def _is_between(curve: Curve, t: float) -> bool:
    return bool(curve.times[0] <= t <= curve.times[-1])
