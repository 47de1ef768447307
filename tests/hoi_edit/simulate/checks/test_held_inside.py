"""How far what is in a hand is from a surface, be it a ball or a hull: against the closed form over a board."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import Model
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.simulate.checks.held_inside import gaps_held
from rigid.body import Body
from rigid.distance import RoundedBox

TIMES = np.array([0.699, 0.7, 0.701])
BELOW = 0.002  # [m]


@pytest.mark.parametrize("body", [hoi.ball(0.1, 0.035), hoi.capsule(0.9, 0.033, 0.39), hoi.box(1.0, (0.1, 0.2, 0.15))])
def test_over_a_board_it_is_as_far_as_its_lowest_corner(body: Body) -> None:
    ann = hoi.Character.of("ann", performed("stand_mime"))
    thing = hoi.Thing("it", body, hoi.Held("ann/right_palm", position=np.array([0.0, -0.1, 0.1])))
    alone = Model.of(hoi.Scene([ann], [thing], [hoi.ground()], end=1.5))
    states = [alone.simulate(alone.start).state("it", float(t)) for t in TIMES]
    corners = np.asarray(body.vertices, float)
    lowest = np.array([(s.position + corners @ s.rotation.T)[:, 1].min() - body.radius for s in states])
    top = float(lowest.min()) - BELOW
    board = hoi.Fixture("board", RoundedBox(np.array([3.0, 0.01, 3.0]), 0.0), np.array([0.0, top - 0.01, 0.0]))
    model = Model.of(hoi.Scene([ann], [thing], [hoi.ground(), board], end=1.5))
    seen = model.simulate(model.start)
    (surface,) = model.world.surfaces_of("board")
    gaps = gaps_held(seen, seen.trajectories.chains["it"].spans[0], int(surface), TIMES)
    np.testing.assert_allclose(gaps, lowest - top, atol=1e-9)
