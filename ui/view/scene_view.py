"""What the viewport shows, as a value, and how it becomes a drawing and a set of things to pick. No window, no GL."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hoi_edit.export.sampling import joint_frames
from hoi_edit.motions.body_shapes import placed_shapes
from hoi_edit.rollout import Rollout
from hoi_edit.scene import PLANE, Character
from ui import theme
from ui.view.camera import Camera
from ui.view.drawing import Drawing, Kind, Marker, Polyline, Solid, SolidArray
from ui.view.motion_paths import Stretch, Tracks, hands_of
from ui.view.overlays import PinSign, signs
from ui.view.picking import FlightOnScreen, Pickable
from ui.view.scene_drawing import contact_markers, fixture_solids, thing_solid

Array = NDArray[np.float64]
AROUND = 1.0  # [s] of paths to either side
TICK = 0.1  # [s] between marks of time on a flight
PIECES = 8  # of a stretch, each a little fainter the further away in time
WHITE: theme.Colour = (255, 255, 255, 255)
MOVED = 0.004  # [m] below which a path has not changed


@dataclass(frozen=True, eq=False)
class View:
    """Everything that a picture of the scene depends on."""

    rollout: Rollout
    t: float
    camera: Camera
    size: tuple[int, int]
    before: Rollout | None = None  # whose paths are faint
    selected: str | None = None
    hovered: str | None = None
    hidden: frozenset[str] = frozenset()
    pinned: tuple[PinSign, ...] = ()
    target: tuple[float, float, float] | None = None  # of a drag
    grabbed: tuple[str, float] | None = None  # the point of a flight under the pointer, or being dragged
    ghosts: bool = True
    hands: bool = True
    moving: bool = False  # drawn quickly: more will come
    scale: float = 1.0  # of lines and signs: 2 on a HiDPI screen

    def same_picture(self, other: View | None) -> bool:
        return other is not None and all(
            getattr(self, name) is getattr(other, name) or getattr(self, name) == getattr(other, name)
            for name in self.__dataclass_fields__
        )


@dataclass(eq=False)
class Stage:
    """Remembers the sampled paths of the rollouts that are on show."""

    _tracks: dict[int, Tracks] = field(default_factory=dict)

    def tracks(self, rollout: Rollout) -> Tracks:
        if id(rollout) not in self._tracks:
            kept = list(self._tracks.items())[-2:]  # of the one before, and of the one to compare with
            self._tracks = {**dict(kept), id(rollout): Tracks(rollout, hands_of(rollout))}
        return self._tracks[id(rollout)]

    def seen(self, view: View) -> tuple[Drawing, tuple[Pickable, ...], list[Stretch]]:
        """The drawing, what can be picked of it, and the paths that can be."""
        scene = view.rollout.model.scene
        solids: list[Solid | SolidArray] = []
        pickable: list[Pickable] = []
        for k, character in enumerate(scene.characters):
            if character.name not in view.hidden:
                body_solids, bodies = _body(view, character, k)
                solids += body_solids
                pickable += bodies
        things = [thing for thing in scene.things if thing.name not in view.hidden]
        colours = _colours(view)
        balls = [
            thing_solid(view.rollout, thing, view.t, _shade(view, thing.name, colours[thing.name])) for thing in things
        ]
        solids += balls
        solids += fixture_solids(scene, theme.unit(theme.FAINT), view.hidden)
        pickable += [_pickable(thing.name, solid) for thing, solid in zip(things, balls, strict=True)]
        lines, markers = self._paths(view)
        stretches = [
            stretch
            for stretch in self.tracks(view.rollout).around(view.t - AROUND, view.t + AROUND)
            if stretch.name not in view.hidden and stretch.kind == "flight"
        ]
        pins = [pin for pin in view.pinned if pin.name.partition("/")[0] not in view.hidden]
        markers += signs(view.rollout, view.t, view.camera, view.size, view.scale, pins, view.grabbed, view.target)
        drawing = Drawing(tuple(solids), tuple(lines), tuple(markers), ground=_has_ground(view))
        return drawing, tuple(pickable), stretches

    def _paths(self, view: View) -> tuple[list[Polyline], list[Marker]]:
        colours = _colours(view)
        low, high = view.t - AROUND, view.t + AROUND
        lines = self._paths_before(view, colours)
        markers: list[Marker] = []
        for stretch in self.tracks(view.rollout).around(low, high):
            owner = stretch.name.partition("/")[0]
            if stretch.name in view.hidden or owner in view.hidden:
                continue
            if stretch.kind == "path":
                lines += _hand_path(view, stretch)
            else:
                chosen = view.selected in (None, stretch.name)
                lines += _path(view, stretch, theme.unit(colours[stretch.name]), chosen)
                if stretch.kind == "flight":
                    markers += _ticks(view, stretch, theme.unit(colours[stretch.name]))
        for name, colour in colours.items():
            if name not in view.hidden:
                markers += contact_markers(view.rollout, name, max(low, 0.0), high, theme.unit(colour))
        return lines, markers

    def _paths_before(self, view: View, colours: dict[str, theme.Colour]) -> list[Polyline]:
        """Flights that the edit has changed, as they were."""
        if view.before is None or view.before is view.rollout:
            return []
        return [
            Polyline(stretch.points, theme.unit(theme.mixed(colours[stretch.name], WHITE, 0.35)), 1.4, 0.32)
            for stretch in self.tracks(view.before).around(view.t - AROUND, view.t + AROUND)
            if stretch.kind == "flight"
            and stretch.name in colours
            and stretch.name not in view.hidden
            and _has_moved(view.rollout, stretch)
        ]


def _path(view: View, stretch: Stretch, colour: tuple[float, float, float], chosen: bool) -> list[Polyline]:
    """Flights are drawn, holds hinted at; everything fades with its distance in time."""
    flight = stretch.kind == "flight"
    width = (3.0 if chosen else 2.2) if flight else 1.4
    strength = (0.95 if chosen else 0.6) if flight else 0.30
    if stretch.name in (view.hovered, view.selected) and flight:
        width += 0.8
    pieces = np.array_split(np.arange(len(stretch.times)), max(1, min(PIECES, len(stretch.times) // 4)))
    polylines = []
    for piece in pieces:
        samples = np.append(piece, piece[-1] + 1) if piece[-1] + 1 < len(stretch.times) else piece
        away = abs(float(stretch.times[samples].mean()) - view.t) / AROUND
        polylines.append(
            Polyline(stretch.points[samples], colour, width, strength * float(np.clip(1.15 - away, 0.12, 1.0)))
        )
    return polylines


def _hand_path(view: View, stretch: Stretch) -> list[Polyline]:
    near = stretch.between(view.t - 0.5 * AROUND, view.t + 0.5 * AROUND)
    wanted = view.hands or stretch.name == view.selected
    if near is None or not wanted:
        return []
    chosen = stretch.name == view.selected
    return [Polyline(near.points, theme.unit(theme.TEXT), 1.8 if chosen else 1.1, 0.55 if chosen else 0.2)]


def _ticks(view: View, stretch: Stretch, colour: tuple[float, float, float]) -> list[Marker]:
    times = tick_times(stretch)
    return [
        Marker(place, colour, 5.0, "disc", float(np.clip(1.1 - abs(t - view.t) / AROUND, 0.1, 0.9)))
        for t, place in zip(times, stretch.at(times), strict=True)
    ]


def tick_times(stretch: Stretch) -> Array:
    """When a flight has marks of time."""
    first, last = np.ceil(stretch.times[0] / TICK - 1e-9), np.floor(stretch.times[-1] / TICK + 1e-9)
    return np.asarray(np.arange(first, last + 1) * TICK)


def flight_on_screen(stretch: Stretch, camera: Camera, size: tuple[int, int]) -> FlightOnScreen:
    """What there is of a flight to take hold of."""
    marks = stretch.at(np.concatenate([tick_times(stretch), stretch.times[[0, -1]]]))
    return FlightOnScreen(
        stretch.name, camera.project(stretch.points, *size), stretch.times, camera.project(marks, *size)[:, :2]
    )


def _body(view: View, character: Character, number: int) -> tuple[list[SolidArray], list[Pickable]]:
    colour = np.array(theme.unit(theme.body_colour(number)))
    position, rotation = joint_frames(view.rollout, character, np.array([view.t]))
    names = character.skeleton.names
    chosen = [_is_part(character, segment, (view.selected, view.hovered)) for segment in range(len(names))]
    solids, bodies = [], []
    for group in placed_shapes(character.skeleton, position, rotation):
        segments = [shape.segment for shape in character.skeleton.shapes if shape.kind == group.kind]
        tints = np.array([np.array(theme.unit(theme.ACCENT)) if chosen[s] else colour for s in segments])
        kind: Kind = group.kind  # type: ignore[assignment]
        solids.append(SolidArray(kind, group.position[0], group.rotation[0], group.size, 0.65 * tints + 0.35 * colour))
        labels = tuple(f"{character.name}/{names[s]}" for s in segments)
        bodies.append(Pickable(kind, labels, group.position[0], group.rotation[0], group.size))
    if view.ghosts and view.before is not None and view.before is not view.rollout:
        solids += _ghost(view, character, position)
    return solids, bodies


def _ghost(view: View, character: Character, now: Array) -> list[SolidArray]:
    """Limbs as they were before the edit, where they are elsewhere now."""
    assert view.before is not None
    before = view.before.model.scene.character(character.name)
    position, rotation = joint_frames(view.before, before, np.array([view.t]))
    far = np.linalg.norm(position - now, axis=2)[0] > MOVED
    arrays = []
    for group in placed_shapes(character.skeleton, position, rotation):
        segments = [shape.segment for shape in character.skeleton.shapes if shape.kind == group.kind]
        moved = np.array([far[s] for s in segments])
        if moved.any():
            kind: Kind = group.kind  # type: ignore[assignment]
            solid = group.position[0][moved], group.rotation[0][moved], group.size[moved]
            arrays.append(SolidArray(kind, *solid, theme.unit(theme.TEXT), 0.16))
    return arrays


def _is_part(character: Character, segment: int, names: tuple[str | None, ...]) -> bool:
    points = [name.partition("/")[2] for name in names if name is not None and name.startswith(f"{character.name}/")]
    return any(character.skeleton.point(point)[0] == segment for point in points)


def _colours(view: View) -> dict[str, theme.Colour]:
    return theme.thing_colours([thing.name for thing in view.rollout.model.scene.things])


def _shade(view: View, name: str, colour: theme.Colour) -> tuple[float, float, float]:
    if name in (view.selected, view.hovered):
        colour = theme.mixed(colour, WHITE, 0.3)
    return theme.unit(colour)


def _has_ground(view: View) -> bool:
    """Unless somebody has hidden it."""
    planes = [
        fixture for fixture in view.rollout.model.scene.fixtures if np.asarray(fixture.shape.core).max() >= 0.5 * PLANE
    ]
    return not planes or any(plane.name not in view.hidden for plane in planes)


def _pickable(name: str, solid: Solid) -> Pickable:
    one = (np.asarray(x, float)[None] for x in (solid.position, solid.rotation, solid.size))
    return Pickable(solid.kind, (name,), *one)


def _has_moved(rollout: Rollout, stretch: Stretch) -> bool:
    middle = stretch.times[[len(stretch.times) // 4, len(stretch.times) // 2, 3 * len(stretch.times) // 4]]
    was = stretch.points[[len(stretch.times) // 4, len(stretch.times) // 2, 3 * len(stretch.times) // 4]]
    return bool(np.abs(rollout.positions(stretch.name, middle) - was).max() > MOVED)


def handle(view: View, name: str, point: Array) -> str:
    """The joint or site of the touched limb that lies nearest to the touch: what a drag takes hold of."""
    owner, _, segment_name = name.partition("/")
    character = view.rollout.model.scene.character(owner)
    skeleton = character.skeleton
    segment = skeleton.names.index(segment_name)
    names = [segment_name, *(skeleton.names[child] for child in skeleton.children(segment))]
    if segment_name == "head":
        names = [site.name for site in skeleton.sites if site.segment == segment] or names
    places = [view.rollout.state(f"{owner}/{point_name}", view.t).position for point_name in names]
    nearest = int(np.argmin([np.linalg.norm(place - point) for place in places]))
    return f"{owner}/{names[nearest]}"
