"""How far what is in a hand is from a surface, be it a ball or a hull: against the closed form over the ground."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import Model
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.simulate.checks.held_inside import gaps_held
from rigid.body import Body

TIMES = np.array([0.2, 0.7, 1.3])


@pytest.mark.parametrize("body", [hoi.ball(0.1, 0.035), hoi.capsule(0.9, 0.033, 0.39), hoi.box(1.0, (0.1, 0.2, 0.15))])
def test_over_the_ground_it_is_as_far_as_its_lowest_corner(body: Body) -> None:
    ann = hoi.Character.of("ann", performed("stand_mime"))
    thing = hoi.Thing("it", body, hoi.Held("ann/right_palm", position=np.array([0.0, -0.1, 0.1])))
    model = Model.of(hoi.Scene([ann], [thing], [hoi.ground()], end=1.5))
    seen = model.simulate(model.start)
    (ground,) = model.world.surfaces_of("ground")
    states = [seen.state("it", float(t)) for t in TIMES]
    corners = np.asarray(body.vertices, float)
    lowest = [float((s.position + corners @ s.rotation.T)[:, 1].min() - body.radius) for s in states]
    gaps = gaps_held(seen, seen.trajectories.chains["it"].spans[0], int(ground), TIMES)
    np.testing.assert_allclose(gaps, lowest, atol=1e-9)
