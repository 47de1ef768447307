"""Any damage at all to a file gives a valid clip or a `HoiError`."""

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import BvhSource, read_amc, read_bvh, write_bvh
from tests.kinematics.io.samples import AMC, ASF, SMALL

WORDS = ["{", "}", "0", "-1", "1e308", "1e-320", "nan", "inf", "1_0", "JOINT", "End Site", "ROOT a", "MOTION", "OFFSET",
         "CHANNELS 6", "CHANNELS 0", "Xposition", "Frames: 0", "Frames:", "\0", "\ufeff", "é", ",", "#", ":", "begin",
         "end", ":root", "dof rx", "root", "()", "\n", "\r", "", "9" * 400]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, text: str) -> bytes:
    """The text with words deleted, doubled or replaced, then bytes changed, then perhaps cut off."""
    words = text.replace("\n", " \n ").split(" ")
    for _ in range(draw(st.integers(0, 4))):
        k = draw(st.integers(0, len(words) - 1))
        other = draw(st.one_of(st.sampled_from(WORDS), st.sampled_from(words)))
        words[k : k + 1] = draw(st.sampled_from([[], [words[k]] * 2, [other], [other, words[k]]]))
    data = bytearray(" ".join(words).encode())
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.one_of(st.just(len(data)), st.integers(0, len(data))))])


FUZZ = settings(max_examples=250, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_valid(clip: Clip, folder: Path) -> None:
    """Sane numbers, and a file that can be written and says the same."""
    assert np.isfinite(clip.poses).all() and clip.n_frames >= 1
    assert np.isfinite(clip.skeleton.offset).all()
    assert all("\n" not in notice for notice in clip.notices)
    write_bvh(clip, folder / "out.bvh")
    again = read_bvh(folder / "out.bvh", raw=True)
    if isinstance(clip.source, BvhSource) and clip.source_rows is not None:
        rows = np.concatenate([clip.source.reference_rows, clip.source_rows])
        np.testing.assert_array_equal(again.source_rows, rows)


def check_sentence(error: HoiError) -> None:
    assert "\n" not in str(error)


@FUZZ
@given(data=damaged(SMALL))
def test_a_damaged_bvh_is_a_clip_or_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "fuzz.bvh"
    path.write_bytes(data)
    try:
        check_valid(read_bvh(path), tmp_path)
    except HoiError as error:
        check_sentence(error)


@FUZZ
@given(asf=damaged(ASF), amc=damaged(AMC), which=st.sampled_from(["asf", "amc", "both"]))
def test_a_damaged_amc_is_a_clip_or_an_error(tmp_path: Path, asf: bytes, amc: bytes, which: str) -> None:
    (tmp_path / "a.asf").write_bytes(ASF.encode() if which == "amc" else asf)
    (tmp_path / "a.amc").write_bytes(AMC.encode() if which == "asf" else amc)
    try:
        check_valid(read_amc(tmp_path / "a.amc"), tmp_path)
    except HoiError as error:
        check_sentence(error)
