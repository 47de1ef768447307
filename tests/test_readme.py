"""What the README and the examples tell people to type is typed here."""

import ast
import re
import runpy
import shutil
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoi_edit import cli
from hoi_edit.edit.report import Report
from hoi_edit.scenes.resources import clip_path
from kinematics.io import read_bvh

REPOSITORY = Path(__file__).resolve().parent.parent


def typed(code: str, file: str) -> tuple[list[Report], dict[str, Any]]:
    """What a listing gives, line by line: the reports of its edits, and its names."""
    names: dict[str, Any] = {}
    reports = []
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), file, "eval"), names)
            reports += [value] if isinstance(value, Report) else []
        else:
            exec(compile(ast.Module([statement], []), file, "exec"), names)
    return reports, names


def recipes() -> dict[str, str]:
    """The code of each section of the cookbook."""
    text = (REPOSITORY / "docs" / "COOKBOOK.md").read_text(encoding="utf-8")
    sections = dict(section.split("\n", 1) for section in text.split("\n## ")[1:])
    indented = re.compile(r"(?:^    .*\n|^\n)+", re.MULTILINE)
    return {title: "\n".join(map(textwrap.dedent, indented.findall(body))) for title, body in sections.items()}


@pytest.mark.parametrize("recipe", recipes())
def test_a_recipe_runs_and_every_edit_of_it_is_reached(
    recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    code = recipes()[recipe]
    for clip in set(re.findall(r'"(cmu_.*\.bvh)"', code)):
        shutil.copy(request.getfixturevalue("mocap") / clip, tmp_path)
    monkeypatch.chdir(tmp_path)
    reports, names = typed(code, "COOKBOOK.md")
    session = names["session"]
    assert all(report.converged for report in reports), reports
    edits = {"Begin with a clip": 1, "Two people who pass a ball": 3, "Mean a kick, and drag it into a goal": 2}
    edits |= {"Toss a ball from one hand to the other": 3, "Let two people of your clips pass a ball": 3}
    edits |= {"Take a ball onto a shoulder, or under an arm": 4, "Swing a bag onto a shoulder": 2}
    edits |= {"Let somebody take a step": 1}
    edits |= {"Pick a box up, carry it, put it down": 2, "Pick a bat up and hit a ball with it": 2}
    assert len(reports) == edits.get(recipe, 4 if "catch it" in recipe else 0)
    if "cmu_" in code:
        assert len(code.strip().splitlines()) <= 15
        (document,) = tmp_path.glob("*.hoi")
        assert cli.main(["check", str(document)]) == 0
    if "J" in names:
        assert names["J"].shape == (6, 4367)
    if "Take" not in recipe:
        assert not session.rollout.missed and not any(contact.declared for contact in session.scene.contacts)
    session.close()


def test_every_page_of_the_docs_is_linked_from_another() -> None:
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    for page in pages[1:]:
        assert any(page.name in other.read_text(encoding="utf-8") for other in pages if other != page), page.name


def listing(page: str, after: str = "") -> str:
    """The first Python of a page, or of what follows some words."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    block = re.search(r"\n\n((?:    (?:import|from) .*\n)(?:    .*\n|\n)+)", text[text.index(after) :])
    assert block is not None
    return textwrap.dedent(block[1])


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = listing("README.md")
    (report,), names = typed(code, "README.md")
    told = re.search(r"# (<converged in \d+ steps)", code)
    assert told is not None and repr(report).startswith(told[1])
    assert not names["session"].rollout.missed and (tmp_path / "juggle.glb").exists()
    names["session"].close()


def test_the_python_about_motions_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = listing("docs/KINEMATICS.md", "## Motions without a scene").replace("RightForeArm", "right_forearm")
    (tmp_path / "my.bvh").write_bytes(clip_path("juggling_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "KINEMATICS.md", "exec"), {})
    before, after = read_bvh("my.bvh", raw=True).source_rows, read_bvh("edited.bvh", raw=True).source_rows
    assert before is not None and after is not None
    assert len(np.flatnonzero((before != after).any(axis=0))) == 1


def commands() -> list[list[str]]:
    """What the page about the command line tells people to type, word by word."""
    text = (REPOSITORY / "docs" / "COMMAND_LINE.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    hoi-edit((?: \S+)*)", text, re.MULTILINE)
    return [line.split() for line in lines if line]


def test_every_command_is_shown_and_every_one_that_is_shown_exists() -> None:
    parser, names = cli._parser()
    for words in commands():
        parser.read(cli._with_command(words, names))  # which raises where a word is wrong
    assert {words[0] for words in commands()} - {"soccer"} == {*names} - {"edit"}  # which is what soccer alone means


def test_every_target_of_make_that_is_named_exists() -> None:
    targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"(?:^    |`)make ([\w-]+)", page.read_text("utf-8"), re.M)}
    assert {"run", "test"} <= named <= set(targets)


def test_every_page_and_picture_that_the_readme_links_exists() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 10 and not [link for link in links if not (REPOSITORY / link).exists()]


def test_every_file_that_the_page_about_the_tree_names_whole_exists() -> None:
    page = (REPOSITORY / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:hoi_edit|ui|rigid|kinematics|tests)/[\w/]+\.py)`", page)
    assert len(named) > 7 and not [name for name in named if not (REPOSITORY / name).exists()]


def test_the_first_listing_about_edits_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit of it arrives: none contradicts one before."""
    text = (REPOSITORY / "docs" / "EDITING.md").read_text(encoding="utf-8")
    found = re.search(r"\n\n((?:    .*\n|\n)+)", text)
    assert found is not None
    (tmp_path / "walk.bvh").write_bytes(clip_path("stand_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    reports, _ = typed(textwrap.dedent(found[1]), "EDITING.md")
    assert len(reports) == 10 and all(report.converged for report in reports), reports
    assert (tmp_path / "a.hoi").exists()


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["bend_an_elbow.py"])
    runpy.run_path(str(REPOSITORY / "examples" / "bend_an_elbow.py"), run_name="__main__")
    assert "cm higher" in capsys.readouterr().out
    assert (tmp_path / "juggling_mime_bent.bvh").exists()
