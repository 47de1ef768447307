"""Motions leave in the form of the file they came from, and untouched ones as the very numbers of it."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from kinematics.clip_tools import offset, trim
from kinematics.errors import HoiError
from kinematics.io import BvhSource, read_bvh, write_bvh
from tests.hoi_edit.export.exported_scenes import mime


@pytest.fixture(scope="module")
def session() -> EditSession:
    """Two who do the same: of one the clip is known, of the other only its poses."""
    clip = mime()
    people = [hoi.Character.of("ann", clip), hoi.Character("bob", clip.skeleton, hoi.Layer.over(clip))]
    return hoi.EditSession(hoi.Scene(people, end=clip.end))


def source_rows(path: Path) -> np.ndarray:
    rows = read_bvh(path, raw=True).source_rows
    assert rows is not None
    return rows


def test_an_untouched_motion_leaves_as_the_very_numbers(session: EditSession, tmp_path: Path) -> None:
    written = session.export(tmp_path / "two.bvh")
    assert [file.path.name for file in written] == ["two-ann.bvh", "two-bob.bvh"]
    assert np.array_equal(source_rows(tmp_path / "two-ann.bvh"), source_rows(clip_path("juggling_mime")))
    own, file = (read_bvh(path, raw=True) for path in (tmp_path / "two-ann.bvh", clip_path("juggling_mime")))
    assert isinstance(own.source, BvhSource) and isinstance(file.source, BvhSource)
    assert [(n.name, n.offset, n.channels) for n in own.source.hierarchy] == [
        (n.name, n.offset, n.channels) for n in file.source.hierarchy
    ]
    assert own.frame_time == file.frame_time


def test_without_its_clip_a_motion_leaves_by_its_skeleton(session: EditSession, tmp_path: Path) -> None:
    session.export(tmp_path / "two.bvh")
    bob = read_bvh(tmp_path / "two-bob.bvh", units="m", up="y")
    assert bob.frame_time == pytest.approx(1 / 60) and set(bob.skeleton.names) == set(mime().skeleton.names)


def test_another_rate_and_a_part(session: EditSession, tmp_path: Path) -> None:
    session.export(tmp_path / "two.bvh", rate=24.0, start=1.0, end=2.0)
    clip = read_bvh(tmp_path / "two-ann.bvh", raw=True)
    assert clip.n_frames == 25 and clip.frame_time == pytest.approx(1 / 24)
    session.export(tmp_path / "two.bvh", start=1.0, end=2.0)
    part, whole = source_rows(tmp_path / "two-ann.bvh"), source_rows(clip_path("juggling_mime"))
    first = round(1.0 / mime().frame_time)
    assert np.array_equal(part, whole[first : first + len(part)])


def test_a_recording_that_is_longer_than_its_scene_leaves_the_rows_of_the_scenes_time(tmp_path: Path) -> None:
    """As all formats do; what is in the scene's time is still the file's own numbers."""
    clip = mime()
    own = hoi.EditSession(hoi.Scene([hoi.Character.of("ann", clip)], start=1.0, end=2.0))
    (written,) = own.export(tmp_path / "ann.bvh")
    first = round(1.0 / clip.frame_time)
    rows = source_rows(clip_path("juggling_mime"))[first : 2 * first + 1]
    assert np.array_equal(source_rows(tmp_path / "ann.bvh"), rows)
    assert f"{len(rows)} rows at 60 Hz, of {clip.n_frames} in its recording" in written.contents
    write_bvh(own.bake("ann"), tmp_path / "all.bvh")
    assert np.array_equal(source_rows(tmp_path / "all.bvh"), source_rows(clip_path("juggling_mime")))


def test_somebody_who_stands_still_all_along_leaves_as_well(tmp_path: Path) -> None:
    late = offset(trim(mime(), 0.0, 0.5), 5.0)
    own = hoi.EditSession(hoi.Scene([hoi.Character.of("ann", late)], end=1.0))
    (written,) = own.export(tmp_path / "ann.bvh")
    assert "the first at 5.000 s of the scene" in written.contents


def test_one_file_that_cannot_be_written_keeps_them_all_from_changing(session: EditSession, tmp_path: Path) -> None:
    (tmp_path / "two-bob.bvh").write_text("mine")
    (tmp_path / "two-bob.bvh").chmod(0o400)
    with pytest.raises(HoiError, match="read-only"):
        session.export(tmp_path / "two.bvh")
    assert [path.name for path in tmp_path.iterdir()] == ["two-bob.bvh"]


def test_documents_know_their_clips_and_not_where_they_lay(tmp_path: Path) -> None:
    clip = trim(mime(), 0.0, 1.0)
    session = hoi.EditSession(hoi.Scene([hoi.Character.of("ann", clip)], end=1.0))
    session.save(tmp_path / "ann.hoi")
    session.close()
    again = EditSession.saved(tmp_path / "ann.hoi")
    again.export(tmp_path / "ann.bvh")
    assert clip.source_rows is not None
    assert np.array_equal(source_rows(tmp_path / "ann.bvh"), clip.source_rows)
    recording = again.scene.characters[0].recording
    assert recording is not None and recording.source.path == "juggling_mime.bvh"
