"""Tracks and events as files: read by Python's own modules, they say what the session says."""

import csv
import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.export import FORMATS, glb, tracks
from hoi_edit.export import base as export_base
from hoi_edit.export.sampling import quaternions, track
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from kinematics.io.text import Staged, stage_bytes
from tests.hoi_edit.export.exported_scenes import falling, holding


@pytest.fixture(scope="module")
def session() -> EditSession:
    return falling()


@pytest.fixture(scope="module")
def held() -> EditSession:
    return holding()


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def test_csv_is_the_session_row_by_row(session: EditSession, tmp_path: Path) -> None:
    (written,) = session.export(tmp_path / "a.csv", rate=50.0)
    rows = rows_of(tmp_path / "a.csv")
    assert written.size == (tmp_path / "a.csv").stat().st_size and "3 tracks of 31 rows" in str(written)
    assert [row["object"] for row in rows[::31]] == ["ball", "bat", "box"] and len(rows) == 3 * 31
    for row in rows[::7]:
        state = session.state(row["object"], float(row["time"]))
        for names, meant in (
            (("px", "py", "pz"), state.position),
            (("vx", "vy", "vz"), state.velocity),
            (("wx", "wy", "wz"), state.angular_velocity),
        ):
            assert [float(row[name]) for name in names] == pytest.approx(meant.tolist(), abs=1e-12)
        q = np.array([float(row[name]) for name in ("qw", "qx", "qy", "qz")])
        assert abs(abs(q @ state.orientation) - 1.0) < 1e-12  # the same turn, of either sign
        assert row["holder"] == "" and row["held"] == "0"
    assert all(int(row["flight"]) + int(row["held"]) + int(row["contact"]) == 1 for row in rows)


def test_events_stand_in_the_row_that_follows_them(session: EditSession, tmp_path: Path) -> None:
    session.export(tmp_path / "a.csv")
    (bounce,) = (event for event in session.rollout.events if event.object == "ball" and event.kind == "impact")
    ball = [row for row in rows_of(tmp_path / "a.csv") if row["object"] == "ball"]
    (marked,) = (k for k, row in enumerate(ball) if row["event"] == "impact")
    assert float(ball[marked - 1]["time"]) < bounce.time <= float(ball[marked]["time"])


def test_quaternions_do_not_change_sign(session: EditSession, tmp_path: Path) -> None:
    session.export(tmp_path / "a.npz", rate=200.0)
    q = arrays_of(tmp_path / "a.npz")["quaternion"]
    assert q.shape == (3, 121, 4) and np.sum(q[:, 1:] * q[:, :-1], axis=-1).min() > 0.99
    assert np.abs(np.linalg.norm(q, axis=-1) - 1.0).max() < 1e-12


def test_npz_holds_the_same_numbers_as_csv(held: EditSession, tmp_path: Path) -> None:
    for name in ("a.csv", "a.npz"):
        held.export(tmp_path / name, start=0.2, end=0.8, rate=25.0)
    arrays, rows = arrays_of(tmp_path / "a.npz"), rows_of(tmp_path / "a.csv")
    assert arrays["objects"].tolist() == ["ball"] and float(arrays["rate"]) == 25.0
    assert arrays["time"].tolist() == [float(row["time"]) for row in rows] and arrays["time"][0] == 0.2
    assert arrays["position"][0].tolist() == [[float(row[name]) for name in ("px", "py", "pz")] for row in rows]
    assert arrays["held"][0].tolist() == [row["held"] == "1" for row in rows]


def test_who_holds_a_thing_is_named_until_it_is_let_go(held: EditSession, tmp_path: Path) -> None:
    held.export(tmp_path / "a.csv")
    rows = rows_of(tmp_path / "a.csv")
    for row in rows:
        before = float(row["time"]) < 0.5
        assert row["holder"] == ("ann/right_palm" if before else "") and row["held"] == str(int(before))
    assert [row["event"] for row in rows].count("release") == 1


def test_events_as_json(session: EditSession, held: EditSession, tmp_path: Path) -> None:
    session.export(tmp_path / "a.json")
    tree = json.loads((tmp_path / "a.json").read_text())
    assert tree["up"] == "y" and tree["units"]["length"] == "m" and tree["version"] == 1
    assert tree["duration"] == pytest.approx(0.6) and tree["scene"] == "falling"
    assert [event["time"] for event in tree["events"]] == [event.time for event in session.rollout.events]
    bounce = next(event for event in tree["events"] if event["object"] == "ball")
    assert bounce["kind"] == "impact" and bounce["other"] == "ground" and not bounce["intended"]
    assert bounce["contact"] is None and bounce["normal"] == pytest.approx([0.0, 1.0, 0.0])
    assert bounce["position"][1] == pytest.approx(0.0, abs=1e-12)  # where they touch, not where the ball's centre is
    fall = np.sqrt(2 * 9.81 * 0.4)
    # the point that touches moves with the centre and with the spin (1, 2, 3) about it
    meant = np.array([1.0, -fall, 0.0]) + np.cross([1.0, 2.0, 3.0], [0.0, -0.1, 0.0])
    assert bounce["relative_velocity"] == pytest.approx(meant.tolist(), abs=1e-9)
    held.export(tmp_path / "b.json")
    (release,) = (e for e in json.loads((tmp_path / "b.json").read_text())["events"] if e["kind"] == "release")
    assert release["normal"] is None and release["intended"]


# --- what can go wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.fbx", {}, f"expected a name ending in one of {', '.join(FORMATS)}, found the suffix '.fbx'"),
        ("a", {}, "found no suffix"),
        ("no/a.csv", {}, "there is no folder"),
        ("a.csv", {"start": 0.5, "end": 0.2}, "0.5 s to 0.2 s was asked for; the end must come after the start"),
        ("a.csv", {"end": 3.0}, "the scene runs from 0 s to 0.6 s"),
        ("a.csv", {"start": float("nan")}, "the start is nan; it must be a finite number"),
        ("a.csv", {"rate": 0.0}, "must be positive"),
        ("a.csv", {"rate": 1e9}, "at most 1000000 make sense"),
        ("a.csv", {"ground": True}, "unknown option of .csv 'ground'; choose from: rate, start, end, edited"),
        ("a.bvh", {}, "this scene has no characters"),
    ],
)
def test_mistakes_are_one_sentence(
    session: EditSession, tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(HoiError) as caught:
        session.export(tmp_path / name, **options)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_may_not_be_replaced_stays(session: EditSession, tmp_path: Path) -> None:
    old = tmp_path / "a.csv"
    old.write_text("mine")
    old.chmod(stat.S_IRUSR)
    with pytest.raises(HoiError, match="read-only"):
        session.export(old)
    assert old.read_text() == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_told(session: EditSession, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(HoiError, match="cannot be written"):
        session.export(tmp_path / "a.csv")


def test_a_folder_in_the_way_is_told(session: EditSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(HoiError, match="a folder or a device"):
        session.export(tmp_path / "a.json")


@pytest.mark.parametrize("name", ["a.csv", "a.npz", "a.json", "a.glb"])
def test_a_file_that_reads_back_otherwise_is_not_kept(
    session: EditSession, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that changes a digit: the old file stays, and nothing is said to be written."""
    old = tmp_path / name
    old.write_bytes(b"old")
    written = stage_bytes

    def damaging(path: Path, data: bytes) -> Staged:
        staged = written(path, data)
        where = data.rfind(b"1")
        Path(staged.temporary).write_bytes(data[:where] + b"2" + data[where + 1 :])
        return staged

    monkeypatch.setattr(export_base, "stage_bytes", damaging)
    with pytest.raises(HoiError, match=r"read again"):
        session.export(old)
    assert old.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_a_file_that_says_something_else_than_the_scene_is_not_kept(
    session: EditSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer with a mistake in it: what counts is the scene, not what was meant to be written."""
    right = track

    def wrong(*given: Any) -> Any:
        own = right(*given)
        return replace(own, position=own.position + 1e-6)

    monkeypatch.setattr(tracks, "track", wrong)
    for name in ("a.csv", "a.npz"):
        with pytest.raises(HoiError, match=r"ball is elsewhere, by up to 1\.0e-06 m"):
            session.export(tmp_path / name)
    monkeypatch.setattr(glb, "quaternions", lambda turns: quaternions(turns)[::-1])
    with pytest.raises(HoiError, match="a joint or a thing is elsewhere"):
        session.export(tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.csv", "a.npz", "a.json", "a.glb"])
def test_a_cancelled_export_leaves_nothing(session: EditSession, tmp_path: Path, name: str) -> None:
    told: list[hoi.Progress] = []

    def stop(progress: hoi.Progress) -> bool:
        told.append(progress)
        return progress.step < progress.of

    with pytest.raises(hoi.Cancelled):
        session.export(tmp_path / name, progress=stop)
    assert list(tmp_path.iterdir()) == [] and told[-1].what == f"export {name}"
    assert [progress.step for progress in told] == list(range(1, told[-1].of + 1))


def test_edits_are_written_muted_or_not_unless_asked_otherwise(tmp_path: Path) -> None:
    session = falling()
    was = session.state("ball", 0.1).position
    assert session.drag("ball", 0.1, was + [0.1, 0.0, 0.0]).converged
    session.mute()

    def ball_at(name: str) -> np.ndarray:
        arrays = arrays_of(tmp_path / name)
        return np.asarray(arrays["position"][0, np.argmin(np.abs(arrays["time"] - 0.1))])

    session.export(tmp_path / "after.npz")
    session.export(tmp_path / "before.npz", edited=False)
    assert session.muted  # an export is no edit
    assert ball_at("after.npz") == pytest.approx(was + [0.1, 0.0, 0.0], abs=1e-6)
    assert ball_at("before.npz") == pytest.approx(was, abs=1e-12)
