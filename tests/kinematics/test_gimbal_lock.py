"""Gimbal lock: a joint that comes near it is edited in another order of angles, with the same motion."""

from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.clip import Clip, orthogonal_triples
from kinematics.clip_tools import sample
from kinematics.errors import HoiError
from kinematics.forward import forward
from kinematics.gimbal_lock import clear_of_gimbal_lock, in_chart, in_common_chart
from kinematics.io import read_bvh, read_clip, write_bvh
from kinematics.skeleton import Dof, Joint, Skeleton
from tests.clips import euler_skeleton, swinging_human


def world(skeleton: Skeleton, poses: np.ndarray) -> np.ndarray:
    return np.asarray(jax.jit(jax.vmap(lambda q: forward(skeleton, q).position))(jnp.asarray(poses)))


def test_angles_are_named_by_their_axes_whatever_a_file_calls_them(locked: Clip) -> None:
    topology = locked.skeleton.topology
    names = tuple(
        f"{name[:-9]}r{name[-9].lower()}" if name.endswith("rotation") else name for name in topology.dof_names
    )
    renamed = replace(locked, skeleton=replace(locked.skeleton, topology=replace(topology, dof_names=names)))
    for clip in (locked, renamed):
        assert "(YZX, not ZYX)" in clear_of_gimbal_lock(clip).notices[-1]


@pytest.fixture(scope="module")
def turning() -> Clip:
    """A body that turns on the spot at a steady rate, with its heading as an angle of its own."""
    smooth = euler_skeleton(root="YXZ")
    times = np.linspace(0.0, 3.0, 361)
    poses = 0.02 * np.sin(np.outer(times, np.arange(1.0, smooth.n_dofs + 1)))
    poses[:, 3], poses[:, 4], poses[:, 5] = 6.0 * times, 0.05, 0.02  # it leans, so it passes by the lock at a distance
    return Clip(smooth, poses, 1 / 120, name="turn")


@pytest.fixture(scope="module")
def locked(turning: Clip) -> Clip:
    """The same in ZYX: twice a turn its root is in gimbal lock."""
    return in_chart(turning, euler_skeleton(root="ZYX"))


def test_rows_stay_and_what_lies_between_them_becomes_right(turning: Clip, locked: Clip) -> None:
    cleared = clear_of_gimbal_lock(locked)
    assert cleared.skeleton.topology.dof_names[3] == "Hips.Yrotation"
    assert "Hips (YZX, not ZYX)" in cleared.notices[-1]
    np.testing.assert_allclose(world(cleared.skeleton, cleared.poses), world(locked.skeleton, locked.poses), atol=1e-12)
    between = (locked.times[:-1] + locked.times[1:]) / 2
    truth = world(turning.skeleton, sample(turning, between))
    wrong = {
        c.skeleton.topology: np.abs(world(c.skeleton, sample(c, between)) - truth).max() for c in (locked, cleared)
    }
    assert wrong[locked.skeleton.topology] > 1e-2
    assert wrong[cleared.skeleton.topology] < 1e-6


def test_roots_turn_about_the_vertical_first_lock_or_no_lock(locked: Clip) -> None:
    calm = replace(locked, poses=locked.poses[:20])
    assert clear_of_gimbal_lock(calm).skeleton.topology.dof_names[3] == "Hips.Yrotation"


def test_oblique_joints_have_no_other_order() -> None:
    hinges = (Dof("a", (1.0, 0.2, 0.0)), Dof("b", (0.0, 1.0, 0.0)), Dof("c", (0.0, 0.3, 1.0)))
    skeleton = Skeleton.build([Joint("j", None, (0.0, 0.0, 0.0), hinges)])
    other = Skeleton.build([Joint("j", None, (0.0, 0.0, 0.0), hinges[::-1])])
    with pytest.raises(HoiError, match="joint 'j' has no other order of angles"):
        in_chart(Clip(skeleton, np.zeros((2, 3)), 0.1), other)


def test_joints_that_are_clear_are_left_alone() -> None:
    clip = swinging_human()
    assert clear_of_gimbal_lock(clip) is clip


def test_clips_with_different_orders_come_together(turning: Clip, locked: Clip) -> None:
    calm = replace(locked, poses=locked.poses[:20], name="calm")
    together = in_common_chart([calm, turning])
    assert together[0].skeleton.topology == together[1].skeleton.topology
    for before, after in zip((calm, turning), together, strict=True):
        np.testing.assert_allclose(world(after.skeleton, after.poses), world(before.skeleton, before.poses), atol=1e-12)
    assert together[0].skeleton.topology.dof_names[3] == "Hips.Yrotation"


def test_other_bodies_are_refused(locked: Clip) -> None:
    with pytest.raises(HoiError, match="other joints or bones"):
        in_chart(locked, replace(locked.skeleton, offset=locked.skeleton.offset * 2))


def test_written_back_in_the_files_own_order_number_for_number(locked: Clip, tmp_path: Path) -> None:
    write_bvh(locked, tmp_path / "a.bvh")
    clip = read_clip(tmp_path / "a.bvh", units="m")
    assert any("gimbal lock" in notice for notice in clip.notices)
    write_bvh(clip, tmp_path / "b.bvh")
    before, after = read_bvh(tmp_path / "a.bvh", raw=True), read_bvh(tmp_path / "b.bvh", raw=True)
    assert before.source_rows is not None and after.source_rows is not None
    np.testing.assert_array_equal(before.source_rows, after.source_rows)
    assert after.skeleton.topology == before.skeleton.topology


def test_recorded_clips_turn_smoothly_through_the_lock_of_their_file(mocap: Path) -> None:
    """The batter faces sideways, where the file's ZYX locks; the spline's velocity must be that of the rows."""
    path = mocap / "cmu_124_07_baseball_swing.bvh"
    worst = {}
    for label, clip in (("file", read_bvh(path)), ("edited", read_clip(path))):
        root = orthogonal_triples(clip.skeleton)[0]
        worst[label] = np.abs(np.diff(clip.poses[:, root], axis=0)).max()
    assert worst["file"] > 0.5  # a leap of angles between two rows at 120 Hz
    assert worst["edited"] < 0.1
