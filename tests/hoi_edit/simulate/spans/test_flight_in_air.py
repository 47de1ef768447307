"""Balls that feel the air: their physics, nothing passed through, and derivatives of everything that happens."""

from collections.abc import Sequence
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Functional, Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Fixture, Flying, Held, Scene, Thing, ground
from hoi_edit.truth import truth_scenes as scenes
from hoi_edit.truth.difference_quotients import quotient
from kinematics.errors import HoiError
from rigid.air import Air, air_for, fly_in_air
from rigid.air_compiled import STEPS
from rigid.body import ball, box
from rigid.distance import RoundedBox
from rigid.free_flight import State, Top
from rigid.impact import Material
from tests.hoi_edit.simulate.arm_scenes import arm, still

RADIUS, MASS = 0.0366, 0.145
BASEBALL = air_for(MASS, RADIUS, drag=0.35, lift=1.0)
TABLE_TENNIS = air_for(0.0027, 0.02, drag=0.47, lift=1.0)


def flying(
    position: Sequence[float], velocity: Sequence[float], spin: Sequence[float] = (0.0, 0.0, 0.0), name: str = "ball",
    air: Air | None = BASEBALL, material: Material | None = None,
) -> Thing:  # fmt: skip
    start = Flying(np.array(position, float), np.array(velocity, float), angular_velocity=np.array(spin, float))
    return Thing(name, ball(MASS, RADIUS), start, material or Material(0.8, 0.3), air)


def run(things: Sequence[Thing], end: float = 2.0, **scene: object) -> Rollout:
    model = Model.of(Scene(things=things, end=end, **scene))  # type: ignore[arg-type]
    return model.simulate(model.start, strict=True)


def replayed(rollout: Rollout, name: str, k: int, t: float) -> State:
    """A flight's state at a time, by the flight that is differentiated."""
    span, air = rollout.spans(name)[k], rollout.model.world.airs[name]
    s = np.asarray(span.state)
    start = State(jnp.asarray(s[:3]), jnp.asarray(s[3:12].reshape(3, 3)), jnp.asarray(s[12:15]), jnp.asarray(s[15:]))
    own = Air(air[0], air[1], jnp.asarray(air[2:5]))
    gravity = jnp.asarray(rollout.context.gravity)
    steps = int(air[STEPS])
    return jax.jit(fly_in_air, static_argnums=5)(start, Top.ball(RADIUS), gravity, own, t - span.start, steps)


def check_blocks(model: Model, thing: str, t: float, blocks: Sequence[str], tolerance: float = 1e-8) -> None:
    """Our derivative along a random direction of each block, against extrapolated quotients."""
    rollout, rng = model.simulate(model.start), np.random.default_rng(1)
    J = rollout.dense(rollout.rows([Target(thing, t)]))
    for block in blocks:
        du = np.zeros(model.layout.size)
        own = model.layout[block].indices
        du[own] = rng.normal(size=len(du[own]))
        expected = quotient(model, model.start, du, thing, t).value
        assert np.abs(J @ du - expected).max() <= tolerance * max(1.0, np.abs(expected).max()), block


# -- physics ----------------------------------------------------------------------------------------------------------


def test_a_falling_ball_has_a_terminal_speed() -> None:
    rollout = run([replace(flying([0.0, 500.0, 0.0], [0.0, 0.0, 0.0]), air=TABLE_TENNIS)], end=5.0)
    terminal = np.sqrt(9.81 / float(np.asarray(TABLE_TENNIS.drag)))
    exact = -terminal * np.tanh(9.81 * np.array([1.0, 5.0]) / terminal)
    speeds = [rollout.state("ball", t).velocity[1] for t in (1.0, 5.0)]
    np.testing.assert_allclose(speeds, exact, rtol=1e-7)
    assert speeds[1] == pytest.approx(-terminal, rel=1e-4)


def test_energy_never_grows() -> None:
    rollout = run([flying([0.0, 1.5, 0.0], [30.0, 6.0, 1.0], [30.0, 80.0, -100.0])], fixtures=[ground()], end=3.0)
    assert any(event.kind == "impact" for event in rollout.events)
    states = [rollout.state("ball", t) for t in np.linspace(0.0, 3.0, 400)]
    energy = [
        9.81 * s.position[1] + 0.5 * s.velocity @ s.velocity + 0.2 * RADIUS**2 * s.angular_velocity @ s.angular_velocity
        for s in states
    ]
    assert np.diff(energy).max() < 0.0


def test_a_pitch_is_right_to_a_micrometre() -> None:
    rollout = run([flying([0.0, 1.8, 0.0], [45.0, 2.0, 0.0], [20.0, 150.0, -180.0])], end=1.5)
    span = rollout.spans("ball")[0]
    gravity = jnp.asarray(rollout.context.gravity)
    s = np.asarray(span.state)
    start = State(jnp.asarray(s[:3]), jnp.eye(3), jnp.asarray(s[12:15]), jnp.asarray(s[15:]))
    exact = fly_in_air(start, Top.ball(RADIUS), gravity, BASEBALL, 1.5, steps=2048)
    np.testing.assert_allclose(rollout.state("ball", 1.5).position, exact.position, atol=1e-7)


@pytest.mark.parametrize("air", [Air(0.0, 0.0, np.array([3.0, 0.0, 0.0])), Air(1e-16, 0.0, np.zeros(3))])
def test_without_drag_it_is_free_flight(air: Air) -> None:
    """Bit for bit where air does nothing; as the closed form where its steps are taken."""
    thing = flying([0.1, 1.1, -0.2], [2.0, 0.5, -1.0], [4.0, -3.0, 12.0], air=air)
    free, felt = (run([replace(thing, air=own)], fixtures=[ground()]) for own in (None, air))
    assert [event.kind for event in free.events] == [event.kind for event in felt.events]
    for t in np.linspace(0.0, 2.0, 30):
        a, b = free.state("ball", t), felt.state("ball", t)
        if not air.matters:
            assert np.array_equal(a.position, b.position) and np.array_equal(a.rotation, b.rotation)
        np.testing.assert_allclose(a.position, b.position, atol=1e-10)
        np.testing.assert_allclose(a.velocity, b.velocity, atol=1e-10)


# -- nothing is passed through ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("air", [BASEBALL, TABLE_TENNIS], ids=["baseball", "table tennis"])
@pytest.mark.parametrize("offset", np.linspace(0.0, 0.9, 7))
def test_a_fast_ball_in_air_hits_a_thin_arm(offset: float, air: Air) -> None:
    """Wherever the rows of the table fall; and it is a touch to round-off in the flight that is differentiated too."""
    start = -4.0 - offset * 40.0 / 60.0
    ahead = run([flying([start, 0.0, 0.0], [40.0, 0.0, 0.0], [0.0, 0.0, 60.0], air=air)])
    passes = min(np.linspace(0.0, 0.6, 3001), key=lambda t: abs(ahead.state("ball", t).position[0]))
    height = 1.0 - ahead.state("ball", passes).position[1]
    thing = flying([start, height, 0.0], [40.0, 0.0, 0.0], [0.0, 0.0, 60.0], air=air)
    rollout = run([thing], characters=[arm(still(1.0))])
    event = rollout.events[0]
    assert event.kind == "impact" and event.other == "arm/rod" and event.time < passes
    assert abs(event.gap) <= 1e-13
    x = np.asarray(replayed(rollout, "ball", 0, event.time).position)
    assert abs(np.hypot(x[0], x[1] - 1.0) - RADIUS - 0.03) <= 1e-12


def test_a_featherweight_is_stopped_by_a_wall_too() -> None:
    """Its speed halves within a row of the table, where cubics say nothing."""
    wall = Fixture("wall", RoundedBox(np.array([0.002, 2.0, 2.0]), 0.0), np.array([1.0, 1.0, 0.0]))
    light = Air(0.8, 0.0, np.zeros(3))
    for k in range(5):
        thing = flying([0.3 - 0.11 * k, 1.0, 0.0], [60.0, 0.0, 0.0], air=light)
        rollout = run([thing], end=0.5, fixtures=[wall])
        assert rollout.events[0].other == "wall" and rollout.state("ball", 0.4).position[0] < 1.0


@pytest.mark.parametrize("phase", np.linspace(0.0, 1.0, 9))
@pytest.mark.parametrize("both", [True, False])
def test_balls_meet_in_air(phase: float, both: bool) -> None:
    """Head on at 80 m/s, aimed by the flights themselves: they touch to round-off, and keep their momentum."""
    a = flying([0.0, 1.0, 0.0], [40.0, 1.0, 0.0], [0.0, 30.0, 50.0], "a")
    b = flying([0.0, 0.0, 0.0], [-40.0, 1.0, 0.0], [0.0, 0.0, 10.0], "b", air=BASEBALL if both else None)
    t = 0.2 + phase / 60.0
    alone = run([a]), run([b])
    meet = alone[0].state("a", t).position - alone[1].state("b", t).position
    assert isinstance(b.start, Flying)
    b = replace(b, start=replace(b.start, position=meet + np.array([0.0, 0.01, 0.015])))
    rollout = run([a, b])
    met = [event for event in rollout.events if event.kind == "impact"]
    assert {event.object for event in met} == {"a", "b"} and met[0].time < t
    assert abs(met[0].gap) <= 1e-12
    before = sum(alone[k].state(name, met[0].time).velocity for k, name in enumerate("ab"))
    after = sum(rollout.state(name, met[0].time).velocity for name in "ab")
    np.testing.assert_allclose(after, before, atol=1e-9)


def test_near_misses_of_balls_are_told_from_touches() -> None:
    """Beside each other through the same air: a hair apart they pass, a hair closer they touch."""
    reach, found = 2.0 * RADIUS, []
    for offset in (1e-9, -1e-9):
        a = flying([0.0, 1.0, 0.0], [20.0, 1.0, 0.0], name="a")
        b = flying([8.0, 1.0, reach + offset], [-20.0, 1.0, 0.0], name="b")
        found.append(len(run([a, b]).events))
    assert found == [0, 2]


# -- derivatives ------------------------------------------------------------------------------------------------------


def caught() -> Scene:
    """Off the floor, into a moving hand, and thrown again."""
    times = np.arange(61) / 30
    rows = np.stack([0.5 + 0.05 * np.sin(4 * times), 0.1 * np.sin(3 * times)], axis=1)
    plan = [
        Contact("floor", "ball", "ground", 0.5, restitution=0.9, friction=0.3),
        Contact("catch", "ball", "arm/palm", 1.27, "grasp", 1.453),
    ]
    thing = flying([-7.4, 1.3, 0.02], [7.0, 0.0, 0.02], [3.0, 2.0, -40.0], material=Material(0.9, 0.3))
    return Scene([arm(rows)], [thing], [ground()], plan, end=2.0)


def test_bounce_grasp_and_release() -> None:
    model = Model.of(caught())
    kinds = [event.kind for event in model.simulate(model.start).events]
    assert kinds[:3] == ["impact", "grasp", "release"]
    blocks = [block.name for block in model.layout.blocks]
    check_blocks(model, "ball", 1.0, ["ball.position", "ball.velocity", "ball.spin", "floor.restitution"])
    check_blocks(model, "ball", 1.7, blocks)


def test_a_declared_contact() -> None:
    scene = caught()
    declared = [replace(scene.contacts[0], time=0.49, declared=True)]
    model = Model.of(replace(scene, contacts=declared))
    check_blocks(model, "ball", 1.0, ["ball.position", "ball.velocity", "ball.spin", "floor.restitution"])


@pytest.mark.parametrize("speed", [1.2, 0.5])
def test_rest_and_rolling_off_an_edge(speed: float) -> None:
    """Air is not felt in contact, but before it and after it."""
    scene = scenes.table_edge(speed, 0.8)
    felt = [replace(thing, air=Air(0.3, 0.02, np.array([1.0, 0.0, 2.0]))) for thing in scene.things]
    model = Model.of(replace(scene, things=felt))
    kinds = [event.kind for event in model.simulate(model.start).events]
    assert kinds[0] == "rest" and "leave" in kinds
    check_blocks(model, "ball", 0.7, ["ball.position", "ball.velocity", "ball.spin"], 1e-7)


def test_a_ball_in_air_hits_what_a_hand_holds() -> None:
    bat = Thing("bat", ball(0.5, 0.08), Held("arm/palm"), Material(0.9, 0.5))
    rows = np.stack([0.5 + 0.1 * np.sin(5 * np.arange(61) / 30), np.zeros(61)], axis=1)
    thing = flying([-3.0, 0.9, 0.01], [12.0, -0.5, 0.0], [0.0, 20.0, 30.0])
    model = Model.of(Scene([arm(rows)], [bat, thing], end=0.8))
    event = model.simulate(model.start).events[0]
    assert event.other == "bat" and event.doubt is None
    check_blocks(model, "ball", 0.5, ["bat.position", "ball.position", "ball.velocity", "ball.spin", "arm"])


@pytest.mark.parametrize("late", [0.0, 0.03])
def test_nodes_and_what_their_contacts_give(late: float) -> None:
    """d continuity / du with the nodes as they are, also where a node is named by another time than its touch."""
    model = Model.of(caught())
    free = model.simulate(model.start)
    node = free.nodes["floor"]
    named = replace(node, time=node.time + late, state=free.context.state_in(free.spans("ball")[1], node.time + late))
    nodes = free.nodes | {"floor": named}
    rollout = model.simulate(model.start, nodes)
    assert max(np.abs(gap).max() for gap in rollout.continuity.values()) <= (1e-12 if late == 0.0 else 1e-8)
    asked = [Functional(12, outcomes=[("ball", 0, np.eye(12))]), Functional(6, outcomes=[("ball", 1, np.eye(6))])]
    J = rollout.dense(replace(rows := rollout.linearisation.of(asked, nodes), columns=plain(rows.columns)))
    rng = np.random.default_rng(2)
    du = rng.normal(size=model.layout.size)

    def gaps(h: float) -> np.ndarray:
        found = model.simulate(model.start + h * du, nodes).continuity
        return np.concatenate([found["floor"], found["catch"]])

    h = 1e-4
    truth = (8.0 * (gaps(h) - gaps(-h)) - (gaps(2 * h) - gaps(-2 * h))) / (12.0 * h)
    np.testing.assert_allclose(J @ du, truth, atol=1e-8 * np.abs(truth).max())
    # the hold by the node's own numbers
    own = np.asarray(rows.columns["floor.node"])
    assert own.shape == (18, 12) and not own[:12].any() and own[12:].any()


def plain(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values for name, values in columns.items() if not name.endswith(".node")}


def test_a_drag_through_air_keeps_its_contacts() -> None:
    session = hoi.open(caught())
    to = session.state("ball", t=1.0).position + [0.05, 0.1, 0.02]
    assert session.drag("ball", t=1.0, to=to).converged
    np.testing.assert_allclose(session.state("ball", t=1.0).position, to, atol=1e-6)
    assert not session.rollout.missed
    times = np.linspace(0.0, 2.0, 21)
    singly = [session.state("ball", t=t).position for t in times]
    np.testing.assert_allclose(session.rollout.positions("ball", times), singly, atol=1e-14)


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (lambda: flying([0, 1, 0], [0, 0, 0], air=Air(-0.1, 0.0, np.zeros(3))), "drag of the air around thing 'ball'"),
        (lambda: flying([0, 1, 0], [0, 0, 0], air=Air(np.nan, 0.0, np.zeros(3))), "drag of the air around thing"),
        (lambda: flying([0, 1, 0], [0, 0, 0], air=Air(0.1, np.inf, np.zeros(3))), "lift of the air around thing"),
        (lambda: flying([0, 1, 0], [0, 0, 0], air=Air(0.1, 0.0, np.zeros(2))), "wind around thing 'ball'"),
        (lambda: flying([0, 1, 0], [0, 0, 0], air=0.3), "make it with air_for"),  # type: ignore[arg-type]
        (lambda: replace(flying([0, 1, 0], [0, 0, 0]), body=box(0.2, [0.1, 0.1, 0.1])), "is no ball"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_one_sentence(thing: object, words: str) -> None:
    with pytest.raises(HoiError) as told:
        run([thing()])  # type: ignore[operator]
    assert words in str(told.value) and "\n" not in str(told.value)
