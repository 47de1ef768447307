"""Things that are not balls: a tumbling box meets the floor to round-off, and its derivative is true."""

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model
from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.truth.difference_quotients import state_at
from rigid.body import box
from rigid.impact import Material


def test_a_box_bounces_on_its_corners() -> None:
    start = Flying(np.array([0.0, 1.0, 0.0]), np.array([0.3, 1.0, 0.2]), angular_velocity=np.array([1.0, 2.0, 3.0]))
    thing = Thing("box", box(0.9, [0.1, 0.15, 0.2]), start, Material(0.6, 0.5))
    model = Model.of(Scene(things=[thing], fixtures=[ground()], end=0.542))
    rollout = model.simulate(model.start)
    assert [event.kind for event in rollout.events] == ["impact", "impact"]
    assert max(abs(event.gap) for event in rollout.events) <= 1e-13
    along = np.random.default_rng(0).normal(size=model.layout.size)
    ours = rollout.dense(rollout.rows([Target("box", 0.5415)])) @ along

    def quotient(h: float) -> np.ndarray:
        up, down = (state_at(model.simulate(model.start + s * h * along), "box", 0.5415) for s in (1.0, -1.0))
        return (up - down) / (2.0 * h)

    theirs = (4.0 * quotient(1e-5) - quotient(2e-5)) / 3.0
    assert np.abs(ours - theirs).max() <= 1e-8 * np.abs(theirs).max()
