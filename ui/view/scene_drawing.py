"""A scene at one time as a drawing: bodies, things, their paths and contacts, and the paths from before an edit."""

from collections.abc import Collection

import numpy as np

from hoi_edit.export.sampling import joint_frames
from hoi_edit.motions.body_shapes import placed_shapes
from hoi_edit.rollout import Rollout
from hoi_edit.scene import PLANE, Character, Scene, Thing
from hoi_edit.scene.colours import Colour, body_colour, thing_colours
from hoi_edit.simulate.trajectory import Event
from ui.view.drawing import Array, Drawing, Marker, Polyline, Solid, SolidArray
from ui.words.problems import is_unwanted

UNWANTED = (0.95, 0.25, 0.22)
STEP = 1.0 / 90.0  # [s] along paths
TICK = 0.1  # [s] between marks of time on a path
FURNITURE = (0.42, 0.44, 0.48)
PALE = (0.78, 0.80, 0.83)  # what colours of paths from before an edit fade to


def scene_drawing(
    rollout: Rollout,
    t: float,
    around: float = 0.9,
    before: Rollout | None = None,
    only: tuple[str, ...] = (),
    ghosts: bool = False,
) -> Drawing:
    """The scene at time t, with paths `around` that time; those of a rollout `before` are faint.

    Paths are of all things that are balls, or `only` of some; `ghosts` stand along their flights.
    """
    scene = rollout.model.scene
    solids: list[Solid | SolidArray] = []
    for k, character in enumerate(scene.characters):
        solids += _body(rollout, character, t, body_colour(k))
    solids += fixture_solids(scene, FURNITURE)
    lines: list[Polyline] = []
    markers: list[Marker] = []
    times = np.arange(max(scene.start, t - around), min(scene.end, t + around), STEP)
    colours = thing_colours([thing.name for thing in scene.things])
    for thing in scene.things:
        colour = colours[thing.name]
        solids.append(thing_solid(rollout, thing, t, colour))
        if len(thing.body.vertices) > 1 or (only and thing.name not in only):
            continue
        if before is not None and thing.name in before.trajectories.chains:  # else it came in with an edit
            faded = 0.5 * (np.array(colour) + PALE)
            lines.append(Polyline(before.positions(thing.name, times), faded, 1.8, 0.4))
        lines.append(Polyline(rollout.positions(thing.name, times), colour, 2.5, 0.9))
        ticks = np.arange(np.ceil(times[0] / TICK), np.floor(times[-1] / TICK) + 1) * TICK
        places = rollout.positions(thing.name, np.asarray(ticks, float))
        if ghosts:
            solids += _ghosts(rollout, thing, t, ticks, places, colour)
        else:
            markers += [Marker(x, colour, 4.0, "disc", 0.8) for x in places]
        markers += contact_markers(rollout, thing.name, float(times[0]), float(times[-1]), colour)
    return Drawing(tuple(solids), tuple(lines), tuple(markers))


def fixture_solids(scene: Scene, colour: Colour, hidden: Collection[str] = ()) -> list[Solid]:
    """What stands still, but for the ground."""
    solids = []
    for fixture in scene.fixtures:
        extent = np.asarray(fixture.shape.core) + float(np.asarray(fixture.shape.radius))
        if extent.max() < 0.5 * PLANE and fixture.name not in hidden:
            solids.append(Solid("box", fixture.position, fixture.rotation, extent, colour))
    return solids


def _ghosts(rollout: Rollout, thing: Thing, t: float, ticks: Array, places: Array, colour: Colour) -> list[SolidArray]:
    """A ball where it flies at the marks of time, fainter the farther from now."""
    chain = rollout.trajectories.chains[thing.name]
    flying = np.array([chain.span_at(float(tick)).kind == "flight" for tick in ticks], bool)
    away = np.abs(ticks - t)
    kept = flying & (away > TICK / 3)
    if not kept.any():
        return []
    alpha = 0.42 * np.clip(1.0 - away[kept] / 0.6, 0.3, 1.0)
    count, size = int(kept.sum()), (float(thing.body.radius), 0.0, 0.0)
    turned = np.tile(np.eye(3), (count, 1, 1))
    return [SolidArray("sphere", places[kept], turned, np.tile(size, (count, 1)), colour, alpha)]


def _body(rollout: Rollout, character: Character, t: float, colour: Colour) -> list[SolidArray]:
    return [
        SolidArray(group.kind, group.position[0], group.rotation[0], group.size, colour)  # type: ignore[arg-type]
        for group in placed_shapes(character.skeleton, *joint_frames(rollout, character, np.array([t])))
    ]


def thing_solid(rollout: Rollout, thing: Thing, t: float, colour: Colour) -> Solid:
    state, body = rollout.state(thing.name, t), thing.body
    extent = np.abs(np.asarray(body.vertices)).max(axis=0)
    if len(body.vertices) == 1:
        return Solid("sphere", state.position, state.rotation, (float(body.radius), 0.0, 0.0), colour)
    if len(body.vertices) == 2:
        return Solid("capsule", state.position, state.rotation, (float(body.radius), float(extent[1]), 0.0), colour)
    if len(body.vertices) == 8 and np.allclose(np.abs(np.asarray(body.vertices)), extent):
        return Solid("box", state.position, state.rotation, extent + float(body.radius), colour)
    return Solid("hull", state.position, state.rotation, extent, colour, corners=np.asarray(body.vertices, float))


def contact_markers(rollout: Rollout, thing: str, start: float, end: float, colour: Colour) -> list[Marker]:
    """Diamonds where something was meant to happen, red rings where it was not, discs where things just bounce."""
    events = [event for event in rollout.trajectories.chains[thing].events if start <= event.time <= end]
    places: Array = rollout.positions(thing, np.array([event.time for event in events])) if events else np.zeros((0, 3))
    return [
        _contact_marker(x, event, colour, is_unwanted(event, rollout.model.scene))
        for event, x in zip(events, places, strict=True)
        if event.kind in ("impact", "grasp", "release", "rest")
    ]


def _contact_marker(place: Array, event: Event, colour: Colour, unwanted: bool) -> Marker:
    if unwanted:
        return Marker(place, UNWANTED, 11.0, "ring")
    return Marker(place, colour, 11.0, "diamond") if event.intended else Marker(place, colour, 7.0, "disc")
