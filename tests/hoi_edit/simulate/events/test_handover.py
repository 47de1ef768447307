"""A thing that changes its carrier goes on as it was, and so do derivatives through it."""

from functools import cache

import numpy as np

import hoi_edit as hoi
from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from kinematics.rotation import rotation_between
from tests.clips import swinging_human

LOOKS = (0.3, 0.9, 1.3, 1.8)  # [s] where it lies, in one hand, in the other, and where it was put
STEP = 1e-5


@cache
def carried() -> Rollout:
    """Somebody waves about, and a box that lies there goes with one hand, with the other, and stays in the air."""
    box = hoi.Thing("box", hoi.box(1.0, (0.1, 0.08, 0.12)), hoi.Flying(np.array([0.3, 0.08, 0.3])))
    contacts = [
        hoi.Contact("up", "box", "ann/right_palm", 0.7, "grasp", taken=True),
        hoi.Contact("over", "box", "ann/left_palm", 1.1, "grasp", taken=True),
        hoi.Contact("down", "box", "ground", 1.5, "rest"),
    ]
    ann = hoi.Character.of("ann", swinging_human())
    model = Model.of(hoi.Scene([ann], [box], [hoi.ground()], contacts, end=2.0))
    return model.simulate(model.start)


def test_it_happens_at_its_time_and_nothing_leaps() -> None:
    seen = carried()
    told = [(event.kind, event.other, event.contact) for event in seen.events[1:]]
    assert told == [
        ("grasp", "ann/right_hand", "up"), ("grasp", "ann/left_hand", "over"), ("rest", "ground", "down")
    ]  # fmt: skip
    chain = seen.trajectories.chains["box"]
    for event, before, after in zip(chain.events[1:], chain.spans[1:-1], chain.spans[2:], strict=True):
        assert event.time == seen.model.scene.contact(str(event.contact)).time
        one, other = (seen.context.state_in(span, event.time) for span in (before, after))
        np.testing.assert_allclose(one[:12], other[:12], atol=1e-15)
    assert not seen.missed and not seen.nodes
    assert not seen.state("box", 1.9).velocity.any()


def test_the_derivative_goes_through_every_carrier() -> None:
    seen = carried()
    model, rows = seen.model, seen.rows([Target("box", t) for t in LOOKS], np.eye(12)[:6])
    way = 0.1 * np.random.default_rng(0).normal(size=model.layout.size)
    for block in model.layout.blocks:
        if block.owner == "box":
            way[block.indices] = 0.0
    way[model.layout["box.position"].indices] = [0.1, 0.0, 0.2]

    def poses(u: np.ndarray) -> np.ndarray:
        moved = model.simulate(u)
        both = [(moved.state("box", t), seen.state("box", t)) for t in LOOKS]
        return np.concatenate(
            [[*(a.position - b.position), *rotation_between(a.rotation, b.rotation)] for a, b in both]
        )

    quotient = (poses(model.start + STEP * way) - poses(model.start - STEP * way)) / (2.0 * STEP)
    np.testing.assert_allclose(seen.dense(rows) @ way, quotient, atol=1e-8)
    assert np.abs(quotient).max() > 0.1
