"""BVH: forward kinematics of real clips, quirks of real files, and files that come back as they were."""

import json
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.forward import forward
from kinematics.gimbal_lock import in_chart
from kinematics.io import BvhSource, read_bvh, read_clip, write_bvh
from tests.kinematics.io.samples import SMALL, positions, written

CLIPS = [
    "cmu_06_02_basketball_dribble.bvh",
    "cmu_07_01_walk.bvh",
    "cmu_10_05_soccer_kick.bvh",
    "cmu_115_06_pick_up_box_knees.bvh",
    "cmu_124_01_baseball_pitch.bvh",
    "cmu_124_07_baseball_swing.bvh",
    "cmu_141_10_toss_and_catch.bvh",
    "cmu_69_20_walk_90_right_turn.bvh",
    "pymo_8walk.bvh",
    "threejs_pirouette.bvh",
]


# --- real clips -------------------------------------------------------------------------------------------------------


def test_the_list_of_clips_is_complete(mocap: Path) -> None:
    assert sorted(path.name for path in mocap.glob("*.bvh")) == CLIPS


@pytest.mark.parametrize("name", CLIPS)
def test_raw_positions_are_the_published_ones(mocap: Path, name: str) -> None:
    truth = json.loads((mocap / "fk_truth.json").read_text())["clips"][name]
    clip = read_bvh(mocap / name, raw=True)
    source = clip.source
    assert isinstance(source, BvhSource)
    assert (clip.n_frames, clip.skeleton.n_dofs) == (truth["rows"], truth["channels"])
    assert (source.declared_frames, clip.frame_time) == (truth["declared_frames"], truth["frame_time"])
    assert (len(clip.skeleton.names), len(source.end_sites)) == (truth["joints"], truth["end_sites"])
    place = jax.jit(lambda q: forward(clip.skeleton, q).position)
    for row, joints in truth["positions"].items():
        position = np.asarray(place(clip.poses[int(row)]))
        for joint, expected in joints.items():
            # the truth is rounded to four decimals
            np.testing.assert_allclose(position[clip.skeleton.segment(joint)], expected, rtol=0, atol=0.5001e-4)


@pytest.mark.parametrize("name", CLIPS)
def test_what_was_not_edited_is_written_as_it_was(mocap: Path, tmp_path: Path, name: str) -> None:
    original = read_bvh(mocap / name, raw=True)
    for clip in (original, read_bvh(mocap / name), read_bvh(mocap / name, keep_reference=True)):
        write_bvh(clip, tmp_path / name)
        again = read_bvh(tmp_path / name, raw=True)
        assert original.source_rows is not None and again.source_rows is not None
        assert again.source_rows.tobytes() == original.source_rows.tobytes()
        assert isinstance(again.source, BvhSource) and isinstance(original.source, BvhSource)
        assert again.source.hierarchy == original.source.hierarchy
        assert again.frame_time == original.frame_time


@pytest.mark.parametrize("name", CLIPS)
def test_an_edited_clip_comes_back_as_edited(mocap: Path, tmp_path: Path, name: str) -> None:
    clip = read_bvh(mocap / name)
    nudge = 0.3 * np.sin(np.arange(clip.n_frames) / 60)[:, None] * np.linspace(-1, 1, clip.skeleton.n_dofs)
    edited = replace(clip, poses=clip.poses + nudge)
    write_bvh(edited, tmp_path / name)
    again = read_bvh(tmp_path / name)
    assert again.n_frames == clip.n_frames
    np.testing.assert_allclose(positions(again), positions(edited), rtol=0, atol=1e-7)


@pytest.mark.peers
@pytest.mark.parametrize("name", CLIPS)
def test_another_library_reads_what_we_write(mocap: Path, tmp_path: Path, name: str) -> None:
    pybvh = pytest.importorskip("pybvh")
    clip = read_bvh(mocap / name, raw=True)
    write_bvh(clip, tmp_path / name)
    other = pybvh.read_bvh_file(tmp_path / name)
    assert tuple(other.joint_names) == clip.skeleton.names
    theirs = np.asarray(other.joint_positions())
    np.testing.assert_allclose(theirs, positions(clip), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "metres"),
    [
        ("cmu_124_07_baseball_swing.bvh", 0.0254 / 0.45),
        ("threejs_pirouette.bvh", 0.01),
        ("pymo_8walk.bvh", 0.0254),
    ],
)
def test_real_clips_come_in_metres_on_the_floor(mocap: Path, name: str, metres: float) -> None:
    clip = read_bvh(mocap / name)
    assert isinstance(clip.source, BvhSource)
    assert clip.source.metres_per_unit == metres
    assert clip.source.up == "y"
    height = positions(clip)[..., 1]
    assert abs(np.median(height.min(axis=1))) < 0.12
    assert 1.2 < np.median(height.max(axis=1)) < 2.0


@pytest.mark.parametrize("name", CLIPS)
def test_the_inserted_reference_row_is_dropped_and_only_that(mocap: Path, name: str) -> None:
    clip, kept = read_bvh(mocap / name), read_bvh(mocap / name, keep_reference=True)
    dropped = kept.n_frames - clip.n_frames
    assert dropped == (0 if name == "pymo_8walk.bvh" else 1)
    assert sum("row 0 is dropped" in notice and name in notice for notice in clip.notices) == dropped
    assert not any("row 0" in notice for notice in kept.notices)
    np.testing.assert_array_equal(clip.source_rows, kept.source_rows[dropped:])  # type: ignore[index]
    speed = np.linalg.norm(np.diff(positions(clip), axis=0), axis=-1) / clip.frame_time
    assert speed.max() < 30


# --- quirks -----------------------------------------------------------------------------------------------------------


def same_motion(a: Clip, b: Clip) -> None:
    assert a.skeleton.topology == b.skeleton.topology
    np.testing.assert_array_equal(a.skeleton.offset, b.skeleton.offset)
    np.testing.assert_array_equal(a.poses, b.poses)
    assert a.frame_time == b.frame_time


QUIRKS = {
    "lower case": SMALL.lower().replace("hips", "Hips").replace("chest", "Chest"),
    "upper case": SMALL.upper().replace("HIPS", "Hips").replace("CHEST", "Chest"),
    "tabs": SMALL.replace(" ", "\t\t"),
    "CR": SMALL.replace("\n", "\r"),
    "CRLF": SMALL.replace("\n", "\r\n"),
    "mixed line ends": "".join(
        line + end for line, end in zip(SMALL.split("\n"), ["\r\n", "\n", "\r"] * 9, strict=False)
    ),
    "byte-order mark": "\ufeff" + SMALL,
    "no final newline": SMALL.rstrip("\n"),
    "no leading zero": SMALL.replace("0.01\n", ".01\n").replace("0.001", ".001"),
    "long exponents": SMALL.replace("0.001", "1.0e-003").replace("0.002", "+0.2E-002"),
    "brace beside the name": SMALL.replace("Hips\n{", "Hips {").replace("Site\n    {", "Site{"),
    "closing braces in one line": SMALL.replace("}\n  }\n}", "}}}"),
    "blank lines": SMALL.replace("\n", "\n\n \n"),
    "no blank after the colon": SMALL.replace("Frames: ", "Frames:").replace("Time: ", "Time:"),
    "rows over several lines": SMALL.replace("10 20 30", "10\n20 30\n").replace("11 21", "11\n21"),
    "trailing blanks": SMALL.replace("\n", "  \n"),
    "channels before offset": SMALL.replace(
        "    OFFSET 0 0.5 0\n    CHANNELS 3 Yrotation Xrotation Zrotation\n",
        "    CHANNELS 3 Yrotation Xrotation Zrotation\n    OFFSET 0 0.5 0\n",
    ),
}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_quirks_change_nothing(tmp_path: Path, quirk: str) -> None:
    plain = read_bvh(written(tmp_path, SMALL))
    odd = read_bvh(written(tmp_path, QUIRKS[quirk]))
    same_motion(plain, odd)
    assert odd.notices == plain.notices


def test_utf16_and_latin_names(tmp_path: Path) -> None:
    plain = read_bvh(written(tmp_path, SMALL))
    (tmp_path / "wide.bvh").write_bytes(SMALL.encode("utf-16"))
    same_motion(plain, read_bvh(tmp_path / "wide.bvh"))
    (tmp_path / "latin.bvh").write_bytes(SMALL.replace("Hips", "Hüfte").encode("latin-1"))
    assert read_bvh(tmp_path / "latin.bvh").skeleton.names == ("Hüfte", "Chest")


def test_names_with_blanks_survive(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL.replace("Chest", "Upper Chest")))
    assert clip.skeleton.names == ("Hips", "Upper Chest")
    write_bvh(clip, tmp_path / "out.bvh")
    same_motion(clip, read_bvh(tmp_path / "out.bvh"))


@pytest.mark.parametrize("declared", [1, 2, 4, 1000, 999999999999])
def test_a_wrong_number_of_frames_is_noticed(tmp_path: Path, declared: int) -> None:
    clip = read_bvh(written(tmp_path, SMALL.replace("Frames: 3", f"Frames: {declared}")))
    assert clip.n_frames == 3
    assert any(f"declares {declared} frames and holds 3" in notice for notice in clip.notices)
    assert isinstance(clip.source, BvhSource) and clip.source.declared_frames == declared


def test_repeated_names_are_told_apart(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL.replace("Chest", "Hips")))
    assert clip.skeleton.names == ("Hips", "Hips_2")
    assert any("a second joint named 'Hips' is called 'Hips_2'" in notice for notice in clip.notices)
    write_bvh(clip, tmp_path / "out.bvh")
    assert (tmp_path / "out.bvh").read_text().count("Hips\n") == 2


def test_channels_become_dofs_in_the_files_order(tmp_path: Path) -> None:
    clip = read_bvh(written(tmp_path, SMALL), units="m")
    assert clip.skeleton.topology.dof_names == (
        *(f"Hips.{axis}position" for axis in "XYZ"),
        *(f"Hips.{axis}rotation" for axis in "ZYX"),
        *(f"Chest.{axis}rotation" for axis in "YXZ"),
    )
    np.testing.assert_allclose(clip.poses[1, 3:6], np.radians([11, 21, 31]))
    assert isinstance(clip.source, BvhSource) and clip.source.end_sites == {1: (0.0, 0.25, 0.0)}
    assert clip.name == "clip" and read_bvh(tmp_path / "clip.bvh", name="mine").name == "mine"


def test_a_suffix_chooses_the_reader(tmp_path: Path) -> None:
    clip, plain = read_clip(written(tmp_path, SMALL, "a.BVH")), read_bvh(tmp_path / "a.BVH")
    np.testing.assert_allclose(in_chart(clip, plain.skeleton).poses, plain.poses, atol=1e-12)
    with pytest.raises(HoiError, match=r"\.bvh or \.amc"):
        read_clip(written(tmp_path, SMALL, "a.fbx"))


def test_two_bodies_in_one_file(tmp_path: Path) -> None:
    head, rows = SMALL.split("MOTION")
    second = head.removeprefix("HIERARCHY").replace("Hips", "Hips2").replace("Chest", "Chest2")
    doubled = [f"{row} {row}" if row[:1].isdigit() else row for row in rows.splitlines()]
    clip = read_bvh(written(tmp_path, head + second.lstrip() + "MOTION" + "\n".join(doubled)), units="m", up="y")
    assert clip.skeleton.topology.parents == (-1, 0, -1, 2)
    place = positions(clip)
    np.testing.assert_array_equal(place[:, :2], place[:, 2:])
    write_bvh(clip, tmp_path / "out.bvh")
    same_motion(clip, read_bvh(tmp_path / "out.bvh", units="m", up="y"))
