"""Hands that let go of a ball and do not follow it, and are not met from behind."""

import numpy as np

import hoi_edit as hoi
from hoi_edit.adjoint import time_name
from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.problem import EditProblem
from kinematics.rotation import Floats

STEP = 1e-6  # [s]


def test_rows_go_with_the_times_of_catches_and_releases() -> None:
    """Looks are so long after a release or before a catch, so they go along where these are at another time; what rows
    say of that is what difference quotients say."""
    session = hoi.open("juggle3")
    start = EditProblem.of(session.model, session.iterate).start
    hands = OpenHands.of(session.scene)
    rng = np.random.default_rng(0)
    releases = [block for block in session.model.layout.blocks if block.part == "release"]
    times = {time_name(contact): rng.normal(size=1) for contact in start.led}
    ways = times | {block.name: rng.normal(size=1) for block in releases}
    assert len(releases) > 5 and len(times) > 5
    step = np.zeros(session.model.layout.size)
    for block in releases:
        step[block.indices] = ways[block.name]

    def rooms(iterate: Iterate) -> Floats:
        return -np.concatenate([rows.lower for rows in hands.rows(iterate.rollout)])

    asked = [rows.functional for rows in hands.rows(start.rollout)]
    rows = start.rollout.linearisation.of(asked, start.nodes)
    ours = np.sum([values @ ways[name] for name, values in rows.columns.items() if name in ways], axis=0)
    ahead, behind = (rooms(start.moved(step, times, share)) for share in (STEP, -STEP))
    np.testing.assert_allclose(ours, (ahead - behind) / (2.0 * STEP), atol=1e-6)
