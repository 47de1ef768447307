"""The command line as a person types it, in a process of its own where exit status and streams matter."""

import csv
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.commands.doubt_notes import doubts_as_notes
from hoi_edit.edit.report import Report
from hoi_edit.export.ui_bridge import CannotDraw
from hoi_edit.reporting.findings import Finding
from hoi_edit.scenes import SCENES, demos
from hoi_edit.scenes.demos import DEMOS, Demo
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from hoi_edit.verify import Measure
from kinematics.clip_tools import trim
from kinematics.errors import HoiError
from kinematics.io import read_clip
from tests.hoi_edit.export.exported_scenes import holding, mime


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hoi_edit.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ), check=False)


@dataclass(frozen=True)
class Shown:
    """What a demo has printed, and where it has left its files."""

    lines: list[str]
    folder: Path


def letting_go() -> hoi.Scene:
    clip = trim(mime(), 1.0, 2.0)
    held = hoi.Thing("ball", hoi.ball(0.13, 0.037), hoi.Held("ann/left_palm", 1.5))
    return hoi.Scene([hoi.Character.of("ann", clip)], [held], [hoi.ground()], start=1.0, end=2.0, name="letting go")


@pytest.fixture(scope="module")
def small_scene() -> Iterator[None]:
    """In the place of `juggle3`, for the time of these tests: one hand that lets go of one ball."""
    small = Demo("a ball is let go elsewhere", "ball", 1.7, (0.15, 0.15, 0.0), (1.4, 1.9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demos, "DEMOS", {"juggle3": small})
        patch.setitem(SCENES, "juggle3", letting_go)
        yield


@pytest.fixture(scope="module")
def shown(small_scene: None, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("results") / "new" / "folder"
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            patch.delenv(name, raising=False)
        assert main(["--out", str(folder)]) == 0
    return Shown(printed.getvalue().splitlines(), folder)


def test_alone_it_drags_a_ball_and_says_what_followed(shown: Shown) -> None:
    if sys.platform != "darwin":
        assert shown.lines[0] == "no screen found: working without a window"
    told = {line[:8].strip(): line[10:] for line in shown.lines if not line.startswith((" ", str(shown.folder)))}
    assert told["dragged"].startswith("ball at 1.70 s by 21.2 cm, from (")
    assert "hand by up to" in told["followed"]
    assert any("the throw of ball by " in line and " from where it was" in line for line in shown.lines)
    assert told["kept"].startswith("1 of 1 throws, with a residual of ")
    assert float(told["kept"].split()[-3]) < 1e-6
    assert "claims hold; flights and touches are true to 1 nm" in told["measured"]
    assert len(shown.lines) <= 18


def test_each_file_of_a_demo_is_named_with_what_opens_it(shown: Shown) -> None:
    named = [Path(line.split("  ")[0]) for line in shown.lines if line.startswith(str(shown.folder))]
    assert {path.suffix for path in named} == {".hoi", ".bvh", ".csv", ".glb", ".png", ".gif"}
    assert sorted(named) == sorted(shown.folder.iterdir())
    assert any(line.endswith(f"to go on with: hoi-edit {shown.folder / 'juggle3.hoi'}") for line in shown.lines)
    assert sum("; opens in " in line for line in shown.lines) == 5


def test_files_of_a_demo_are_of_the_scene_that_was_dragged(shown: Shown) -> None:
    saved = EditSession.saved(shown.folder / "juggle3.hoi")
    assert [step.label for step in saved.history] == ["open", "drag ball at 1.70 s"]
    place = saved.state("ball", 1.7).position
    np.testing.assert_allclose(place - saved.source.state("ball", 1.7).position, [0.15, 0.15, 0.0], atol=1e-6)
    rows = list(csv.DictReader((shown.folder / "juggle3.csv").open()))
    row = min(rows, key=lambda sample: abs(float(sample["time"]) - 1.7))
    np.testing.assert_allclose([float(row[axis]) for axis in ("px", "py", "pz")], place, atol=1e-6)
    assert read_clip(shown.folder / "juggle3.bvh").n_frames > 1
    assert (shown.folder / "juggle3.glb").read_bytes()[:4] == b"glTF"


def test_pictures_of_a_drag_show_it(shown: Shown) -> None:
    sheet = np.asarray(Image.open(shown.folder / "juggle3.png").convert("RGB")).astype(int)
    before, after = np.split(sheet[64:-14, 14:-14], [(sheet.shape[1] - 34) // 2], axis=1)
    assert arrow(before) > 50 and arrow(after[:, 6:]) == 0  # it leads from where the ball was
    with Image.open(shown.folder / "juggle3.gif") as film:
        stills = []
        for k in range(getattr(film, "n_frames", 1)):
            film.seek(k)
            stills.append((film.info["duration"], arrow(np.asarray(film.convert("RGB")).astype(int)[:-54])))
    assert len(stills) == 2 + demos.MOVES + 10  # of 0.5 s, one for each 0.05 s
    # before; dragged; and the first of what is played, before which time leaps back
    assert [k for k, (shown, _) in enumerate(stills) if shown == 900] == [0, 1 + demos.MOVES, 2 + demos.MOVES]
    assert stills[0][1] == 0 and stills[1 + demos.MOVES][1] > 20 and not any(pixels for _, pixels in stills[-10:])


def arrow(pixels: np.ndarray) -> int:
    """How many pixels are as yellow as an arrow."""
    red, green, blue = np.moveaxis(pixels, 2, 0)
    return int(np.sum((red > 200) & (green > 150) & (blue < 140) & (red - blue > 100) & (green - blue > 60)))


def test_a_demo_keeps_what_somebody_went_on_with(
    shown: Shown, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    mine = EditSession.saved(shown.folder / "juggle3.hoi")
    mine.undo()
    mine.drag("ball", 1.8, mine.state("ball", 1.8).position + [0.0, 0.02, 0.0])
    mine.save(tmp_path / "juggle3.hoi")
    mine.close()
    saved = (tmp_path / "juggle3.hoi").read_bytes()
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert "this has other edits than the demo's, and is kept" in capsys.readouterr().err
    assert (tmp_path / "juggle3.hoi").read_bytes() == saved
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", "juggle3.hoi"}


def test_a_demo_says_what_is_off_and_what_cannot_be_drawn_and_leaves_the_rest(
    shown: Shown, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def undrawn(*_: object) -> None:
        raise CannotDraw("there is no OpenGL")

    monkeypatch.setattr("hoi_edit.export.ui_bridge.drag_picture", undrawn)
    wrong = Measure("flight", "ball flies as gravity says", 1.6, 0.02, 1e-6)
    monkeypatch.setattr("hoi_edit.commands.demo.measures", lambda _: iter([wrong]))
    before = (shown.folder / "juggle3.png").read_bytes()
    assert main(["demo", "--out", str(shown.folder)]) == 1  # its own files are replaced
    captured = capsys.readouterr()
    assert "1 of 1 claim is off, the first: not so: ball flies as gravity says at 1.6000 s" in captured.out
    assert "the picture and the film are left out: there is no OpenGL" in captured.err
    assert captured.out.splitlines()[-1].startswith(f"{shown.folder / 'juggle3.glb'}  ")
    assert (shown.folder / "juggle3.png").read_bytes() == before


def test_a_demo_that_is_not_reached_leaves_nothing(
    small_scene: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Report(False, 0.5, 3, missed={Finding("drag", "ball"): 0.5})
    monkeypatch.setattr("hoi_edit.edit.gesture.Gesture.commit", lambda *_: refused)
    assert main(["demo", "--out", str(tmp_path / "new")]) == 2
    assert "ball cannot be dragged there: <not reached in 3 steps" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="there is always a screen")
@pytest.mark.parametrize("clip", ["stand_mime", str(clip_path("stand_mime"))])
def test_a_clip_alone_is_for_the_editor(clip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([clip]) == 2
    assert "the editor needs a screen" in capsys.readouterr().err


def test_import_tells_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "changed.bvh"
    changes = ["--trim", "1", "3", "--mirror", "--resample", "30", "--turn", "90", "--move", "2", "0"]
    assert main(["import", "juggling_mime", "--out", str(out), *changes]) == 0
    printed = capsys.readouterr().out
    assert "fastest joint" in printed and "left_palm" in printed and "foot contacts" in printed
    clip = read_clip(out, units="m")
    assert clip.frame_time == pytest.approx(1 / 30) and clip.n_frames == 61
    assert abs(clip.poses[0, 0] - 2.0) < 0.1


def test_fit_prints_a_row_per_spacing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "juggling_mime", "--spacing", "0.1", "0.3"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("0.")]
    assert len(rows) == 2


def test_fit_leaves_a_table_and_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new"
    assert main(["fit", "juggling_mime", "--spacing", "0.2", "0.3", "--out", str(folder)]) == 0
    assert "42 degrees of freedom" in capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == {"juggling_mime_fit.txt", "juggling_mime_fit.png"}
    assert (folder / "juggling_mime_fit.txt").read_text().startswith("juggling_mime: ")
    picture = np.asarray(Image.open(folder / "juggling_mime_fit.png").convert("RGB"))
    assert picture.shape[1] == 1600 and picture.std() > 15  # something is on it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nonsense"],
            "unknown command, scene or clip 'nonsense'; choose from: edit, demo, import, fit, scenes, export",
        ),
        (["exprot", "mine.hoi"], "did you mean 'export'?"),
        (["jugle3"], "did you mean 'juggle3'?"),
        (["fit", "juggling_mim"], "did you mean 'juggling_mime'?"),
        (["juggle", "3", "--out", "mine.hoi"], "mine.hoi: results go into a folder"),
        (["lost.bvh"], "lost.bvh"),
        (
            ["import", "juggling_mime", "--trim", "50", "60"],
            "no row of clip 'juggling_mime' lies between 50 s and 60 s",
        ),
        (["import", "juggling_mime", "--units", "furlong"], "furlong"),
        (["import", "juggling_mime", "--role", "left_hand"], "expected ROLE=JOINT"),
        (["fit", "juggling_mime", "--spacing", "-1"], "knot spacing of -1"),
        (["fit", "juggling_mime", "--spacing", "0.0001"], "denser than the rows"),
        (["fit", "--spacing", "x"], "fit: --spacing: 'x' is no number; give S, "),
        (["juggle", "3", "--rounds", "2.5"], "juggle: --rounds: '2.5' is no whole number; give N, how often"),
        (["import", "juggling_mime", "--move", "1"], "import: --move: expected 2 arguments; give X Z, move it [m]"),
        (
            ["render", "juggle3", "--out", "a.png", "--widht", "9"],
            "render: unknown option '--widht'; choose from: --help, --out, --width",
        ),
        (["--oot", "x"], "demo: unknown option '--oot'; choose from: --help, --out; did you mean '--out'?"),
        (["export", "juggle3"], "export: the following arguments are required: --out; hoi-edit export --help says"),
        (["demo", "juggle3", "more"], "demo: 'more' is one word too many; hoi-edit demo --help says what it takes"),
        (["import", "juggling_mime", "--resample", "1e9"], "at most 1000000 make sense"),
        (["import", "juggling_mime", "--repeat", "100000000"], "at most 1000000 make sense"),
    ],
)
def test_mistakes_are_one_sentence_and_status_two(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("note: ")]
    assert len(errors) == 1 and errors[0].startswith("hoi-edit: ") and message in errors[0]


def test_the_clip_itself_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.bvh"
    own.write_bytes(clip_path("juggling_mime").read_bytes())
    before = own.read_bytes()
    assert main(["import", str(own), "--mirror", "--out", str(own)]) == 2
    assert "is never changed; give another name" in capsys.readouterr().err
    assert own.read_bytes() == before


def test_results_never_replace_devices_folders_or_read_only_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked = tmp_path / "locked.bvh"
    locked.write_text("mine")
    locked.chmod(0o444)
    os.mkfifo(tmp_path / "pipe.bvh")
    (tmp_path / "folder.bvh").mkdir()
    for name, reason in (("locked", "read-only"), ("pipe", "a folder or a device"), ("folder", "a folder or a device")):
        assert main(["import", "juggling_mime", "--trim", "0", "0.5", "--out", str(tmp_path / f"{name}.bvh")]) == 2
        assert reason in capsys.readouterr().err
    assert locked.read_text() == "mine" and (tmp_path / "pipe.bvh").is_fifo()
    assert main(["import", "juggling_mime", "--out", str(tmp_path / "x.fbx")]) == 2
    assert main(["import", "juggling_mime", "--out", str(tmp_path / "no" / "x.bvh")]) == 2


def test_a_body_that_nobody_knows_and_a_single_row_are_drawn_too(tmp_path: Path) -> None:
    rows = (
        "HIERARCHY\nROOT box\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    )
    rows += "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 1 0 10 20 30\n"
    (tmp_path / "box.bvh").write_text(rows)
    assert main(["fit", str(tmp_path / "box.bvh"), "--out", str(tmp_path / "out")]) == 0
    assert Image.open(tmp_path / "out" / "box_fit.png").size == (1600, 480)


def test_axes_that_point_down_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "juggling_mime", "--up", "-z"]) == 0
    assert "42 degrees of freedom" in capsys.readouterr().out


def test_no_traceback_reaches_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0\n")
    result = run("import", str(tmp_path / "broken.bvh"))
    assert result.returncode == 2
    assert "Traceback" not in result.stderr and "broken.bvh:5: expected a number" in result.stderr


def test_results_that_cannot_be_written_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["--out", str(tmp_path / "file")]) == 2
    assert "results go into a folder" in capsys.readouterr().err
    assert main(["--out", str(tmp_path / "file" / "within")]) == 2
    assert "results cannot be written there" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_read_only_folder_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda folder, mode: False)  # a superuser may write anywhere
    assert main(["demo", "--out", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert f"{tmp_path}: results cannot be written there (it is read-only)" in captured.err
    assert "dragged" not in captured.out and not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_nobody_can_take_is_one_sentence() -> None:
    command = f"{sys.executable} -m hoi_edit.cli fit juggling_mime --spacing 0.2 > /dev/full"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 2
    assert result.stderr.strip().splitlines() == ["hoi-edit: the output cannot be written: No space left on device"]


def test_interrupting_is_one_word() -> None:
    # a process started in the background of a script ignores the signal unless it is told not to
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from hoi_edit.cli import main; sys.exit(main(['fit', *50 * ['stand_mime'], '--spacing', '0.3']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("stand_mime"):  # well inside the work
            process.send_signal(signal.SIGINT)
            break
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors.strip() == "hoi-edit: interrupted"


def test_scenes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenes"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert names == list(SCENES) and set(DEMOS) == {name for name in SCENES if ":" not in name}


def test_a_document_is_exported_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = holding()
    session.save(tmp_path / "mine.hoi")
    session.close()
    names = [str(tmp_path / name) for name in ("a.csv", "a.glb")]
    options = ["--rate", "30", "--start", "0.2", "--ground"]
    assert main(["export", str(tmp_path / "mine.hoi"), "--out", names[0], "--out", names[1], *options]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in printed] == [["wrote", name] for name in names]
    assert "1 track of 25 rows" in printed[0]
    picture = str(tmp_path / "a.png")
    assert main(["render", str(tmp_path / "mine.hoi"), "--out", picture, "--frames", "2", "--width", "200"]) == 0
    assert "2 frames" in capsys.readouterr().out and Image.open(picture).size[0] >= 200


def test_a_clip_is_exported_like_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = str(clip_path("stand_mime"))
    assert main(["export", clip, "--out", str(tmp_path / "a.bvh"), "--end", "0.5"]) == 0
    assert "stand_mime" in capsys.readouterr().out and (tmp_path / "a.bvh").exists()


def test_a_stretch_that_a_clip_does_not_have_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    end = read_clip(clip_path("stand_mime")).end
    assert main(["import", "stand_mime", "--trim", "1", "300"]) == 0
    told = capsys.readouterr().err
    assert f"note: stand_mime: 1 s to 300 s was asked for, but it has 0 s to {end:g} s" in told
    assert main(["import", "stand_mime", "--trim", "0", f"{end}"]) == 0
    assert "asked for" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "juggle3", "--out", "a.fbx"], "a.fbx: expected a name ending in one of .bvh, .csv"),
        (["export", "juggle3", "--out", "a.csv", "--ground"], "--ground is for .glb"),
        (["export", "jugle3", "--out", "a.csv"], "unknown scene 'jugle3'; choose from: juggle3"),
        (["render", "juggle3", "--out", "a.glb"], "a.glb: expected a name ending in one of .png, .gif, .mp4"),
        (["demo", "nothing"], "unknown demo 'nothing'; choose from: juggle3"),
    ],
)
def test_mistakes_about_files_are_told_before_the_work(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("hoi-edit: ") and message in error and error.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m hoi_edit.cli fit juggling_mime | head -n 1"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in result.stderr and "juggling_mime" in result.stdout


def test_what_fails_leaves_no_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise HoiError("no hand is so fast")

    monkeypatch.setattr("hoi_edit.juggling.pattern_solver.performance", fail)
    assert main(["juggle", "3", "--out", str(tmp_path / "a" / "b")]) == 2
    assert not (tmp_path / "a").exists()
    (tmp_path / "mine").mkdir()
    assert main(["juggle", "3", "--out", str(tmp_path / "mine")]) == 2
    assert (tmp_path / "mine").exists()  # it was there before


def test_what_a_session_warns_of_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    with doubts_as_notes():
        warnings.warn("walk.bvh: its floor slopes; level=True has it turned level", hoi.DoubtfulClip, stacklevel=1)
    told = capsys.readouterr().err
    assert told == "note: walk.bvh: its floor slopes; hoi-edit import --level has it turned level\n"
