"""What the README and the examples tell people to type is typed here."""

import ast
import re
import runpy
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoi_edit.edit.report import Report
from hoi_edit.resources import clip_path
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
    recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reports, names = typed(recipes()[recipe], "COOKBOOK.md")
    session = names["session"]
    assert all(report.converged for report in reports), reports
    edits = {"Begin with a clip": 1, "Two people who pass a ball": 3}
    assert len(reports) == edits.get(recipe, 4 if "catch it" in recipe else 0)
    if "Take" not in recipe:
        assert not session.rollout.missed and not any(contact.declared for contact in session.scene.contacts)
    session.close()


def test_every_page_of_the_docs_is_linked_from_another() -> None:
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    for page in pages[1:]:
        assert any(page.name in other.read_text(encoding="utf-8") for other in pages if other != page), page.name


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"(?:\n\n)((?:    (?:import|from) .*\n)(?:    .*\n|\n)+)", readme.partition("## From Python")[2]
    )
    assert len(blocks) == 2
    code = "\n".join(textwrap.dedent(block) for block in blocks).replace("RightForeArm", "right_forearm")
    (tmp_path / "my.bvh").write_bytes(clip_path("juggling_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    before, after = read_bvh("my.bvh", raw=True).source_rows, read_bvh("edited.bvh", raw=True).source_rows
    assert before is not None and after is not None
    assert len(np.flatnonzero((before != after).any(axis=0))) == 1
    J = names["J"]
    assert isinstance(J, np.ndarray) and J.shape == (6, 4367)


def test_the_first_listing_about_edits_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit of it arrives: none contradicts one before."""
    text = (REPOSITORY / "docs" / "EDITING.md").read_text(encoding="utf-8")
    found = re.search(r"\n\n((?:    .*\n|\n)+)", text)
    assert found is not None
    (tmp_path / "walk.bvh").write_bytes(clip_path("stand_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    reports, _ = typed(textwrap.dedent(found[1]), "EDITING.md")
    assert len(reports) == 9 and all(report.converged for report in reports), reports
    assert (tmp_path / "a.hoi").exists()


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["bend_an_elbow.py"])
    runpy.run_path(str(REPOSITORY / "examples" / "bend_an_elbow.py"), run_name="__main__")
    assert "cm higher" in capsys.readouterr().out
    assert (tmp_path / "juggling_mime_bent.bvh").exists()
