"""What a shape says is so of its bodies; and a scene's rules go by it."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model
from hoi_edit.scene.thing_shapes import BALL, HULL, ThingShape, shape_of
from hoi_edit.simulate.dynamics.flight_laws import BALLISTIC, TUMBLING, flight_law
from kinematics.rotation import rotation_exp
from rigid.body import Body

BODIES = {
    "ball": (hoi.ball(0.2, 0.05), BALL),
    "club": (hoi.capsule(mass=0.3, radius=0.02, half_length=0.2), HULL),
    "box": (hoi.box(1.0, (0.1, 0.2, 0.3)), HULL),
}


@pytest.mark.parametrize(("body", "shape"), BODIES.values(), ids=BODIES)
def test_what_it_says_is_so(body: Body, shape: ThingShape) -> None:
    assert shape_of(body) is shape is hoi.Thing("thing", body, hoi.Flying(np.zeros(3))).shape

    def down(turn: np.ndarray) -> float:
        """How far its surface goes down from its centre."""
        return float((np.asarray(body.vertices) @ rotation_exp(turn).T)[:, 1].min() - body.radius)

    turns = np.random.default_rng(0).normal(size=(8, 3))
    assert shape.turn_matters == (np.ptp([down(turn) for turn in turns]) > 1e-9)
    assert shape.by_centre == (abs(body.reach - body.radius) < 1e-12)


class Turning(hoi.Thing):
    """A ball whose shape says that its turn matters."""

    shape = replace(BALL, turn_matters=True)


def test_a_simulation_goes_by_what_it_says() -> None:
    """A ball that is taken for what tumbles flies, bounces and passes derivatives on as a ball does."""
    start = hoi.Flying(np.array([0.1, 0.6, 0.0]), np.array([1.0, 0.5, 0.2]), np.eye(3), np.array([1.0, -2.0, 3.0]))
    seen = []
    for kind in (hoi.Thing, Turning):
        model = Model.of(hoi.Scene(things=[kind("it", BODIES["ball"][0], start)], fixtures=[hoi.ground()], end=0.7))
        rollout = model.simulate(model.start)
        law = flight_law(rollout.context, "it")
        target = rollout.rows([Target("it", 0.65)], np.eye(12))
        state = rollout.state("it", 0.65)
        seen.append((law, [event.time for event in rollout.events], state, rollout.dense(target)))
    (flies, times, one, J), (tumbles, others, other, K) = seen
    assert (flies, tumbles) == (BALLISTIC, TUMBLING) and len(times) == 1
    np.testing.assert_allclose(times, others, atol=1e-12)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-10)
    np.testing.assert_allclose(J, K, atol=1e-8)


def test_only_its_family_asks_what_a_body_is() -> None:
    """Searches among hulls apart, which are for pairs of bodies."""
    engine = Path(__file__).resolve().parents[3] / "hoi_edit"
    calls = {
        str(path.relative_to(engine))
        for path in engine.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "is_ball"
    }
    known = {"scene/thing_shapes.py", "simulate/meetings/hulls.py", "simulate/context.py", "simulate/world.py"}
    assert calls <= known, "ask `thing.shape` instead (scene/thing_shapes.py)"
