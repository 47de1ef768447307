"""A ball on the ground that something pushes: it goes ahead of that, or is jammed and said to be; it is never passed
through in silence, and never glued to anything."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Target
from hoi_edit.constraints.continuity import OF_BALL, Continuity
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Contact, Fixture, Scene, ground
from hoi_edit.simulate.search import flights, touches_at
from hoi_edit.simulate.search.layouts import GAP
from hoi_edit.simulate.trajectory import Node
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.paddle_rig import HEAD_RADIUS, REACH, Curve, rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying
from kinematics.rotation import Floats
from rigid.distance import RoundedBox
from rigid.impact import Material
from rigid.impact_compiled import surface_impact
from rigid.push import push

END = 1.4
LOOKS = np.linspace(0.0, END, 1401)[:-1]
SPEED = 2.0  # [m/s] of the foot
MOST = 60  # events of a ball that is pushed for a second


def simulated(
    x: Curve, y: Curve, tilt: Curve, restitution: float, contacts: Sequence[Contact] = (),
    fixtures: Sequence[Fixture] = (), fall: float = 0.0,
) -> Rollout:  # fmt: skip
    foot = rig(x, y, tilt, still(0.0), END, Material(1.0, 1.0))
    ball = flying((0.0, RADIUS + fall, 0.0), restitution=restitution, friction=0.5)
    model = Model.of(Scene([foot], [ball], [ground(), *fixtures], contacts, end=END))
    return model.simulate(model.start)


def kicked(height: float, restitution: float, contacts: Sequence[Contact] = ()) -> Rollout:
    """By a round foot, whose centre is so high above the ground."""
    return simulated(lambda t: -REACH - 1.0 + SPEED * t, still(height - 0.3), still(0.0), restitution, contacts)


def deepest(rollout: Rollout, name: str) -> float:
    """[m] of the gap between the ball and surfaces of a name, at 1 kHz."""
    context, states = rollout.context, np.zeros((len(LOOKS), 18))
    states[:, :3], states[:, 3:12] = rollout.positions("ball", LOOKS), np.eye(3).ravel()
    packed = flights(LOOKS, states, np.full(len(LOOKS), RADIUS), LOOKS, LOOKS)
    world = rollout.model.world
    return min(
        float(touches_at(context.moving, world.solids, np.full(len(LOOKS), k), context.gravity, packed,
                         LOOKS)[:, GAP].min())
        for k, own in enumerate(world.surfaces.name) if own == name
    )  # fmt: skip


def assert_pushed(rollout: Rollout, part: str, jams: int = 0) -> None:
    """Not through it, not into the ground, in few events, and not glued to anything in the end."""
    assert deepest(rollout, part) > -1e-3 and deepest(rollout, "ground") > -1e-6
    assert len(rollout.events) <= MOST and sum(event.jam is not None for event in rollout.events) <= jams
    assert rollout.spans("ball")[-1].kind != "held" and rollout.pushed == ()


@pytest.mark.parametrize("meant", [False, True], ids=["by chance", "meant"])
@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("height", [0.06, 0.08, 0.10, 0.12, 0.15])
def test_a_ball_goes_ahead_of_the_foot_that_pushes_it(height: float, restitution: float, meant: bool) -> None:
    kick = Contact("kick", "ball", "rig/head", 0.43, restitution=restitution, friction=0.5)
    rollout = kicked(height, restitution, [kick] if meant else [])
    assert_pushed(rollout, "rig/head")
    assert rollout.missed == ()
    along = np.sqrt((HEAD_RADIUS + RADIUS) ** 2 - (height - RADIUS) ** 2)
    foot = SPEED * 1.39 - 1.0
    assert rollout.state("ball", 1.39).position[0] >= foot + along - 1e-6
    # no more than what a foot of any mass puts in, twice its speed, and what it squirts out faster
    fastest = max(np.linalg.norm(rollout.state("ball", t).velocity) for t in np.linspace(0.0, 1.39, 100))
    assert fastest <= max((1.0 + restitution) * SPEED, SPEED + 0.05 * (HEAD_RADIUS + RADIUS) / along) + 1e-9


def test_a_meant_kick_can_be_opened_and_linearised() -> None:
    """What follows it lies on the ground: nodes are flights all the same."""
    rollout = kicked(0.12, 0.0, [Contact("kick", "ball", "rig/head", 0.43, restitution=0.3, friction=0.5)])
    session = hoi.open(rollout.model.scene)
    events = session.rollout.trajectories.chains["ball"].events
    assert session.rollout.missed == () and [event.kind for event in events][:3] == ["rest", "impact", "rest"]
    assert events[1].time == pytest.approx(events[2].time, abs=1e-12) and events[2].doubt is None
    fresh = rollout.dense(rollout.rows([Target("ball", 0.46)]))
    np.testing.assert_allclose(session.linearise("ball", 0.46)[1], fresh, atol=1e-8)
    np.testing.assert_allclose(session.state("ball", 1.3).position, rollout.state("ball", 1.3).position, atol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
def test_a_foot_that_lifts_lets_it_go(restitution: float) -> None:
    rollout = simulated(
        lambda t: -REACH - 1.0 + SPEED * t, lambda t: -0.2 + np.maximum(t - 0.7, 0.0), still(0.0), restitution
    )
    assert_pushed(rollout, "rig/head")
    assert rollout.state("ball", 1.39).position[1] == pytest.approx(RADIUS, abs=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
@pytest.mark.parametrize(
    "tilt",
    [still(np.pi / 2), still(2.2), lambda t: 1.3 + 0.3 * np.sin(4.0 * t)],
    ids=["upright", "leaning over it", "swinging"],
)
def test_a_box_pushes_as_well(tilt: Curve, restitution: float) -> None:
    rollout = simulated(lambda t: -1.0 + 1.4 * t, still(0.28), tilt, restitution)
    assert_pushed(rollout, "rig/paddle", jams=1)  # its edge may come down on the ball


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_a_part_that_starts_beside_it_and_gathers_speed(restitution: float) -> None:
    rollout = simulated(lambda t: -REACH - 0.16 + 0.5 * t**2, still(-0.22), still(0.0), restitution)
    assert_pushed(rollout, "rig/head")


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
def test_to_and_fro(restitution: float) -> None:
    rollout = simulated(lambda t: -REACH - 0.3 + 0.5 * np.sin(5.0 * t), still(-0.18), still(0.0), restitution)
    assert_pushed(rollout, "rig/head")


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_pressed_from_straight_above_it_is_jammed_until_the_part_has_left(restitution: float) -> None:
    rollout = simulated(still(-REACH), lambda t: 0.3 - 0.45 * np.sin(2.2 * t), still(0.0), restitution)
    jams = [event for event in rollout.events if event.jam]
    assert jams and all("jammed by rig/head" in str(event.doubt) for event in jams)
    assert [(own.hand, own.jams) for own in rollout.pushed] == [("rig/head", True)]
    assert rollout.pushed[0].depth == pytest.approx(-deepest(rollout, "rig/head"), abs=1e-4)
    held = [span for span in rollout.spans("ball") if span.kind == "held"]
    assert all(span.end < END - 0.05 for span in held) and rollout.spans("ball")[-1].kind == "contact"
    np.testing.assert_allclose(rollout.state("ball", 1.39).position, [0.0, RADIUS, 0.0], atol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_between_a_foot_and_a_wall_it_is_jammed(restitution: float) -> None:
    wall = Fixture("wall", RoundedBox(np.array([0.1, 1.0, 1.0]), 0.0), np.array([0.6, 0.0, 0.0]))
    rollout = simulated(
        lambda t: -REACH - 0.25 + 0.6 * np.sin(2.2 * t), still(-0.2), still(0.0), restitution, fixtures=[wall]
    )
    assert deepest(rollout, "wall") > -1e-6 and len(rollout.events) < 300
    assert deepest(rollout, "rig/head") > -1e-3 or rollout.pushed[0].hand == "rig/head"
    assert rollout.spans("ball")[-1].kind != "held"


def test_a_ball_that_is_carried_into_the_ground_comes_out_of_it() -> None:
    """Squeezed by two heads, which take it down, and part while it is below."""

    def height(t: Floats) -> Floats:
        return np.asarray(0.25 - 0.6 * np.clip((t - 0.35) / 0.3, 0.0, 1.0) + 0.8 * np.clip((t - 0.85) / 0.3, 0.0, 1.0))

    def apart(t: Floats) -> Floats:
        opening = np.clip((0.3 - t) / 0.2, 0.0, 1.0) ** 2 + np.clip((t - 0.75) / 0.2, 0.0, 1.0)
        return np.asarray(HEAD_RADIUS + RADIUS - 0.02 + 0.3 * opening)

    def head(name: str, sign: float) -> Character:
        beside = rig(lambda t: sign * apart(t) - REACH, height, still(0.0), still(0.0), END, Material(1.0, 1.0))
        return replace(beside, name=name)

    ball = flying((0.0, 0.9, 0.0), restitution=0.3, friction=0.5)
    model = Model.of(Scene([head("left", -1.0), head("right", 1.0)], [ball], [ground()], end=END))
    rollout = model.simulate(model.start)
    assert any(event.jam for event in rollout.events)
    heights = np.array([rollout.state("ball", t).position[1] for t in LOOKS])
    assert heights[LOOKS < 0.8].min() < -0.05 and heights[LOOKS > 1.0].min() > RADIUS - 1e-9


def test_what_follows_a_jam_is_where_the_ball_lay() -> None:
    rollout = simulated(still(-REACH), lambda t: 0.3 - 0.45 * np.sin(2.2 * t), still(0.0), 0.0, fall=0.002)
    model = rollout.model
    J = rollout.dense(rollout.rows([Target("ball", 1.39)]))
    block = model.layout["ball.position"].indices
    np.testing.assert_allclose(J[:3, block][[0, 2]][:, [0, 2]], np.eye(2), atol=1e-9)


# -- things in hands ---------------------------------------------------------------------------------------------------

CLUBS = {"box": hoi.box(0.5, (0.03, 0.05, 0.05)), "capsule": hoi.capsule(mass=0.5, radius=0.03, half_length=0.1)}


def golf(club: str, speed: float, meant: bool) -> Scene:
    """A ball that lies, or rolls towards a club in a hand that comes along."""
    hand = rig(lambda t: -0.6 + 1.2 * t, still(0.5), lambda t: 0.1 * np.sin(2.0 * t), still(0.0), 1.0)
    held = hoi.Thing(
        "club", CLUBS[club], hoi.Held("rig/palm", position=np.array([0.0, -0.43, 0.0])), Material(0.9, 0.3)
    )
    ball = flying(
        (0.0, RADIUS + 0.001, 0.011), (speed, 0.0, 0.0), (0.0, 0.0, -speed / RADIUS), restitution=0.3, friction=0.5
    )
    hit = Contact("hit", "ball", "club", 0.4, restitution=0.27, friction=0.15)
    return Scene([hand], [held, ball], [ground()], [hit] if meant else [], end=1.0)


@pytest.mark.parametrize("meant", [False, True], ids=["by chance", "meant"])
@pytest.mark.parametrize("speed", [0.0, -0.3], ids=["lying", "rolling"])
@pytest.mark.parametrize("club", ["box", "capsule"])
def test_a_thing_in_a_hand_hits_a_ball_on_the_ground(club: str, speed: float, meant: bool) -> None:
    model = Model.of(golf(club, speed, meant))
    rollout = model.simulate(model.start)
    assert rollout.missed == ()
    hit = next(event for event in rollout.events if event.other == "club")
    assert hit.kind == "impact" and hit.intended == meant and abs(hit.gap) < 1e-12 and hit.push is None
    assert hit.before is not None and hit.frame is not None and hit.after is not None
    law = np.array([0.27, 0.15, 0.0, 0.0, 0.0])
    body = model.scene.thing("ball").body
    after = surface_impact(hit.before, hit.frame, hit.normal, law, body.radius, body.mass, body.moments[0])[0]
    np.testing.assert_allclose(hit.after, after, atol=1e-12)  # as in flight: the ground has no say in it
    np.testing.assert_allclose(rollout.state("ball", hit.time + 1e-9).velocity, after[12:15], atol=1e-6)
    rng = np.random.default_rng(0)
    J = rollout.dense(rollout.rows([Target("ball", hit.time + 0.06)]))
    for block in model.layout.blocks:
        along = np.zeros(model.layout.size)
        along[block.indices] = rng.normal(size=block.stop - block.start)
        truth = quotient(model, model.start, along, "ball", hit.time + 0.06).value
        assert np.abs(J @ along - truth).max() <= 1e-9 * max(1.0, np.abs(truth).max()), block.name


def test_a_meant_hit_can_be_opened() -> None:
    assert hoi.open(golf("box", 0.0, True)).rollout.missed == ()


# -- derivatives -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meant", [False, True], ids=["by chance", "meant"])
def test_derivatives_through_a_push_are_true(meant: bool) -> None:
    kick = Contact("kick", "ball", "rig/head", 0.43, restitution=0.5, friction=0.5)
    foot = rig(lambda t: -REACH - 1.0 + SPEED * t + 0.1 * np.sin(4.0 * t), lambda t: -0.17 + 0.02 * np.sin(5.0 * t),
               still(0.0), lambda t: 0.1 * np.sin(3.0 * t), END, Material(1.0, 1.0))  # fmt: skip
    ball = flying((0.0, RADIUS + 0.002, 0.02), restitution=0.5, friction=0.5)
    model = Model.of(Scene([foot], [ball], [ground()], [kick] if meant else [], end=END))
    rollout, rng = model.simulate(model.start), np.random.default_rng(0)
    first = next(event for event in rollout.events if event.other == "rig/head")
    assert first.push is not None and first.push[1] == 1.0
    time = first.time + 0.05
    J = rollout.dense(rollout.rows([Target("ball", time)]))
    for block in model.layout.blocks:
        along = np.zeros(model.layout.size)
        along[block.indices] = rng.normal(size=block.stop - block.start)
        truth = quotient(model, model.start, along, "ball", time).value
        assert np.abs(J @ along - truth).max() <= 1e-9 * max(1.0, np.abs(truth).max()), block.name


@pytest.mark.parametrize("later", [0.0, 0.02])
def test_a_flight_after_a_kick_that_is_led_differs_with_the_time_of_the_kick(later: float) -> None:
    """The flight is named by its state at a time that stays, whenever the kick then is."""
    fresh = kicked(0.03, 0.8, [Contact("kick", "ball", "rig/head", 0.43, restitution=0.8, friction=0.5)])
    model, chain, (_, k) = fresh.model, fresh.trajectories.chains["ball"], fresh.happened["kick"]
    flight, surface = chain.spans[k + 1], model.world.surfaces.name.index("rig/head")
    node = Node(flight.start + later, fresh.context.state_in(flight, flight.start + later))

    def led(t: float) -> Rollout:
        return model.simulate(model.start, {"kick": node}, guide={"kick": (t, surface)})

    seen, h, ball = led(flight.start), 1e-6, OF_BALL[12]
    event = seen.trajectories.chains["ball"].events[k]
    assert event.mechanism == "rolling_impact" and event.declared
    by_time = seen.linearisation.of([Continuity("kick").rows(seen)[0].functional]).columns["kick.time"][:, 0]
    truth = ball @ (led(flight.start + h).continuity["kick"] - led(flight.start - h).continuity["kick"]) / (2.0 * h)
    np.testing.assert_allclose(by_time, truth, atol=1e-6 * np.abs(truth).max())


def test_both_answers_of_a_push() -> None:
    """Its speeds along both normals are those asked for, and it goes along no other direction."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, b = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
        v: Floats = rng.normal(size=3)
        after = push(v, n, float(n @ v), b, float(b @ v), 0.3, 1.0)
        assert n @ after == pytest.approx(0.3) and b @ after == pytest.approx(0.0, abs=1e-12)
        assert (after - v) @ np.cross(n, b) == pytest.approx(0.0, abs=1e-12)
        alone = push(v, n, float(n @ v), b, float(b @ v), 0.3, 0.0)
        np.testing.assert_allclose(alone, v + (0.3 - n @ v) * n, atol=1e-12)
