"""Units, up axes, offsets and reference rows, on bodies whose truth is known."""

from pathlib import Path

import numpy as np
import pytest

from kinematics.errors import HoiError
from kinematics.io import BvhSource, read_bvh, write_bvh
from kinematics.io.conventions import UNITS, UP_AXES, detect_units, metres_per_unit, teleport_speed, upright
from kinematics.rotation import Floats, hinge_chain
from tests.kinematics.io.samples import HIP_HEIGHT, person_bvh, positions, standing


def source_of(path: Path, **options: object) -> BvhSource:
    source = read_bvh(path, **options).source  # type: ignore[arg-type]
    assert isinstance(source, BvhSource)
    return source


def saved(folder: Path, text: str) -> Path:
    path = folder / "person.bvh"
    path.write_text(text)
    return path


# --- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_units_are_told_from_the_body(tmp_path: Path, unit: str) -> None:
    path = saved(tmp_path, person_bvh(standing(30), metres_per_unit=UNITS[unit]))
    clip, truth = read_bvh(path), read_bvh(saved(tmp_path, person_bvh(standing(30))))
    assert isinstance(clip.source, BvhSource) and clip.source.metres_per_unit == UNITS[unit]
    np.testing.assert_allclose(positions(clip), positions(truth), atol=1e-9)
    assert sum("unit of length" in notice for notice in clip.notices) == (unit != "m")


@pytest.mark.parametrize("size", [0.75, 1.0, 1.35])
def test_children_and_giants_keep_their_units(size: float) -> None:
    assert all(detect_units(1.7 * size / UNITS[unit]) == unit for unit in UNITS)


def test_units_that_are_said_are_used(tmp_path: Path) -> None:
    path = saved(tmp_path, person_bvh(standing(30)))
    assert source_of(path, units="cm").metres_per_unit == 0.01
    assert source_of(path, units=0.3).metres_per_unit == 0.3
    assert metres_per_unit("cmu") == pytest.approx(0.0564444, abs=1e-7)
    with pytest.raises(HoiError, match="m, cm, mm, inch, foot, cmu"):
        read_bvh(path, units="yard")
    for bad in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(HoiError, match="must be a positive number"):
            read_bvh(path, units=bad)


def test_a_body_without_length_is_noticed(tmp_path: Path) -> None:
    text = "HIERARCHY\nROOT ball\n{\nOFFSET 0 0 0\nCHANNELS 1 Yposition\n}\nMOTION\nFrames: 2\nFrame Time: .01\n1\n2\n"
    clip = read_bvh(saved(tmp_path, text))
    assert any("no length" in notice for notice in clip.notices)
    np.testing.assert_array_equal(clip.poses, [[1], [2]])


# --- up axis ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", UP_AXES)
def test_every_axis_is_turned_up_by_a_rotation(up: str) -> None:
    Q = upright(up)
    axis = np.eye(3)["xyz".index(up[-1])] * (-1 if up.startswith("-") else 1)
    np.testing.assert_array_equal(Q @ axis, [0, 1, 0])
    np.testing.assert_array_equal(Q @ Q.T, np.eye(3))
    assert np.linalg.det(Q) == pytest.approx(1)


@pytest.mark.parametrize("up", UP_AXES)
def test_the_up_axis_is_told_and_turned(tmp_path: Path, up: str) -> None:
    """A file whose offsets stand along another axis, with angles about that file's own axes."""
    path = saved(tmp_path, person_bvh([{"Spine": (0, 0, 0)}] * 30, to_file=lambda v: upright(up).T @ v))
    clip = read_bvh(path)
    assert isinstance(clip.source, BvhSource) and clip.source.up == up
    assert sum("axis points up" in notice for notice in clip.notices) == (up != "y")
    height = positions(clip)[..., 1]
    assert height.min() == pytest.approx(0, abs=1e-9)
    assert height.max() == pytest.approx(HIP_HEIGHT + 0.6)
    write_bvh(clip, tmp_path / "out.bvh")
    np.testing.assert_array_equal(read_bvh(tmp_path / "out.bvh", raw=True).source_rows, clip.source_rows)


def test_turning_upright_changes_no_angle_and_rotates_every_place(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [{name: tuple(rng.normal(0, 20, 3)) for name in ("Hips", "Spine", "LeftArm", "RightLeg")} for _ in range(9)]
    path = saved(tmp_path, person_bvh(rows, to_file=lambda v: upright("z").T @ v))
    turned, raw = read_bvh(path, up="z", units="m", keep_reference=True), read_bvh(path, raw=True)
    np.testing.assert_allclose(turned.poses, raw.poses, atol=0)
    np.testing.assert_allclose(positions(turned), positions(raw) @ upright("z").T, atol=1e-12)


def test_a_body_that_only_its_root_turns_upright(tmp_path: Path) -> None:
    """Offsets stand along Y, but the root's rotation stands the body along Z: Z is up."""
    rows = [{"place": (0.01 * k, 0.02 * k, HIP_HEIGHT), "Hips": (0, 0, 90)} for k in range(40)]
    assert source_of(saved(tmp_path, person_bvh(rows))).up == "z"


def test_a_crawl_does_not_turn_the_world(tmp_path: Path) -> None:
    rows = [{"place": (0, 0.4 + 0.01 * np.sin(k / 5), 0.02 * k), "Hips": (0, 0, 90)} for k in range(80)]
    assert source_of(saved(tmp_path, person_bvh(rows))).up == "y"  # type: ignore[arg-type]


def test_bones_drawn_along_x_do_not_turn_the_world(tmp_path: Path) -> None:
    """Some programs draw every body along X and stand it up in the root; a jump on the spot leaves no other floor."""
    jump = [HIP_HEIGHT + 0.3 * max(0.0, float(np.sin(k / 10))) for k in range(80)]
    rows = [{"place": (-height, 0.0, 0.0), "Hips": (90.0, 0.0, 0.0)} for height in jump]
    clip = read_bvh(saved(tmp_path, person_bvh(rows, to_file=lambda v: upright("x").T @ v)))
    assert isinstance(clip.source, BvhSource) and clip.source.up == "y"
    np.testing.assert_allclose(positions(clip)[..., 1].min(axis=1), np.array(jump) - HIP_HEIGHT, atol=1e-9)


def test_an_up_axis_that_is_said_is_used(tmp_path: Path) -> None:
    path = saved(tmp_path, person_bvh(standing(30)))
    assert source_of(path, up="-x").up == "-x"
    with pytest.raises(HoiError, match="choose from: x, y, z, -x, -y, -z"):
        read_bvh(path, up="w")


# --- offsets ----------------------------------------------------------------------------------------------------------


def test_a_root_offset_is_replaced_or_added_as_the_floor_says(tmp_path: Path) -> None:
    offset = (0.5, HIP_HEIGHT, -0.3)
    replaced = saved(tmp_path, person_bvh(standing(30), root_offset=offset))
    assert source_of(replaced).offsets == ("replace", "replace")
    np.testing.assert_array_equal(read_bvh(replaced).skeleton.offset[0], 0)
    rows = [{**row, "place": (row["place"][0], 0.0, 0.0)} for row in standing(30)]
    added = saved(tmp_path, person_bvh(rows, root_offset=offset))
    clip = read_bvh(added)
    assert isinstance(clip.source, BvhSource) and clip.source.offsets == ("add", "replace")
    assert any("added to the offset of the root" in notice for notice in clip.notices)
    np.testing.assert_allclose(positions(clip)[0, 0], offset)
    assert source_of(added, offsets="replace").offsets.root == "replace"
    assert source_of(added, raw=True).offsets.root == "replace"
    with pytest.raises(HoiError, match="auto, replace, add"):
        read_bvh(added, offsets="both")  # type: ignore[arg-type]
    write_bvh(clip, tmp_path / "out.bvh")
    np.testing.assert_allclose(positions(read_bvh(tmp_path / "out.bvh")), positions(clip), atol=1e-9)


CHAIN = """HIERARCHY
ROOT a
{{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
 JOINT b
 {{
  OFFSET 0 40 0
  CHANNELS {channels}
  End Site
  {{
   OFFSET 0 20 0
  }}
 }}
}}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 90 {b}
0 0 0 0 0 90 {b}
0 0 0 0 0 90 {b}
"""
SIX = "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"


@pytest.mark.parametrize(
    ("channels", "b", "rule", "place"),
    [
        (SIX, "0 41 0.5 0 0 0", "replace", (0, -0.5, 41)),
        (SIX, "0 1 0.5 0 0 0", "add", (0, -0.5, 41)),
        ("1 Yposition", "39", "replace", (0, 0, 39)),
        ("2 Xposition Zrotation", "3 0", "replace", (3, 0, 40)),
    ],
)
def test_positions_of_inner_joints(
    tmp_path: Path, channels: str, b: str, rule: str, place: tuple[float, float, float]
) -> None:
    """Only the axes that have a position channel are replaced."""
    clip = read_bvh(saved(tmp_path, CHAIN.format(channels=channels, b=b)), units=1.0, up="y")
    assert isinstance(clip.source, BvhSource) and clip.source.offsets.joints == rule
    np.testing.assert_allclose(positions(clip)[0, 1], place, atol=1e-12)


# --- reference row ----------------------------------------------------------------------------------------------------


def raised(k: int) -> dict[str, tuple[float, float, float]]:
    """Arms that sink from the stretched pose to the hanging one in a second."""
    share = min(1.0, k / 120)
    return {"LeftArm": (-75 * share, 0, 0), "RightArm": (75 * share, 0, 0)}


@pytest.mark.parametrize("rate", [30, 60, 120, 240])
@pytest.mark.parametrize("speed", [0.0, 1.5, 8.0])
def test_a_teleporting_first_row_is_dropped(tmp_path: Path, rate: int, speed: float) -> None:
    rows = [{"place": (-1.0, HIP_HEIGHT, 0.5)}, *standing(60, speed, 1 / rate)]
    clip = read_bvh(saved(tmp_path, person_bvh(rows, frame_time=1 / rate)))
    assert clip.n_frames == 60
    assert isinstance(clip.source, BvhSource) and clip.source.reference_rows.shape == (1, 51)
    assert read_bvh(tmp_path / "person.bvh", keep_reference=True).n_frames == 61
    assert read_bvh(tmp_path / "person.bvh", raw=True).n_frames == 61


@pytest.mark.parametrize("speed", [0.0, 3.0, 12.0, 40.0])
def test_a_fast_clip_keeps_its_first_row(tmp_path: Path, speed: float) -> None:
    assert read_bvh(saved(tmp_path, person_bvh(standing(60, speed)))).n_frames == 60


def test_a_clip_that_starts_in_a_stretched_pose_keeps_it(tmp_path: Path) -> None:
    assert read_bvh(saved(tmp_path, person_bvh([raised(k) for k in range(200)]))).n_frames == 200


def test_every_later_start_of_real_clips_is_motion(mocap: Path) -> None:
    """Cutting a clip anywhere, at any rate, never looks like a reference row."""
    for name in ("cmu_10_05_soccer_kick.bvh", "cmu_124_01_baseball_pitch.bvh", "threejs_pirouette.bvh"):
        clip = read_bvh(mocap / name)
        place = positions(clip)
        for step in (1, 2, 4, 8):
            starts = range(clip.n_frames - 3 * step)
            assert not any(teleport_speed(place[k::step][:12], step * clip.frame_time) for k in starts)


def test_two_rows_are_too_few_to_tell() -> None:
    place: Floats = np.zeros((2, 4, 3))
    place[1] = 5.0
    assert teleport_speed(place, 0.01) is None


def test_hinges_of_the_sample_turn_as_told(tmp_path: Path) -> None:
    """The sample writer and the reader agree about what (z, y, x) means."""
    clip = read_bvh(saved(tmp_path, person_bvh([{"Hips": (10, 20, 30)}] * 2)), up="y", units="m")
    R = hinge_chain(np.eye(3)[::-1], np.radians([10, 20, 30]))
    np.testing.assert_allclose(positions(clip)[0, 1], [0, HIP_HEIGHT, 0] + R @ [0, 0.2, 0])
