"""What an edit leaves behind hangs on where it ends and not on the way there; it goes no farther than bodies can, and
says truly what holds it back."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.joint_drag import Bending
from hoi_edit.reporting.findings import Finding
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from kinematics.io import read_clip

ARM = "juggler/right_hand"


@pytest.fixture(scope="module")
def scenes() -> dict[str, EditSession]:
    return {}


@pytest.fixture
def opened(scenes: dict[str, EditSession]) -> Callable[[str], EditSession]:
    """A session of a scene at its start, all that was undone forgotten; models are made once."""

    def session_of(name: str) -> EditSession:
        if name not in scenes:
            scenes[name] = hoi.open(name)
        return scenes[name].copy()

    return session_of


def place(session: EditSession, name: str, t: float) -> np.ndarray:
    return session.state(name, t).position


def moved(session: EditSession, name: str, t: float, ways: Sequence[Any]) -> Any:
    """A gesture that was moved by each of these from where it began."""
    gesture, start = session.begin(name, t), place(session, name, t)
    for way in ways:
        gesture.move(start + np.asarray(way))
    return gesture


def again(session: EditSession) -> EditSession:
    """What its script makes."""
    names: dict[str, Any] = {}
    exec(session.script(), names)
    return names["session"]


# -- ways -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scene", "name", "t", "way"),
    [
        ("juggle3", "ball1", 7.93, (0.2, 0.3, 0.1)),
        ("save", "ball2", 3.73, (0.2, 0.2, 0.2)),
        ("soccer", "ball", 3.3, (0.1, 0.1, 0.0)),
        ("baseball", "ball", 1.97, (-0.3, 0.1, 0.1)),
    ],
)
def test_there_and_back_is_back(
    opened: Callable[[str], EditSession], scene: str, name: str, t: float, way: tuple[float, float, float]
) -> None:
    session = opened(scene)
    before = session.u
    shares = [*np.linspace(0.0, 1.0, 5), *np.linspace(1.0, 0.0, 5)]
    gesture = moved(session, name, t, [share * np.array(way) for share in shares])
    report = gesture.commit()
    assert report.converged and report.unchanged and len(session.history) == 1
    assert np.array_equal(session.u, before)


def test_a_script_does_what_the_mouse_did(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    moved(session, "ball2", 1.4, [np.array([0.05, 0.05, 0.0]) * k for k in (1, -2, 3, 6)]).commit()
    gesture = Bending(session, "juggler/right_forearm.Xrotation", 2.0)
    for angle in (0.1, -0.1, 0.15):
        gesture.move(gesture.value + angle)
    gesture.commit()
    assert len(session.history) == 3 and "via" not in session.script()
    assert np.array_equal(again(session).u, session.u)


def test_a_way_that_was_needed_is_remembered(opened: Callable[[str], EditSession], tmp_path: Path) -> None:
    session = opened("juggle3")
    gesture = moved(session, "ball1", 1.2, [[0.0, 0.05 * k, 0.0] for k in (1, 2, 3)])
    gesture._reaches = lambda *_: False  # as if there were no other way
    report = gesture.commit()
    assert report.converged and session.script().count("'steps': 2") == 3
    session.save(tmp_path / "a.hoi")
    call = hoi.EditSession.saved(tmp_path / "a.hoi").history[1].call
    assert [move["steps"] for move in call.arguments["via"]] == [2, 2, 2]
    repeated = opened("juggle3")
    assert repeated.drag(**call.arguments).converged
    np.testing.assert_allclose(repeated.state("ball1", 1.2).position, session.state("ball1", 1.2).position, atol=1e-6)


# -- bodies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", [0.7, 0.9])
def test_feet_that_stand_stay_however_far_a_hand_is_dragged(opened: Callable[[str], EditSession], up: float) -> None:
    session = opened("juggle3")
    times, feet = np.linspace(0.5, 3.5, 31), ("juggler/left_foot", "juggler/right_foot")
    stood = [np.stack([place(session, foot, t) for t in times]) for foot in feet]
    limits = hoi.JointLimits.of(session.rollout, "juggler")
    report = session.drag(ARM, t=2.0, to=place(session, ARM, 2.0) + [0.0, up, 0.0])
    assert len(session.history) == 2 and (report.converged or report.binding)
    for foot, where in zip(feet, stood, strict=True):
        assert np.abs(np.stack([place(session, foot, t) for t in times]) - where).max() < 0.012
    poses = session.rollout.poses("juggler")
    assert np.all(poses < limits.high + 2e-3) and np.all(poses > limits.low - 2e-3)


def test_feet_that_were_let_go_do_not_hold_a_hand(opened: Callable[[str], EditSession]) -> None:
    far = np.array([1.0, 0.2, 0.3])
    held, freed = opened("juggle3"), opened("juggle3")
    freed.let_go("juggler")
    for session in (held, freed):
        session.drag(ARM, t=2.0, to=place(session, ARM, 2.0) + far)
    before = place(opened("juggle3"), "juggler/left_foot", 2.0)
    assert np.linalg.norm(place(held, "juggler/left_foot", 2.0) - before) < 0.012
    assert np.linalg.norm(place(freed, "juggler/left_foot", 2.0) - before) > 0.02


def test_a_joint_bends_as_far_as_it_can(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    elbow = "juggler/right_forearm.Xrotation"
    report = session.bend(elbow, t=1.5, to=0.6, thorough=True)
    assert not report.converged and report.holds and not report.unchanged and len(session.history) == 2
    assert report.binding and report.binding[0].kind == "joint limit" and report.binding[0].name == elbow


def test_a_hand_does_not_follow_what_it_has_let_go(mocap: Path) -> None:
    ann = hoi.Character.of("ann", read_clip(mocap / "cmu_141_10_toss_and_catch.bvh"))
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.035), hoi.Held("ann/right_palm", release=1.75), hoi.Material(0.8, 0.5))
    session = hoi.open(hoi.Scene([ann], [ball], [hoi.ground()], end=4.0))
    assert session.grasp("ball", "ann/left_palm", t=2.2, release=2.9).converged
    assert session.drag("ball", t=2.0, to=place(session, "ball", 2.0) + [0.0, 0.2, 0.0]).converged
    assert session.grasp("ball", "ann/right_palm", t=3.3).converged
    assert session.retime("ball:release", t=1.7).converged
    assert session.rollout.pushed == ()


# -- what holds back --------------------------------------------------------------------------------------------------


def test_a_lock_that_has_nothing_to_do_with_it_is_not_named(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    here = place(session, "ball1", 1.2)
    session.lock("juggler/thorax")
    session.add(hoi.Pin("ball1", 1.2, here))
    report = session.drag("ball1", 1.2, here + [0.1, 0.0, 0.0])
    assert not report.converged and report.binding == (Finding("pin", "ball1", time=1.2),)


def test_locks_that_hold_back_together_are_all_named(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    session.lock("juggler")
    session.lock("juggler", span=(0.0, 10.0))
    report = session.drag(ARM, t=2.0, to=place(session, ARM, 2.0) + [0.1, 0.0, 0.0])
    assert report.binding == (Finding("lock", "juggler"), Finding("lock", "juggler", time=0.0, until=10.0))
    assert [*map(str, report.binding)] == ["the lock of juggler", "the lock of juggler from 0 s to 10 s"]


@pytest.mark.parametrize("name", ["ball1", ARM])
def test_a_window_that_holds_back_is_named(opened: Callable[[str], EditSession], name: str) -> None:
    session = opened("juggle3")
    session.window(1.1, 1.3)
    report = session.drag(name, 1.2, place(session, name, 1.2) + [0.1, 0.1, 0.0])
    assert not report.converged and report.binding[0] == Finding("window", time=1.1, until=1.3)


def test_a_window_that_holds_a_constraint_or_a_time_back_is_named(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    session.window(3.0, 5.0)
    added = session.add(hoi.Pin("ball1", 8.0, place(session, "ball1", 8.0) + [0.0, 0.1, 0.0]))
    thing, k = session.rollout.happened["catch15"]
    timed = session.retime("catch15", session.rollout.trajectories.chains[thing].events[k].time + 0.05)
    for report in (added, timed):
        assert not report.holds and str(report.binding[0]) == "the window from 3 s to 5 s"


def test_a_pin_a_moment_before_is_what_holds_back(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    here = place(session, "ball1", 1.2)
    session.add(hoi.Pin("ball1", 1.2, here))
    report = session.drag("ball1", 1.21, here + [0.2, 0.2, 0.0])
    assert not report.converged and report.binding[0] == Finding("pin", "ball1", time=1.2)


# -- what was given up, and what goes as far as it can -----------------------------------------------------------------


def test_what_was_given_up_changed_nothing_and_says_so(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    here = place(session, "ball1", 1.2)
    session.add(hoi.Pin("ball1", 1.2, here))
    for report in (
        session.add(hoi.Pin("ball1", 1.2, here + [0.5, 0.0, 0.0])),
        session.grasp("ball1", "juggler/left_palm", t=1.0),
    ):
        assert report.unchanged and not report.holds and report.events_changed == ()
    assert len(session.history) == 2


def test_a_throw_goes_as_far_as_it_can(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    far, thing = np.array([2.5, 1.9, 0.4]), session.scene.contact("catch5").object
    before = np.linalg.norm(place(session, thing, 3.5) - far)
    report = session.throw("catch5", t=3.5, to=far)
    assert not report.converged and report.holds and report.binding
    assert np.linalg.norm(place(session, thing, 3.5) - far) < before - 0.1
    assert np.array_equal(again(session).u, session.u)


def test_a_time_out_of_reach_is_approached(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    thing, k = session.rollout.happened["catch5"]
    chain = session.rollout.trajectories.chains[thing]
    was, sent = chain.events[k].time, chain.events[k - 1].time
    report = session.retime("catch5", sent - 0.1)  # earlier than it was thrown
    now = session.rollout.trajectories.chains[thing].events[k].time
    assert not report.converged and report.holds and report.binding
    assert sent - 0.1 < now < was and report.residual == pytest.approx(now - sent + 0.1, abs=1e-6)
    assert session.rollout.missed == () and np.array_equal(again(session).u, session.u)


@pytest.mark.parametrize(("contact", "t"), [("ball1", -0.5), ("catch5", 11.0), ("catch5", 2.0)])
def test_a_release_is_after_its_catch_and_within_the_scene(
    opened: Callable[[str], EditSession], contact: str, t: float
) -> None:
    with pytest.raises(HoiError, match=f"'{contact}:release' cannot be at {t:g} s.*; give a time in between"):
        opened("juggle3").retime(f"{contact}:release", t)


def test_events_that_went_are_told_of_a_catch() -> None:
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.04), hoi.Flying(np.array([0.35, 1.2, 0.5])), hoi.Material(0.8, 0.4))
    juggler = hoi.open("juggle3").scene.character("juggler")
    session = hoi.open(hoi.Scene([juggler], [ball], [hoi.ground()], end=3.0))
    assert any(event.other == "ground" for event in session.rollout.events)
    report = session.grasp("ball", "juggler/left_palm", t=0.3)
    assert report.converged and Finding("no longer hits", "ball", "ground") in report.events_changed


# -- files ------------------------------------------------------------------------------------------------------------


def test_what_somebody_else_saved_is_not_overwritten_unawares(
    opened: Callable[[str], EditSession], tmp_path: Path
) -> None:
    path = tmp_path / "a.hoi"
    opened("juggle3").save(path)
    one, other = hoi.open(path), hoi.open(path)
    one.lock("ball1")
    one.save()
    other.lock("ball2")
    with pytest.raises(HoiError, match="saved by somebody else"):
        other.save()
    assert hoi.EditSession.saved(path).history[-1].label == one.history[-1].label
    other.save(path)
    other.lock("ball3")
    other.save()  # it is its own again
    assert len(hoi.EditSession.saved(path).history) == 3


def test_a_script_reads_the_same_after_a_file(opened: Callable[[str], EditSession], tmp_path: Path) -> None:
    session = opened("juggle3")
    session.add_thing(hoi.Thing("ball4", hoi.ball(0.1, 0.04), hoi.Flying(np.array([0.5, 1.0, 0.3]))))
    session.save(tmp_path / "a.hoi")
    assert hoi.open(tmp_path / "a.hoi").script() == session.script()
