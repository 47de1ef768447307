"""Nothing is passed through, nothing hangs, and what a thing starts in is decided by a stated rule."""

from dataclasses import replace

import numpy as np
import pytest

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model
from hoi_edit.scene import Contact, Fixture, Flying, Held, Scene, Thing, ground
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.truth.difference_quotients import quotient
from kinematics.errors import HoiError
from rigid.air import air_for
from rigid.body import ball
from rigid.body import capsule as club
from rigid.distance import RoundedBox
from rigid.impact import Material
from tests.hoi_edit.simulate.arm_scenes import RADIUS, SPRINGY, arm, flying, grasping, run, still, swinging_paddle


@pytest.mark.parametrize("offset", np.linspace(0.0, 0.9, 7))
def test_forty_metres_a_second_against_a_thin_arm(offset: float) -> None:
    """Wherever the rows of the table fall, the ball hits the arm: a tenth of its way between two rows."""
    start = -8.0 - offset * 40.0 / 60.0
    rollout = run([flying([start, 1.0 + 0.5 * 9.81 * (start / 40.0) ** 2, 0.0], [40.0, 0.0, 0.0])], [arm(still(1.0))])
    event = rollout.events[0]
    assert event.kind == "impact" and event.other == "arm/rod"
    assert event.time == pytest.approx((-start - RADIUS - 0.03) / 40.0, abs=1e-3)
    assert abs(event.gap) <= 1e-13


def test_a_hand_overtakes_a_ball_from_below() -> None:
    """The ball rises at 2 m/s and the arm after it at 6: the gap closes although both move up."""
    times = np.arange(61) / 30
    rows = np.stack([np.where(times < 0.2, 0.0, 6.0 * (times - 0.2)), np.zeros(61)], axis=1)
    rollout = run([flying([0.0, 0.3, 0.0], [0.0, 2.0, 0.0])], [arm(rows)])
    event = rollout.events[0]
    assert event.kind == "impact" and event.other == "arm/rod" and event.rate < -1.0
    assert rollout.state("ball", event.time + 0.01).velocity[1] > 4.0


@pytest.mark.parametrize("speed", [-1.0, 1.0], ids=["into it", "away from it"])
def test_contact_at_the_start_is_decided_by_the_rate_of_the_gap(speed: float) -> None:
    rollout = run([flying([0.0, RADIUS, 0.0], [0.3, speed, 0.0])], fixtures=[ground()])
    first = rollout.events[0]
    assert (first.time == 0.0) == (speed < 0.0)
    assert rollout.state("ball", 0.05).velocity[1] > 0.0 and rollout.state("ball", 0.05).position[1] > RADIUS


def test_a_ball_that_starts_at_rest_stays_at_rest() -> None:
    rollout = run([flying([0.3, RADIUS, 0.1], [0.0, 0.0, 0.0])], fixtures=[ground()])
    np.testing.assert_allclose(rollout.state("ball", 1.9).position, [0.3, RADIUS, 0.1], atol=1e-12)


def test_a_dribble_ends_in_rest_and_energy_only_falls() -> None:
    rollout = run([flying([0.0, 0.3, 0.0], [0.2, 0.0, 0.0], material=Material(0.6, 0.4))], fixtures=[ground()])
    kinds = [event.kind for event in rollout.events]
    assert "rest" in kinds and kinds.count(IMPACT) < 30
    times = np.linspace(0.0, 2.0, 200)
    states = [rollout.state("ball", t) for t in times]
    energy = [
        9.81 * s.position[1] + 0.5 * s.velocity @ s.velocity + 0.2 * RADIUS**2 * s.angular_velocity @ s.angular_velocity
        for s in states
    ]
    assert np.diff(energy).max() <= 1e-9


def test_balls_that_meet_keep_their_momentum() -> None:
    a, b = flying([0.0, 1.0, 0.0], [2.0, 1.0, 0.0], "a"), flying([0.8, 1.02, 0.01], [-1.0, 1.1, 0.0], "b")
    rollout = run([a, b])
    met = [event for event in rollout.events if event.kind == "impact"]
    assert {event.object for event in met} == {"a", "b"} and met[0].time == met[1].time
    t = met[0].time
    before = sum(rollout.state(name, t - 1e-9).velocity for name in "ab")
    after = sum(rollout.state(name, t).velocity for name in "ab")
    np.testing.assert_allclose(after, before, atol=1e-7)


def test_a_caught_ball_goes_with_the_hand_and_leaves_with_its_velocity() -> None:
    model = Model.of(grasping())
    rollout = model.simulate(model.start)
    assert [event.kind for event in rollout.events[:3]] == ["grasp", "release", "impact"]
    grasp, release = rollout.events[:2]
    assert grasp.intended and release.contact == "catch"
    # continuous in place, and in velocity at the release
    for event in (grasp, release):
        before, after = rollout.state("ball", event.time - 1e-9), rollout.state("ball", event.time)
        np.testing.assert_allclose(before.position, after.position, atol=1e-7)
    np.testing.assert_allclose(rollout.state("ball", release.time - 1e-9).velocity, after.velocity, atol=1e-6)
    assert rollout.events[2].other == "ground"  # the hand that let it go is not hit again at once


def test_a_declared_contact_happens_at_its_time() -> None:
    scene = grasping()
    missed = Contact("catch", "ball", "arm/palm", 0.2, "grasp", 0.813, declared=True)
    model = Model.of(Scene(scene.characters, scene.things, scene.fixtures, [missed], end=2.0))
    rollout = model.simulate(model.start)
    assert rollout.events[0].time == 0.2 and rollout.events[0].declared
    palm, held = rollout.state("arm/palm", 0.5), rollout.state("ball", 0.5)
    assert np.linalg.norm(palm.position - held.position) == pytest.approx(RADIUS, abs=1e-9)


def test_a_ball_hits_what_a_hand_holds() -> None:
    """A club in the hand is one more surface of it, and where it lies in the hand matters to the ball."""
    stick = Thing("club", club(0.4, 0.02, 0.2), Held("arm/palm", rotation=np.eye(3)[[1, 0, 2]] * [1, 1, -1]), SPRINGY)
    rows = np.stack([0.5 + 0.1 * np.sin(5 * np.arange(61) / 30), np.zeros(61)], axis=1)
    hit = Contact("hit", "ball", "club", 0.3, restitution=0.7, friction=0.2)
    scene = Scene([arm(rows)], [stick, flying([0.15, 1.1, 0.01], [0.0, 0.0, 0.0])], [ground()], [hit], end=0.8)
    model = Model.of(scene)
    rollout = model.simulate(model.start)
    assert rollout.events[0].other == "club" and rollout.events[0].contact == "hit"
    t = rollout.events[0].time + 0.1
    J = rollout.dense(rollout.rows([Target("ball", t)]))
    for name in ("club.position", "ball.position", "hit.restitution", "hit.normal"):
        du = np.zeros(len(rollout.u))
        du[model.layout[name].indices] = 0.3
        expected = quotient(model, model.start, du, "ball", t).value
        np.testing.assert_allclose(J @ du, expected, atol=1e-8 * max(1.0, np.abs(expected).max()))


MIRROR = np.diag([1.0, 1.0, -1.0])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: run([flying([0.0, 0.01, 0.0], [0.0, 0.0, 0.0])], fixtures=[ground()]), "starts 30 mm inside 'ground'"),
        (lambda: ball(0.0, 0.1), "mass of a ball must be a positive number"),
        (lambda: run([flying([0.0, 1.0, 0.0], [0.0, 0.0, 0.0], material=Material(1.4))]), "'ball' is 1.4"),
        (lambda: run([flying([0.0, np.nan, 0.0], [0.0, 0.0, 0.0])]), "a number that is not finite"),
        (lambda: Scene(end=0.0), "must end after its start"),
        (lambda: Scene(gravity=(0.0, -9.81)), "must be three numbers"),  # type: ignore[arg-type]
        (lambda: Scene(things=[Thing("b", ball(0.1, 0.1), Flying(np.eye(3)))]), "velocity of shape (3, 3), not"),
        (lambda: Scene(things=[Thing("b", ball(0.1, 0.1), Flying(np.ones(3), rotation=MIRROR))]), "no rotation matrix"),
        (lambda: run([flying([0, 1, 0], [0, 0, 0]), flying([0, 2, 0], [0, 0, 0])]), "called 'ball'; names must differ"),
        (lambda: grasping().place("arm/nose"), "nose"),
        (
            lambda: Scene(things=[flying([0, 1, 0], [0, 0, 0])], contacts=[Contact("c", "ball", "wall", 1.0)]),
            "'wall'; choose from: ball, character/site",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_one_sentence(make: object, words: str) -> None:
    with pytest.raises(HoiError) as told:
        make()  # type: ignore[operator]
    assert words in str(told.value) and "\n" not in str(told.value)


def test_a_number_that_is_none_is_named_by_its_block() -> None:
    model = Model.of(grasping())
    u = model.start.copy()
    u[model.layout["ball.velocity"].start + 1] = np.nan
    with pytest.raises(HoiError, match=r"'ball\.velocity', is nan"):
        model.simulate(u)


def test_a_clip_of_one_frame_is_a_body_that_stands_still() -> None:
    rollout = run([flying([0.0, 1.5, 0.0], [0.0, 0.0, 0.0])], [arm(np.array([[1.0, 0.0]]))])
    assert rollout.events[0].other == "arm/rod"
    assert rollout.events[0].time == pytest.approx(np.sqrt(2 * (0.5 - RADIUS - 0.03) / 9.81), abs=1e-12)


def test_a_wall_of_boxes_lets_nothing_through() -> None:
    rng = np.random.default_rng(4)
    wall = Fixture("wall", RoundedBox(np.array([0.005, 2.0, 2.0]), 0.0), np.array([1.0, 1.0, 0.0]))
    balls = [
        flying([0.0, y, z], [v, 0.0, 0.0], f"b{k}")
        for k, (y, z, v) in enumerate(rng.uniform([0.5, -1.5, 5.0], [2.0, 1.5, 60.0], size=(12, 3)))
    ]
    rollout = run(balls, fixtures=[wall])
    assert all(rollout.state(f"b{k}", 1.5).position[0] < 1.0 for k in range(12))


def test_nothing_jumps_when_bounces_are_summed_up() -> None:
    """On a hand that moves: from the touch to the rest the ball stays on it, and where it comes to rest it is."""
    times = np.arange(61) / 30
    rows = np.stack([0.5 + 0.1 * np.sin(3 * times), np.zeros(61)], axis=1)
    rollout = run([flying([0.0, 0.75, 0.0], [0.0, 0.0, 0.0], material=Material(0.5, 0.8))], [arm(rows)])
    rest = next(event for event in rollout.events if event.kind == "rest")
    touched = rest.settling[1]
    for t in np.linspace(touched - 0.01, rest.time + 0.01, 50):
        step = rollout.state("ball", t + 1e-5).position - rollout.state("ball", t).position
        assert np.linalg.norm(step) < 2e-4


@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("on", ["ground", "paddle", "through air"])
def test_while_bounces_are_summed_up_the_derivative_is_that_of_what_is_shown(on: str, share: float) -> None:
    """Not of the flight, which would go on below the surface."""
    hand = [swinging_paddle()] if on == "paddle" else []
    thing = flying([0.0, 0.8 if hand else 0.3, 0.0], [0.1 if hand else 1.0, 0.0, 0.1], material=Material(0.25, 0.5))
    air = air_for(1.0, RADIUS, drag=0.35, lift=1.0) if on == "through air" else None
    rollout = run([replace(thing, air=air)], hand, fixtures=[] if hand else [ground()])
    rest = next(event for event in rollout.events if event.kind == "rest")
    t = rest.settling[1] + share * (rest.time - rest.settling[1])
    rows = rollout.rows([Target("ball", t)])
    direction = np.random.default_rng(0).normal(size=len(rollout.u))
    truth = quotient(rollout.model, rollout.u, direction / np.linalg.norm(direction), "ball", t).value
    np.testing.assert_allclose(rollout.dense(rows) @ direction / np.linalg.norm(direction), truth, atol=1e-7)
    assert rows.doubts == ()


def test_balls_that_touch_in_a_row_pass_a_push_on_at_one_instant() -> None:
    """Newton's cradle with no gaps: three meetings at two places, all at the same time, and the last ball goes."""
    row = [
        flying([-1.0, 1.0, 0.0], [2.0, 0.0, 0.0], "a", Material(1.0)),
        flying([0.0, 1.0, 0.0], [0.0, 0.0, 0.0], "b", Material(1.0)),
        flying([2 * RADIUS, 1.0, 0.0], [0.0, 0.0, 0.0], "c", Material(1.0)),
    ]
    model = Model.of(Scene(things=row, gravity=(0.0, 0.0, 0.0), end=2.0))
    rollout = model.simulate(model.start)
    speeds = [rollout.state(name, 1.5).velocity[0] for name in "abc"]
    np.testing.assert_allclose(speeds, [0.0, 0.0, 2.0], atol=1e-12)
    J = rollout.dense(rollout.rows([Target("c", 1.5)]))
    assert J[3, model.layout["a.velocity"].start] == pytest.approx(1.0)


def test_a_ball_between_a_wall_and_a_heavy_one_is_an_answer_and_no_hang() -> None:
    wall = Fixture("wall", RoundedBox(np.array([0.05, 30.0, 3.0]), 0.0), np.array([0.39, 0.0, 0.0]))
    heavy = Thing(
        "h", ball(500.0, RADIUS), Flying(np.array([-1.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0])), Material(1.0)
    )
    light = flying([0.0, 1.0, 0.0], [0.0, 0.0, 0.0], "b", Material(0.5))
    with pytest.raises(HoiError, match="crushed between others"):
        run([heavy, light], fixtures=[wall])


def test_a_missed_catch_does_not_hide_the_declared_one_after_it() -> None:
    scene = grasping()
    plan = [
        Contact("first", "ball", "arm/palm", 0.3, "grasp", 0.4),
        Contact("second", "ball", "arm/palm", 0.8, "grasp", declared=True),
    ]
    far = [flying([1.0, 1.0, 0.0], [0.0, 0.0, 0.0])]
    model = Model.of(Scene(scene.characters, far, scene.fixtures, plan, end=2.0))
    rollout = model.simulate(model.start)
    assert list(rollout.missed) == ["first"]
    assert rollout.state("ball", 1.9).position[1] > 0.3


def test_a_chain_with_a_jump_is_in_order() -> None:
    scene = grasping()
    model = Model.of(scene)
    nodes = model.simulate(model.start).nodes
    u = model.start.copy()
    u[model.layout["ball.position"].start] = 1.0  # it misses the hand, and the node takes over where the catch was
    chain = model.simulate(u, nodes).trajectories.chains["ball"]
    times = [event.time for event in chain.events]
    assert "jump" in [event.kind for event in chain.events] and times == sorted(times)


def test_a_release_before_the_catch_is_in_doubt() -> None:
    model = Model.of(grasping())
    u = model.start.copy()
    u[model.layout["catch.release"].start] = 0.1
    rollout = model.simulate(u)
    assert any("released before" in str(event.doubt) for event in rollout.rows([Target("ball", 0.5)]).doubts)


@pytest.mark.parametrize("planned", np.arange(1.09, 1.12, 0.0025))
def test_an_intended_bounce_after_another_is_seen_wherever_a_window_of_the_search_ends(planned: float) -> None:
    """Where the first window ends just before the touch, the ball is already close to what it has left."""
    contacts = [Contact("first", "ball", "ground", time=0.4), Contact("second", "ball", "ground", time=float(planned))]
    model = Model.of(
        Scene(things=[flying((0.0, 1.0, 0.0), (0.5, 0.0, 0.0))], fixtures=[ground()], contacts=contacts, end=1.5)
    )
    seen = model.simulate(model.start)
    again = model.simulate(model.start, seen.nodes)
    assert not seen.missed and not again.missed
    assert [event.kind for event in again.events] == ["impact", "impact"]
