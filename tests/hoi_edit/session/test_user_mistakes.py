"""What a user gets wrong is told in a sentence, and nothing has changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.pin import Drag
from hoi_edit.edit.report import Report
from hoi_edit.export.glb_check import Played
from hoi_edit.juggling.siteswap import parse
from hoi_edit.juggling.timing import schedule
from hoi_edit.qp.weights import TIME, weights
from hoi_edit.reporting.findings import Finding
from hoi_edit.session import EditSession
from hoi_edit.session import autosaver as keeping
from hoi_edit.session.shown_document import MODELS
from hoi_edit.truth.truth_scenes import END, floor_bounce
from kinematics.errors import HoiError
from tests.hoi_edit.session.thrown_ball import flat, place, scene

NAN = float("nan")


def opens() -> EditSession:
    return hoi.open(scene())


# -- what holds an edit back ------------------------------------------------------------------------------------------


def test_a_lock_that_holds_a_drag_back_is_named(session: EditSession) -> None:
    session.lock("rig")
    session.lock("by.velocity")  # which has nothing to do with it
    for name in ("ball", "rig/palm"):
        report = session.drag(name, 0.6, place(session, name, 0.6) + [0.1, 0.0, 0.0])
        assert not report.converged and report.binding[0] == Finding("lock", "rig"), report
        assert not any(own.kind == "drag" or "by" in own.name for own in report.binding)


def test_a_lock_for_a_while_is_named_only_where_it_matters(session: EditSession) -> None:
    session.lock("rig", span=(0.5, 0.7))
    report = session.drag("rig/palm", 0.6, place(session, "rig/palm", 0.6) + [0.1, 0.0, 0.0])
    assert not report.converged and str(report.binding[0]) == "the lock of rig from 0.5 s to 0.7 s"


def test_a_pin_that_contradicts_another_names_it(session: EditSession) -> None:
    was = session.state("rig/palm", 0.6)
    first = hoi.Pin("rig/palm", 0.6, position=was.position)
    assert session.add(first).converged
    report = session.add(hoi.Pin("rig/palm", 0.6, position=was.position + [0.2, 0.0, 0.0]))
    assert not report.converged and report.binding, report
    named = [own for own in report.binding if (own.kind, own.name, own.time) == ("pin", "rig/palm", 0.6)]
    assert len(named) == len({*named}) == len({*map(str, named)}) == 2, "each is told from the other"


def test_a_wish_does_not_hold_itself_back() -> None:
    wish, floor = Finding("drag", "ball", time=0.6), Finding("constraint", "the floor")
    report = Report(False, 1.0, 3, binding=(wish, floor), wishes=frozenset([wish]))
    assert report.binding == (floor,)


def test_a_catch_by_a_hand_that_is_busy_says_with_what_and_until_when() -> None:
    session = hoi.open("juggle3")
    held = next(own for own in session.rollout.events if own.contact == "catch5" and own.kind == "grasp")
    site, end = session.scene.contact("catch5").carrier, float(session.layout["catch5.release"].of(session.u))
    other = next(own.name for own in session.scene.things if own.name != held.object)
    report = session.grasp(other, site, held.time + 0.05, release=held.time + 0.1, id="new")
    told = f"new: {site} holds {held.object} until {end:.2f} s"
    assert report.unchanged and told in [str(finding) for finding in report.binding], report


def test_asking_for_what_is_so_already_is_no_step(session: EditSession) -> None:
    thing, k = session.rollout.happened["catch"]
    caught = session.rollout.trajectories.chains[thing].events[k].time
    release = float(session.layout["catch.release"].of(session.u))
    mass = float(session.scene.thing("ball").body.mass)
    for report in (
        session.retime("catch", caught),
        session.retime("catch:release", release),
        session.change_thing("ball", mass=mass),
        session.solve(),
    ):
        assert report.converged and report.unchanged, report
    session.free()
    session.window()
    assert session.now == 0
    session.lock("rig")
    session.lock("rig")
    session.let_go("catch")
    session.let_go("catch")
    assert session.now == 2


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda own: own.lock("rig", (1,)), r"'rig' is to be locked for \(1,\); give a start and an end"),
        (lambda own: own.free(locks="ball"), "locks is 'ball'; give a list"),
        (lambda own: own.free(locks=["ball"]), "locks is .*; give a list"),
        (lambda own: own.free(opened="catch"), "opened is 'catch'; give a list of names"),
        (lambda own: own.free(window=(1, 2)), r"window is \(1, 2\); give hoi.Window"),
        (lambda own: own.free(things="x"), "things is 'x'; give one number"),
        (lambda own: own.free(scales=[1]), "scales is .*; give numbers by name"),
        (lambda own: own.remove(None), "there is no constraint None; there are: none"),
        (lambda own: own.switch_off(1.5), "there is no constraint 1.5"),
        (lambda own: own.add_thing(None), "None is no thing; give one such as hoi.Thing"),
        (lambda own: own.grasp("ball", (), 1.0), r"is to be caught with \(\); give a site"),
        (lambda own: own.grasp("ball", 3, 1.0), "is to be caught with 3; give a site"),
        (lambda own: own.grasp(None, "rig/palm", 1.0), "what is caught is called None"),
    ],
)
def test_what_is_of_another_kind_is_one_sentence(
    session: EditSession, ask: Callable[[EditSession], Any], what: str
) -> None:
    with pytest.raises(HoiError, match=what):
        ask(session)
    assert session.now == 0


def test_models_of_scenes_that_no_step_has_any_more_are_forgotten(session: EditSession) -> None:
    for k in range(12):
        session.add_thing(hoi.Thing(f"more{k}", hoi.ball(0.1, 0.04), hoi.Flying(np.array([9.0, 9.0 + k, 9.0]))))
        assert session.undo()
    scenes = {id(step.document.scene) for step in session.history}
    assert len(session._models) == 2 and {*session._models} == scenes
    for k in range(12):
        session.add_thing(hoi.Thing(f"more{k}", hoi.ball(0.1, 0.04), hoi.Flying(np.array([9.0, 9.0 + k, 9.0]))))
    assert len(session._models) == MODELS < len(session.history)


def test_an_edit_that_changes_nothing_is_no_step(session: EditSession) -> None:
    report = session.drag("ball", 0.6, place(session, "ball", 0.6))
    assert report.converged and report.unchanged and session.now == 0
    session.lock("rig")
    report = session.drag("rig/palm", 0.6, place(session, "rig/palm", 0.6) + [0.1, 0.0, 0.0])
    assert report.unchanged and "so nothing was changed" in repr(report) and session.now == 1
    session.unlock("rig")
    moved = session.drag("rig/palm", 0.6, place(session, "rig/palm", 0.6) + [0.01, 0.0, 0.0])
    assert not moved.unchanged and "nothing was changed" not in repr(moved) and session.now == 3


def test_a_gesture_that_is_on_its_way_says_so(session: EditSession) -> None:
    gesture = session.begin("ball", 0.6)
    report = gesture.move(gesture.start.position + [0.3, 0.2, 0.0], steps=1)
    assert not report.holds, "take fewer steps, or go farther"
    assert np.linalg.norm(gesture.iterate.rollout.state("ball", 0.6).position - gesture.start.position) > 0.01
    assert "still on its way" in repr(report) and "nothing was changed" not in repr(report)
    gesture.abort()


# -- constraints ------------------------------------------------------------------------------------------------------

TURNED = 2.0 * np.eye(3)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: hoi.Pin("ball", NAN, position=[0, 1, 0]), "must be in seconds"),
        (lambda: hoi.Pin("ball", "1.2", position=[0, 1, 0]), "must be in seconds"),  # type: ignore[arg-type]
        (lambda: hoi.Pin("ball", 0.6, position=[NAN] * 3), "not NaN alone"),
        (lambda: Drag("ball", 0.6, [NAN] * 3, velocity=[NAN] * 3), "not NaN alone"),
        (lambda: hoi.Pin("ball", 0.6, rotation=TURNED), "no rotation matrix"),
        (lambda: hoi.Pin("ball", 0.6, rotation=-np.eye(3)), "no rotation matrix"),
        (lambda: hoi.Pin("ball", 0.6, rotation=np.full((3, 3), NAN)), "no rotation matrix"),
        (lambda: hoi.Pin("ball", 0.6, rotation=[0.0, 0.0, 1.0]), "no rotation matrix"),
        (lambda: hoi.Pin("ball", 50.0, position=[0, 1, 0]), "outside the scene, which runs from 0 s to 1.4 s"),
        (lambda: hoi.Pin("rig/palm", -3.0, position=[0, 1, 0]), "outside the scene"),
        (lambda: hoi.Pin("bal", 0.6, position=[0, 1, 0]), "unknown thing 'bal'; choose from: ball, by.*mean 'ball'"),
        (
            lambda: hoi.Pin("ball", 0.6, position=[np.inf, 1, 0]),
            r"is \[inf, 1, 0\]; .* three numbers, each finite or NaN",
        ),
        (lambda: hoi.Pin("ball", 0.6, velocity="fast"), "is fast; it must be three numbers"),
        (lambda: hoi.Pin("ball", 0.6, position=[0, 1, 0], after="catch"), "choose from: .*catch:grasp, catch:release"),
        (lambda: hoi.Pin("rig/palm", 0.6, position=[0, 1, 0], after="catch:grasp"), "has no flights"),
        (lambda: hoi.KeepClear("ball", "grund", 0.6), "'grund'; choose from: ball, by, ground, character/part"),
        (lambda: hoi.KeepClear("ball", "rig/hed", 0.6), "hed"),
        (lambda: hoi.KeepClear("ball", "by", 50.0), "outside the scene"),
        (lambda: hoi.KeepClear("ball", "by", "0.6"), "outside the scene"),  # type: ignore[arg-type]
        (lambda: hoi.KeepClear("ball", "ball", 0.6), "clear of itself"),
        (lambda: hoi.KeepClear("ball", "by", 0.6, distance=NAN), "zero or more"),
        (lambda: hoi.KeepClear("ball", "by", 0.6, after="catch5"), "choose from"),
        (lambda: hoi.KeepClear("ball", "ground", 1.0), "does not fly at 1 s"),
        (lambda: hoi.SoftCatch("catch99"), "unknown contact 'catch99'; choose from: catch"),
        (lambda: hoi.SoftCatch("catch", -1.0), "zero or more"),
        (lambda: hoi.HandAcceleration("rig/plam", 50.0), "plam"),
        (lambda: hoi.HandAcceleration("rig/palm", -1.0), "positive"),
        (lambda: hoi.HandAcceleration("rig/palm", 50.0, start=2.0), "no stretch of the scene"),
        (lambda: hoi.JointLimits("rigg", np.zeros(4), np.ones(4)), "rigg"),
        (lambda: hoi.JointLimits("rig", np.zeros(3), np.ones(4)), "4 numbers"),
        (lambda: hoi.FootPlant("rig", "head", np.array([9.0]), np.zeros((1, 3))), "outside the scene"),
        (lambda: hoi.FootPlant("rig", "head", np.array([0.1]), np.zeros((2, 3))), "three for each"),
        (lambda: hoi.KeepContact("catch9", np.zeros(3), 0.8, np.array([0, 1, 0]), 0.3), "catch9"),
    ],
)
def test_a_constraint_that_makes_no_sense_is_refused(session: EditSession, make: Callable[[], Any], what: str) -> None:
    with pytest.raises(HoiError, match=what):
        session.add(make())
    assert session.now == 0


def test_limits_of_another_body_are_told_when_they_are_used(session: EditSession) -> None:
    with pytest.raises(HoiError, match="joint limits of rig: low and high must be 4 numbers each"):
        hoi.JointLimits("rig", np.zeros(42), np.ones(42)).rows(session.rollout)


def test_constraints_that_make_sense_are_added(session: EditSession) -> None:
    for own in (
        hoi.KeepClear("ball", "ground", 0.6),
        hoi.KeepClear("by", "ball", 0.6),
        hoi.Pin("ball", 1.0, position=place(session, "ball", 1.0), after="catch:grasp"),
        hoi.Pin("ball", 0.2, position=place(session, "ball", 0.2), after=""),
        hoi.Pin("by", np.float32(0.5), position=place(session, "by", 0.5)),  # type: ignore[arg-type]
    ):
        assert session.add(own).converged


def test_what_is_no_wish_at_all_is_told(session: EditSession, tmp_path: Path) -> None:
    with pytest.raises(HoiError, match="'hello' is no constraint"):
        session.add("hello")  # type: ignore[arg-type]
    with pytest.raises(HoiError, match="'lcks'; choose from: window, locks, opened, scales, things"):
        session.free(lcks=())
    with pytest.raises(HoiError, match=r"a\.txt: expected a name ending in \.hoi"):  # open would not take it for one
        session.save(tmp_path / "a.txt")
    assert session.now == 0 and not list(tmp_path.iterdir())


def test_a_box_cannot_be_kept_clear_of_a_part() -> None:
    box = hoi.Thing("box", hoi.box(0.5, (0.05, 0.05, 0.05)), hoi.Flying(np.array([3.0, 3.0, 0.0])))
    session = hoi.open(hoi.Scene([flat()], [box], end=0.1))
    with pytest.raises(HoiError, match="'box' is no ball, so it cannot be kept clear of 'rig/head'"):
        session.add(hoi.KeepClear("box", "rig/head", 0.05))


def test_only_what_is_let_go_can_be_thrown(session: EditSession) -> None:
    with pytest.raises(HoiError, match="'by' starts in flight, not thrown from its start; choose from: catch, ball"):
        session.throw("by", 0.6, [0, 1, 0])
    with pytest.raises(HoiError, match="unknown contact 'nothing'"):
        session.throw("nothing", 0.6, [0, 1, 0])
    with pytest.raises(HoiError, match="outside the scene"):
        session.throw("catch", 9.0, [0, 1, 0])
    with pytest.raises(HoiError, match="'floor' is an impact"):
        hoi.open(floor_bounce(0.8, 0.3)).throw("floor", 0.7, [0, 1, 0])


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (lambda s: s.drag("ball", 0.6, "up"), "is up; it must be three numbers"),
        (lambda s: s.drag("ball", [0.6, 0.7], [0, 1, 0]), r"is \[0.6, 0.7\]; it must be one number of seconds"),
        (lambda s: s.bend("rig/paddle.tilt", 0.6, "up"), "is up; it must be one number"),
        (lambda s: s.retime("catch", 1.3), "'catch' is released at 1.25 s, so it cannot be at 1.3 s"),
        (lambda s: s.retime("catch", None), "is None; it must be one number of seconds"),
        (lambda s: s.throw("catch", 0.3, [0, 1, 0]), "'catch' holds it from .* so what it throws cannot be any"),
        (lambda s: s.grasp("ball", "rig/plam", 0.6), "unknown body point 'plam'; .* did you mean 'palm'?"),
        (lambda s: s.lock("rig", span=(0.7, 0.3)), "from 0.7 s to 0.3 s; the end must come after the start"),
        (lambda s: s.drag(None, 0.6, [0, 1, 0]), "what is dragged is called None; give its name as text"),
        (lambda s: s.drag(3, 0.6, [0, 1, 0]), "what is dragged is called 3"),
        (lambda s: s.drag("ball", 0.6, [0, 1, 0], velocity="a"), "velocity .* is a; it must be three numbers"),
        (lambda s: s.drag("ball", 0.6, [0, 1, 0], rotation="a"), "no rotation matrix"),
        (lambda s: s.bend(3, 0.6, 1.0), "what is bent is called 3"),
        (lambda s: s.retime(None, 0.6), "the contact is called None"),
        (lambda s: s.place("rig", "a"), "placed by a, .* give three numbers"),
        (lambda s: s.change_thing("ball", mass="a"), "the mass that 'ball' is to have is 'a'; it must be one number"),
        (lambda s: s.window("a", 5), "the window is 'a'..5 .* give numbers of seconds"),
        (lambda s: s.window(0.2, 0.8, "a"), "a fade of 'a'; give numbers of seconds"),
        (lambda s: s.window(30, 50), "outside the scene, which runs from 0 s to 1.4 s"),
        (lambda s: s.let_go(), "let_go wants names"),
        (lambda s: s.let_go(5), "what is let go of is called 5"),
        (lambda s: s.lock(5), "unknown thing to lock, open or scale 5"),
        (lambda s: s.lock("rig", span=(30, 40)), "outside the scene, which runs from 0 s to 1.4 s"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(session: EditSession, edit: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(HoiError, match=what):
        edit(session)
    assert session.now == 0


def test_what_of_a_window_is_outside_the_scene_is_cut_off(session: EditSession) -> None:
    session.window(-5.0, 0.9)
    assert session.document.freedom.window == hoi.Window(0.0, 0.9)
    session.window(0.3, 50.0)
    assert session.document.freedom.window == hoi.Window(0.3, END)


def test_one_of_several_constraints_with_one_label_is_removed(session: EditSession) -> None:
    was = session.state("by", 0.6)
    pins = [hoi.Pin("by", 0.6, position=was.position), hoi.Pin("by", 0.6, velocity=was.velocity)]
    pins.append(hoi.Pin("by", 0.604, position=place(session, "by", 0.604)))
    for pin in pins:
        assert session.add(pin).converged
    with pytest.raises(HoiError, match=r"3 constraints are called .*give one itself, or 0 or 1 or 2"):
        session.remove(pins[0].label)
    session.remove(pins[1])
    assert session.document.constraints == (pins[0], pins[2])
    with pytest.raises(HoiError, match="no constraint"):
        session.remove(pins[1])
    with pytest.raises(HoiError, match="no constraint 2"):
        session.remove(2)
    session.remove(1)
    session.remove(pins[0].label)  # which now means but one
    assert not session.document.constraints


def test_a_release_costs_what_it_did(opened: EditSession) -> None:
    assert weights(opened.model)[opened.layout["catch.release"].start] == TIME


# -- files and numbers ------------------------------------------------------------------------------------------------


def test_another_session_on_the_file_leaves_the_autosave(tmp_path: Path, opened: EditSession) -> None:
    path, beside = tmp_path / "a.hoi", tmp_path / ".a.hoi.autosave"
    opened.save(path)
    opened.close()
    first, second = hoi.open(path), hoi.open(path)
    first.lock("by")
    assert first._keeper is not None
    first._keeper.write()
    assert beside.exists()
    second.close()
    assert beside.exists()
    first.close()
    assert not beside.exists()


def out_of_memory(*_: Any) -> None:
    raise MemoryError("all gone")


def test_autosaving_goes_on_after_any_failure(
    tmp_path: Path, session: EditSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "EVERY", 1e6)  # nothing is written behind our back
    keeper = keeping.Keeper(tmp_path / "a.hoi")
    keeper._next = np.inf
    monkeypatch.setattr(keeper, "_wait", lambda: setattr(keeper, "_timer", object()))
    keeper.edited(session.history, session.now)
    with monkeypatch.context() as broken:
        broken.setattr(keeping, "parts_of", out_of_memory)
        with pytest.raises(MemoryError):
            keeper.write()
    assert keeper.problem == "MemoryError: all gone"
    keeper.edited(session.history, session.now)
    assert keeper._timer is not None  # another one waits
    keeper.write()
    assert (tmp_path / ".a.hoi.autosave").exists()
    assert not keeper.problem


def test_numbers_of_any_kind(session: EditSession, tmp_path: Path) -> None:
    x, J = session.linearise("ball", t=np.float32(0.5))  # type: ignore[arg-type]
    assert np.array_equal(x, session.linearise("ball", t=0.5)[0]) and J.shape == (6, len(session.u))
    with pytest.raises(HoiError, match="a name and a time"):
        session.linearise("ball", t="0.5")  # type: ignore[arg-type]
    for name in (("ball", 0.5), 5, [], ["ball"], [("ball", 0.5, 1.0)], [(5, 0.5)]):
        with pytest.raises(HoiError, match="a name and a time"):
            session.linearise(name, 0.5)  # type: ignore[arg-type]
    with pytest.raises(HoiError, match="the time is 'x'; it must be one number of seconds"):
        session.state("ball", "x")  # type: ignore[arg-type]
    with pytest.raises(HoiError, match="unknown thing or point of a body 5; choose from: ball, by, rig/palm"):
        session.state(5, 0.5)  # type: ignore[arg-type]
    for what, value in (("rate", "30"), ("rate", np.inf), ("start", "0"), ("end", [1.0])):
        with pytest.raises(HoiError, match=f"the {what} is .* a finite number"):
            session.export(tmp_path / "a.csv", **{what: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("u", "what"), [("abc", "a str"), (None, "a NoneType"), (1j, "of complex128"), (np.zeros(3), r"shape \(3,\)")]
)
def test_control_vectors_are_real_numbers(session: EditSession, u: Any, what: str) -> None:
    with pytest.raises(HoiError, match=f"has {len(session.u)} real numbers, not .*{what}"):
        session.simulate(session.u + u if isinstance(u, complex) else u)  # type: ignore[arg-type]


def test_a_glb_of_one_picture(session: EditSession, tmp_path: Path) -> None:
    (written,) = session.export(tmp_path / "a.glb", start=1.0, end=1.01)
    assert "1 key," in written.contents
    played = Played(written.path)
    ball, _ = played.frames(played.node("ball"), np.array([1.0]))
    assert np.abs(ball[0] - place(session, "ball", 1.0)).max() < 1e-5


def test_patterns_that_cannot_be() -> None:
    with pytest.raises(HoiError, match="pattern '2' only holds its balls"):
        hoi.juggle("2")
    with pytest.raises(HoiError, match=r"1 rounds of 0\.52 s were asked for; together they must last 1 to 120 s"):
        schedule(parse("3"), rounds=1)


def test_things_and_people_that_can_be_dragged_are_listed(session: EditSession) -> None:
    for ask in (lambda: session.drag("nobody", 0.6, [0, 1, 0]), lambda: session.state("nobody", 0.6)):
        with pytest.raises(HoiError, match="point of a body 'nobody'; choose from: ball, by, rig/palm"):
            ask()
    with pytest.raises(HoiError, match="'rig' is a person; name a point of the body, for instance 'rig/palm'"):
        session.drag("rig", 0.6, [0, 1, 0])


def test_contacts_that_a_catch_would_cut_off_are_told_in_one_sentence() -> None:
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.05), hoi.Flying(np.array([5.0, 1.0, 0.0])), hoi.Material(0.9, 0.3))
    bounces = [hoi.Contact("one", "ball", "ground", 0.44), hoi.Contact("two", "ball", "ground", 1.22)]
    session = hoi.open(hoi.Scene([flat()], [ball], [hoi.ground()], bounces, end=1.4))
    assert not session.rollout.missed
    report = session.grasp("ball", "rig/palm", t=0.2)
    assert not report.holds and len(report.binding) == 1
    assert str(report.binding[0]).startswith("one, two: ball would be in rig/palm then")
