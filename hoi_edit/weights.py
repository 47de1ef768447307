"""What a change of the control vector costs, in one currency: how much mass moves how far, per unit of each entry.

Without it a solver cheats with whatever is cheap: sliding feet instead of a bent elbow. A joint's angle costs the
inertia of everything it swings, a thing's place its mass, its velocity that mass over the way it makes in a flight's
time. Time and bent physics have no mass; they cost so much that they move last.
"""

import jax.numpy as jnp
import numpy as np

from hoi_edit.controls import LOCKED, Block
from hoi_edit.motions import joint_state
from hoi_edit.scene import Character
from hoi_edit.simulation import Model
from kinematics.forward import angular_jacobians, forward, point_jacobians, points
from kinematics.rotation import Floats

FLIGHT = 0.3  # [s] over which a change of velocity becomes a way
TIME = 1e3  # per s², of a release
BENT = 1e3  # of restitution, friction and normals
LEVER = 0.3  # [m] at which turning and spinning count: a ball's own radius would make its spin the cheapest of all
LEAST = 0.3  # [kg m²] of an angle: a wrist that swings nothing would else take every edit


def weights(model: Model) -> Floats:
    """(n,) positive; the squared size of a change is Σ weights · δu²."""
    result = np.empty(model.layout.size)
    for character in model.scene.characters:
        _fill_character(result, model, character)
    motions = {character.name for character in model.scene.characters}
    for block in model.layout.blocks:
        if block.name.partition(".")[0] not in motions:
            result[block.indices] = _of_block(model, block)
    return result


def dof_weights(character: Character, time: float) -> Floats:
    """(D,) inertia that each degree of freedom moves, in the pose at a time."""
    skeleton, inertias = character.skeleton, character.skeleton.inertias
    segment = np.arange(len(skeleton.names))
    q = joint_state(character.motion, character.motion.parameters(), time).q
    frames = forward(skeleton, q)
    centre = points(frames, segment, jnp.asarray(inertias.centre))
    moved = np.asarray(point_jacobians(skeleton, frames, segment, centre))
    turned = np.asarray(angular_jacobians(skeleton, frames, segment))
    R = np.asarray(frames.rotation)
    world = R @ np.asarray(inertias.inertia) @ R.transpose(0, 2, 1)
    swings = np.einsum("s,sid,sid->d", np.asarray(inertias.mass), moved, moved)
    return np.maximum(swings + np.einsum("sid,sij,sjd->d", turned, world, turned), LEAST)


def _fill_character(result: Floats, model: Model, character: Character) -> None:
    own = dof_weights(character, 0.5 * (model.scene.start + model.scene.end))
    for block in model.layout.blocks:
        if block.name.partition(".")[0] == character.name:
            of_dofs = len(block.shape) == 2 and block.shape[1] == len(own)
            # blend weights move the whole body a little: they cost what the body weighs
            result[block.indices] = np.tile(own, block.shape[0]) if of_dofs else float(own.max())


def _of_block(model: Model, block: Block) -> float:
    owner, _, field = block.name.rpartition(".")
    if field == "release":
        return TIME
    if field in LOCKED:
        return BENT
    body = model.scene.thing(owner).body
    mass = float(body.mass)
    moment = mass * LEVER**2
    return {"position": mass, "turn": moment, "velocity": mass * FLIGHT**2, "spin": moment * FLIGHT**2}[field]
