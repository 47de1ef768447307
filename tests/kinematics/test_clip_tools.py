"""Clip tools: what they must keep, joint by joint in the world."""

from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.anatomy import mirror_joints
from kinematics.clip import Clip, continuous, nearest_poses
from kinematics.clip_tools import mirror, nearest_branch, offset, place, repeat, resample, sample, trim
from kinematics.errors import HoiError
from kinematics.forward import forward
from kinematics.gimbal_lock import in_chart
from kinematics.io import read_clip
from kinematics.rotation import yaw
from kinematics.skeleton import Dof, Joint, Skeleton
from tests.clips import euler_skeleton, swinging_human


def world(clip: Clip) -> np.ndarray:
    """Positions (N, J, 3) of all joints."""
    return np.asarray(jax.jit(jax.vmap(lambda q: forward(clip.skeleton, q).position))(jnp.asarray(clip.poses)))


def peak_acceleration(clip: Clip) -> float:
    """Largest second difference quotient of a joint's position [m/s²]."""
    return float(np.abs(np.diff(world(clip), 2, axis=0)).max() / clip.frame_time**2)


def turning_clip(turns: float = 1.5) -> Clip:
    """A body that turns about the vertical while all its joints move."""
    skeleton = euler_skeleton(root="YXZ")
    times = np.linspace(0.0, 2.0, 241)
    poses = 0.2 * np.sin(np.outer(times, np.arange(1.0, skeleton.n_dofs + 1)) + 1.0)
    poses[:, 3] = 2 * np.pi * turns * times / 2.0
    return Clip(skeleton, poses, 1 / 120, name="turning")


def test_trim_keeps_rows_and_their_times() -> None:
    clip = swinging_human()
    cut = trim(clip, 0.5, 1.25)
    np.testing.assert_array_equal(cut.poses, clip.poses[30:76])
    assert cut.start == pytest.approx(0.5) and cut.end == pytest.approx(1.25)
    with pytest.raises(HoiError, match=r"no row of clip 'swing0' lies between 7 s and 9 s; it runs from 0 s to 2 s"):
        trim(clip, 7.0, 9.0)


def test_trim_and_place_keep_the_sources_rows_aligned() -> None:
    clip = swinging_human()
    numbered = Clip(clip.skeleton, clip.poses, clip.frame_time, source_rows=np.arange(121.0)[:, None])
    kept = trim(numbered, 0.5, 1.0).source_rows
    assert kept is not None and kept[0, 0] == 30.0
    assert place(numbered, (1.0, 0.0, 0.0), 0.4).source_rows is numbered.source_rows
    assert resample(numbered, 30.0).source_rows is None


def test_offset_moves_time_only() -> None:
    clip = swinging_human()
    later = offset(clip, 3.0)
    np.testing.assert_allclose(later.times, clip.times + 3.0)
    np.testing.assert_allclose(sample(later, later.times), clip.poses, atol=1e-12)


def standing_off(root: str) -> Clip:
    """A calm clip of a body whose root has an offset of its own and turns in the given order."""
    clip = turning_clip(turns=0.1)
    offset = clip.skeleton.offset + np.outer(np.eye(7)[0], [0.5, 0.9, 0.2])
    return in_chart(
        replace(clip, skeleton=replace(clip.skeleton, offset=offset)), replace(euler_skeleton(root=root), offset=offset)
    )


@pytest.mark.parametrize("turn", [0.0, 0.7, -3.0, 12.0])
def test_place_moves_every_joint_rigidly(turn: float) -> None:
    for clip in (swinging_human(), turning_clip(), standing_off("ZYX"), standing_off("XZY")):
        start = world(clip)
        moved = place(clip, (1.0, 0.0, -2.0), turn)
        pivot = start[0, 0]
        expected = (start - pivot) @ yaw(turn).T + pivot + [1.0, 0.0, -2.0]
        np.testing.assert_allclose(world(moved), expected, atol=1e-12)
        assert np.abs(np.diff(moved.poses, axis=0)).max() < 1.6  # angles stay continuous, also through a lock


def test_place_moves_every_body_of_a_file() -> None:
    dofs = [Dof(n, tuple(np.eye(3)[i]), "translation") for i, n in enumerate("XYZ")]
    dofs += [Dof(f"R{n}", tuple(np.eye(3)[i])) for i, n in zip((1, 0, 2), "YXZ", strict=True)]
    two = Skeleton.build(
        [Joint("a", None, (0.0, 0.0, 0.0), tuple(dofs)), Joint("b", None, (2.0, 0.0, 0.0), tuple(dofs))]
    )
    clip = Clip(two, np.random.default_rng(0).normal(size=(5, 12)), 0.1)
    start = world(clip)
    expected = (start - start[0, 0]) @ yaw(0.8).T + start[0, 0] + [1.0, 0.0, 0.0]
    np.testing.assert_allclose(world(place(clip, (1.0, 0.0, 0.0), 0.8)), expected, atol=1e-12)


def test_mirror_is_a_reflection_of_a_symmetric_body() -> None:
    for clip in (swinging_human(), standing_off("ZYX"), turning_clip()):
        reflected = world(clip)[:, mirror_joints(clip.skeleton.names)] * [-1.0, 1.0, 1.0]
        np.testing.assert_allclose(world(mirror(clip)), reflected, atol=1e-12)
        np.testing.assert_allclose(world(mirror(mirror(clip))), world(clip), atol=1e-12)


@pytest.mark.parametrize("name", ["threejs_pirouette", "cmu_124_01_baseball_pitch", "cmu_10_05_soccer_kick"])
def test_recorded_clips_are_mirrored_and_placed_between_rows_too(mocap: Path, name: str) -> None:
    """Tools must not lead back into gimbal lock: what lies between rows is where interpolated angles go wrong."""
    clip = read_clip(mocap / f"{name}.bvh")
    between = (clip.times[:-1] + clip.times[1:]) / 2
    at = replace(clip, poses=sample(clip, between), source_rows=None)
    mirrored = mirror(clip)
    inner = replace(mirrored, poses=sample(mirrored, between))
    np.testing.assert_allclose(world(inner), world(mirror(at)), atol=2e-3)
    turned = place(clip, turn=-1.0)
    placed = replace(turned, poses=sample(turned, between))
    np.testing.assert_allclose(world(placed), world(place(at, turn=-1.0, about=world(clip)[0, 0])), atol=1e-9)


def test_mirror_of_joints_with_different_orders_of_angles() -> None:
    clip = turning_clip()
    left, right = clip.skeleton.dofs_of(1, "rotation"), clip.skeleton.dofs_of(4, "rotation")
    order = np.arange(clip.skeleton.n_dofs)
    order[right] = [right[1], right[2], right[0]]  # the right thigh turns YXZ, the left one ZYX
    names = tuple(clip.skeleton.topology.dof_names[d] for d in order)
    mixed = replace(
        clip.skeleton, topology=replace(clip.skeleton.topology, dof_names=names), axis=clip.skeleton.axis[order]
    )
    uneven = in_chart(clip, mixed)
    assert left != right and not np.allclose(uneven.poses, clip.poses)
    np.testing.assert_allclose(world(mirror(uneven)), world(mirror(clip)), atol=1e-12)


def test_resample_meets_the_old_rows_and_is_the_identity_at_the_old_rate() -> None:
    clip = swinging_human()
    finer = resample(clip, 240.0)
    assert finer.n_frames == 481
    np.testing.assert_allclose(finer.poses[::4], clip.poses, atol=1e-13)
    np.testing.assert_allclose(resample(clip, 60.0).poses, clip.poses, atol=1e-13)
    coarse = resample(clip, 25.0)
    assert coarse.frame_time == 0.04 and coarse.end <= clip.end + 1e-12
    with pytest.raises(HoiError, match="rate of 0 Hz"):
        resample(clip, 0)
    with pytest.raises(HoiError, match=r"would have 200000000\d rows"):
        resample(clip, 1e9)
    with pytest.raises(HoiError, match="both times must be numbers"):
        trim(clip, float("nan"), 2.0)


def test_repeat_has_no_seam_and_walks_on() -> None:
    clip = swinging_human(seed=3)
    poses = clip.poses.copy()
    poses[:, 2] += 1.2 * clip.times  # walks along Z …
    poses[:, 3] += 0.4 * clip.times  # … on a curve
    clip = Clip(clip.skeleton, poses, clip.frame_time, name="curve")
    loop = repeat(clip, 3, overlap=0.3)
    m = 18
    # no seam: a jump of velocity would show as an acceleration that grows with the rate at which one looks
    fine = repeat(resample(clip, 240.0), 3, overlap=0.3)
    assert peak_acceleration(fine) < 1.1 * peak_acceleration(loop)
    period = clip.n_frames - m
    assert loop.n_frames == 3 * period + m
    one, many = world(clip), world(loop)
    np.testing.assert_array_equal(loop.poses[:period], clip.poses[:period])
    # every later cycle is the clip itself, moved on the ground: distances between joints agree away from the fade
    spread = np.linalg.norm(one[m:period] - one[m:period, :1], axis=-1)
    again = np.linalg.norm(many[period + m : 2 * period] - many[period + m : 2 * period, :1], axis=-1)
    np.testing.assert_allclose(again, spread, atol=1e-9)
    assert np.linalg.norm(many[-1, 0] - many[0, 0]) > 2.0


@pytest.mark.parametrize(("times", "overlap"), [(0, 0.2), (2, 0.0), (2, 1.5)])
def test_impossible_loops_are_explained(times: int, overlap: float) -> None:
    with pytest.raises(HoiError, match=r"cycles was asked for|does not fit clip"):
        repeat(swinging_human(), times, overlap)


def test_continuous_undoes_wraps_and_flips() -> None:
    clip = turning_clip()
    rng = np.random.default_rng(0)
    broken = clip.poses.copy()
    broken[:, 3:] += 2 * np.pi * rng.integers(-1, 2, broken[:, 3:].shape)
    flip = rng.random(len(broken)) < 0.5
    for first in range(3, clip.skeleton.n_dofs, 3):
        a, b, c = broken[flip, first : first + 3].T
        broken[flip, first : first + 3] = np.stack([a + np.pi, np.pi - b, c + np.pi], axis=-1)
    broken[0] = clip.poses[0]
    np.testing.assert_allclose(continuous(clip.skeleton, broken), clip.poses, atol=1e-9)
    np.testing.assert_allclose(nearest_poses(clip.skeleton, broken, clip.poses), clip.poses, atol=1e-9)


def test_nearest_branch_moves_a_whole_clip_at_once() -> None:
    clip = turning_clip(turns=0.3)
    away = clip.poses.copy()
    a, b, c = away[:, 6:9].T
    away[:, 6:9] = np.stack([a + np.pi, np.pi - b, c - np.pi], axis=-1)
    away[:, 3] += 4 * np.pi
    back = nearest_branch(clip.skeleton, away, away[::10], clip.poses[::10])
    np.testing.assert_allclose(back, clip.poses, atol=1e-9)


def test_clips_check_themselves() -> None:
    clip = swinging_human()
    with pytest.raises(HoiError, match="needs at least 1 row of 42 numbers"):
        Clip(clip.skeleton, clip.poses[:, :5], 0.1)
    with pytest.raises(HoiError, match="must be positive"):
        Clip(clip.skeleton, clip.poses, 0.0)
    poses = clip.poses.copy()
    poses[7, 4] = np.nan
    with pytest.raises(HoiError, match=r"pelvis.Xrotation is not a number in row 7"):
        Clip(clip.skeleton, poses, 0.1)
