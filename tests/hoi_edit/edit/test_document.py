"""What a user did is what the script, the file and the history of it say."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.document import Call, written
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from tests.hoi_edit.session.thrown_ball import place, scene

NAN = float("nan")


def opens() -> EditSession:
    return hoi.open(scene())


def replayed(session: EditSession, own: hoi.Scene) -> EditSession:
    names: dict[str, Any] = {"scene": own}
    exec(session.script(), names)
    again: EditSession = names["session"]
    return again


def add_all(session: EditSession) -> None:
    seen = session.rollout
    for own in (
        hoi.JointLimits.of(seen, "rig"),  # these joints have no limits: infinity is written too
        hoi.HandAcceleration("rig/palm", 500.0),
        hoi.SoftCatch("catch", 8.0),
        hoi.KeepClear("ball", "rig/head", 0.6),
        hoi.KeepContact.of(seen, "catch"),
        hoi.FootPlant("rig", "head", np.array([0.3]), place(session, "rig/head", 0.3)[None]),
        hoi.Pin("ball", 0.6, position=[NAN, place(session, "ball", 0.6)[1], NAN], after="ball:release"),
    ):
        assert session.add(own).converged, own.label


def remove_twins(session: EditSession) -> None:
    """Two of one label, of which the first goes."""
    was = session.state("ball", 0.6)
    first = hoi.Pin("ball", 0.6, position=was.position)
    session.add(first)
    session.add(hoi.Pin("ball", 0.6, velocity=was.velocity))
    session.add(hoi.SoftCatch("catch", 8.0))
    session.remove(first)
    session.remove("soft catch catch")


def free_all(session: EditSession) -> None:
    session.lock("rig/head", (0.1, 0.3))
    session.lock("by")
    session.unlock("by")
    session.window(0.0, 1.3)
    session.free(scales={"rig": 2.0}, opened=["ball.position"], things=np.float64(1.5))
    session.let_go("catch")
    session.drag("ball", 0.6, place(session, "ball", 0.6) + [0.01, 0.0, 0.0])


def solve_a_plan(session: EditSession) -> None:
    session.remove_contact("catch")
    session.add_contact(hoi.Contact("new", "ball", "rig/palm", 0.84, kind="grasp", release=1.25, declared=True))
    assert session.solve().converged and session.now == 3


EDITS: dict[str, Callable[[EditSession], Any]] = {
    "drag": lambda s: s.drag("ball", 0.6, place(s, "ball", 0.6) + [0.02, 0.01, 0.0]),
    "drag with a velocity": lambda s: s.drag(
        "ball", 0.6, [NAN, NAN, NAN], velocity=s.state("ball", 0.6).velocity + [0.05, 0.02, 0.0]
    ),
    "drag with a rotation": lambda s: s.drag(
        "rig/palm", 0.6, [NAN] * 3, np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        @ s.state("rig/palm", 0.6).rotation,
    ),
    "throw": lambda s: s.throw("catch", np.float64(1.35), place(s, "ball", 1.35) + [0.01, 0.0, 0.0]),
    "retime": lambda s: s.retime("catch", 0.85),
    "retime a release": lambda s: s.retime("catch:release", 1.24),
    "solve": solve_a_plan,
    "add": add_all,
    "remove": remove_twins,
    "free": free_all,
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_a_script_does_what_was_done(session: EditSession, edit: str) -> None:
    EDITS[edit](session)
    assert session.now > 0
    again = replayed(session, session.history[0].document.scene)
    assert again.now == session.now
    assert np.array_equal(again.u, session.u)
    mine, theirs = session.document, again.document
    assert [own.label for own in theirs.constraints] == [own.label for own in mine.constraints]
    assert theirs.freedom == mine.freedom and theirs.loose == mine.loose
    assert again.script() == session.script()


def test_a_catch_in_a_script_and_a_file(tmp_path: Path) -> None:
    own = replace(scene(), contacts=[])
    session = hoi.open(own)
    assert session.grasp("ball", "rig/palm", t=0.84, release=1.25).converged
    assert session.drag("ball", 0.6, [0.03, NAN, NAN]).converged  # an axis that is left open is kept in the file, too
    assert np.array_equal(replayed(session, own).u, session.u)
    session.save(tmp_path / "a.hoi")
    assert hoi.open(tmp_path / "a.hoi").script() == session.script()
    with pytest.raises(HoiError, match="a contact 'catch1' already"):
        session.grasp("by", "rig/palm", t=1.3, id="catch1")


def test_a_script_of_ones_own_scene_runs_by_itself_once_there_is_a_file(tmp_path: Path) -> None:
    session = hoi.open(scene())
    session.drag("ball", 0.6, place(session, "ball", 0.6) + [0.02, 0.01, 0.0])
    assert "# scene has to be the hoi.Scene 'scene' that was opened" in session.script()
    session.save(tmp_path / "a.hoi")
    for own in (session, hoi.open(tmp_path / "a.hoi")):
        names: dict[str, Any] = {}
        exec(own.script(), names)
        assert np.array_equal(names["session"].u, session.u) and names["session"].now == 1


def test_what_is_given_may_change_afterwards(session: EditSession) -> None:
    x, targets = place(session, "ball", 0.6), []
    for _ in range(3):
        x += [0.01, 0.0, 0.0]
        targets.append(x.tolist())
        session.drag("ball", 0.6, to=x)
    assert [step.call.arguments["to"].tolist() for step in session.history[1:]] == targets
    wish = place(session, "by", 0.2)
    session.add(hoi.Pin("by", 0.2, position=wish, rotation=np.eye(3)))
    wish += 0.1
    pin = session.document.constraints[0]
    assert isinstance(pin, hoi.Pin) and np.array_equal(pin.position, wish - 0.1)
    with pytest.raises(ValueError, match="read-only"):
        pin.rotation[0, 0] = 2.0
    scales = {"rig": 2.0}
    session.free(scales=scales)
    scales["rig"] = 3.0
    assert session.history[-1].call.arguments["scales"] == {"rig": 2.0} == session.document.freedom.scales


def test_values_as_python() -> None:
    value = {"a": (1, [np.float32(0.5), -np.inf]), "b": np.array([[NAN, 2.0]]), "c": np.int64(3), "d": (True, None)}
    again = eval(written(value))
    assert again["a"] == (1, [0.5, -np.inf]) and again["c"] == 3 and again["d"] == (True, None)
    assert np.isnan(again["b"][0][0]) and again["b"][0][1] == 2.0
    assert str(Call("let_go", {"*contacts": ("a", "b")})) == "session.let_go('a', 'b')"
