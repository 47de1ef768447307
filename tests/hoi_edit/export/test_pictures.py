"""Contact sheets and films: as many frames as asked for, of the size asked for, that show something."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import hoi_edit as hoi
from hoi_edit.export import ffmpeg
from hoi_edit.export import ui_bridge as door
from hoi_edit.export.pictures import CAMERA
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from tests.hoi_edit.export.exported_scenes import falling, holding
from ui.pictures.film import frames, shape_of, viewpoint
from ui.view.camera import Camera
from ui.view.renderer import Renderer, RendererUnavailable
from ui.worker.export_job import camera_of


@pytest.fixture(scope="module")
def session() -> EditSession:
    return holding()


def test_a_sheet_has_its_frames_side_by_side(session: EditSession, tmp_path: Path) -> None:
    (written,) = session.export(tmp_path / "a.png", frames=3, columns=3, width=480)
    picture = np.asarray(Image.open(tmp_path / "a.png"))
    assert "3 frames" in written.contents and 480 <= picture.shape[1] <= 540
    tiles = [picture[80:-20, 14 + k * 166 : 174 + k * 166] for k in range(3)]
    assert all(tile.std() > 8 for tile in tiles)  # something is on each
    assert np.abs(tiles[0].astype(int) - tiles[2]).max() > 60  # and not the same


def test_a_gif_has_its_frames_and_lasts_as_long_as_it_should(session: EditSession, tmp_path: Path) -> None:
    told: list[hoi.Progress] = []
    session.export(tmp_path / "a.gif", progress=told.append, rate=10.0, start=0.2, end=0.7, width=120)
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 6 and film.size[0] == 120 and film.info["duration"] == 100  # type: ignore[attr-defined]
    assert [progress.step for progress in told] == list(range(1, 8))


def test_a_film_is_as_large_as_asked_for_and_seen_from_where_one_likes(session: EditSession, tmp_path: Path) -> None:
    part: dict[str, Any] = {"rate": 5.0, "start": 0.2, "end": 0.4, "size": (160, 91)}
    own, shown = Camera((0.0, 1.0, 0.0), 8.0, elevation=0.4), []
    for k, camera in enumerate((None, camera_of(own))):
        (written,) = session.export(tmp_path / f"{k}.gif", camera=camera, **part)
        assert "160 x 90 pixels" in written.contents
        with Image.open(written.path) as film:
            shown.append(np.asarray(film.convert("RGB"), dtype=float))
    (seen,) = frames(session.rollout, None, np.array([0.2]), 160, 90, camera=own)
    off = [float(np.abs(picture - seen).mean()) for picture in shown]
    assert off[1] < 0.5 * off[0] and camera_of(own).keys() == set(CAMERA)


def test_everything_is_in_the_picture(session: EditSession) -> None:
    times = np.linspace(0.0, 1.0, 5)
    shape = shape_of(session.rollout, times)
    camera = viewpoint(session.rollout, times, shape)
    for name in ("ann/head", "ann/left_foot", "ann/right_hand", "ball"):
        x, y, _ = camera.project(session.rollout.positions(name, times), 100, round(100 / shape)).T
        assert x.min() > 0 and x.max() < 100 and y.min() > 0 and y.max() < 100 / shape


def test_what_stays_away_from_bodies_is_in_the_picture_too(session: EditSession) -> None:
    """A ball that rolls by at some distance, and one that comes from there; not one that is miles off."""
    own, times = session.copy(), np.linspace(0.0, 1.0, 5)
    where = own.state("ann/head", 0.0).position
    for name, away in (("by", [4.0, -0.5, 0.0]), ("coming", [2.4, 0.0, 0.0]), ("gone", [5e3, 0.0, 0.0])):
        start = hoi.Flying(where + away, np.array([-1.0 if name == "coming" else 0.0, 2.0, 0.5]))
        own.add_thing(hoi.Thing(name, hoi.ball(0.1, 0.05), start))
    shape = shape_of(own.rollout, times)
    camera = viewpoint(own.rollout, times, shape)
    for name in ("ann/head", "by", "coming"):
        x, y, _ = camera.project(own.rollout.positions(name, times), 100, round(100 / shape)).T
        assert x.min() > 0 and x.max() < 100 and y.min() > 0 and y.max() < 100 / shape
    head = camera.project(own.rollout.positions("ann/head", times), 100, round(100 / shape))
    foot = camera.project(own.rollout.positions("ann/left_foot", times), 100, round(100 / shape))
    assert abs(head[0, 1] - foot[0, 1]) > 10  # who is a tenth of the picture, at least


def test_a_cancelled_film_leaves_nothing(session: EditSession, tmp_path: Path) -> None:
    for name in ("a.png", "a.gif"):
        with pytest.raises(hoi.Cancelled, match="after step 2"):
            session.export(tmp_path / name, progress=lambda progress: progress.step < 2, width=120)
    assert list(tmp_path.iterdir()) == []
    with Renderer(16, 16):  # the cancelled ones gave their memory back
        pass


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.png", {"frames": 0}, "frames is 0; it must be a whole number from 1 to 200"),
        ("a.png", {"columns": 2.5}, "columns is 2.5"),
        ("a.gif", {"size": 100}, "size is 100; it must be two whole numbers"),
        ("a.gif", {"size": (100, 5)}, "height is 5"),
        ("a.gif", {"camera": {"distance": 2.0}}, "give a dictionary of target, distance, azimuth"),
        (
            "a.gif",
            {"camera": {"target": [0, 1, 0], "distance": 0}},
            "distance of the camera is 0; it must be a positive",
        ),
        (
            "a.gif",
            {"camera": {"target": "head", "distance": 2}},
            "the target of the camera is 'head'; it must be three",
        ),
        ("a.gif", {"width": 10**6}, "width is 1000000"),
        ("a.gif", {"frames": 3}, "unknown option of .gif 'frames'; choose from: rate, start, end, edited, width"),
        ("a.gif", {"width": 3}, "width is 3; it must be a whole number from 64"),
        ("a.png", {"width": 100, "frames": 4, "columns": 4}, "100 pixels are 25 for each of 4 columns"),
        ("a.gif", {"start": 0.5, "end": 0.5}, "the end must come after the start"),
    ],
)
def test_mistakes_are_told(
    session: EditSession, tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(HoiError, match=message.replace(".", r"\.")):
        session.export(tmp_path / name, **options)


def test_where_nothing_can_be_drawn_that_is_said(
    session: EditSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: object, **__: object) -> Iterator[np.ndarray]:
        raise RendererUnavailable("no context")

    monkeypatch.setattr("ui.pictures.film.frames", nothing)
    for name in ("a.png", "a.gif"):
        with pytest.raises(HoiError, match="no context"):
            session.export(tmp_path / name, width=100)


def test_without_ffmpeg_a_film_is_one_sentence(
    session: EditSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(HoiError, match=r"need ffmpeg, which is not there; install it, or imageio-ffmpeg"):
        session.export(tmp_path / "a.mp4")


def test_an_mp4_decodes_into_its_frames(session: EditSession, tmp_path: Path) -> None:
    try:
        program = ffmpeg.program(tmp_path / "a.mp4")
    except HoiError:
        pytest.skip("no ffmpeg here")
    session.export(tmp_path / "a.mp4", start=0.0, end=0.3, width=120)
    shape = door.picture_shape(session.rollout, np.array([0.0, 0.3]))
    assert ffmpeg.frames_in(program, tmp_path / "a.mp4", (120, round(120 / shape / 2) * 2)) == 10


def test_scenes_without_anybody_are_drawn_too() -> None:
    own = falling()
    (pixels,) = frames(own.rollout, None, np.array([0.2]), 96, 96)
    assert pixels.shape == (96, 96, 3) and pixels.std() > 5


def test_pictures_and_films_of_a_scene_that_things_and_people_came_into(session: EditSession, tmp_path: Path) -> None:
    own = session.copy()
    own.add_thing(hoi.Thing("second", hoi.ball(0.1, 0.04), hoi.Flying(np.array([0.5, 1.0, 0.8]))))
    own.import_clip(clip_path("stand_mime"), move=(1.5, 0.0))
    for name, options in (("a.png", {"frames": 1}), ("a.gif", {"rate": 10.0, "end": 0.1})):
        (written,) = own.export(tmp_path / name, width=128, **options)
        assert written.path.exists()
