"""Bodies, things and fixtures of a view as solids, and as what can be picked."""

from __future__ import annotations

import numpy as np

from hoi_edit.export.sampling import joint_frames
from hoi_edit.motions.body_shapes import placed_shapes
from hoi_edit.rollout import Rollout
from hoi_edit.scene import PLANE, Character, Thing
from ui import theme
from ui.view.drawing import Array, Colour, Kind, Solid, SolidArray
from ui.view.picking import Pickable
from ui.view.scene_view import MOVED, WHITE, View, colours_of


def solids_of(view: View) -> tuple[list[Solid | SolidArray], list[Pickable]]:
    """All that is not hidden, and the same of people and things to be picked."""
    solids: list[Solid | SolidArray] = []
    pickable: list[Pickable] = []
    for k, character in enumerate(view.rollout.model.scene.characters):
        if view.shows(character.name):
            body_solids, bodies = _body(view, character, k)
            solids += body_solids
            pickable += bodies
    colours = colours_of(view)
    for thing in view.rollout.model.scene.things:
        if view.shows(thing.name):
            solid = thing_solid(view.rollout, thing, view.t, _shade(view, thing.name, colours[thing.name]))
            solids.append(solid)
            pickable.append(_pickable(thing.name, solid))
    return [*solids, *_fixtures(view)], pickable


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
    if view.ghosts and view.edited is not None:
        solids += _ghost(view, view.edited, character, position)
    return solids, bodies


def _ghost(view: View, edited: Rollout, character: Character, now: Array) -> list[SolidArray]:
    """Limbs as they were before the edit, where they are elsewhere now."""
    before = edited.model.scene.character(character.name)
    position, rotation = joint_frames(edited, before, np.array([view.t]))
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


def _shade(view: View, name: str, colour: theme.Colour) -> tuple[float, float, float]:
    if name in (view.selected, view.hovered):
        colour = theme.mixed(colour, WHITE, 0.3)
    return theme.unit(colour)


def _fixtures(view: View) -> list[Solid]:
    solids = []
    for fixture in view.rollout.model.scene.fixtures:
        extent = np.asarray(fixture.shape.core) + float(np.asarray(fixture.shape.radius))
        if extent.max() < 0.5 * PLANE and view.shows(fixture.name):
            solids.append(Solid("box", fixture.position, fixture.rotation, extent, theme.unit(theme.FAINT)))
    return solids


def has_ground(view: View) -> bool:
    """Unless somebody has hidden it."""
    planes = [
        fixture for fixture in view.rollout.model.scene.fixtures if np.asarray(fixture.shape.core).max() >= 0.5 * PLANE
    ]
    return not planes or any(view.shows(plane.name) for plane in planes)


def _pickable(name: str, solid: Solid) -> Pickable:
    one = (np.asarray(x, float)[None] for x in (solid.position, solid.rotation, solid.size))
    return Pickable(solid.kind, (name,), *one)
