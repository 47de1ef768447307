"""Whatever is wrong with a file is one `HoiError` of one line; nothing else ever comes out, and nothing hangs."""

import os
import tracemalloc
from pathlib import Path

import pytest

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import read_bvh, read_clip
from tests.kinematics.io.samples import AMC, ASF, SMALL


def complaint(path: Path) -> str:
    with pytest.raises(HoiError) as caught:
        read_clip(path)
    message = str(caught.value)
    assert message.startswith(str(path.parent)) and "\n" not in message and len(message) < 400
    return message


def changed(old: str, new: str) -> str:
    assert SMALL.count(old) >= 1
    return SMALL.replace(old, new, 1)


BROKEN_BVH: dict[str, tuple[str, str]] = {
    "empty": ("", ":1: expected text, found an empty file"),
    "blank": (" \n\n", ":1: expected text, found an empty file"),
    "not a BVH": ("hello\n", ":1: expected HIERARCHY, found 'hello'"),
    "no root": ("HIERARCHY\nMOTION\n", ":2: expected ROOT, found 'MOTION'"),
    "root without name": (changed("ROOT Hips", "ROOT"), ":2: expected a name after ROOT, found the end of the line"),
    "joint without name": (changed("JOINT Chest\n  {", "JOINT {"), ":6: expected a name after JOINT, found '{'"),
    "no brace": (changed("{", ""), ":4: expected {, found 'OFFSET'"),
    "no closing brace": (changed("}\n}\nMOTION", "}\nMOTION"), ":15: expected JOINT or END or }, found 'MOTION'"),
    "extra brace": (changed("}\nMOTION", "}\n}\nMOTION"), ":16: expected ROOT or MOTION, found '}'"),
    "no offset": (changed("    OFFSET 0 0.5 0\n", ""), ":9: expected OFFSET, found 'End'"),
    "short offset": (changed("OFFSET 0 0.5 0", "OFFSET 0 0.5"), ":9: expected a number, found 'CHANNELS'"),
    "comma": (changed("0 0.5 0", "0, 0.5, 0"), "separated by blanks, found a comma in '0,'"),
    "decimal comma": (changed("0 1 0.001", "0 1 0,001"), ":20: expected numbers with a decimal point"),
    "NaN offset": (changed("0 0.5 0", "0 nan 0"), ":8: expected a number, found 'nan'"),
    "huge offset": (changed("0 0.5 0", "0 1e300 0"), ":8: expected a number, found '1e300'"),
    "underscore": (changed("0 1 0.001", "0 1_0 0.001"), ":20: expected a number, found '1_0'"),
    "other digits": (changed("0 1 0.001", "0 ١ 0.001"), ":20: expected a number, found '١'"),
    "NaN": (changed("11 21", "NaN 21"), ":20: expected a number, found 'NaN'"),
    "infinity": (changed("11 21", "11 -inf"), ":20: expected a number, found '-inf'"),
    "overflow": (changed("11 21", "11 1e999"), ":20: expected a number, found '1e999'"),
    "word in a row": (changed("11 21", "11 abc"), ":20: expected a number, found 'abc'"),
    "channel name": (changed("Zrotation", "Wrotation"), "found 'Wrotation'"),
    "channel twice": (changed("Yrotation Xrotation Zrotation", "Yrotation Yrotation Xrotation"), "Yrotation twice"),
    "too many channels": (changed("CHANNELS 3", "CHANNELS 999999"), "from 0 to 6, found '999999'"),
    "negative channels": (changed("CHANNELS 3", "CHANNELS -3"), "from 0 to 6, found '-3'"),
    "fewer channels than said": (changed("CHANNELS 3", "CHANNELS 4"), ":10: expected one of Xposition"),
    "more channels than said": (changed("CHANNELS 3", "CHANNELS 2"), "found 'Zrotation'"),
    "channels of an end": (changed("OFFSET 0 0.25 0", "OFFSET 0 0 0 CHANNELS 1 Xrotation"), "from 0 to 0"),
    "child of an end": (
        changed("OFFSET 0 0.25 0", "OFFSET 0 0 0 JOINT x { }"),
        "expected CHANNELS or }, found 'JOINT'",
    ),
    "keyword 'or'": (changed("    OFFSET 0 0.5 0\n", "    OFFSET 0 0.5 0\n or\n"), "found 'or'"),
    "no channels": (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n",
        ":6: expected at least one channel in the hierarchy, found none",
    ),
    "no MOTION": (SMALL[: SMALL.index("MOTION")], ":16: expected ROOT or MOTION, found the end of the file"),
    "no frames": (changed("Frames: 3\n", ""), ":17: expected 'Frames:' and one number, found 'Frame Time: 0.01'"),
    "frames in words": (changed("Frames: 3", "Frames: three"), ":17: expected a number of frames, found 'three'"),
    "negative frames": (changed("Frames: 3", "Frames: -3"), ":17: expected a number of frames, found '-3'"),
    "no frame time": (changed("Frame Time: 0.01\n", ""), ":18: expected 'Frame Time:' and one number"),
    "zero frame time": (changed("0.01\n", "0.0\n"), ":18: expected a positive frame time in seconds, found '0.0'"),
    "negative frame time": (changed("0.01\n", "-0.01\n"), ":18: expected a positive frame time"),
    "NaN frame time": (changed("0.01\n", "nan\n"), ":18: expected a positive frame time"),
    "ends after MOTION": (SMALL[: SMALL.index("Frames")], "expected 'Frames:', found the end of the file"),
    "no rows": (SMALL[: SMALL.index("0 1 0 10")], "expected rows of numbers, found the end of the file"),
    "row too short": (changed("11 21 31", "11 21"), ":20: expected 9 numbers in a row, found 8"),
    "row too long": (changed("11 21 31", "11 21 31 41"), ":20: expected 9 numbers in a row, found 10"),
    "a shifted row": (changed("2 3 4\n", "2 3\n4 "), ":20: expected 9 numbers in a row, found 8"),
    "ends within a row": (SMALL[:-6], ":21: expected 9 numbers in a row, found 6"),
}


@pytest.mark.parametrize("case", BROKEN_BVH)
def test_a_broken_bvh_is_one_sentence(tmp_path: Path, case: str) -> None:
    text, expected = BROKEN_BVH[case]
    path = tmp_path / "broken.bvh"
    path.write_text(text)
    assert expected in complaint(path)


def test_rows_may_not_shift_even_if_the_total_fits(tmp_path: Path) -> None:
    path = tmp_path / "broken.bvh"
    path.write_text(SMALL.replace("1 2 3\n", "1 2 3 0\n").replace("0 1 0.001", "1 0.001"))
    assert ":19: expected 9 numbers in a row, found 10" in complaint(path)


def test_things_that_are_no_files(tmp_path: Path) -> None:
    assert "cannot be read: no such file or directory" in complaint(tmp_path / "absent.bvh")
    (tmp_path / "folder.bvh").mkdir()
    assert "found a folder or a device" in complaint(tmp_path / "folder.bvh")
    (tmp_path / "binary.bvh").write_bytes(bytes(range(256)) * 10)
    assert "expected text, found binary data" in complaint(tmp_path / "binary.bvh")
    os.mkfifo(tmp_path / "pipe.bvh")  # reading it would wait for ever
    assert "found a folder or a device" in complaint(tmp_path / "pipe.bvh")
    with pytest.raises(HoiError, match="cannot be read"):
        read_bvh("nul\0.bvh")


def test_an_unreadable_file_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "secret.bvh").write_text(SMALL)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "cannot be read: permission denied" in complaint(tmp_path / "secret.bvh")


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("Frames: 3", "Frames: 999999999999"),
        SMALL.replace("Frames: 3", "Frames: " + "9" * 5000),
        SMALL.replace("CHANNELS 3", "CHANNELS 999999999999"),
        SMALL.replace("CHANNELS 3", "CHANNELS " + "9" * 5000),
        "HIERARCHY\n" + "ROOT a\n{\nOFFSET 0 0 0\n" * 3,
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" * 100_000,
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + "End Site\n{\nOFFSET 0 1 0\n}\n" * 100_000,
    ],
    ids=["frames", "long frames", "channels", "long channels", "roots", "nested joints", "end sites"],
)
def test_no_file_makes_us_take_more_memory_than_it_warrants(tmp_path: Path, text: str) -> None:
    path = tmp_path / "greedy.bvh"
    path.write_text(text)
    read_bvh_or_error(path)
    tracemalloc.start()
    try:
        read_bvh_or_error(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000 + 20 * len(text)
    finally:
        tracemalloc.stop()


def read_bvh_or_error(path: Path) -> Clip | None:
    try:
        return read_bvh(path)
    except HoiError as error:
        check_sentence(error)
        return None


def check_sentence(error: HoiError) -> None:
    assert "\n" not in str(error)


def test_a_body_of_a_thousand_joints_is_read(tmp_path: Path) -> None:
    joint = "JOINT a\n{\nOFFSET 0 0.001 0\nCHANNELS 1 Xrotation\n"
    inner = (joint * 37 + "}\n" * 37) * 27
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + inner + "}\n"
    path = tmp_path / "deep.bvh"
    path.write_text(text + "MOTION\nFrames: 1\nFrame Time: 1\n" + "0 " * 1000)
    clip = read_bvh(path)
    assert len(set(clip.skeleton.names)) == 1000
    path.write_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + joint * 150)
    with pytest.raises(HoiError, match=r"deep.bvh:\d+: expected at most 100 joints in a chain, found a longer one"):
        read_bvh(path)


# --- ASF/AMC ----------------------------------------------------------------------------------------------------------


def edit(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


BROKEN_ASF: dict[str, tuple[str, str]] = {
    "no root": (edit(ASF, ":root", ":rooot"), "expected a section :root, found the end of the file"),
    "no bones": (edit(ASF, ":bonedata", ":bones"), "expected a section :bonedata"),
    "no hierarchy": (ASF[: ASF.index(":hierarchy")], "expected a section :hierarchy"),
    "no end": (edit(ASF, "  end\n", ""), "expected end, found 'begin'"),
    "no end at all": (ASF.replace("  end\n", "").replace("  begin\n", "", 2), "found"),
    "no begin": (edit(ASF, "  begin\n", ""), ":16: expected begin, found 'id'"),
    "no name": (edit(ASF, "name thigh", "nome thigh"), ":17: expected a line 'name' in this block, found none"),
    "no order": (edit(ASF, "order TX", "odor TX"), "expected a line 'order' in this block, found none"),
    "strange order": (
        edit(ASF, "order TX", "order WX"),
        ":11: expected degrees of freedom among tx ty tz rx ry rz, found 'WX'",
    ),
    "order twice": (edit(ASF, "order TX TY", "order TX TX"), "each degree of freedom once"),
    "length dof": (
        edit(ASF, "dof rx ry rz", "dof rx ry l"),
        ":22: expected degrees of freedom among rx ry rz, found 'l'",
    ),
    "too few limits": (edit(ASF, "           (-inf inf)\n", ""), "expected 6 limits for 3 degrees of freedom, found 4"),
    "limits in words": (edit(ASF, "(-10.0 170.0)", "(-10.0 many)"), "expected a number, found 'many'"),
    "short direction": (edit(ASF, "direction 0 -1 0", "direction 0 -1"), "expected 3 numbers after direction, found 2"),
    "NaN length": (edit(ASF, "length 8", "length nan"), "expected a number, found 'nan'"),
    "axis order": (edit(ASF, "0 0 20 XYZ", "0 0 20 XXZ"), "expected an order of axes such as XYZ, found 'XXZ'"),
    "angle unit": (edit(ASF, "angle deg", "angle gon"), "expected angle deg or angle rad, found 'gon'"),
    "length unit": (edit(ASF, "length 0.45", "length 0"), "expected a positive length, found 0.0"),
    "same name": (edit(ASF, "name shank", "name thigh"), "expected each bone once, found a second 'thigh'"),
    "unknown child": (edit(ASF, "shank stump", "shank stomp"), "expected the name of a bone, found 'stomp'"),
    "two parents": (edit(ASF, "shank stump", "shank stump\nroot stump"), "once below another, found it again"),
    "a circle": (edit(ASF, "root thigh", "stump thigh"), "in the hierarchy below root"),
    "root below": (edit(ASF, "shank stump", "shank root"), "once below another"),
}
BROKEN_AMC: dict[str, tuple[str, str]] = {
    "empty": ("", "found an empty file"),
    "no frames": (":DEGREES\n", "expected the number of a frame, found the end of the file"),
    "bone before frames": (edit(AMC, "1\nroot", "root"), ":4: expected the number of a frame, found 'root'"),
    "missing bone": (
        edit(AMC, "thigh 5 6 7\n", ""),
        ":7: expected bone 'thigh' in frame 1, found the end of that frame",
    ),
    "truncated": (AMC[:-8], "expected bone 'shank' in frame 2"),
    "too few": (edit(AMC, "thigh 5 6 7", "thigh 5 6"), ":6: expected 3 numbers for bone 'thigh', found 2"),
    "too many": (edit(AMC, "thigh 5 6 7", "thigh 5 6 7 8"), ":6: expected 3 numbers for bone 'thigh', found 4"),
    "unknown bone": (edit(AMC, "thigh 5", "thing 5"), ":6: expected the name of a bone that moves, found 'thing'"),
    "bone twice": (
        edit(AMC, "thigh 5 6 7", "thigh 5 6 7\nthigh 5 6 7"),
        ":7: expected the name of a bone that moves, found 'thigh' twice",
    ),
    "NaN": (edit(AMC, "thigh 5 6 7", "thigh 5 nan 7"), ":6: expected a number, found 'nan'"),
    "underscore": (edit(AMC, "thigh 5 6 7", "thigh 5 1_0 7"), ":6: expected a number, found '1_0'"),
    "comma": (edit(AMC, "thigh 5 6 7", "thigh 5,1 6 7"), ":6: expected numbers with a decimal point"),
}


def amc_pair(folder: Path, asf: str, amc: str) -> Path:
    (folder / "a.asf").write_text(asf)
    (folder / "a.amc").write_text(amc)
    return folder / "a.amc"


@pytest.mark.parametrize("case", BROKEN_ASF)
def test_a_broken_asf_is_one_sentence(tmp_path: Path, case: str) -> None:
    text, expected = BROKEN_ASF[case]
    message = complaint(amc_pair(tmp_path, text, AMC))
    assert expected in message and "a.asf:" in message


@pytest.mark.parametrize("case", BROKEN_AMC)
def test_a_broken_amc_is_one_sentence(tmp_path: Path, case: str) -> None:
    text, expected = BROKEN_AMC[case]
    message = complaint(amc_pair(tmp_path, ASF, text))
    assert expected in message and "a.amc:" in message


def test_a_hundred_thousand_bones(tmp_path: Path) -> None:
    asf = edit(
        ASF, "  begin\n    id 1", "  begin\nname x\nlength 1\ndirection 0 0 1\naxis 0 0 0\nend\n" * 100_000 + "begin\n"
    )
    assert "expected at most 1000 bones" in complaint(amc_pair(tmp_path, asf, AMC))
