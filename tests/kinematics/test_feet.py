from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.feet import foot_contacts, foot_points
from kinematics.io import read_clip
from kinematics.skeleton import Joint, Skeleton
from tests.clips import HUMAN, swinging_human


def stepping() -> Clip:
    """Stands for a second, lifts and sets the left foot 30 cm ahead in half a second, stands again."""
    still = swinging_human(2.5, 120.0)
    poses = np.tile(still.poses[:1] * 0, (301, 1))
    poses[:, HUMAN.dof("pelvis.Yposition")] = 0.936
    lift = np.zeros(301)
    lift[120:181] = np.sin(np.linspace(0, np.pi, 61)) ** 2
    poses[:, HUMAN.dof("left_thigh.Xrotation")] = -0.6 * lift
    poses[:, HUMAN.dof("left_shank.Xrotation")] = 1.2 * lift
    return Clip(HUMAN, poses, 1 / 120, name="step")


def test_finds_stances_and_the_step_between_them() -> None:
    contacts = foot_contacts(stepping())
    by_point = {name: [c for c in contacts if c.point.name == name] for name in {c.point.name for c in contacts}}
    assert set(by_point) == {"left_foot", "left_toes", "right_foot", "right_toes"}
    assert [(c.first, c.last) for c in by_point["right_foot"]] == [(0, 300)]
    (before, after) = by_point["left_foot"]
    assert before.first == 0 and 118 <= before.last <= 135
    assert 165 <= after.first <= 183 and after.last == 300
    assert all(contact.slide <= 0.02 for contact in contacts)


def test_recorded_walk_alternates_feet(mocap: Path) -> None:
    clip = read_clip(mocap / "cmu_69_20_walk_90_right_turn.bvh")
    toes = [c for c in foot_contacts(clip) if c.point.name.endswith("toes")]
    assert len(toes) >= 6
    sides = [c.point.name for c in toes]
    assert all(a != b for a, b in pairwise(sides))
    assert all(abs(c.anchor[1]) < 0.06 for c in toes)


def test_a_body_without_feet_is_told_so() -> None:
    with pytest.raises(HoiError, match=r"no joint is recognised as left_foot or right_foot: .* roles="):
        foot_points(Skeleton.build([Joint("stone", None, (0.0, 0.0, 0.0))]))
