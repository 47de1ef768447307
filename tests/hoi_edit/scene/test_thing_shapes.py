"""What a shape says is so of its bodies; and a scene's rules go by it."""

import ast
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scene.thing_shapes import BALL, HULL, ThingShape, shape_of
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


def test_only_its_family_asks_what_a_body_is() -> None:
    """Searches among hulls apart, which are for pairs of bodies."""
    engine = Path(__file__).resolve().parents[3] / "hoi_edit"
    calls = {
        str(path.relative_to(engine))
        for path in engine.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "is_ball"
    }
    assert calls <= {"scene/thing_shapes.py", "simulate/meetings/hulls.py", "simulate/context.py", "simulate/world.py"}
