"""Packed states: eighteen numbers (place, rotation, velocity, spin) of a thing in a hand and in flight."""

import numpy as np

from hoi_edit.rollout import Span
from hoi_edit.touching import FRAME, STATE
from kinematics.rotation import Floats, rotation_exp


def carried(hold: Span, frame: Floats) -> Floats:
    """The packed state of a thing in a hand whose frame moves as given."""
    return all_carried([hold], frame[None])[0]


def all_carried(holds: list[Span], frames: Floats) -> Floats:
    """Packed states (N, 18) of things in hands."""
    f = FRAME.unpack(frames)
    R = f.rotation.reshape(-1, 3, 3)
    arm = np.einsum("nij,nj->ni", R, np.stack([np.asarray(hold.position) for hold in holds]))
    rotation = R @ np.stack([np.asarray(hold.rotation) for hold in holds])
    return np.concatenate([f.position + arm, rotation.reshape(-1, 9), f.velocity + cross(f.spin, arm), f.spin], axis=1)


def cross(a: Floats, b: Floats) -> Floats:
    """As numpy's, without its overhead, which for so few numbers is all."""
    (p, q, r), (x, y, z) = a.T, b.T
    return np.stack([q * z - r * y, r * x - p * z, p * y - q * x], axis=-1)


def relative(frame: Floats, state: Floats) -> tuple[Floats, Floats]:
    """Place and rotation of a thing in a frame."""
    f, s = FRAME.unpack(frame), STATE.unpack(state)
    R = f.rotation.reshape(3, 3)
    return R.T @ (s.position - f.position), R.T @ s.rotation.reshape(3, 3)


def flown(state: Floats, duration: float, gravity: Floats) -> Floats:
    """The packed state of a ball after free flight."""
    s = STATE.unpack(state)
    position = s.position + duration * s.velocity + 0.5 * duration**2 * gravity
    rotation = rotation_exp(duration * s.spin) @ s.rotation.reshape(3, 3)
    return np.concatenate([position, rotation.ravel(), s.velocity + duration * gravity, s.spin])
