"""Balls against parts that move fast, or that they have just left: looked at again at thousands of times."""

from collections.abc import Callable

import numpy as np
import pytest

from hoi_edit.motions import Layer
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Contact, Flying, Scene, Thing
from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Dof, Inertias, Joint, Shape, Skeleton, box, capsule, sphere
from rigid.body import ball
from rigid.impact import Material

RADIUS, RATE = 0.05, 120.0
GRAVITY = np.array([0.0, -9.81, 0.0])
HALF = np.array([0.3, 0.02, 0.3])
PADDLE = box(0, np.zeros(3), np.eye(3), HALF)
Curve = Callable[[Floats], Floats]


def part(shape: Shape, height: Curve, turn: Curve, end: float) -> Character:
    """One body that goes up and down, and turns about the vertical."""
    slide, hinge = Dof("y", (0.0, 1.0, 0.0), "translation"), Dof("turn", (0.0, 1.0, 0.0))
    skeleton = Skeleton.build([Joint("part", None, (0.0, 0.0, 0.0), (slide, hinge))])
    massless = Inertias(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3, 3)))
    skeleton = skeleton.with_body(massless, [shape], [], {})
    t = np.arange(round(end * RATE) + 1) / RATE
    return Character("rig", skeleton, Layer.over(Clip(skeleton, np.stack([height(t), turn(t)], 1), 1.0 / RATE)))


def still(value: float) -> Curve:
    return lambda t: np.full(len(t), value)


def run(character: Character, thing: Thing, end: float, *contacts: Contact) -> Rollout:
    model = Model.of(Scene([character], [thing], contacts=contacts, end=end))
    return model.simulate(model.start)


def thrown(position: Floats, velocity: Floats, restitution: float) -> Thing:
    return Thing("ball", ball(0.15, RADIUS), Flying(position, velocity), Material(restitution, 0.5))


def seen_from_part(rollout: Rollout, times: Floats) -> Floats:
    places = rollout.positions("ball", times)
    states = [rollout.state("rig/part", float(t)) for t in times]
    return np.array([s.rotation.T @ (x - s.position) for s, x in zip(states, places, strict=True)])


def deepest_in_paddle(rollout: Rollout) -> float:
    """How far a ball over the paddle is above its face, at the lowest [m]."""
    end = rollout.model.scene.end
    times = np.arange(0.0, end, 5e-4)
    return float((seen_from_part(rollout, times)[:, 1] - HALF[1] - RADIUS).min())


@pytest.mark.parametrize(
    ("amplitude", "frequency", "phase", "down", "restitution"),
    [
        (0.0587, 2.1134, 3.9817, 1.62, 0.215),  # lifts off by less than a millimetre
        (0.0482, 4.05, 0.6028, 2.403, 0.0708),  # bounces by less, while the paddle gathers speed
        (0.12, 5.0, 1.0, 1.0, 0.0),
        (0.05, 3.0, 2.0, 0.0, 0.4),
    ],
)
def test_a_ball_stays_on_a_paddle_that_shakes(
    amplitude: float, frequency: float, phase: float, down: float, restitution: float
) -> None:
    shaken = part(PADDLE, lambda t: 1.0 + amplitude * np.sin(2.0 * np.pi * frequency * t + phase), still(0.0), 1.0)
    dropped = thrown(np.array([0.0, 1.3 + amplitude, 0.0]), np.array([0.0, -down, 0.0]), restitution)
    assert deepest_in_paddle(run(shaken, dropped, 1.0)) > -1e-9


def test_an_intended_touch_without_any_bounce_leaves_the_ball_where_it_is() -> None:
    dropped = thrown(np.array([0.0, 1.3, 0.0]), np.zeros(3), 0.5)
    touch = Contact("touch", "ball", "rig/part", 0.2, restitution=0.0)
    assert deepest_in_paddle(run(part(PADDLE, still(1.0), still(0.0), 1.0), dropped, 1.0, touch)) > -1e-9


FIST, ARM = 0.06, 0.6  # [m]


def grazing(spin: float, velocity: Floats, aside: Floats, depth: float, time: float) -> tuple[Rollout, float]:
    """A ball that would overlap a fist on a turning arm if not stopped; and when the two first touch, by
    a fine look at where they would be."""
    angle = spin * (time - 0.3)
    fist = np.array([ARM * np.cos(angle), 1.0, -ARM * np.sin(angle)])
    relative = velocity - spin * ARM * np.array([-np.sin(angle), 0.0, -np.cos(angle)])
    aside = aside - relative * (aside @ relative) / (relative @ relative)
    place = fist + aside / np.linalg.norm(aside) * (FIST + RADIUS - depth)
    start = velocity - GRAVITY * time
    turning = part(sphere(0, np.array([ARM, 0.0, 0.0]), FIST), still(1.0), lambda t: spin * (t - 0.3), 0.6)
    ball_at = lambda t: place + (t - time)[:, None] * velocity + 0.5 * ((t - time) ** 2)[:, None] * GRAVITY  # noqa: E731
    t = np.arange(0.0, 0.6, 1e-5)
    angles = spin * (t - 0.3)
    fists = np.stack([ARM * np.cos(angles), np.ones(len(t)), -ARM * np.sin(angles)], axis=1)
    gap = np.linalg.norm(ball_at(t) - fists, axis=1) - FIST - RADIUS
    rollout = run(turning, thrown(ball_at(np.zeros(1))[0], start, 0.5), 0.6)
    return rollout, float(t[np.argmax(gap < 0.0)])


@pytest.mark.parametrize("spin", [12.0, 20.0, 30.0])
def test_no_grazing_hit_of_a_fast_fist_is_missed(spin: float) -> None:
    rng = np.random.default_rng(int(spin))
    for _ in range(25):
        velocity = rng.normal(size=3)
        velocity *= rng.uniform(1.0, 40.0) / np.linalg.norm(velocity)
        depth, time = 10.0 ** rng.uniform(-4.0, -2.0), 0.3 + rng.uniform(-0.1, 0.1)
        rollout, first = grazing(spin, velocity, rng.normal(size=3), depth, time)
        assert rollout.events, (spin, velocity, depth, time)
        assert rollout.events[0].time == pytest.approx(first, abs=2e-5)


@pytest.mark.parametrize("seed", range(4))
def test_a_forearm_that_whirls_lets_no_ball_through(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(8):
        half, thin = rng.uniform(0.1, 0.3), rng.uniform(0.02, 0.05)
        shape = capsule(0, np.zeros(3), np.array([2.0 * half, 0.0, 0.0]), thin)
        spin, height = rng.uniform(-45.0, 45.0), 0.2 * rng.normal(size=2)

        def rises(t: Floats, height: Floats = height) -> Floats:
            return 1.0 + height[0] * np.sin(9.0 * t) + height[1] * t

        def turns(t: Floats, spin: float = spin) -> Floats:
            return spin * t

        turning = part(shape, rises, turns, 0.6)
        aim = np.array([rng.uniform(0.0, 0.4), 1.0 + 0.1 * rng.normal(), 0.2 * rng.normal()])
        velocity, time = rng.normal(size=3), rng.uniform(0.1, 0.5)
        velocity *= rng.uniform(2.0, 40.0) / np.linalg.norm(velocity)
        place = aim - velocity * time + 0.5 * GRAVITY * time**2
        start = thrown(place, velocity - GRAVITY * time, rng.uniform(0.0, 0.9))
        rollout = run(turning, start, 0.6)
        times = np.arange(0.0, 0.6, 2e-4)
        own = seen_from_part(rollout, times)
        own[:, 0] -= np.clip(own[:, 0], 0.0, 2.0 * half)
        assert np.linalg.norm(own, axis=1).min() > thin + RADIUS - 1e-9
