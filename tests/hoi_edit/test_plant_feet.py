"""Feet pinned by control points: they stop, and nothing above the hips moves."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np

from hoi_edit.fit_report import joint_tracks
from hoi_edit.motions import Layer
from hoi_edit.plant_feet import plant_feet
from kinematics.feet import foot_contacts
from kinematics.io import read_clip
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


def test_a_recorded_pitch_stops_sliding(mocap: Path) -> None:
    clip = read_clip(mocap / "cmu_124_01_baseball_pitch.bvh")
    layer = Layer.over(clip)
    controls, report = plant_feet(clip, layer, layer.parameters())
    assert len(report.contacts) >= 8
    assert max(report.after) < 5e-3 < max(report.before)
    assert np.abs(np.asarray(controls)).max() < 1.0
    assert "worst slide" in str(report) and "could not" not in str(report)


def test_no_contacts_change_nothing() -> None:
    clip = swinging_human(1.0)
    layer = Layer.over(clip)
    controls, report = plant_feet(clip, layer, layer.parameters(), [])
    assert report.contacts == () and not np.any(np.asarray(controls))
    assert jnp.asarray(controls).shape == layer.parameters().shape
