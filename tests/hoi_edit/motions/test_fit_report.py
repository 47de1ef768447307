from pathlib import Path

import numpy as np
import pytest

from hoi_edit.motions import Layer
from hoi_edit.motions.fit_report import fit_errors, joint_tracks, peak_speed, table
from kinematics.io import read_clip
from tests.clips import swinging_human


def test_errors_fall_with_the_spacing_and_name_their_place() -> None:
    clip = swinging_human(2.0, 120.0)
    coarse, fine = fit_errors(clip, (0.4, 0.1))
    assert coarse.rms > 20 * fine.rms and coarse.worst >= coarse.rms
    assert coarse.worst_joint in clip.skeleton.names and 0.0 <= coarse.worst_time <= 2.0
    assert "worst [mm]" in table([coarse, fine], "swing")


def test_velocities_are_those_of_the_positions() -> None:
    clip = swinging_human(1.0)
    layer = Layer.over(clip)
    h = 1e-5
    before, _ = joint_tracks(clip.skeleton, layer, layer.parameters(), np.array([0.4 - h]))
    after, _ = joint_tracks(clip.skeleton, layer, layer.parameters(), np.array([0.4 + h]))
    _, velocity = joint_tracks(clip.skeleton, layer, layer.parameters(), np.array([0.4]))
    np.testing.assert_allclose(velocity, (after - before) / (2 * h), atol=1e-7)


def test_a_recorded_walk_fits_to_five_millimetres_at_a_tenth_of_a_second(mocap: Path) -> None:
    (error,) = fit_errors(read_clip(mocap / "cmu_07_01_walk.bvh"), (0.1,))
    assert error.rms < 5e-3


def test_recorded_speeds_are_those_the_archive_tells(mocap: Path) -> None:
    speed, joint = peak_speed(read_clip(mocap / "cmu_124_01_baseball_pitch.bvh"))
    assert joint.startswith("Right") and speed == pytest.approx(12.2, abs=0.1)
