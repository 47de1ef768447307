"""What a change of the control vector costs, in one currency: how much mass moves how far, per unit of each entry.

Without it a solver cheats with whatever is cheap: sliding feet instead of a bent elbow. A joint's angle costs the
inertia of everything it swings, a thing's place its mass, its velocity that mass over the way it makes in a flight's
time. Time and bent physics have no mass; they cost so much that they move last.
"""

from collections.abc import Collection
from weakref import WeakKeyDictionary

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from hoi_edit.motions import Blend
from hoi_edit.motions.base import poses
from hoi_edit.motions.frame_motion import Moving, jacobians, motions
from hoi_edit.rollout import Model
from hoi_edit.scene import Character
from hoi_edit.scene.controls import Block
from hoi_edit.simulate.context import moving_frames
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError
from kinematics.feet import FootPoint, foot_points
from kinematics.rotation import Floats, cross

FLIGHT = 0.3  # [s] over which a change of velocity becomes a way
TIME = 1e3  # per s², of a release
SLIDE = 300.0  # [kg] of hitting something elsewhere
LYING = 1e3  # [kg] that a thing weighs while it lies still
FOOT = 1e3  # [kg] that a foot weighs while it stands
LOOKS = 41  # at a blend, to see where its clips differ most
LOOK, WHILE = 0.1, 10  # [s] between looks at feet, to see which stand; and over how many of them
STANDS, DRIFTS = 0.1, 0.5  # [m] a foot that strays no farther in that while stands, if it ends up no farther than that
SOLE = 0.1  # [m] over which turning a foot counts
BENT = 1e3  # of restitution, friction and normals
LEVER = 0.3  # [m] at which turning and spinning count: a ball's own radius would make its spin the cheapest of all
ROOT = 4.0  # a body is dearer to shift than its mass: its balance hangs on that
PERFORMED = 0.1  # of what a change costs, where it leads to what somebody has performed
LEAST = 0.3  # [kg m²] of an angle: a wrist that swings nothing would else take every edit


_WEIGHTS: WeakKeyDictionary[Model, Floats] = WeakKeyDictionary()
_STANDING: WeakKeyDictionary[Model, dict[str, dict[str, Floats]]] = WeakKeyDictionary()


def weights(model: Model) -> Floats:
    """(n,) positive; the squared size of a change is Σ weights · δu²."""
    if model not in _WEIGHTS:
        _WEIGHTS[model] = _weights(model)
    return _WEIGHTS[model]


def standing_masses(model: Model, lifted: Collection[str] = ()) -> dict[str, Floats]:
    """Per character (D, D) what it costs, beside inertia, to move feet that stand: so the knees bend, and they stay.

    Not those that are `lifted` ("juggler/left_toes"): a foot that is dragged is light.
    """
    if model not in _STANDING:
        middle = 0.5 * (model.scene.start + model.scene.end)
        _STANDING[model] = {character.name: _standing(model, character, middle) for character in model.scene.characters}
    masses = {}
    for character in model.scene.characters:
        points = _STANDING[model][character.name]
        held = [mass for point, mass in points.items() if f"{character.name}/{point}" not in lifted]
        masses[character.name] = np.sum([np.zeros((character.skeleton.n_dofs,) * 2), *held], axis=0)
    return masses


def _standing(model: Model, character: Character, time: float) -> dict[str, Floats]:
    """By the name of the point that stands."""
    always = always_stands(model, character)
    feet = [foot for foot in feet_of(character) if foot.name in always]
    if not feet:
        return {}
    _, moves, turns = _swung(model, character, time, *_of_feet(feet))
    return {
        foot.name: FOOT * (moved.T @ moved + SOLE**2 * turned.T @ turned)
        for foot, moved, turned in zip(feet, moves, turns, strict=True)
    }


def always_stands(model: Model, character: Character) -> frozenset[str]:
    """Names of the points of feet that never leave their place as long as a clip lasts. Long ones, looped ones above
    all, drift slowly, which is no step.

    One that steps about in the clip is not held where it happens to be in the middle.
    """
    feet = feet_of(character)
    if not feet:
        return frozenset()
    segments, local = _of_feet(feet)
    start, end = float(character.motion.start), float(character.motion.end)
    looks = max(2, int(np.ceil((end - start) / LOOK)) + 1)
    times = np.linspace(start, end, looks)
    tracks, _, _ = _placed(
        model, character, np.tile(segments, looks), np.tile(local, (looks, 1)), np.repeat(times, len(feet))
    )
    tracks = tracks.reshape(looks, len(feet), 3)
    whiles = sliding_window_view(tracks, min(WHILE, looks), axis=0)
    strays, drifts = np.ptp(whiles, axis=-1).max(axis=(0, -1)), np.ptp(tracks, axis=0).max(axis=-1)
    stands = (strays < STANDS) & (drifts < DRIFTS)
    return frozenset(foot.name for foot, foot_stands in zip(feet, stands, strict=True) if foot_stands)


def feet_of(character: Character) -> list[FootPoint]:
    try:
        return foot_points(character.skeleton)
    except HoiError:  # a body without feet
        return []


def _of_feet(feet: list[FootPoint]) -> tuple[Ints, Floats]:
    """Segments, and places in them."""
    return np.array([foot.segment for foot in feet]), np.stack([foot.local for foot in feet])


def _placed(
    model: Model, character: Character, segments: Ints, local: Floats, times: Floats
) -> tuple[Floats, Floats, Floats]:
    """Points of segments (S, 3) at times (S,), how far these are from their frames, and the rotations."""
    frames = motions(_moving(model), model.world.first_of(character) + segments, times)
    rotations = frames[:, 3:12].reshape(-1, 3, 3)
    arms = (rotations @ local[..., None])[..., 0]
    return frames[:, :3] + arms, arms, rotations


def _swung(
    model: Model, character: Character, time: float, segments: Ints, local: Floats
) -> tuple[Floats, Floats, Floats]:
    """Rotations (S, 3, 3) of segments in the pose at a time, and how points of them (S, 3, D) move and turn."""
    times = np.full(len(segments), time)
    _, arms, rotations = _placed(model, character, segments, local, times)
    frames = model.world.first_of(character) + segments
    J = jacobians(_moving(model), frames, times, character.skeleton.n_dofs)[:, :, 0]
    turned = J[:, 3:6]
    swept = cross(turned.transpose(0, 2, 1), arms[:, None]).transpose(0, 2, 1)
    return rotations, J[:, :3] + swept, turned


def _moving(model: Model) -> Moving:
    return moving_frames(model.world, model.layout.unflatten(model.start))


def _weights(model: Model) -> Floats:
    result = np.empty(model.layout.size)
    for character in model.scene.characters:
        _fill_character(result, model, character)
    for block in model.layout.blocks:
        if not block.of_body:
            result[block.indices] = _of_block(model, block)
    return result


def dof_weights(model: Model, character: Character, time: float) -> Floats:
    """(D,) inertia that each degree of freedom moves, in the pose at a time."""
    skeleton, inertias = character.skeleton, character.skeleton.inertias
    segment = np.arange(len(skeleton.names))
    R, moved, turned = _swung(model, character, time, segment, np.asarray(inertias.centre))
    world = R @ np.asarray(inertias.inertia) @ R.transpose(0, 2, 1)
    swings = np.einsum("s,sid,sid->d", np.asarray(inertias.mass), moved, moved)
    inertia = np.maximum(swings + np.einsum("sid,sij,sjd->d", turned, world, turned), LEAST)
    slides = np.array([kind == "translation" for kind in skeleton.topology.dof_kinds])
    return np.where(slides, ROOT * inertia, inertia)


def _fill_character(result: Floats, model: Model, character: Character) -> None:
    inertia = dof_weights(model, character, 0.5 * (model.scene.start + model.scene.end))
    for block in model.layout.blocks:
        if block.of_body and block.owner == character.name:
            if isinstance(character.motion, Blend) and block.part == "alpha":
                result[block.indices] = blend_weights(character.motion, inertia).ravel()
            else:
                of_dofs = len(block.shape) == 2 and block.shape[1] == len(inertia)
                result[block.indices] = np.tile(inertia, block.shape[0]) if of_dofs else float(inertia.max())


def blend_weights(motion: Blend, inertia: Floats) -> Floats:
    """(intervals, clips - 1) what a whole unit of each weight costs: the way from the first clip to the other one.

    It is taken where the two differ most, and once, where the same change by control points would be paid for at every
    knot; and only a part of that: a body that goes over to what somebody has performed stays natural. (§5.2 scales α
    in the optimisation "to facilitate larger changes".)
    """
    prices = np.empty(np.shape(motion.alpha))
    clip_parameters = motion.parameters().clips
    for station, interval in enumerate(motion.stations):
        if interval >= 0:  # there are ramps on both sides of it
            times = np.linspace(motion.ramps[station - 1][0], motion.ramps[station][1], LOOKS)
            first = poses(motion.motions[0], clip_parameters[0], times)
            for k, warp in enumerate(motion.warps, start=1):
                apart = np.asarray(poses(motion.motions[k], clip_parameters[k], warp(times)) - first)
                prices[interval, k - 1] = PERFORMED * max(float((apart**2 @ inertia).max()), LEAST)
    return prices


def _of_block(model: Model, block: Block) -> float:
    if block.is_time:
        return TIME
    if block.is_law:
        return BENT
    body = model.scene.thing(block.owner).body
    mass = float(body.mass)
    moment = mass * LEVER**2
    return {"position": mass, "turn": moment, "velocity": mass * FLIGHT**2, "spin": moment * FLIGHT**2}[block.part]
