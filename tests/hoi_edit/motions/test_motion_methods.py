"""Every motion method against the same demands, and what each promises of its own."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jax.flatten_util import ravel_pytree

from hoi_edit.motions import Blend, FittedSpline, Layer, Motion, bake, joint_state
from hoi_edit.motions.base import poses
from hoi_edit.motions.fit_report import joint_tracks
from kinematics.clip import Clip
from kinematics.clip_tools import offset, place, resample, trim
from kinematics.errors import HoiError
from kinematics.forward import forward, points
from kinematics.gimbal_lock import in_common_chart
from kinematics.io import read_bvh, read_clip, write_bvh
from tests.clips import HUMAN, swinging_human
from tests.helpers import check_derivative
from tests.hoi_edit.motions.blend_parameters import with_alpha

CLIP = swinging_human(1.0)


@partial(jax.tree_util.register_dataclass, data_fields=["rest"], meta_fields=["start", "end"])
@dataclass(frozen=True)
class Pendulum:
    """A third method, here and nowhere else: every joint swings. The core needs no more than this."""

    rest: Array
    start: float = 0.0
    end: float = 1.0

    def parameters(self) -> dict[str, Array]:
        return {"size": jnp.full(self.rest.shape, 0.1), "speed": jnp.asarray(3.0)}

    def pose(self, parameters: dict[str, Array], t: Any) -> Array:
        return self.rest + parameters["size"] * jnp.sin(parameters["speed"] * t)


def blend() -> Blend:
    second = offset(swinging_human(1.2, seed=1, lean=0.3), 0.5)
    third = swinging_human(1.0, seed=2)
    return Blend.of(
        [CLIP, second, third],
        [[0.2, 0.5, 0.8], [0.7, 1.2, 1.5], [0.1, 0.5, 0.9]],
        alpha=[[0.3, 0.2]],
        ramp=0.15,
        method=partial(Layer.over, spacing=0.1),
    )


MOTIONS: dict[str, Motion] = {
    "layer": Layer.over(CLIP, 0.1),
    "fitted": FittedSpline.to(CLIP, 0.1),
    "blend": blend(),
    "pendulum": Pendulum(jnp.asarray(CLIP.poses[0])),
}


def edited(motion: Motion, seed: int = 0) -> Any:
    """Parameters away from the unedited ones."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda x: x + 0.05 * rng.normal(size=x.shape), motion.parameters())


def pose_of_flat(flat: Array, motion: Motion, t: Any) -> Array:
    _, unravel = ravel_pytree(motion.parameters())
    return motion.pose(unravel(flat), t)


@pytest.mark.parametrize("t", [0.0, 0.3, 0.4567, 0.5, 1.0])
@pytest.mark.parametrize("name", MOTIONS)
def test_rates_are_the_derivatives_in_time(name: str, t: float) -> None:
    motion = MOTIONS[name]
    parameters = edited(motion)
    state = jax.jit(joint_state)(motion, parameters, t)
    assert state.q.shape == (42,)
    h = 1e-4
    if not motion.start < t < motion.end:  # at an end only inner times tell the rate
        inward = h if t == motion.start else -h
        a, b, c = np.asarray(poses(motion, parameters, jnp.asarray(t + inward * np.arange(3.0))))
        np.testing.assert_allclose(state.rate, (-3 * a + 4 * b - c) / (2 * inward), atol=1e-5)
        return
    times = jnp.asarray(t + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]))
    a, b, c, d, e = np.asarray(poses(motion, parameters, times))
    np.testing.assert_allclose(state.q, c, atol=1e-14)
    np.testing.assert_allclose(state.rate, (a - 8 * b + 8 * d - e) / (12 * h), atol=1e-7)
    # pieces meet with a jump of the third derivative only, so on a knot the quotient itself is good to O(h)
    np.testing.assert_allclose(state.accel, (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h), atol=2e-2)


@pytest.mark.parametrize("t", [0.25, 0.5])
@pytest.mark.parametrize("name", MOTIONS)
def test_derivative_by_the_parameters(name: str, t: float) -> None:
    motion = MOTIONS[name]
    flat, _ = ravel_pytree(edited(motion))
    few = jnp.asarray(np.random.default_rng(1).choice(flat.size, 25, replace=False))
    check_derivative(along_few, jnp.zeros(25), flat, few, motion, t)


def along_few(move: Array, flat: Array, few: Array, motion: Motion, t: Any) -> Array:
    """The pose when a few of the parameters move: difference quotients of all would take minutes and tell no more."""
    return pose_of_flat(flat.at[few].add(move), motion, t)


def test_a_layer_that_nobody_touched_is_the_recording() -> None:
    layer = MOTIONS["layer"]
    rows = poses(layer, layer.parameters(), jnp.asarray(CLIP.times))
    np.testing.assert_allclose(rows, CLIP.poses, rtol=0, atol=5e-15)


def test_a_layer_changes_only_four_knots_around_a_control_point() -> None:
    layer = Layer.over(CLIP, 0.1)
    touched = layer.parameters().at[6, 5].set(1.0)
    moved = np.abs(np.asarray(poses(layer, touched, jnp.asarray(CLIP.times))) - CLIP.poses)
    assert moved[:, 5].max() == pytest.approx(2 / 3, abs=1e-9)
    assert np.all(moved[(CLIP.times < 0.3 - 1e-9) | (CLIP.times > 0.7 + 1e-9)] < 1e-14)
    assert np.all(np.delete(moved, 5, axis=1) < 1e-14)


def palm(flat: Array, motion: Motion, t: Any, site: Any) -> Array:
    """World position of a palm, through the motion and forward kinematics."""
    return points(forward(HUMAN, pose_of_flat(flat, motion, t)), [site[0]], site[1][None])[0]


def palm_along_few(move: Array, flat: Array, few: Array, motion: Motion, t: Any) -> Array:
    return palm(flat.at[few].add(move), motion, t, HUMAN.point("left_palm"))


@pytest.mark.parametrize("name", ["layer", "blend"])
def test_derivative_of_a_palm_by_the_control_points(name: str) -> None:
    """Jacobian of the pose times basis row: the chain that every edit goes through."""
    motion = MOTIONS[name]
    flat, _ = ravel_pytree(edited(motion))
    few = jnp.asarray(np.random.default_rng(2).choice(flat.size, 40, replace=False))
    check_derivative(palm_along_few, jnp.zeros(40), flat, few, motion, 0.4)


def test_one_compilation_serves_all_clips_of_a_size() -> None:
    traced = []

    @jax.jit
    def state(motion: Motion, parameters: Any, t: Any) -> Any:
        traced.append(1)
        return joint_state(motion, parameters, t)

    for clip in (CLIP, swinging_human(1.0, seed=5), offset(CLIP, 0.5), replace(CLIP, frame_time=1 / 59.0)):
        layer = Layer.over(clip, spacing=(clip.n_frames - 1) * clip.frame_time / 10)
        state(layer, layer.parameters(), 0.3)
    assert len(traced) == 1


def test_the_last_instant_keeps_its_rate_whatever_the_rounding() -> None:
    clip = replace(CLIP, poses=CLIP.poses[:24], frame_time=1 / 30)
    layer = Layer.over(clip, 0.04)
    ramp = jnp.zeros_like(layer.parameters()).at[:, 3].set(jnp.arange(float(layer.grid.count)))
    last = jax.jit(joint_state)(layer, ramp, clip.end).rate[3] - jax.jit(joint_state)(layer, 0 * ramp, clip.end).rate[3]
    assert float(last) == pytest.approx(1 / float(layer.grid.spacing), rel=1e-6)


def test_outside_its_clip_a_body_holds_its_last_pose() -> None:
    for name in ("layer", "fitted"):
        motion = MOTIONS[name]
        state = jax.jit(joint_state)(motion, edited(motion), 5.0)
        np.testing.assert_array_equal(state.q, motion.pose(edited(motion), 1.0))
        assert np.all(np.asarray(state.rate) == 0.0)


def test_a_fitted_spline_keeps_both_ends_of_the_clip() -> None:
    fitted = MOTIONS["fitted"]
    ends = poses(fitted, fitted.parameters(), jnp.asarray([0.0, 1.0]))
    np.testing.assert_allclose(ends, CLIP.poses[[0, -1]], atol=1e-12)


def test_knots_denser_than_rows_are_refused_by_the_fit() -> None:
    with pytest.raises(HoiError, match="denser than the rows of clip 'swing0'"):
        FittedSpline.to(CLIP, 0.001)
    with pytest.raises(HoiError, match="too many"):
        Layer.over(CLIP, 1e-9)


def test_a_clip_of_one_row_is_a_still_body() -> None:
    still = Clip(HUMAN, CLIP.poses[:1], 0.1)
    for motion in (Layer.over(still), FittedSpline.to(still)):
        state = jax.jit(joint_state)(motion, motion.parameters(), 0.0)
        np.testing.assert_allclose(state.q, CLIP.poses[0], atol=1e-12)
        np.testing.assert_allclose(state.rate, 0.0, atol=1e-12)


# -- blends ------------------------------------------------------------------------------------------------------------


def test_at_a_corner_the_blend_is_that_clip() -> None:
    motion = blend()
    times = np.linspace(0.2, 0.8, 25)
    for k, alpha in enumerate(([[0.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]])):
        parameters = with_alpha(motion, alpha)
        own = times if k == 0 else np.asarray(jax.vmap(motion.warps[k - 1])(jnp.asarray(times)))
        alone = poses(motion.motions[k], parameters.clips[k], jnp.asarray(own))
        np.testing.assert_allclose(poses(motion, parameters, jnp.asarray(times)), alone, atol=1e-14)


def test_keyframes_meet_and_the_ground_is_shared() -> None:
    motion = blend()
    np.testing.assert_allclose([motion.warps[0](t) for t in (0.2, 0.5, 0.8)], [0.7, 1.2, 1.5], atol=1e-12)
    far = swinging_human(1.0, seed=1)
    away = place(far, (3.0, 0.0, 1.0), turn=2.0)
    keys = [[0.1, 0.5, 0.9]] * 2
    aligned = Blend.of([far, away], keys, alpha=0.5)
    middle = poses(aligned, aligned.parameters(), jnp.asarray(far.times))
    np.testing.assert_allclose(middle, far.poses, atol=1e-9)


def test_angles_go_the_short_way() -> None:
    base, turned = swinging_human(1.0, seed=0), swinging_human(1.0, seed=0)
    arm = HUMAN.dof("left_upper_arm.Zrotation")
    high = replace(base, poses=base.poses + np.eye(42)[arm] * np.deg2rad(170))
    low = replace(turned, poses=turned.poses + np.eye(42)[arm] * np.deg2rad(-170))
    motion = Blend.of([high, low], [[0.1, 0.9]] * 2, alpha=0.5)
    angle = float(motion.pose(motion.parameters(), 0.5)[arm] - base.poses[30, arm])
    assert abs(angle) == pytest.approx(np.pi, abs=1e-9)  # 180°, not 0°


def test_ways_in_and_out_are_smooth_and_lead_to_the_clip_outside() -> None:
    motion = blend()
    parameters = with_alpha(motion, [[0.9, 0.0]])
    first = poses(motion.motions[0], parameters.clips[0], jnp.asarray([0.0, 0.04, 0.96, 1.0]))
    blended = poses(motion, parameters, jnp.asarray([0.0, 0.04, 0.96, 1.0]))
    np.testing.assert_array_equal(blended, first)
    weights = np.asarray(jax.vmap(lambda t: motion.weights(parameters.alpha, t))(jnp.linspace(0.0, 1.0, 1001)))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-14)
    assert np.abs(np.diff(weights, 2, axis=0)).max() < 1e-6 * 6.0 / 0.15**2  # second derivative bounded: no kink


def test_recorded_clips_of_one_person_blend(mocap: Path) -> None:
    """A pitch and a batting stance: read in different orders of angles, brought together, blended half and half."""
    names = ("cmu_124_01_baseball_pitch.bvh", "cmu_124_07_baseball_swing.bvh")
    clips = [read_clip(mocap / name) for name in names]
    with pytest.raises(HoiError, match="in_common_chart"):
        Blend.of(clips, [[1.0, 2.0], [1.0, 2.0]])
    clips = in_common_chart(clips)
    motion = Blend.of(clips, [[1.0, 2.0, 3.0], [2.0, 2.5, 4.0]], alpha=0.5)
    position, velocity = joint_tracks(clips[0].skeleton, motion, motion.parameters(), np.linspace(0.0, 5.0, 601))
    head, foot = clips[0].skeleton.segment("Head"), clips[0].skeleton.segment("LeftFoot")
    assert np.all(position[:, head, 1] > position[:, foot, 1] + 0.5)  # upright all the way: nothing turned inside out
    assert np.linalg.norm(velocity, axis=-1).max() < 12.2  # half a pitch and half a stance: slower than the pitch


def test_several_intervals_have_their_own_alpha() -> None:
    clips = [swinging_human(3.0, seed=0), swinging_human(3.0, seed=1)]
    keys = [[0.5, 1.5, 2.5]] * 2
    far = Blend.of(clips, keys, intervals=[(0.5, 0.8), (2.0, 2.4)], alpha=[[0.2], [0.7]], ramp=0.2)
    w = [float(far.weights(far.parameters().alpha, t)[1]) for t in (0.1, 0.6, 1.4, 2.2, 2.9)]
    assert w == pytest.approx([0.0, 0.2, 0.0, 0.7, 0.0])
    near = Blend.of(clips, keys, intervals=[(0.5, 1.0), (1.0, 2.0)], alpha=[[0.2], [0.7]], ramp=0.2, outside=(0, 1))
    w = [float(near.weights(near.parameters().alpha, t)[1]) for t in (0.1, 0.7, 1.0, 1.5, 2.9)]
    assert w == pytest.approx([0.0, 0.2, 0.45, 0.7, 1.0])


def test_alpha_belongs_to_its_interval_in_any_order() -> None:
    clips = [swinging_human(3.0, seed=0), swinging_human(3.0, seed=1)]
    blended = Blend.of(clips, [[0.5, 2.5]] * 2, intervals=[(2.0, 2.5), (0.5, 1.0)], alpha=[[1.0], [0.25]], ramp=0.2)
    weights = [float(blended.weights(blended.parameters().alpha, t)[1]) for t in (0.7, 2.2)]
    assert weights == pytest.approx([0.25, 1.0])


def test_bodies_with_other_axes_do_not_blend() -> None:
    clip = swinging_human(1.0)
    lying = replace(clip, skeleton=replace(clip.skeleton, axis=np.roll(clip.skeleton.axis, 1, axis=1)))
    with pytest.raises(HoiError, match="cannot be blended"):
        Blend.of([clip, lying], [[0.1, 0.9]] * 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clips": 1}, "at least two clips"),
        ({"keyframes": [[0.1, 0.9]]}, "as many lists of keyframe times"),
        ({"keyframes": [[0.1, 0.9], [0.1, 7.0]]}, "keyframe 7 s lies outside clip 'swing1'"),
        ({"ramp": 0.0}, "longer than zero"),
        ({"intervals": [(0.4, 0.2)]}, "is empty"),
        ({"intervals": [(0.1, 0.6), (0.5, 0.9)]}, "overlap at 0.5 s"),
        ({"outside": 5}, "clip number 5"),
        ({"alpha": [[0.1, 0.2, 0.3]]}, "one weight per interval and further clip"),
    ],
)
def test_impossible_blends_are_explained(change: dict[str, Any], message: str) -> None:
    clips = [swinging_human(1.0, seed=0), swinging_human(1.0, seed=1)][: change.pop("clips", 2)]
    keyframes = change.pop("keyframes", [[0.1, 0.9], [0.1, 0.9]])
    with pytest.raises(HoiError, match=message):
        Blend.of(clips, keyframes, **change)


# -- export ------------------------------------------------------------------------------------------------------------


def test_an_unedited_layer_exports_the_sources_numbers(mocap: Path, tmp_path: Path) -> None:
    for path in sorted(mocap.glob("*.bvh")):
        clip = read_clip(path)
        layer = Layer.over(clip)
        write_bvh(bake(layer, layer.parameters(), clip), tmp_path / path.name)
        before, after = read_bvh(path, raw=True), read_bvh(tmp_path / path.name, raw=True)
        assert before.source_rows is not None and after.source_rows is not None
        np.testing.assert_array_equal(after.source_rows, before.source_rows)
        assert after.frame_time == before.frame_time and after.skeleton.topology == before.skeleton.topology


def test_a_turned_clip_is_exported_without_leaps(mocap: Path, tmp_path: Path) -> None:
    """Half a turn away from the source its own branch of angles is no guide: neighbouring rows are."""
    for name in ("cmu_69_20_walk_90_right_turn", "cmu_141_10_toss_and_catch", "pymo_8walk"):
        turned = place(read_clip(mocap / f"{name}.bvh"), turn=3.0)
        write_bvh(turned, tmp_path / "turned.bvh", reference_pose=False)
        rows = read_bvh(tmp_path / "turned.bvh", raw=True).source_rows
        assert rows is not None
        assert np.abs(np.diff(rows[:, 3:6], axis=0)).max() < 90.0  # passing by a lock turns angles fast, not by a turn
        again = read_clip(tmp_path / "turned.bvh", units=turned.source.metres_per_unit)  # type: ignore[attr-defined]
        here, there = (
            joint_tracks(c.skeleton, Layer.over(c), Layer.over(c).parameters(), c.times) for c in (turned, again)
        )
        np.testing.assert_allclose(there[0], here[0], atol=1e-6)


def test_a_reference_row_goes_only_with_the_files_own_rows(mocap: Path, tmp_path: Path) -> None:
    clip = read_clip(mocap / "cmu_07_01_walk.bvh")
    for changed in (resample(clip, 10.0), trim(clip, clip.times[50], clip.times[50])):
        write_bvh(changed, tmp_path / "changed.bvh")
        assert read_bvh(tmp_path / "changed.bvh", raw=True).n_frames == changed.n_frames


def test_an_edited_layer_changes_no_other_number(mocap: Path, tmp_path: Path) -> None:
    clip = read_clip(mocap / "cmu_07_01_walk.bvh")
    layer = Layer.over(clip)
    elbow = clip.skeleton.dof("RightForeArm.Yrotation")
    touched = layer.parameters().at[10, elbow].set(0.2)
    write_bvh(bake(layer, touched, clip), tmp_path / "walk.bvh")
    before = read_bvh(mocap / "cmu_07_01_walk.bvh", raw=True)
    after = read_bvh(tmp_path / "walk.bvh", raw=True)
    assert before.source_rows is not None and after.source_rows is not None
    changed = before.source_rows != after.source_rows
    assert set(np.flatnonzero(changed.any(axis=0))) == {elbow}
    assert 40 <= changed[:, elbow].sum() <= 49  # four knots of 0.1 s at 120 Hz
