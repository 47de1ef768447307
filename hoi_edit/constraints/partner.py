"""What a thing touches, as rows see it: where it is, how it moves, and the numbers that tie the thing to it."""

from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.variations import TURN
from kinematics.packed_motion import ACCEL, ROTATION, SPIN, VELOCITY
from kinematics.rotation import Floats, cross


@dataclass(frozen=True, eq=False)
class ContactPartner:
    """What is touched: a part, a thing in a hand or in flight, or the world; with its motion at a time."""

    frame: int  # of a part; -1 otherwise
    thing: str | None
    position: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats

    def local(self, point: Floats) -> Floats:
        return np.asarray(self.rotation.T @ (point - self.position))

    def apart(self, target: Target, arm: Floats, on: Floats) -> Functional:
        """Numbers on x - p - θ × arm: a thing's place as seen from here, while this moves and turns."""
        return self.functional(target, *apart(arm, on))

    def functional(self, target: Target, thing: Floats, own: Floats) -> Functional:
        """Numbers that are linear in a thing's state and in the motion of this, by their coefficients (k, 12)."""
        things = [(target, thing)]
        if self.thing is not None:
            return Functional(len(own), things=[*things, (Target(self.thing, target.time), own)])
        return Functional(len(own), things=things, frames=[(self.frame, target.time, own)] if self.frame >= 0 else ())


def apart(arm: Floats, on: Floats) -> tuple[Floats, Floats]:
    """Coefficients (..., k, 12) of numbers `on` (..., k, 3) of x - p - θ × arm, on a thing and on its partner."""
    thing, other = np.zeros((*on.shape[:-1], 12)), np.zeros((*on.shape[:-1], 12))
    thing[..., :3], other[..., :3] = on, -on
    other[..., TURN] = -cross(arm[..., None, :], on)
    return thing, other


def along(normal: Floats, arm: Floats) -> Floats:
    """(1, 12): how far a point of a body goes along a normal, by the body's place and turn; any point along the normal
    goes as far."""
    return np.concatenate([normal, cross(arm, normal), np.zeros(6)])[None]


def closing(arm: Floats, relative: Floats, normal: Floats, spin: Floats) -> tuple[Floats, Floats]:
    """Coefficients (..., 1, 12) of n · (v - V - W × arm): how fast a thing leaves along a normal that turns with its
    partner."""
    swept, nothing = cross(normal, spin), np.zeros_like(normal)
    thing = np.concatenate([-swept, nothing, normal, nothing], axis=-1)
    other = np.concatenate([swept, cross(normal, relative), -normal, -cross(arm, normal)], axis=-1)
    return thing[..., None, :], other[..., None, :]


def partner_at(seen: Rollout, contact: str, time: float) -> ContactPartner:
    """Of an intended contact, at a time."""
    return partner(seen, seen.model.scene.contact(contact).carrier, time)


def partner(seen: Rollout, name: str, time: float) -> ContactPartner:
    """A part or a point of it ("juggler/right_palm"), a thing, or a fixture."""
    if name in seen.trajectories.chains:
        state = seen.state(name, time)
        return ContactPartner(-1, name, state.position, state.rotation, state.velocity, state.angular_velocity)
    index = seen.model.world.frame(name) if "/" in name else -1
    return moving_with(index, seen.context.frames([index], [time])[0])


def moving_with(index: int, motion: Floats) -> ContactPartner:
    """A frame by its packed motion (24,)."""
    return ContactPartner(
        index,
        None,
        motion[:ROTATION],
        motion[ROTATION:VELOCITY].reshape(3, 3),
        motion[VELOCITY:SPIN],
        motion[SPIN:ACCEL],
    )
