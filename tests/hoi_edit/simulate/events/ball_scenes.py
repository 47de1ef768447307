"""Balls that lie, roll and strike each other, a wall and a tray: scenes that tests of their touches share."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Fixture, Scene, Thing, ground
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.paddle_rig import HALF, rig, still
from hoi_edit.truth.truth_scenes import MASS, RADIUS, flying
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox
from rigid.impact import Material

END = 1.4  # [s]
DULL = ground(material=Material(0.3, 1.0))


def billiards(friction: float = 0.0, aside: float = 0.0, restitution: float = 0.9, fall: float = 0.0) -> Scene:
    """One rolls into another that lies still."""
    spin = (0.0, 0.0, -2.0 / RADIUS)
    a = flying((-0.5, RADIUS + fall, 0.0), (2.0, 0.0, 0.0), spin, "a", restitution, friction)
    drift = (0.1, 0.0, 0.05) if fall else (0.0, 0.0, 0.0)
    b = flying((0.0, RADIUS + fall, aside), drift, name="b", restitution=restitution, friction=friction)
    return Scene(things=[a, b], fixtures=[DULL], end=END)


def falling() -> Scene:
    """A ball in flight strikes one that lies on the ground, and its spin lifts that one."""
    a = flying((-0.3, 0.085, 0.01), (2.5, 0.1, 0.05), (1.0, 2.0, 60.0), "a", 0.8, 0.5)
    b = flying((0.0, RADIUS + 0.001, 0.0), name="b", restitution=0.3, friction=0.5, mass=2.0 * MASS)
    return Scene(things=[a, b], fixtures=[DULL], end=END)


def turned(angle: float) -> Floats:
    """About Z."""
    return np.asarray(rotation_exp(jnp.array([0.0, 0.0, angle])))


def wall(x: float = 1.0, half: float = 0.1, angle: float = 0.0) -> Fixture:
    return Fixture("wall", RoundedBox(np.array([half, 2.0, 2.0]), 0.0), np.array([x, 0.0, 0.0]), turned(angle))


def rolling(speed: float = 2.0, restitution: float = 0.6, friction: float = 0.3, fall: float = 0.0) -> Thing:
    spin = (0.2 / RADIUS, 0.0, -speed / RADIUS)
    return flying((0.0, RADIUS + fall, 0.0), (speed, 0.0, 0.2), spin, restitution=restitution, friction=friction)


def simulated(
    thing: Thing, fixtures: Sequence[Fixture], end: float = END, characters: Sequence[Character] = ()
) -> Rollout:
    model = Model.of(Scene(characters, [thing], fixtures, end=end))
    return model.simulate(model.start)


def energy(rollout: Rollout, t: float, name: str = "ball") -> float:
    s = rollout.state(name, t)
    turning = 0.2 * RADIUS**2 * s.angular_velocity @ s.angular_velocity
    return float(0.5 * s.velocity @ s.velocity + turning + 9.81 * s.position[1])


def assert_true(scene: Scene, time: float, kinds: str, tolerance: float = 1e-9, thing: str = "ball") -> None:
    """Every block of u, along a direction, against extrapolated quotients."""
    model, rng = Model.of(scene), np.random.default_rng(0)
    rollout = model.simulate(model.start)
    assert [e.kind for e in rollout.events if e.object == thing and e.time < time] == kinds.split()
    J = rollout.dense(rollout.rows([Target(thing, time)]))
    for block in model.layout.blocks:
        along = np.zeros(model.layout.size)
        along[block.indices] = rng.normal(size=block.stop - block.start)
        truth = quotient(model, model.start, along, thing, time).value
        assert np.abs(J @ along - truth).max() <= tolerance * max(1.0, np.abs(truth).max()), block.name


def against_the_wall() -> Scene:
    return Scene(things=[rolling(2.0, 0.2, 0.0, 0.002)], fixtures=[ground(), wall()], end=END)


def tray() -> Scene:
    """A ball rolls on a tray that moves and tilts, until it touches a post."""
    character = rig(
        lambda t: 0.1 * np.sin(3.0 * t), still(0.5), lambda t: -0.15 - 0.1 * np.sin(2.0 * t), still(0.0), END
    )
    post = Fixture("post", RoundedBox(np.array([0.0, 0.5, 0.0]), 0.02), np.array([0.2, 0.6, 0.04]))
    thing = flying((-0.1, 0.5 + HALF[1] + RADIUS + 0.025, 0.0), restitution=0.3, friction=0.6)
    return Scene([character], [thing], [post], end=END)
