"""A scene at one time as a drawing: bodies, things, their paths and contacts, and the paths from before an edit."""

import numpy as np

from hoi_edit.body_shapes import world_shapes
from hoi_edit.scene import Character, Thing
from hoi_edit.simulation import Rollout
from ui.drawing import Array, Drawing, Marker, Polyline, Solid, SolidArray

BODY = (0.60, 0.64, 0.70)
THINGS = (
    (0.91, 0.45, 0.24),
    (0.35, 0.66, 0.90),
    (0.48, 0.77, 0.50),
    (0.85, 0.42, 0.46),
    (0.71, 0.54, 0.88),
    (0.93, 0.78, 0.35),
)
UNWANTED = (0.95, 0.25, 0.22)
STEP = 1.0 / 90.0  # [s] along paths
TICK = 0.1  # [s] between marks of time on a path


def scene_drawing(
    rollout: Rollout, t: float, around: float = 0.9, before: Rollout | None = None, only: tuple[str, ...] = ()
) -> Drawing:
    """The scene at time t, with paths `around` that time; those of a rollout `before` are faint.

    Paths are of all things that are balls, or `only` of some.
    """
    scene = rollout.model.scene
    solids: list[Solid | SolidArray] = []
    for character in scene.characters:
        solids += _body(rollout, character, t)
    lines: list[Polyline] = []
    markers: list[Marker] = []
    times = np.arange(max(scene.start, t - around), min(scene.end, t + around), STEP)
    for k, thing in enumerate(scene.things):
        colour = THINGS[k % len(THINGS)]
        solids.append(_thing(rollout, thing, t, colour))
        if len(thing.body.vertices) > 1 or (only and thing.name not in only):
            continue
        if before is not None:
            lines.append(Polyline(before.positions(thing.name, times), colour, 1.5, 0.3))
        lines.append(Polyline(rollout.positions(thing.name, times), colour, 2.5, 0.9))
        ticks = np.arange(np.ceil(times[0] / TICK), np.floor(times[-1] / TICK) + 1) * TICK
        markers += [
            Marker(x, colour, 4.0, "disc", 0.8) for x in rollout.positions(thing.name, np.asarray(ticks, float))
        ]
        markers += _contacts(rollout, thing.name, float(times[0]), float(times[-1]), colour)
    return Drawing(tuple(solids), tuple(lines), tuple(markers))


def _body(rollout: Rollout, character: Character, t: float) -> list[SolidArray]:
    motion, parameters = character.motion, rollout.controls.motions[character.name]
    pose = np.asarray(motion.pose(parameters, t))
    return [
        SolidArray(group.kind, group.position[0], group.rotation[0], group.size, BODY)  # type: ignore[arg-type]
        for group in world_shapes(character.skeleton, pose[None])
    ]


def _thing(rollout: Rollout, thing: Thing, t: float, colour: tuple[float, ...]) -> Solid:
    state, body = rollout.state(thing.name, t), thing.body
    extent = np.abs(np.asarray(body.vertices)).max(axis=0)
    if len(body.vertices) == 1:
        return Solid("sphere", state.position, state.rotation, (float(body.radius), 0.0, 0.0), colour)
    if len(body.vertices) == 2:
        return Solid("capsule", state.position, state.rotation, (float(body.radius), float(extent[1]), 0.0), colour)
    return Solid("box", state.position, state.rotation, extent + float(body.radius), colour)


def _contacts(rollout: Rollout, thing: str, start: float, end: float, colour: tuple[float, ...]) -> list[Marker]:
    """Diamonds where something was meant to happen, red rings where it was not."""
    events = [event for event in rollout.trajectories.chains[thing].events if start <= event.time <= end]
    places: Array = rollout.positions(thing, np.array([event.time for event in events])) if events else np.zeros((0, 3))
    return [
        Marker(x, colour if event.intended else UNWANTED, 11.0, "diamond" if event.intended else "ring")
        for event, x in zip(events, places, strict=True)
        if event.kind in ("impact", "grasp", "release", "rest")
    ]
