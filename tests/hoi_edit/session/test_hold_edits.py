"""Holds that one makes: let go, passed on, thrown to somebody; touches that are meant, and that are asked for."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit import cli
from hoi_edit.constraints.second_hand import on_surface
from hoi_edit.edit.report import Report
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession
from hoi_edit.simulate.trajectory import Event
from kinematics.errors import HoiError
from rigid.body import Body
from tests import own_scenes
from tests.sessions import undone

MATERIAL = hoi.Material(restitution=0.6, friction=0.5)
JUGGLER, STANDS, KICKER = "juggling_mime", "stand_mime", "kick_mime"


def in_hand(session: EditSession, who: str, radius: float = 0.035) -> EditSession:
    start = hoi.Held(f"{who}/right_palm")
    session.add_thing(hoi.Thing("ball", hoi.ball(mass=0.2, radius=radius), start, MATERIAL))
    return session


@pytest.fixture(scope="module")
def opened() -> EditSession:
    """Two people, and a ball that the first holds to the end."""
    session = hoi.open(clip_path(JUGGLER))
    session.rename(JUGGLER, "ann")
    session.import_clip(clip_path(JUGGLER), name="bob", move=(0.0, 1.6), turn=np.pi)
    return hoi.open(in_hand(session, "ann").scene)


@pytest.fixture
def session(opened: EditSession) -> Iterator[EditSession]:
    with undone(opened) as session:
        yield session


@pytest.fixture
def kicked(ready_to_kick: EditSession) -> Iterator[EditSession]:
    with undone(ready_to_kick) as session:
        yield session


@pytest.fixture(scope="module")
def ready_to_kick() -> EditSession:
    """A ball on the ground, where a foot comes along."""
    session = hoi.open(clip_path(KICKER))
    times = np.arange(session.scene.start, session.scene.end, 0.02)
    speeds = [np.linalg.norm(session.state(f"{KICKER}/right_instep", t).velocity) for t in times]
    when = times[int(np.argmax(speeds))]
    foot = session.state(f"{KICKER}/right_instep", when)
    ahead = foot.velocity * [1.0, 0.0, 1.0] / np.linalg.norm(foot.velocity[[0, 2]])
    place = foot.position + 0.15 * ahead
    place[1] = 0.11
    session.add_thing(hoi.Thing("ball", hoi.ball(mass=0.43, radius=0.11), hoi.Flying(place), MATERIAL))
    return hoi.open(session.scene)


def test_what_is_held_to_the_end_is_let_go_and_undone_to_the_bit(session: EditSession) -> None:
    before, held = session.u.copy(), session.rollout.trajectories
    report = session.release("ball", t=2.0)
    assert report.converged and session.scene.thing("ball").start.release == 2.0  # type: ignore[union-attr]
    first = session.rollout.events[0]
    assert first.kind == "release" and first.time == pytest.approx(2.0, abs=1e-6)
    just, then = (session.state("ball", 2.0 + wait) for wait in (-1e-7, 1e-7))
    assert np.abs(just.velocity - then.velocity).max() < 1e-4  # it flies on as the hand moves
    after = session.u.copy()
    assert session.release("ball", t=2.0).unchanged and len(session.history) == 2
    assert session.undo() and np.array_equal(session.u, before)
    assert [len(c.spans) for c in held.chains.values()] == [len(session.rollout.spans("ball"))]
    assert session.redo() and np.array_equal(session.u, after)


PASSES: dict[str, tuple[Any, float]] = {
    "the other hand": ("ann/left_palm", 2.0),
    "both hands": (("ann/right_palm", "ann/left_palm"), 6.5),
    "a shoulder": ("ann/left_shoulder", 2.0),
    "under an arm": ("ann/right_tuck", 2.0),
    "somebody else": ("bob/right_palm", 2.0),
    "both hands of somebody else": (("bob/right_palm", "bob/left_palm"), 6.5),
}


@pytest.mark.parametrize("to", PASSES)
def test_a_hold_goes_over_into_another(session: EditSession, to: str) -> None:
    site, t = PASSES[to]
    before = session.u.copy()
    report = session.pass_to("ball", site, t)
    assert report.converged and not report.events_changed, report
    (event,) = session.rollout.events
    assert event.kind == "pass" and event.time == pytest.approx(t, abs=1e-6)
    first, then = np.asarray(event.before), np.asarray(event.after)
    assert np.abs(first[:12] - then[:12]).max() < 1e-9
    assert np.abs(first[12:15] - then[12:15]).max() < 1e-6  # both carry it alike
    carrier = site if isinstance(site, str) else site[0]
    point = session.state(carrier, t).position
    assert np.linalg.norm(session.state("ball", t).position - point) == pytest.approx(0.035, abs=1e-3)
    assert session.undo() and np.array_equal(session.u, before)


@pytest.mark.parametrize("body", [hoi.capsule(mass=0.3, radius=0.02, half_length=0.2), hoi.box(0.5, [0.1, 0.08, 0.06])])
def test_what_is_no_ball_is_taken_where_its_surface_is_nearest(body: Body) -> None:
    session = hoi.open(clip_path(STANDS))
    session.add_thing(hoi.Thing("thing", body, hoi.Held(f"{STANDS}/right_palm"), MATERIAL))
    report = session.pass_to("thing", f"{STANDS}/left_palm", 2.0)
    assert report.converged, report
    (event,) = session.rollout.events
    first, then = np.asarray(event.before), np.asarray(event.after)
    assert np.abs(first[:12] - then[:12]).max() < 1e-9 and np.abs(first[12:15] - then[12:15]).max() < 1e-6
    palm, thing = (session.state(name, event.time) for name in (f"{STANDS}/left_palm", "thing"))
    place = thing.rotation.T @ (palm.position - thing.position)
    assert np.abs(on_surface(body, place) - place).max() < 5e-3


def test_a_pass_is_dragged_retimed_thrown_on_and_checked(session: EditSession, tmp_path: Path) -> None:
    assert session.pass_to("ball", "bob/right_palm", 2.0).converged
    assert session.retime("pass1", 2.2).converged
    (event,) = session.rollout.events
    assert event.time == pytest.approx(2.2, abs=1e-6) and session.scene.contact("pass1").time == pytest.approx(2.2)
    target = session.state("ball", 2.2).position + [0.0, 0.1, 0.0]
    assert session.drag("ball", 2.2, target).converged
    assert session.release("ball", 3.0).converged
    assert session.throw("pass1", 3.3, session.state("ball", 3.3).position + [0.0, 0.2, 0.0]).converged
    event = session.rollout.events[0]
    assert event.kind == "pass" and np.abs(np.asarray(event.before)[:12] - np.asarray(event.after)[:12]).max() < 1e-9
    session.save(tmp_path / "passed.hoi")
    assert cli.main(["check", str(tmp_path / "passed.hoi")]) == 0
    again = hoi.open(tmp_path / "passed.hoi")
    assert np.array_equal(again.u, session.u) and again.script() == session.script()


def test_what_was_to_be_thrown_is_thrown_by_the_hand_that_takes_it(session: EditSession) -> None:
    session.release("ball", 3.0)
    session.add(hoi.Pin("ball", t=3.2, position=session.state("ball", 3.2).position, after="ball:release"))
    assert session.pass_to("ball", "ann/left_palm", 2.0).converged
    assert "ball.release" not in session.layout and "pass1.release" in session.layout
    (pin,) = session.document.constraints
    assert isinstance(pin, hoi.Pin) and pin.after == "pass1:release"
    assert np.abs(session.state("ball", 3.2).position - pin.position).max() < 1e-6


def test_a_throw_to_a_hand_is_one_step_solved_at_once_or_planned(session: EditSession) -> None:
    report = session.throw("ball", t=2.6, to="bob/left_palm", declared=True)
    assert report.converged and session.scene.contact("catch1").declared and len(session.history) == 2
    assert session.solve().converged
    solved = [(event.kind, event.other) for event in session.rollout.events]
    assert solved == [("release", "ann/right_hand"), ("grasp", "bob/left_hand")]
    session.undo(), session.undo()
    before = session.u.copy()
    assert session.throw("ball", t=2.6, to="bob/left_palm").converged and len(session.history) == 2
    assert [(event.kind, event.other) for event in session.rollout.events] == solved
    assert session.throw("ball", t=4.0, to="ann/left_palm", release=3.4).converged
    assert [event.kind for event in session.rollout.events] == ["release", "grasp"] * 2
    names: dict[str, Any] = {"scene": session.history[0].document.scene}
    exec(session.script(), names)
    assert np.array_equal(names["session"].u, session.u)
    session.undo(), session.undo()
    assert np.array_equal(session.u, before)


def test_what_nothing_ends_is_thrown_to_a_place(session: EditSession) -> None:
    target = session.state("ball", 2.0).position + [0.0, 0.4, 0.2]
    report = session.throw("ball", t=2.3, to=target)
    assert report.converged and len(session.history) == 2
    assert np.abs(session.state("ball", 2.3).position - target).max() < 1e-6
    assert session.rollout.events[0].kind == "release" and session.rollout.events[0].time < 2.3


def by_foot(session: EditSession) -> Event:
    """The kick."""
    return next(e for e in session.rollout.events if (e.other or "").startswith(f"{KICKER}/"))


def test_a_touch_by_chance_is_meant_and_then_kept(kicked: EditSession) -> None:
    touch, u = by_foot(kicked), kicked.u.copy()
    assert not touch.intended
    kicked.mean(touch)
    (contact,) = kicked.scene.contacts
    assert contact.other == touch.other and contact.id in kicked.rollout.happened
    later = touch.time + 0.5
    where = kicked.state("ball", later).position
    for by in ((0.3, 0.6, 0.0), (-0.5, 0.2, 0.5)):
        report = kicked.drag("ball", later, where + by)
        assert report.converged and report.iterations < 60, report  # the kick changes, and soon
        assert contact.id in kicked.rollout.happened
        assert np.abs(kicked.state("ball", later).position - where - by).max() < 1e-6
        kicked.undo()
    with pytest.raises(HoiError, match="already"):
        kicked.hit("ball", f"{KICKER}/right_instep", touch.time)
    kicked.undo()
    assert np.array_equal(kicked.u, u)


def test_a_kick_is_asked_for(kicked: EditSession) -> None:
    when = by_foot(kicked).time - 0.03
    report = kicked.hit("ball", f"{KICKER}/right_instep", when)
    assert report.converged, report
    ((name, k),) = kicked.rollout.happened.values()
    assert kicked.rollout.trajectories.chains[name].events[k].time == pytest.approx(when, abs=0.02)


def test_a_ball_before_a_foot_that_stands_is_met_with_its_toes() -> None:
    session, kick = own_scenes.kick(own_scenes.scene_of(clip_path("catch_mime")))
    report = kick(session, lambda _: True)
    assert report.converged, report
    (contact,) = session.scene.contacts
    assert contact.other == "ann/right_toes" and contact.id in session.rollout.happened


def test_a_header_is_where_the_head_is(session: EditSession) -> None:
    session.release("ball", 1.8)
    report = session.hit("ball", "ann/head", 2.4)
    assert report.converged, report
    (thing, k), *_ = session.rollout.happened.values()
    event = session.rollout.trajectories.chains[thing].events[k]
    assert event.other == "ann/head" and event.time == pytest.approx(2.4, abs=0.02)


def test_contacts_can_be_declared_and_solved_together(session: EditSession) -> None:
    assert session.pass_to("ball", "ann/left_palm", 1.5, declared=True).converged
    assert session.throw("ball", t=3.0, to="bob/right_palm", declared=True).converged
    assert [contact.declared for contact in session.scene.contacts] == [True, True]
    report = session.solve()
    assert report.converged and not any(contact.declared for contact in session.scene.contacts), report
    assert [event.kind for event in session.rollout.events] == ["pass", "release", "grasp"]


def test_what_is_switched_off_about_a_throw_is_about_that_of_who_takes_it(session: EditSession) -> None:
    assert session.release("ball", 1.8).converged
    pin = hoi.Pin("ball", 1.9, position=session.state("ball", 1.9).position, after="ball:release")
    assert session.add(pin).converged
    session.switch_off(pin)
    assert session.pass_to("ball", "ann/left_palm", 1.5, declared=True).converged
    (off,) = session.document.switched_off
    assert isinstance(off, hoi.Pin) and off.after == "pass1:release"


def test_the_nearest_that_can_be_said_is_said_of_a_pass_that_is_out_of_reach(session: EditSession) -> None:
    session.place("bob", by=[0.0, 0.0, 30.0])
    report = session.pass_to("ball", "bob/left_palm", 2.0)
    assert not report.converged and report.unchanged and report.binding
    assert not session.scene.contacts


MISTAKES: dict[str, tuple[Callable[[EditSession], Report | tuple[Any, ...]], str]] = {
    "no such thing": (lambda s: s.release("bll", 2.0), "bll"),
    "after the end": (lambda s: s.release("ball", 99.0), "in no hand at 99 s"),
    "at the start": (lambda s: s.release("ball", 0.0), "give a time in between"),
    "no time": (lambda s: s.release("ball", "soon"), "one number of seconds"),  # type: ignore[arg-type]
    "the same hand": (lambda s: s.pass_to("ball", "ann/right_palm", 2.0), "already"),
    "no site": (lambda s: s.pass_to("ball", "ann/third_palm", 2.0), "third_palm"),
    "no text": (lambda s: s.pass_to("ball", 3, 2.0), "give a site"),  # type: ignore[arg-type]
    "passed too late": (lambda s: s.pass_to("ball", "bob/left_palm", 98.0), "in no hand at 98 s"),
    "let go before": (lambda s: s.pass_to("ball", "bob/left_palm", 2.0, release=1.0), "give a time in between"),
    "a name that is taken": (lambda s: s.pass_to("ball", "bob/left_palm", 2.0, id="ball"), "ball"),
    "caught before thrown": (lambda s: s.throw("ball", 2.0, to="bob/left_palm", release=2.5), "before the catch"),
    "declared to a place": (lambda s: s.throw("ball", 2.0, to=[0, 1, 0], declared=True), "give the site"),
    "nothing to mean": (lambda s: s.mean("ball", 2.0), "touches nothing by chance"),
    "no time to mean": (lambda s: s.mean("ball"), "one number of seconds"),
    "hit with no point": (lambda s: s.hit("ball", "ann", 2.0), "character/site"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_changes_nothing(session: EditSession, mistake: str) -> None:
    do, why = MISTAKES[mistake]
    steps, u = len(session.history), session.u
    with pytest.raises(HoiError, match=why) as told:
        do(session)
    assert "\n" not in str(told.value) and len(session.history) == steps and np.array_equal(session.u, u)
