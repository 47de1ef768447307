"""Feet pinned by control points: they stop, and nothing above the hips moves."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.motions import Layer, bake
from hoi_edit.motions.fit_report import joint_tracks
from hoi_edit.motions.plant_feet import plant_feet
from kinematics.feet import foot_contacts, foot_points
from kinematics.io import read_clip, write_bvh
from tests.clips import HUMAN, swinging_human


def test_feet_stand_still_and_the_upper_body_does_not_move() -> None:
    clip = swinging_human(2.0)
    crouched = clip.poses.copy()
    crouched[:, :6] = crouched[0, :6] + 0.3 * (crouched[:, :6] - crouched[0, :6])  # legs must be able to reach
    for side in ("left", "right"):
        for joint, angle in (("thigh", -0.4), ("shank", 0.8), ("foot", -0.4)):
            crouched[:, HUMAN.dof(f"{side}_{joint}.Xrotation")] += angle
    clip = type(clip)(HUMAN, crouched, clip.frame_time, name="sway")
    contacts = foot_contacts(clip, speed=2.0, height=0.5, stray=0.5)
    assert {c.point.name for c in contacts} >= {"left_foot", "right_foot"}
    layer = Layer.over(clip, 0.1)
    controls, report = plant_feet(clip, layer, layer.parameters(), contacts)
    assert max(report.before) > 0.03
    assert max(report.after) < 2e-3
    moved = np.flatnonzero(np.abs(np.asarray(controls)).max(axis=0))
    assert all(
        "thigh" in n or "shank" in n or "foot" in n or "toes" in n for n in np.array(HUMAN.topology.dof_names)[moved]
    )
    before, _ = joint_tracks(HUMAN, layer, layer.parameters(), clip.times)
    after, _ = joint_tracks(HUMAN, layer, controls, clip.times)
    for name in ("left_hand", "right_hand", "head", "pelvis"):
        np.testing.assert_array_equal(after[:, HUMAN.segment(name)], before[:, HUMAN.segment(name)])


@pytest.mark.parametrize("name", ["cmu_06_02_basketball_dribble.bvh", "cmu_07_01_walk.amc"])
def test_feet_in_the_air_and_knees_stay_as_recorded(mocap: Path, name: str) -> None:
    """Still feet are worth nothing if the leg kicks out in between, or its knee bends the wrong way."""
    clip = read_clip(mocap / name)
    layer = Layer.over(clip)
    controls, report = plant_feet(clip, layer, layer.parameters())
    before, v_before = joint_tracks(clip.skeleton, layer, layer.parameters(), clip.times)
    after, v_after = joint_tracks(clip.skeleton, layer, controls, clip.times)
    assert np.linalg.norm(after - before, axis=-1).max() < 0.1
    assert np.linalg.norm(v_after - v_before, axis=-1).max() < 1.5
    assert max(report.after) < 0.6 * max(report.before) and "worst slide" in str(report)
    low = np.minimum(clip.skeleton.limits[:, 0], clip.poses.min(axis=0))
    assert np.all(bake(layer, controls, clip).poses > low - np.deg2rad(3.0))


def test_feet_that_were_said_are_planted(tmp_path: Path) -> None:
    clip = swinging_human(1.0)
    write_bvh(clip, tmp_path / "a.bvh", own_channels=True)
    text = (tmp_path / "a.bvh").read_text().replace("left_foot", "PedA").replace("right_foot", "PedB")
    (tmp_path / "a.bvh").write_text(text)
    said = read_clip(tmp_path / "a.bvh", units="m", roles={"left_foot": "PedA", "right_foot": "PedB"})
    assert {"left_foot", "right_foot"} <= {point.name for point in foot_points(said.skeleton)}


def test_no_contacts_change_nothing() -> None:
    clip = swinging_human(1.0)
    layer = Layer.over(clip)
    controls, report = plant_feet(clip, layer, layer.parameters(), [])
    assert report.contacts == () and not np.any(np.asarray(controls))
    assert jnp.asarray(controls).shape == layer.parameters().shape
