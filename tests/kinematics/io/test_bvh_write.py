"""Writing BVH: edits, skeletons of our own, and files that are never lost."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import BvhSource, read_bvh, write_bvh
from kinematics.rotation import hinge_chain
from kinematics.skeleton import Dof, Joint, Skeleton, capsule
from tests.kinematics.io.samples import SMALL, person_bvh, positions, standing, written


def test_angles_on_another_branch_are_the_same_numbers(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL))
    turned = np.array(clip.poses)
    turned[:, 3] += 4 * np.pi
    a, b, c = turned[:, 6:9].T
    turned[:, 6:9] = np.stack([a + np.pi, np.pi - b, c - np.pi], axis=-1)
    write_bvh(replace(clip, poses=turned), tmp_path / "out.bvh")
    np.testing.assert_array_equal(read_bvh(tmp_path / "out.bvh").source_rows, clip.source_rows)


def test_an_edit_is_written_and_its_neighbours_stay(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL), units="cm")
    poses = np.array(clip.poses)
    poses[1, 1] += 0.125 * 0.01
    write_bvh(replace(clip, poses=poses), tmp_path / "out.bvh")
    assert (tmp_path / "out.bvh").read_text().splitlines()[-2] == "0.0 1.125 0.001 11.0 21.0 31.0 2.0 3.0 4.0"


def test_the_reference_row_can_be_left_out(tmp_path: Path) -> None:
    rows = [{}, *standing(20)]
    clip = read_bvh(written(tmp_path, person_bvh(rows)))
    assert clip.n_frames == 20
    write_bvh(clip, tmp_path / "with.bvh")
    write_bvh(clip, tmp_path / "without.bvh", reference_pose=False)
    assert read_bvh(tmp_path / "with.bvh", raw=True).n_frames == 21
    assert read_bvh(tmp_path / "without.bvh", raw=True).n_frames == 20


def test_a_trimmed_clip_without_source_rows_is_written(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL))
    write_bvh(replace(clip, poses=clip.poses[1:], source_rows=None, frame_time=0.02), tmp_path / "out.bvh")
    again = read_bvh(tmp_path / "out.bvh")
    np.testing.assert_allclose(again.poses, clip.poses[1:], atol=1e-9)
    assert again.frame_time == 0.02


DEPTH_FIRST = [0, 1, 3, 2, 4]


def built(joints_slide: bool = True) -> Clip:
    """A skeleton of our own: breadth first, hinges backwards, oblique, missing, and a sliding joint."""
    oblique = hinge_chain(np.eye(3), [0.3, 0.5, 0.7])
    slide = (Dof("slide", (0, 0.6, 0.8), "translation"),) if joints_slide else ()
    joints = [
        Joint("pelvis", None, (0, 1, 0), (Dof("tx", (1, 0, 0), "translation"), Dof("ry", (0, 1, 0)))),
        Joint("left", "pelvis", (0.1, 0, 0), (Dof("a", (-1, 0, 0)), Dof("b", (0, 0, 1)))),
        Joint("right", "pelvis", (-0.1, 0, 0), tuple(Dof(n, tuple(oblique[:, k])) for k, n in enumerate("abc"))),
        Joint("left tip", "left", (0, -0.4, 0)),
        Joint("right tip", "right", (0, -0.4, 0), (*slide, Dof("h", (1, 1, 0)))),
    ]
    skeleton = Skeleton.build(joints)
    skeleton = skeleton.with_body(skeleton.inertias, [capsule(3, np.zeros(3), np.array([0, -0.2, 0.1]), 0.03)], [], {})
    time = np.linspace(0, 6, 50)[:, None]
    return Clip(skeleton, np.sin(time + np.arange(skeleton.n_dofs)) * 2.5, 1 / 50, name="built")


@pytest.mark.parametrize(("units", "metres"), [(None, 1.0), ("cm", 0.01), (0.5, 0.5)])
def test_a_built_skeleton_becomes_a_file(tmp_path: Path, units: str | float | None, metres: float) -> None:
    clip = built()
    write_bvh(clip, tmp_path / "out.bvh", units=units)
    again = read_bvh(tmp_path / "out.bvh", units=metres, up="y")
    assert again.skeleton.names == ("pelvis", "left", "left_tip", "right", "right_tip")
    left = [name for name in again.skeleton.topology.dof_names if name.startswith("left.")]
    assert left == ["left.Xrotation", "left.Zrotation", "left.Yrotation"]  # its own order, filled up
    assert len(again.skeleton.dofs_of(0)) == 6
    np.testing.assert_allclose(positions(again), positions(clip)[:, DEPTH_FIRST], atol=1e-7)
    assert np.abs(np.diff(again.poses, axis=0)).max() < 1.0
    assert isinstance(again.source, BvhSource)
    np.testing.assert_allclose(np.array(again.source.end_sites[2]) * metres, [0, -0.2, 0.1], atol=1e-7)
    assert all(np.linalg.norm(tip) > 0 for tip in again.source.end_sites.values())


def test_a_clip_on_another_body_leaves_its_sources_layout(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL), units="cm")
    taller = replace(clip, skeleton=replace(clip.skeleton, offset=clip.skeleton.offset * 1.1))
    write_bvh(taller, tmp_path / "out.bvh")
    again = read_bvh(tmp_path / "out.bvh", units="m", up="y")
    np.testing.assert_allclose(positions(again), positions(taller), atol=1e-7)


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, SMALL)
    clip = read_bvh(path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HoiError, match="cannot be written: no space left on device"):
        write_bvh(clip, path)
    assert path.read_text() == SMALL
    assert [entry.name for entry in tmp_path.iterdir()] == ["clip.bvh"]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL))
    for target in (tmp_path / "absent" / "out.bvh", tmp_path, tmp_path / "clip.bvh" / "out.bvh"):
        with pytest.raises(HoiError, match="cannot be written") as caught:
            write_bvh(clip, target)
        assert "\n" not in str(caught.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["clip.bvh"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
    (tmp_path / "link.bvh").symlink_to(path)
    write_bvh(read_bvh(path), tmp_path / "link.bvh")
    assert (tmp_path / "link.bvh").is_symlink()
    assert path.read_text().startswith("HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n")


@pytest.mark.peers
def test_another_library_reads_a_built_skeleton(tmp_path: Path) -> None:
    pybvh = pytest.importorskip("pybvh")
    clip = built(joints_slide=False)
    write_bvh(clip, tmp_path / "out.bvh")
    theirs = np.asarray(pybvh.read_bvh_file(tmp_path / "out.bvh").joint_positions())
    np.testing.assert_allclose(theirs, positions(clip)[:, DEPTH_FIRST], atol=1e-6)
