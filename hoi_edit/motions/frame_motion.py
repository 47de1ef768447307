"""How every frame of a scene moves, exactly and at any time, in machine code.

A *frame* is a segment of a character (all characters' segments in one row) or the world (-1). Its motion is packed as
24 numbers: position, rotation, velocity, spin, acceleration, angular acceleration.
"""

from typing import Any, NamedTuple

import numpy as np

from hoi_edit.motions.mixture import Mixed, Mixtures, coordinates, look
from kinematics.chain_jacobians import STATIONS, frame_jacobian
from kinematics.chains import SKELETON, Chains, frame_motion, frames_of_pose
from kinematics.compiled import compiled, inner
from kinematics.packed_motion import FRAME_SIZE
from kinematics.rotation import Floats

Ints = np.ndarray


class Moving(NamedTuple):
    chains: Chains
    mixtures: Mixtures
    mixed: Mixed


class Desk(NamedTuple):
    """Room to work in, so that nothing is allocated on the way."""

    first: Ints
    weights: Floats
    q: Floats
    scratch: Floats  # (16, 3) of vectors: the first ten for the kinematics


@inner
def desk(moving: Moving) -> Desk:
    return desk_for(moving, 3)


@inner
def desk_for(moving: Moving, orders: int) -> Desk:
    """With room for coordinates and so many of their rates."""
    splines, most, characters = len(moving.mixtures.spline), 1, moving.mixtures.character
    for c in range(len(characters)):
        most = max(most, characters[c, 3])
    weights, q = np.zeros((splines, orders, 4)), np.zeros((most, orders))
    return Desk(np.zeros(splines, np.int64), weights, q, np.zeros((16, 3)))


@inner
def motion_of(moving: Moving, desk: Desk, frame: int, t: float, out: Floats) -> None:
    """Fill `out` (24,) with the motion of a frame at time t."""
    if frame < 0:
        for i in range(FRAME_SIZE):
            out[i] = 0.0
        out[3] = out[7] = out[11] = 1.0
        return
    character = moving.chains.joint[frame, SKELETON]
    look(moving.mixtures, moving.mixed, character, t, desk.first, desk.weights)
    coordinates(moving.mixtures, moving.mixed, character, desk.first, desk.weights, 3, desk.q)
    frame_motion(moving.chains, frame, desk.q, desk.scratch, out)


@compiled
def _motions(moving: Moving, frames: Ints, times: Floats) -> Floats:
    out = np.empty((len(frames), FRAME_SIZE))
    room = desk(moving)
    for k in range(len(frames)):
        motion_of(moving, room, frames[k], times[k], out[k])
    return out


def motions(moving: Moving, frames: Any, times: Any) -> Floats:
    """(N, 24) of frames (N,) at times (N,)."""
    return _motions(moving, np.asarray(frames, np.int64), np.array(times, float))  # one that may be written to


@compiled
def motions_and_jerks(moving: Moving, frame: int, times: Floats) -> tuple[Floats, Floats]:
    """(N, 24) of one frame at times (N,), and the rates of its two accelerations then (N, 6): from that time on, as on
    a knot these have a kink."""
    count = len(times)
    out, jerks = np.zeros((count, FRAME_SIZE)), np.zeros((count, 6))
    room = desk_for(moving, 4)
    notes, jacobian = np.empty((len(room.q), STATIONS, 3)), np.zeros((18, 3, len(room.q)))
    for k in range(count):
        motion_of(moving, room, frame, times[k], out[k])
        if frame < 0:
            continue
        character = moving.chains.joint[frame, SKELETON]
        coordinates(moving.mixtures, moving.mixed, character, room.first, room.weights, 4, room.q)
        jacobian[:] = 0.0
        frame_jacobian(moving.chains, frame, room.q, notes, room.scratch, jacobian)
        for i in range(6):
            for order in range(3):
                for d in range(moving.mixtures.character[character, 3]):
                    jerks[k, i] += jacobian[12 + i, order, d] * room.q[d, order + 1]
    return out, jerks


@compiled
def jacobians(moving: Moving, frames: Ints, times: Floats, size: int) -> Floats:
    """(N, 12, 2, size) of frames of one character with that many coordinates: how each one's place, turn, velocity and
    spin depend on q and on its rate."""
    out, room = np.zeros((len(frames), 12, 2, size)), desk(moving)
    notes = np.empty((len(room.q), STATIONS, 3))
    for k in range(len(frames)):
        character = moving.chains.joint[frames[k], SKELETON]
        look(moving.mixtures, moving.mixed, character, times[k], room.first, room.weights)
        coordinates(moving.mixtures, moving.mixed, character, room.first, room.weights, 3, room.q)
        frame_jacobian(moving.chains, frames[k], room.q, notes, room.scratch, out[k])
    return out


def table_of(moving: Moving, times: Floats, middle: Floats) -> tuple[Floats, Floats, Floats]:
    """Places (T, F, 12) of all frames, position and rotation, at many times; where the points `middle` (F, 3) of the
    frames are then, and the fastest that each of these is from row to row [m/s].

    Sines and cosines are most of the work. In single precision, which is a micrometre and plenty for saying where to
    look, numpy takes sixteen at a time.
    """
    q = poses_at(moving, times)
    angles = q.astype(np.float32)
    return _places(moving, q, np.cos(angles), np.sin(angles), middle, times[1] - times[0])


@compiled
def poses_at(moving: Moving, times: Floats) -> Floats:
    """(T, D) coordinates of all characters, one after the other."""
    mixtures, room, total = moving.mixtures, desk_for(moving, 1), 0
    for character in range(len(mixtures.character)):
        total += mixtures.character[character, 3]
    q = np.empty((len(times), total))
    for row in range(len(times)):
        first = 0
        for character in range(len(mixtures.character) - 1):
            look(mixtures, moving.mixed, character, times[row], room.first, room.weights)
            coordinates(mixtures, moving.mixed, character, room.first, room.weights, 1, room.q)
            for d in range(mixtures.character[character, 3]):
                q[row, first + d] = room.q[d, 0]
            first += mixtures.character[character, 3]
    return q


@compiled
def _places(
    moving: Moving, q: Floats, cosine: Floats, sine: Floats, middle: Floats, step: float
) -> tuple[Floats, Floats, Floats]:
    chains, characters = moving.chains, moving.mixtures.character
    count, frames = len(q), len(chains.offset)
    pose, centre, way = np.empty((count, frames, 12)), np.empty((count, frames, 3)), np.zeros(frames)
    for row in range(count):
        first, own = 0, 0
        for character in range(len(characters) - 1):
            last = first
            while chains.joint[last, SKELETON] == character:
                last += 1
            frames_of_pose(chains, first, last, q[row], cosine[row], sine[row], own, pose[row])
            first, own = last, own + characters[character, 3]
        for f in range(frames):
            square = 0.0
            for i in range(3):
                centre[row, f, i] = pose[row, f, i]
                for j in range(3):
                    centre[row, f, i] += pose[row, f, 3 + 3 * i + j] * middle[f, j]
                if row > 0:
                    square += (centre[row, f, i] - centre[row - 1, f, i]) ** 2
            way[f] = max(way[f], square)
    for f in range(frames):
        way[f] = np.sqrt(way[f]) / step
    return pose, centre, way
