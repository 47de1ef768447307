"""Takes with rows that are missing or wrong: what is found, what is said, and what is cut on request."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kinematics.errors import HoiError
from kinematics.io import BvhSource, read_bvh, read_clip
from kinematics.leaps import leaps
from tests.kinematics.io.samples import HIP_HEIGHT, person_bvh, positions, standing, written


def told(path: Path, word: str, **options: Any) -> str:
    """The one notice with this word in it."""
    (sentence,) = [notice for notice in read_clip(path, **options).notices if word in notice]
    return sentence


@pytest.mark.parametrize("rate", [30, 120])
@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_reference_rows_are_dropped_however_many(tmp_path: Path, rate: int, count: int) -> None:
    pose = {"place": (-1.0, HIP_HEIGHT, 0.5)}
    path = written(tmp_path, person_bvh([*[pose] * count, *standing(80, 1.0, 1 / rate)], frame_time=1 / rate))
    clip = read_clip(path)
    assert clip.n_frames == 80
    assert isinstance(clip.source, BvhSource) and len(clip.source.reference_rows) == count
    which = "row 0 is" if count == 1 else f"rows 0 to {count - 1} are"
    assert f"{which} dropped as a reference pose" in told(path, "reference")
    assert read_clip(path, keep_reference=True).n_frames == 80 + count


def test_a_long_rest_before_a_leap_is_no_reference(tmp_path: Path) -> None:
    still = [{"place": (0.0, HIP_HEIGHT, 0.0)}] * 60
    clip = read_clip(written(tmp_path, person_bvh([*still, *standing(40)])))
    assert clip.n_frames == 100  # what is half of a take is not there for rigging


def test_a_leap_is_told_with_its_joint_and_cut_on_request(tmp_path: Path) -> None:
    before, after = standing(90), [{**row, "place": (6.0, HIP_HEIGHT, 0.0)} for row in standing(60)]
    path = written(tmp_path, person_bvh([*before, *after]))
    sentence = told(path, "would move at")
    assert "at 0.75 s (row 90)" in sentence and "cut=True keeps the longest stretch" in sentence
    clip = read_clip(path, cut=True)
    assert clip.n_frames == 90 and clip.start == 0.0 and clip.source_rows is not None and len(clip.source_rows) == 90
    assert "cut to the longest stretch without a leap, 0.00 to 0.74 s" in told(path, "would move at", cut=True)
    assert not leaps(clip, positions(clip))


def test_one_wrong_row_is_found_on_both_sides_of_it(tmp_path: Path) -> None:
    rows = standing(120)
    rows[50] = {**rows[50], "LeftArm": (110.0, 0.0, 0.0)}
    rows[50]["place"] = (rows[50]["place"][0], HIP_HEIGHT + 4.0, 0.0)
    path = written(tmp_path, person_bvh(rows))
    sentence = told(path, "would move at")
    assert "(row 50)" in sentence and "(row 51)" in sentence
    assert "m/s" in sentence and 580 < float(sentence.split(" m/s")[0].split()[-1]) < 630  # 4 m up, and the arm
    assert read_clip(path, cut=True).n_frames == 120 - 51


def test_a_whole_recording_has_none_at_any_rate(mocap: Path) -> None:
    for name in ("cmu_10_05_soccer_kick.bvh", "cmu_124_01_baseball_pitch.bvh", "threejs_pirouette.bvh"):
        clip = read_bvh(mocap / name)
        place = positions(clip)
        for step in (1, 2, 4):
            thinner = replace(clip, poses=clip.poses[::step], frame_time=step * clip.frame_time, source_rows=None)
            assert leaps(thinner, place[::step]) == []


def test_somebody_who_stands_above_the_ground_is_told(tmp_path: Path) -> None:
    still = [{"place": (0.0, HIP_HEIGHT + 0.5, 0.0)}] * 60
    assert "its feet stand 0." in told(written(tmp_path, person_bvh(still)), "above the ground")
    with pytest.raises(ValueError, match="not enough values"):
        told(written(tmp_path, person_bvh(standing(60, 0.0))), "the ground")


def test_hands_that_nothing_tells_are_named_with_what_comes_nearest(tmp_path: Path) -> None:
    text = person_bvh(standing(60)).replace("RightHand", "R_Grabber_01").replace("LeftHand", "L_Grabber_01")
    sentence = told(written(tmp_path, text), "no joint is known")
    assert "its left hand or right hand" in sentence and "roles={'left_hand': 'L" in sentence
    clip = read_clip(written(tmp_path, text), roles={"left_hand": "L_Grabber_01", "right_hand": "R_Grabber_01"})
    assert {"left_palm", "right_palm"} <= {site.name for site in clip.skeleton.sites}
    with pytest.raises(HoiError, match=r"recognised as right_hand: say .* roles=\{'right_hand': 'R_Grabber_01'\}"):
        read_clip(written(tmp_path, text)).skeleton.site("right_palm")
