"""The clips that ship: made by the project's own script, plausible by numbers, and the same when made again."""

from pathlib import Path

import numpy as np
import pytest

from data.clip_making.catch import catch_mime
from data.clip_making.measure import joint_tracks, speed
from data.compare_clips import compare
from data.make_clips import MAKERS
from hoi_edit.motions import Blend, bake
from hoi_edit.scenes.resources import built_in_clips, clip_path
from kinematics.clip import Clip
from kinematics.gimbal_lock import in_common_chart
from kinematics.io import read_clip, write_bvh

CLIPS = sorted(built_in_clips())


def test_every_clip_has_its_maker() -> None:
    assert sorted(make.__name__ for make in MAKERS) == CLIPS


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_is_small_whole_and_plausible(name: str) -> None:
    path = clip_path(name)
    clip = read_clip(path)
    assert path.stat().st_size < 300_000
    assert clip.skeleton.n_dofs == 42 and clip.frame_time == pytest.approx(1 / 60, rel=1e-4)
    outside = [str(finding) for finding in compare(path) if not finding.good]
    assert not outside, "\n".join(outside)


def test_the_kick_is_in_earnest_and_keeping_a_ball_up_is_not() -> None:
    wanted = {
        name: [finding.wanted for finding in compare(clip_path(name)) if finding.quantity == "right toes, peak [m/s]"]
        for name in ("kick_mime", "keepup_mime")
    }
    assert wanted == {"kick_mime": [(8.0, 16.0)], "keepup_mime": [(1.0, 8.0)]}


def _fastest_hand(clip: Clip) -> float:
    return float(speed(joint_tracks(clip)["right_hand"], clip.frame_time).max())


@pytest.mark.parametrize(("one", "other"), [("pitch_mime", "pitch_low_mime"), ("catch_mime", "catch_forward_mime")])
def test_clips_made_to_be_blended_can_be(one: str, other: str) -> None:
    clips = in_common_chart([read_clip(clip_path(name)) for name in (one, other)])
    assert clips[0].n_frames == clips[1].n_frames
    keys = [0.3, 1.0, 1.9]  # key poses of both stand at the same times
    blend = Blend.of(clips, [keys, keys], alpha=0.5)
    speeds = [_fastest_hand(clip) for clip in (*clips, bake(blend, blend.parameters(), clips[0]))]
    assert speeds[2] < 1.1 * max(speeds[:2])  # angles that do not correspond would whirl


def test_a_clip_made_again_is_the_same(tmp_path: Path) -> None:
    write_bvh(catch_mime(), tmp_path / "again.bvh", own_channels=True)
    again, shipped = read_clip(tmp_path / "again.bvh"), read_clip(clip_path("catch_mime"))
    # another processor may round the sixth decimal of a degree the other way
    np.testing.assert_allclose(again.poses, shipped.poses, rtol=0.0, atol=1e-7)
