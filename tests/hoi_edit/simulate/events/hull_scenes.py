"""Things that are not balls: how they are thrown, what they carry, and whether their derivative is true."""

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Flying, Scene, Thing
from hoi_edit.truth.difference_quotients import state_at
from kinematics.rotation import Floats
from rigid.body import Body
from rigid.impact import Material

ROUGH = Material(0.7, 0.4)


def thrown(
    name: str,
    body: Body,
    position: list[float],
    velocity: list[float],
    spin: list[float],
    material: Material = ROUGH,
) -> Thing:
    return Thing(name, body, Flying(np.array(position), np.array(velocity), angular_velocity=np.array(spin)), material)


def run(scene: Scene) -> Rollout:
    model = Model.of(scene)
    return model.simulate(model.start)


def momentum(body: Body, row: Floats) -> Floats:
    """Linear, and angular about the origin."""
    R = row[3:12].reshape(3, 3)
    turning = R @ (np.asarray(body.moments) * (R.T @ row[15:18]))
    return np.concatenate([body.mass * row[12:15], turning + body.mass * np.cross(row[:3], row[12:15])])


def energy(body: Body, row: Floats) -> float:
    spin_in_body = row[3:12].reshape(3, 3).T @ row[15:18]
    turning = 0.5 * spin_in_body @ (np.asarray(body.moments) * spin_in_body)
    return float(0.5 * body.mass * row[12:15] @ row[12:15] + turning)


def assert_derivative_along_all(rollout: Rollout, thing: str, t: float, tolerance: float) -> None:
    """A thing's state by all of u at once, along a random direction, against an extrapolated quotient.

    Where hulls meet, features change soon: the quotient takes short steps of its own choice.
    """
    model = rollout.model
    along = np.random.default_rng(0).normal(size=model.layout.size)
    ours = rollout.dense(rollout.rows([Target(thing, t)])) @ along

    def difference(h: float) -> Floats:
        up, down = (state_at(model.simulate(model.start + s * h * along), thing, t) for s in (1.0, -1.0))
        return (up - down) / (2.0 * h)

    theirs = (4.0 * difference(1e-5) - difference(2e-5)) / 3.0
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()
