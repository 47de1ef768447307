"""Figures of built-in scenes: one that is well, and what is said when something is off."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.scenes import scene_figures as verdict
from hoi_edit.scenes.demos import demo
from hoi_edit.scenes.scene_figures import body_change, foot_slide, judged, uncalled_for
from tests.hoi_edit.simulate.arm_scenes import grasping


@pytest.fixture(scope="module")
def soccer() -> tuple[hoi.EditSession, hoi.EditSession]:
    return hoi.open("soccer"), hoi.open("soccer:start")


def test_a_row_for_a_scene_and_its_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["scenes", "soccer", "--verify", "--json", str(tmp_path / "figures.json")]) == 0
    head, _, row = capsys.readouterr().out.splitlines()
    assert head.count("|") == row.count("|") and len(head) == len(row) and row.startswith("| soccer ")
    (figures,) = json.loads((tmp_path / "figures.json").read_text())
    assert figures["dofs"] == 42 and figures["n"] == len(hoi.open("soccer").u) and figures["off"] == []
    assert figures["constraint_residual"] <= 1e-6 and figures["physics_residual"] <= 1e-6
    assert figures["limits_kept"] and figures["collisions"] == 0
    assert 0.0 < figures["step_median"] <= figures["step_p95"] and figures["steps"] >= 2
    assert 0.0 < figures["body_angle"] < 0.3 and 0.0 < figures["body_distance"] < 0.3


@pytest.mark.parametrize("name", ["juggle3", "passing6", "baseball", "save", "box"])
def test_every_scene_is_well_as_it_opens_and_under_a_drag(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "WARM_UP", 0)
    monkeypatch.setattr(verdict, "MOVES", 1)  # how long they take is no matter here
    (found,) = verdict.verdicts([name])
    assert found.off == () and found.limits_kept and found.collisions == 0
    assert max(found.constraint_residual, found.physics_residual) <= 1e-6


def test_what_is_off_is_named(soccer: tuple[hoi.EditSession, hoi.EditSession], monkeypatch: pytest.MonkeyPatch) -> None:
    session, start = soccer
    monkeypatch.setattr(verdict, "ACCELERATION", 1.0)
    monkeypatch.setattr(verdict, "QUICKER", 0.1)
    monkeypatch.setattr(verdict, "SLIDE", -1.0)
    monkeypatch.setattr(verdict, "RESIDUAL", -1.0)
    off = judged(session, start, replace(demo("soccer"), by=(0.0, 0.01, 0.0))).off
    for what in ("a hand accelerates", "a foot slides", "the drag of ball at 2.1 s, or"):
        assert any(line.startswith(what) for line in off), what


def test_a_body_that_is_shifted_has_changed_by_that_and_does_not_slide(
    soccer: tuple[hoi.EditSession, hoi.EditSession],
) -> None:
    _, start = soccer
    u, own = start.u, start.layout["player"]
    u[own.indices].reshape(own.shape)[:, start.scene.characters[0].skeleton.dof("pelvis.Xposition")] += 0.05
    shifted = start.simulate(u)
    angle, distance = body_change(start.rollout, shifted)
    assert angle == pytest.approx(0.0, abs=1e-12) and distance == pytest.approx(0.05)
    assert foot_slide(shifted, start) == pytest.approx(foot_slide(start.rollout, start), abs=1e-9)


def test_touches_count_until_the_plan_is_done() -> None:
    session = hoi.EditSession(grasping())
    assert not uncalled_for(session.rollout)
    last = max(event.time for event in session.rollout.events if event.intended and event.kind != "release")
    touches = [event.time for event in session.rollout.events if event.kind == "impact" and not event.intended]
    assert all(time > last for time in touches)
    loose = hoi.EditSession(replace(session.scene, contacts=[]))
    assert not uncalled_for(loose.rollout)  # without a plan nothing is against it


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenes", "soccer"]) == 2 and "--verify" in capsys.readouterr().err
    assert main(["scenes", "--verify", "chess"]) == 2 and "chess" in capsys.readouterr().err
