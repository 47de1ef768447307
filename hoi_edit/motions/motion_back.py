"""Covectors on how a frame moves at many times, carried back to all parameters of the character's motion.

In: covectors (R, N, 18) on place, turn, velocity, spin, acceleration and angular acceleration of one frame at N times.
By geometric Jacobians they become covectors on the character's coordinates and their two rates then, and through the
few control points that each pose is made of covectors on these. All of that is compiled once, for all bodies and clips.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.motions.base import Motion, Parameters, joint_state
from hoi_edit.motions.blend import Blend
from hoi_edit.motions.frame_motion import Moving, desk
from hoi_edit.motions.mixture import Mixed, Recipe, coordinates, look, points_back, ramp_weights
from kinematics.chain_jacobians import STATIONS, frame_jacobian
from kinematics.chains import SKELETON
from kinematics.compiled import compiled
from kinematics.rotation import Floats

CHUNK = 64


def parameters_back(
    moving: Moving, recipe: Recipe, parameters: Parameters, frame: int, times: Floats, on: Floats
) -> Floats:
    """Covectors (R, n) on all parameters of the character that has the frame, as one vector; `recipe` is its own."""
    matter = np.any(on != 0.0, axis=(0, 2))
    if not matter.any():
        return np.zeros((len(on), sum(np.size(leaf) for leaf in jax.tree.leaves(parameters))))
    times, on = np.ascontiguousarray(times[matter]), np.ascontiguousarray(on[:, matter])
    parts = [on[k : k + CHUNK] for k in range(0, len(on), CHUNK)]  # covectors on coordinates take room
    return np.concatenate([_part_back(moving, recipe, parameters, frame, times, part) for part in parts])


def _part_back(moving: Moving, recipe: Recipe, parameters: Parameters, frame: int, times: Floats, on: Floats) -> Floats:
    on_coordinates = coordinates_back(moving, frame, times, on)
    if recipe.samples is not None:
        return _by_differentiation(recipe.motion, parameters, times, on_coordinates)
    character = int(moving.chains.joint[frame, SKELETON])
    found = _on_points(moving, character, times, on_coordinates)
    if isinstance(recipe.motion, Blend):
        on_weights = _on_weights(moving, character, times, on_coordinates)
        on_alpha = recipe.weights_back(on_weights[:, 0], on_weights[:, 1:])
        found[:, found.shape[1] - on_alpha.shape[1] :] = on_alpha
    return found


@compiled
def coordinates_back(moving: Moving, frame: int, times: Floats, on: Floats) -> Floats:
    """(R, N, 3, D) on the coordinates of the frame's character, their rates and accelerations."""
    character = moving.chains.joint[frame, SKELETON]
    size, room = moving.mixtures.character[character, 3], desk(moving)
    notes, jacobian = np.empty((size, STATIONS, 3)), np.zeros((18, 3, size))
    out = np.zeros((len(on), len(times), 3, size))
    for k in range(len(times)):
        look(moving.mixtures, moving.mixed, character, times[k], room.first, room.weights)
        coordinates(moving.mixtures, moving.mixed, character, room.first, room.weights, 3, room.q)
        jacobian[:] = 0.0
        frame_jacobian(moving.chains, frame, room.q, notes, room.scratch, jacobian)
        for r in range(len(on)):
            for i in range(18):
                for order in range(3):
                    for d in range(size):
                        out[r, k, order, d] += on[r, k, i] * jacobian[i, order, d]
    return out


@compiled
def _on_points(moving: Moving, character: int, times: Floats, on: Floats) -> Floats:
    """Covectors on all points of a character, of such on its coordinates (R, N, 3, D)."""
    mixtures, room = moving.mixtures, desk(moving)
    out = np.zeros((len(on), mixtures.character[character + 1, 2] - mixtures.character[character, 2]))
    for k in range(len(times)):
        look(mixtures, moving.mixed, character, times[k], room.first, room.weights)
        for r in range(len(on)):
            points_back(mixtures, character, room.first, room.weights, 3, on[r, k], out[r])
    return out


@compiled
def _on_weights(moving: Moving, character: int, times: Floats, on: Floats) -> Floats:
    """(R, 1 + ramps, branches) on what each branch weighs at first, and on what each ramp adds to that."""
    mixtures, room = moving.mixtures, desk(moving)
    own, following = mixtures.character[character], mixtures.character[character + 1]
    first, ramp0, size = own[0], own[1], own[3]
    branches, ramps = following[0] - first, following[1] - ramp0
    out, by, on_branch = np.zeros((len(on), 1 + ramps, branches)), np.zeros(3), np.zeros(3)
    alone = Mixed(moving.mixed.points, np.zeros(len(moving.mixed.base)), np.zeros(moving.mixed.steps.shape))
    for branch in range(branches):
        alone.base[first + branch] = 1.0  # a pose is linear in the weights: this branch, and nothing of the others
        for k in range(len(times)):
            look(mixtures, alone, character, times[k], room.first, room.weights)
            coordinates(mixtures, alone, character, room.first, room.weights, 3, room.q)
            for r in range(len(on)):
                # on the weight of the branch, its rate and its acceleration, by the product rule
                on_branch[0] = on_branch[1] = on_branch[2] = 0.0
                for d in range(size):
                    q, rate, accel = room.q[d, 0], room.q[d, 1], room.q[d, 2]
                    on_branch[0] += on[r, k, 0, d] * q + on[r, k, 1, d] * rate + on[r, k, 2, d] * accel
                    on_branch[1] += on[r, k, 1, d] * q + 2.0 * on[r, k, 2, d] * rate
                    on_branch[2] += on[r, k, 2, d] * q
                for ramp in range(-1, ramps):
                    ramp_weights(mixtures, ramp0 + ramp if ramp >= 0 else -1, times[k], by)
                    for order in range(3):
                        out[r, 1 + ramp, branch] += on_branch[order] * by[order]
        alone.base[first + branch] = 0.0
    return out


def _by_differentiation(motion: Motion, parameters: Parameters, times: Floats, on: Floats) -> Floats:
    """Of motions that are no splines, by their own `pose`; few shapes, few compilations."""
    rows, late = -len(on) % CHUNK, -len(times) % CHUNK
    padded = np.pad(on, ((0, rows), (0, late), (0, 0), (0, 0)))
    trees = _through_pose(motion, parameters, jnp.asarray(np.pad(times, (0, late), mode="edge")), jnp.asarray(padded))
    leaves = [np.asarray(leaf).reshape(len(padded), -1) for leaf in jax.tree.leaves(trees)]
    return np.concatenate(leaves, axis=1)[: len(on)]


@jax.jit
def _through_pose(motion: Motion, parameters: Parameters, times: Array, on: Array) -> Parameters:
    def states(given: Parameters) -> Array:
        state = jax.vmap(partial(joint_state, motion, given))(times)
        return jnp.stack([state.q, state.rate, state.accel], axis=1)

    _, back = jax.vjp(states, parameters)
    return jax.vmap(lambda row: back(row)[0])(on)
