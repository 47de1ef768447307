"""Balls in contact are struck by others: momentum is kept, energy falls, and the derivative is true."""

import numpy as np
import pytest

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Fixture, Scene
from hoi_edit.simulate.trajectory import Event
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.truth_scenes import RADIUS, flying
from kinematics.rotation import Floats
from rigid.distance import RoundedBox
from tests.hoi_edit.simulate.events.ball_scenes import DULL, END, assert_true, billiards, energy, falling


def run(scene: Scene) -> Rollout:
    model = Model.of(scene)
    return model.simulate(model.start)


def velocity(row: Floats | None) -> Floats:
    return np.asarray(row)[12:15]


def meetings(rollout: Rollout) -> list[Event]:
    return [event for event in rollout.events if event.twin is not None]


def test_equal_balls_exchange_what_they_have() -> None:
    rollout = run(billiards(restitution=1.0))
    a, b = (rollout.state(name, 1.0).velocity for name in "ab")
    np.testing.assert_allclose([a[0], b[0]], [0.0, 2.0], atol=1e-12)
    assert abs(meetings(rollout)[0].gap) <= 1e-12


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_momentum_is_kept_and_energy_falls(friction: float) -> None:
    rollout = run(billiards(friction, aside=0.04))
    one, other = meetings(rollout)[:2]
    assert one.time == other.time and abs(one.gap) <= 1e-12
    np.testing.assert_allclose(
        velocity(one.before) + velocity(other.before), velocity(one.after) + velocity(other.after), atol=1e-12
    )
    energies = [sum(energy(rollout, t, name) for name in "ab") for t in (one.time - 1e-6, one.time + 1e-3, 1.3)]
    assert energies[0] >= energies[1] >= energies[2]
    distances = [
        np.linalg.norm(rollout.state("a", t).position - rollout.state("b", t).position)
        for t in np.linspace(0.0, END, 100)
    ]
    assert min(distances) >= 2.0 * RADIUS - 1e-9


def test_two_that_meet_again_after_a_node_have_had_the_touch_that_was_meant() -> None:
    """By the law of the contact at first, by that of their materials when a wall has sent one of them back at once."""
    a, b = (flying((x, 0.0, 0.0), (v, 0.0, 0.0), name=name) for name, x, v in (("a", 0.0, 2.0), ("b", 0.3, 0.0)))
    wall = Fixture("wall", RoundedBox(np.array([0.05, 1.0, 1.0]), 0.0), np.array([0.5, 0.0, 0.0]))
    tap = Contact("tap", "a", "b", 0.5 * (0.3 - 2.0 * RADIUS), restitution=0.5)
    model = Model.of(Scene(things=[a, b], fixtures=[wall], contacts=[tap], gravity=(0.0, 0.0, 0.0), end=0.6))
    whole = model.simulate(model.start)
    joined = model.simulate(model.start, whole.nodes)
    meant = [[event.contact for event in meetings(rollout)] for rollout in (whole, joined)]
    assert meant[0] == meant[1] and meant[0].count("tap") == 1 and len(meant[0]) >= 4
    np.testing.assert_allclose(whole.state("a", 0.6).position, joined.state("a", 0.6).position, atol=1e-12)


def test_a_fast_ball_does_not_pass_through_one_that_lies() -> None:
    a = flying((-20.0, RADIUS + 0.03, 0.0), (100.0, 0.0, 0.0), name="a", restitution=0.5, friction=0.0)
    b = flying((0.0, RADIUS, 0.0), name="b", restitution=0.5)
    rollout = run(Scene(things=[a, b], fixtures=[DULL], gravity=(0.0, -0.1, 0.0), end=0.5))
    assert meetings(rollout) and rollout.state("b", 0.45).position[0] > 1.0


def test_one_that_falls_on_another_is_an_answer_and_no_hang() -> None:
    a = flying((0.0, 0.5, 0.0), name="a", restitution=0.7, friction=0.5)
    b = flying((0.0, RADIUS, 0.0), name="b", restitution=0.7, friction=0.5)
    rollout = run(Scene(things=[a, b], fixtures=[DULL], end=0.6))
    assert meetings(rollout)
    assert rollout.state("a", 0.59).position[1] > 2.5 * RADIUS


def test_a_row_of_balls_that_lie_passes_a_push_on() -> None:
    row = [flying((0.3 * k, RADIUS, 0.0), name="bcd"[k], friction=0.0) for k in range(3)]
    a = flying((-0.3, RADIUS, 0.0), (2.0, 0.0, 0.0), name="a", friction=0.0)
    rollout = run(Scene(things=[a, *row], fixtures=[DULL], end=END))
    assert [event.object for event in meetings(rollout)] == ["a", "b", "b", "c", "c", "d"]
    np.testing.assert_allclose([rollout.state(n, 1.3).velocity[0] for n in "abcd"], [0.0, 0.0, 0.0, 2.0], atol=1e-12)


@pytest.mark.parametrize("thing", ["a", "b"])
def test_derivatives_of_two_that_roll(thing: str) -> None:
    scene = billiards(0.0, aside=0.03, restitution=0.4, fall=0.002)
    kinds = {"a": "rest impact", "b": "rest impact"}[thing]
    assert_true(scene, 0.9, kinds, thing=thing)


def test_derivatives_of_one_that_is_struck() -> None:
    model = Model.of(falling())
    rollout = model.simulate(model.start)
    time = meetings(rollout)[0].time
    for thing in "ab":
        t = time + 0.02
        J = rollout.dense(rollout.rows([Target(thing, t)]))
        along = np.random.default_rng(0).normal(size=model.layout.size)
        truth = quotient(model, model.start, along, thing, t).value
        assert np.abs(J @ along - truth).max() <= 1e-9 * np.abs(truth).max()


def test_a_contact_of_two_that_fly_goes_by_its_own_law() -> None:
    a = flying((0.0, 1.0, 0.0), (2.0, 1.0, 0.0), (0.0, 3.0, 5.0), "a", 0.95, 0.5)
    b = flying((0.5, 1.03, 0.02), (-1.0, 1.2, 0.1), (6.0, 0.0, -2.0), "b", 0.95, 0.6, mass=0.4)
    met = Contact("met", "a", "b", 0.15, restitution=0.4, friction=0.1)
    scene = Scene(things=[a, b], contacts=[met], end=1.0)
    one = meetings(run(scene))[0]
    n = one.normal
    before, after = (velocity(one.before) - velocity(one.twin)) @ n, None
    other = meetings(run(scene))[1]
    after = (velocity(one.after) - velocity(other.after)) @ n
    assert after / before == pytest.approx(-0.4)
    for thing in "ab":
        assert_true(scene, 0.6, "impact", thing=thing)
