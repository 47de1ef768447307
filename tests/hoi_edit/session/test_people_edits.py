"""People who are moved in time and renamed, with all that was done to them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit import cli
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from kinematics.io import read_bvh

MATERIAL = hoi.Material(restitution=0.6, friction=0.5)
HAND = "bob/left_palm"


@pytest.fixture(scope="module")
def opened() -> EditSession:
    """Ann throws a ball to Bob, who tosses one of his own and has an edited arm."""
    session = hoi.open(clip_path("juggling_mime"))
    session.rename("juggling_mime", "ann")
    session.import_clip(clip_path("juggling_mime"), name="bob", trim=(0.0, 6.0), move=(0.0, 2.0), turn=np.pi)
    for name, who in (("ball", "ann"), ("own", "bob")):
        start = hoi.Held(f"{who}/right_palm")
        session.add_thing(hoi.Thing(name, hoi.ball(mass=0.15, radius=0.035), start, MATERIAL))
    assert session.throw("own", t=2.0, to="bob/left_palm").converged
    assert session.throw("ball", t=4.0, to="bob/right_palm").converged
    assert session.drag("bob/left_foot", 1.0, session.state("bob/left_foot", 1.0).position + [0.0, 0.1, 0.0]).converged
    return session


@pytest.fixture
def session(opened: EditSession) -> Iterator[EditSession]:
    was = opened.document
    yield opened
    while opened.document is not was and opened.undo():
        pass


def test_all_that_is_somebodys_own_is_later_with_the_clip(session: EditSession) -> None:
    times = np.linspace(0.3, 5.5, 14)
    was = [(session.state(HAND, t), session.state("own", t)) for t in times]
    u, caught = session.u.copy(), session.rollout.happened["catch1"]
    told = session.shift("bob", 0.75)
    for t, (hand, ball) in zip(times, was, strict=True):
        assert np.abs(session.state(HAND, t + 0.75).position - hand.position).max() < 1e-12
        assert np.abs(session.state("own", t + 0.75).position - ball.position).max() < 1e-9
    assert session.scene.end == 8.0 and session.rollout.happened["catch1"] == caught
    contacts = {contact.id: contact for contact in session.scene.contacts}
    assert not contacts["catch1"].declared and contacts["catch2"].declared and any("catch2" in str(f) for f in told)
    assert session.solve().converged and not session.rollout.missed
    session.undo(), session.undo()
    assert np.array_equal(session.u, u)


def test_what_is_switched_off_goes_along_in_time_too(session: EditSession) -> None:
    pin = hoi.Pin(HAND, t=1.0, position=session.state(HAND, 1.0).position)
    assert session.add(pin).converged
    session.switch_off(pin)
    session.shift("bob", 0.75)
    (off,) = session.document.switched_off
    assert isinstance(off, hoi.Pin) and off.t == 1.75


def test_a_scene_grows_and_a_stretch_is_slower(session: EditSession) -> None:
    was = session.state(HAND, 5.5).position
    session.stretch("bob", 1.5)
    assert session.scene.end == pytest.approx(9.0)
    assert np.abs(session.state(HAND, 1.5 * 5.5).position - was).max() < 1e-12
    assert all(contact.declared for contact in session.scene.contacts)
    session.undo()
    session.stretch("bob", 0.5, about=6.0)
    assert np.abs(session.state(HAND, 5.75).position - was).max() < 1e-12 and session.scene.end == 8.0


def test_a_pass_and_the_throw_after_it_are_each_as_much_later_as_the_clip_is_then(session: EditSession) -> None:
    def times() -> np.ndarray:
        return np.array([session.u[session.layout[f"over.{part}"].start] for part in ("passed", "release")])

    assert session.pass_to("own", "bob/right_palm", t=3.0, release=3.8, id="over").converged
    was = times()
    session.stretch("bob", 1.2)
    over = session.scene.contact("over")
    assert (over.time, over.release) == pytest.approx((3.6, 4.56))
    np.testing.assert_allclose(times() - was, [0.6, 0.76], atol=1e-9)


def test_a_trim_leaves_what_is_within_as_it_was(session: EditSession, tmp_path: Path) -> None:
    was = [session.state(HAND, t).position for t in (0.5, 1.5, 5.0, 5.5)]
    session.trim("bob", 0.5, 5.0)
    now = [session.state(HAND, t).position for t in (0.5, 1.5, 5.0, 5.5)]
    assert np.abs(np.array(now[:3]) - was[:3]).max() < 1e-12 and np.abs(now[3] - now[2]).max() < 1e-9
    session.export(tmp_path / "both.bvh")
    (of_bob,) = tmp_path.glob("*bob*.bvh")
    clip = read_bvh(of_bob)
    assert clip.duration == pytest.approx(4.5, abs=0.02)


def test_another_name_is_said_everywhere(session: EditSession, tmp_path: Path) -> None:
    session.add(hoi.Pin("bob/right_palm", t=5.0, position=session.state("bob/right_palm", 5.0).position))
    session.lock("bob/head")
    was = session.state("own", 1.8).position
    session.rename("bob", "robert")
    session.rename("own", "his")
    assert "bob" not in {event.other.partition("/")[0] for event in session.rollout.events if event.other}
    assert np.array_equal(session.state("his", 1.8).position, was)
    (pin,) = session.document.constraints
    assert isinstance(pin, hoi.Pin) and pin.name == "robert/right_palm"
    assert [lock.name for lock in session.document.freedom.locks] == ["robert/head"]
    assert session.drag("his", 1.8, was + [0.0, 0.05, 0.0]).converged
    session.save(tmp_path / "renamed.hoi")
    assert cli.main(["check", str(tmp_path / "renamed.hoi")]) == 0
    names: dict[str, Any] = {}
    exec(session.script(), names)
    assert np.array_equal(names["session"].u, session.u) and np.array_equal(
        hoi.open(tmp_path / "renamed.hoi").u, session.u
    )


def test_somebody_is_turned_about_where_he_is_at_a_time() -> None:
    session = hoi.open(clip_path("kick_mime"))
    t = session.scene.end
    was = session.state("kick_mime/pelvis", t)
    plant = hoi.FootPlant("kick_mime", "head", np.array([t]), session.state("kick_mime/head", t).position[None])
    assert session.add(plant).converged
    session.switch_off(plant)
    assert session.place("kick_mime", turn=0.5, t=t).converged
    now = session.state("kick_mime/pelvis", t)
    assert np.abs(now.position - was.position).max() < 1e-6 and np.abs(now.rotation - was.rotation).max() > 0.1
    (off,) = session.document.switched_off
    assert (
        isinstance(off, hoi.FootPlant) and np.abs(off.places - session.state("kick_mime/head", t).position).max() < 1e-5
    )


MISTAKES: dict[str, tuple[Callable[[EditSession], object], str]] = {
    "nobody": (lambda s: s.shift("carl", 1.0), "carl"),
    "no number": (lambda s: s.shift("bob", "later"), "one number"),  # type: ignore[arg-type]
    "before the start": (lambda s: s.shift("bob", -3.0), "the scene begins at 0 s"),
    "no factor": (lambda s: s.stretch("bob", 0.0), "a factor from"),
    "no stretch of the clip": (lambda s: s.trim("bob", 4.0, 3.0), "a later end"),
    "a name that is taken": (lambda s: s.rename("bob", "ball"), "already"),
    "no name": (lambda s: s.rename("bob", ""), "a name is some text"),
    "a slash": (lambda s: s.rename("bob", "b/b"), "slash"),
    "the ground": (lambda s: s.rename("ground", "floor"), "person or thing"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_changes_nothing(session: EditSession, mistake: str) -> None:
    do, why = MISTAKES[mistake]
    steps = len(session.history)
    with pytest.raises(HoiError, match=why) as told:
        do(session)
    assert "\n" not in str(told.value) and len(session.history) == steps
