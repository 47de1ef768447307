"""Object tracks: `.csv`, a row per thing and time, and `.npz`, the same as arrays. docs/EXPORT.md has the columns."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from hoi_edit.export.base import Draft, Take, require
from hoi_edit.export.sampling import Track, track
from hoi_edit.reporting.words import count_of
from hoi_edit.simulate.kind_words import CONTACT, FLIGHT, HELD
from hoi_edit.simulate.tables import SPANS
from kinematics.errors import HoiError

RATE = 60.0  # [Hz]
PHASES = tuple(dict.fromkeys((FLIGHT, HELD, CONTACT, *SPANS)))  # a kind that is new has a column after these
NUMBERS = (
    "time", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
)  # fmt: skip
COLUMNS = ("object", *NUMBERS, "holder", *PHASES, "event")


def csv_drafts(take: Take, path: Path) -> list[Draft]:
    tracks = _tracks(take, path)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for thing_track in tracks:
        writer.writerows(_rows(thing_track))
    return [Draft(path, text.getvalue().encode(), lambda written: _check_csv(take, path, tracks, written))]


def npz_drafts(take: Take, path: Path) -> list[Draft]:
    tracks = _tracks(take, path)
    data = io.BytesIO()
    np.savez_compressed(data, **_arrays(take, tracks))
    return [Draft(path, data.getvalue(), lambda written: _check_npz(take, path, tracks, written))]


def _tracks(take: Take, path: Path) -> list[Track]:
    things = take.scene.things
    if not things:
        raise HoiError(f"{path}: this scene has no things; tracks are of things, the motion of a body leaves as .bvh")
    times, tracks = take.times(take.rate or RATE), []
    for k, thing in enumerate(things, start=1):
        tracks.append(track(take.rollout, thing.name, times))
        take.tell(k, len(things) + 1)
    take.tell(len(things) + 1, len(things) + 1)
    return tracks


def _numbers(thing_track: Track) -> np.ndarray:
    parts = (
        thing_track.times[:, None],
        thing_track.position,
        thing_track.quaternion,
        thing_track.velocity,
        thing_track.angular_velocity,
    )
    return np.concatenate(parts, axis=1)


def _rows(thing_track: Track) -> list[list[Any]]:
    flags = [[int(phase == kind) for kind in PHASES] for phase in thing_track.phases]
    # `repr` is the shortest text that reads back as the same number
    return [
        [thing_track.name, *map(repr, row), holder, *flag, event]
        for row, holder, flag, event in zip(
            _numbers(thing_track).tolist(), thing_track.holders, flags, thing_track.events, strict=True
        )
    ]


def _words(row: list[Any]) -> list[str]:
    """What is no measure in a row."""
    return [str(row[0]), *map(str, row[1 + len(NUMBERS) :])]


def _arrays(take: Take, tracks: list[Track]) -> dict[str, Any]:
    phases = np.array([thing_track.phases for thing_track in tracks])
    return {
        "objects": np.array([thing_track.name for thing_track in tracks]),
        "time": tracks[0].times,
        "position": np.stack([thing_track.position for thing_track in tracks]),
        "quaternion": np.stack([thing_track.quaternion for thing_track in tracks]),
        "velocity": np.stack([thing_track.velocity for thing_track in tracks]),
        "angular_velocity": np.stack([thing_track.angular_velocity for thing_track in tracks]),
        "holder": np.array([thing_track.holders for thing_track in tracks]),
        **{kind: phases == kind for kind in PHASES},
        "event": np.array([thing_track.events for thing_track in tracks]),
        "rate": np.array(take.rate or RATE),
        "scene": np.array(take.scene.name),
    }


def _summary(tracks: list[Track]) -> str:
    return f"{count_of(len(tracks), 'track')} of {count_of(len(tracks[0].times), 'row')}"


def _check_csv(take: Take, path: Path, tracks: list[Track], written: Path) -> str:
    with written.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    require(len(rows) == sum(len(thing_track.times) for thing_track in tracks), path, "the number of rows differs")
    first = 0
    for thing_track in tracks:
        mine = rows[first : first + len(thing_track.times)]
        first += len(thing_track.times)
        read = np.array([[float(row[name]) for name in NUMBERS] for row in mine])
        require(np.array_equal(read, _numbers(thing_track)), path, f"numbers of {thing_track.name} differ")
        words = [[row[name] for name in ("object", "holder", *PHASES, "event")] for row in mine]
        require(
            words == [_words(row) for row in _rows(thing_track)], path, f"what became of {thing_track.name} differs"
        )
        _check_places(take, path, thing_track.name, thing_track.times, read[:, 1:4])
    return _summary(tracks)


def _check_npz(take: Take, path: Path, tracks: list[Track], written: Path) -> str:
    with np.load(written, allow_pickle=False) as file:
        read = dict(file)
    meant = _arrays(take, tracks)
    for name, array in meant.items():
        require(name in read and np.array_equal(read[name], array), path, f"array {name!r} differs")
    for k, thing_track in enumerate(tracks):
        _check_places(take, path, thing_track.name, read["time"], read["position"][k])
    return _summary(tracks)


def _check_places(take: Take, path: Path, name: str, times: np.ndarray, places: np.ndarray) -> None:
    """Against the scene itself, which computes many places at once by another way than one state after the other."""
    off = float(np.abs(take.rollout.positions(name, times) - places).max(initial=0.0))
    require(off < 1e-9, path, f"{name} is elsewhere, by up to {off:.1e} m")
