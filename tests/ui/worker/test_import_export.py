"""Exports, imports, problems and failures without a window: what is asked, what is said, and that nothing stalls."""

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.scenes.resources import clip_path
from tests.kinematics.io.samples import HIP_HEIGHT, person_bvh, standing, written
from ui.words.fixes import UNDO, Fix, KeepItClear, LetGo, Remove, ToggleLock
from ui.words.names import sentence
from ui.words.problems import fixes_of, in_scene
from ui.worker.export_job import TITLES, Exporting, Wish, missing, size
from ui.worker.import_job import UNITS, ClipWish, ThingWish, look_into
from ui.worker.session_thread import Worker

PATIENCE = 60.0  # [s]


def flying(name: str, x: float, vx: float = 0.0) -> hoi.Thing:
    return hoi.Thing(name, hoi.ball(0.4, 0.1), hoi.Flying(np.array([x, 1.0, 0.0]), np.array([vx, 2.0, 0.0])))


@pytest.fixture(scope="module")
def session() -> hoi.EditSession:
    """Two balls that run into each other, which nobody meant."""
    things = [flying("ball", 0.0), flying("other", 0.5, vx=-2.0)]
    return hoi.EditSession(hoi.Scene(things=things, end=0.5, name="two"))


# -- exports


def test_a_wish_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    good = Wish(str(tmp_path), "mine", (".csv", ".json"))
    assert good.problem() is None and [path.name for path in good.paths()] == ["mine.csv", "mine.json"]
    assert replace(good, name="mine.glb").paths()[0].name == "mine.csv"  # an ending that somebody wrote
    assert replace(good, name="v1.2").paths()[0].name == "v1.2.csv"
    wrong = [replace(good, name=" "), replace(good, name="a/b"), replace(good, suffixes=())]
    wrong.append(replace(good, folder=str(tmp_path / "none")))
    assert all(own.problem() for own in wrong) and "none" in str(wrong[-1].problem())
    (tmp_path / "mine.csv").write_text("")
    assert good.replaces() == ["mine.csv"]
    assert replace(good, start=0.1, end=0.2, edited=False).options() == {"edited": False, "start": 0.1, "end": 0.2}


def test_every_format_has_a_title() -> None:
    from hoi_edit.export import FORMATS

    assert set(TITLES) == set(FORMATS) and all(suffix in title for suffix, title in TITLES.items())


def test_files_are_written_on_a_thread_and_one_that_fails_does_not_stop_the_others(
    session: hoi.EditSession, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").mkdir()  # cannot be replaced by a file
    job = Exporting(session.copy(), [tmp_path / "a.csv", tmp_path / "a.json", tmp_path / "a.npz"])
    assert job.wait(PATIENCE)
    assert [row.state for row in job.rows] == ["failed", "written", "written"]
    assert job.rows[0].words.endswith(".") and "a.csv" in job.rows[0].words and "\n" not in job.rows[0].words
    assert "kB" in job.rows[1].words and json.loads((tmp_path / "a.json").read_text())["scene"] == "two"
    level, words = job.summary
    assert level == "warning" and words.startswith("Exported a.json, a.npz.")


def test_a_cancelled_export_leaves_whole_files_only(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow:
        def export(self, path: Path, listen: Any, **options: Any) -> tuple[Any, ...]:
            begun.set()
            go_on.wait(PATIENCE)
            if listen(hoi.Progress("export", 1, 2, float("nan"))) is False:
                raise hoi.Cancelled("it was cancelled")
            return ()

    job = Exporting(Slow(), [tmp_path / "a.csv", tmp_path / "b.csv"])  # type: ignore[arg-type]
    assert begun.wait(PATIENCE)
    job.cancel()
    go_on.set()
    assert job.wait(PATIENCE) and [row.state for row in job.rows] == ["cancelled", "cancelled"]
    assert job.summary == ("info", "Nothing was exported. The rest was cancelled.") and not list(tmp_path.iterdir())


def test_films_are_offered_only_where_there_is_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    from hoi_edit.export import ffmpeg

    def none(path: Path) -> str:
        raise hoi.HoiError(f"{path}: films as .mp4 need ffmpeg, which is not there")

    monkeypatch.setattr(ffmpeg, "program", lambda path: "/usr/bin/ffmpeg")
    assert missing() == {}
    monkeypatch.setattr(ffmpeg, "program", none)
    assert list(missing()) == [".mp4"] and "ffmpeg" in missing()[".mp4"]


def test_sizes_and_sentences() -> None:
    assert size(12) == "1 kB" and size(523_400) == "523 kB" and size(2_340_000) == "2.3 MB"
    assert sentence("no scene is open") == "No scene is open." and sentence("a.hoi: it is empty").startswith("a.hoi")


# -- imports


def test_what_is_asked_of_a_thing_is_checked_before_it_is_made() -> None:
    good = ThingWish("ball", "ball2", position=(2.0, 1.0, 0.0))
    assert good.problem(["ball"]) is None and good.thing().start.position.tolist() == [2.0, 1.0, 0.0]  # type: ignore[union-attr]
    assert "ball2" in str(good.problem(["ball2"]))
    wrong = [replace(good, name=""), replace(good, name="a/b"), replace(good, mass=0.0), replace(good, radius=-1.0)]
    wrong += [replace(good, position=(float("nan"), 0.0, 0.0)), replace(good, restitution=2.0)]
    assert all(own.problem([]) for own in wrong)
    box = replace(good, kind="box", sides=(0.2, 0.4, 0.6)).thing().body
    assert np.abs(box.vertices).max(axis=0) == pytest.approx([0.1, 0.2, 0.3])
    assert isinstance(replace(good, held_by="mime/right_palm").thing().start, hoi.Held)


def test_a_mesh_is_as_large_as_its_unit_says(tmp_path: Path) -> None:
    path = tmp_path / "crate.stl"
    trimesh.creation.box((400.0, 200.0, 200.0)).export(path)
    wish = ThingWish("mesh", "crate", mass=2.0, path=str(path), unit=UNITS["mm"])
    made, like = wish.thing().body, hoi.box(2.0, [0.2, 0.1, 0.1])
    assert np.sort(np.ptp(made.vertices, axis=0)) == pytest.approx([0.2, 0.2, 0.4])
    assert float(made.mass) == 2.0 and np.sort(made.moments) == pytest.approx(np.sort(like.moments))


def test_a_clip_becomes_a_scene_as_it_was_trimmed() -> None:
    path = str(clip_path("catch_mime"))
    found = look_into(path)
    assert found.rate == pytest.approx(60.0) and found.end > 2.0 and found.joints > 10
    wish = ClipWish(path, (0.5, 1.5), at=0.0, move=(1.0, 0.0), turn=90.0)
    scene = wish.scene()
    assert scene.start == 0.0 and scene.end == pytest.approx(1.0) and scene.fixtures[0].name == "ground"
    assert replace(wish, trim=(1.0, 1.0)).problem() and replace(wish, at=float("nan")).problem()
    assert wish.problem() is None


# -- problems


def test_what_a_file_leaves_unsaid_is_offered_and_used(tmp_path: Path) -> None:
    rows = standing(90) + [{**row, "place": (6.0, HIP_HEIGHT, 0.0)} for row in standing(30)]
    path = str(written(tmp_path, person_bvh(rows).replace("RightHand", "Grip_b")))
    unsaid = look_into(path).unsaid
    assert unsaid.parts == ("right_hand",) and "Grip_b" in unsaid.joints and unsaid.leaps
    assert {"cm", "inch"} <= set(unsaid.units) and {"y", "-z"} <= set(unsaid.up)
    reading = {"units": 1.1, "up": "y", "roles": {"right_hand": "Grip_b"}, "cut": True}
    scene = ClipWish(path, (0.0, 1.0), 0.0, reading=reading).scene()
    (person,) = scene.characters
    assert "right_palm" in [site.name for site in person.skeleton.sites] and scene.end == pytest.approx(89 / 120)
    assert person.skeleton.offset[person.skeleton.segment("Neck"), 1] == pytest.approx(1.1 * 0.3)
    assert not look_into(str(clip_path("stand_mime"))).unsaid.leaps


def test_a_collision_has_a_button_and_so_has_an_edit_that_made_one(session: hoi.EditSession) -> None:
    problems = in_scene(session.rollout, session.document)
    actions = [fix.do for problem in problems for fix in problem.fixes]
    pairs = {frozenset((action.thing, action.other)) for action in actions if isinstance(action, KeepItClear)}
    assert pairs == {frozenset({"ball", "other"})} and "hits" in problems[0].text
    hit = next(event for event in session.rollout.events if event.kind == "impact")
    other = str(hit.other)
    changed = (Finding("hits", hit.object, other, hit.time), Finding("lost", "catch3"))
    fixes = fixes_of(Report(True, 0.0, 3, (), changed), session.rollout, session.document)
    assert fixes == (Fix(f"Keep {hit.object} clear of {other}", KeepItClear(hit.object, other, hit.time)), UNDO)
    assert fixes_of(Report(True, 0.0, 3), session.rollout, session.document) == ()


def test_what_holds_an_edit_back_can_be_let_go_removed_or_unlocked() -> None:
    scene = hoi.Scene(
        things=[flying("ball", 0.0)], fixtures=[hoi.ground()], end=0.9,
        contacts=[hoi.Contact("bounce1", "ball", "ground", 0.68)],
    )  # fmt: skip
    own = hoi.EditSession(scene)
    own.add(hoi.Pin("ball", 0.2, position=own.state("ball", 0.2).position))
    own.lock("ball")
    own.window(0.1, 0.5)
    pin = Finding("pin", "ball", time=0.2)
    report = Report(False, 0.1, 5, (Finding("contact", "bounce1"), pin, Finding("joint limits", "nobody")), (), {})
    fixes = fixes_of(report, own.rollout, own.document)
    assert [fix.do for fix in fixes] == [
        UNDO.do, LetGo("bounce1"), Remove(own.document.constraints[0]), ToggleLock("ball"),
    ]  # fmt: skip
    broken = Report(False, 0.1, 5, (), (), {pin: 0.1})
    assert UNDO not in fixes_of(broken, own.rollout, own.document)  # nothing was changed
    own.let_go("bounce1")
    assert not any(isinstance(fix.do, LetGo) for fix in fixes_of(report, own.rollout, own.document))


def test_contacts_that_do_not_happen_are_told() -> None:
    far = hoi.Contact("bounce1", "ball", "ground", 0.3)
    scene = hoi.Scene(things=[flying("ball", 0.0)], fixtures=[hoi.ground()], end=0.4, contacts=[far])
    from hoi_edit.edit.document import Document
    from hoi_edit.rollout import Model

    model = Model.of(scene)
    rollout = model.simulate(model.start)
    document = Document(scene, model.start, rollout.nodes)
    (problem,) = in_scene(rollout, document)
    assert problem.text.startswith("The touch of ball on ground at 0.30 s does not happen")
    assert problem.fixes[1] == Fix("Let it go", LetGo("bounce1"))
    assert in_scene(rollout, replace(document, loose=("bounce1",))) == ()


# -- failures


def saved(folder: Path) -> Path:
    path = folder / "good.hoi"
    hoi.EditSession(hoi.Scene(things=[flying("ball", 0.0)], end=0.5, name="one")).save(path)
    return path


def said(*asked: Any) -> list[Any]:
    """What a worker says to what it is asked."""
    worker = Worker()
    for ask in asked:
        ask(worker)
    end = time.monotonic() + PATIENCE
    while not worker.idle and time.monotonic() < end:
        time.sleep(0.01)
    worker.close()
    return worker.messages()


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04" + 60 * b"\0"])
def test_a_corrupt_document_is_one_sentence(tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.hoi"
    path.write_bytes(content)
    (message,) = said(lambda worker: worker.open(str(path)))
    assert message.level == "error" and "bad.hoi" in message.text and message.text.count("\n") == 0
    assert "Traceback" not in capfd.readouterr().err and path.read_bytes() == content


def test_a_folder_that_cannot_be_written_to_is_told_and_nothing_is_lost(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path)
    before = path.read_bytes()
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "a.hoi"  # where nobody may write, not even root
    opened, told = said(
        lambda worker: worker.open(str(path)),
        lambda worker: worker.do("Saving", lambda own, tell: own.save(nowhere), "Saved."),
    )
    assert opened.level == "info" and told.level == "error" and "cannot be written" in told.text
    assert path.read_bytes() == before and "Traceback" not in capfd.readouterr().err


def test_a_clip_that_is_missing_is_told(tmp_path: Path) -> None:
    path = saved(tmp_path)
    wish = ClipWish(str(tmp_path / "gone.bvh"), (0.0, 1.0), 0.0)
    _, told = said(lambda w: w.open(str(path)), lambda w: w.do("Importing", lambda s, tell: wish.into(s)))
    assert told.level == "error" and "gone.bvh" in told.text


def test_a_screen_that_does_not_answer_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISPLAY", ":987")
    assert main(["juggle3"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and ("DISPLAY=:987" in told or "libX11" in told)


def test_too_old_a_driver_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from ui import app
    from ui.view import viewport
    from ui.view.renderer import RendererUnavailable

    def old(*_: Any) -> None:
        raise RendererUnavailable("No offscreen OpenGL 3.3 context could be made: the driver is too old.")

    monkeypatch.setattr(viewport, "Renderer", old)
    with pytest.raises(hoi.HoiError, match="too old"):
        app.App("juggle3")
