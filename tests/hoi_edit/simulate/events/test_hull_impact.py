"""Things that are not balls: a tumbling box meets the floor to round-off, and its derivative is true."""

import numpy as np

from hoi_edit.scene import Flying, Scene, Thing, ground
from rigid.body import box
from rigid.impact import Material
from tests.hoi_edit.simulate.events.hull_scenes import assert_derivative_along_all, run


def test_a_box_bounces_on_its_corners() -> None:
    start = Flying(np.array([0.0, 1.0, 0.0]), np.array([0.3, 1.0, 0.2]), angular_velocity=np.array([1.0, 2.0, 3.0]))
    thing = Thing("box", box(0.9, [0.1, 0.15, 0.2]), start, Material(0.6, 0.5))
    rollout = run(Scene(things=[thing], fixtures=[ground()], end=0.542))
    assert [event.kind for event in rollout.events] == ["impact", "impact"]
    assert max(abs(event.gap) for event in rollout.events) <= 1e-13
    assert_derivative_along_all(rollout, "box", 0.5415, 1e-8)
