"""Edits: drags that converge, keep what is to be kept, tell what binds, and can be undone to the bit."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.constraints.hand_acceleration import HandAcceleration, accelerations
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.constraints.soft_catch import SoftCatch
from hoi_edit.reporting.findings import Finding
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from tests.body_drags import AGREE, felt
from tests.sessions import ball_to_a_mime


@pytest.fixture(scope="module")
def opened() -> Callable[[str], EditSession]:
    """A session at its start; opened once, since a test that undoes what it did leaves nothing behind."""
    sessions: dict[str, EditSession] = {}

    def session_of(name: str) -> EditSession:
        if name not in sessions:
            sessions[name] = hoi.open(name)
        while sessions[name].undo():
            pass
        return sessions[name]

    return session_of


def place(session: EditSession, name: str, t: float) -> np.ndarray:
    return session.state(name, t).position


DRAGS = [
    ("juggle3", "ball1", 1.2, (0.1, 0.1, 0.0)),
    ("juggle3", "ball2", 4.0, (0.0, 0.5, 0.0)),
    ("juggle3", "juggler/right_hand", 2.0, (0.1, 0.0, 0.2)),
    ("passing6", "ball1", 2.0, (0.2, 0.2, 0.1)),
    ("soccer", "ball", 1.5, (0.1, 0.1, 0.0)),
    ("soccer", "ball", 2.0, (0.3, 0.1, 0.1)),
    # near a touch, which must not come to be on the other side of that time
    ("soccer", "ball", 3.1158, (0.137, -0.233, -0.13)),
    ("soccer", "ball", 0.9504, (0.218, -0.206, 0.0)),
    ("baseball", "ball", 1.8, (0.1, 0.1, 0.0)),
]


@pytest.mark.parametrize(("scene", "name", "t", "by"), DRAGS)
def test_a_drag_arrives_and_keeps_every_contact(
    opened: Callable[[str], EditSession], scene: str, name: str, t: float, by: tuple[float, ...]
) -> None:
    session = opened(scene)
    happened, target = set(session.rollout.happened), place(session, name, t) + by
    report = session.drag(name, t, target)
    assert report.converged, report
    assert np.abs(place(session, name, t) - target).max() < 1e-6
    assert set(session.rollout.happened) == happened
    assert not session.rollout.missed
    assert max(np.abs(off).max() for off in session.rollout.continuity.values()) < 1e-6


def test_pins_hold_and_undo_is_bit_identical(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    before, rng = session.u, np.random.default_rng(0)
    pins = {
        (name, t): place(session, name, t) for name, t in (("ball1", 2.6), ("ball2", 3.5), ("juggler/left_hand", 3.0))
    }
    for name, t in pins:
        assert session.add(hoi.Pin(name, t, position=pins[name, t])).converged
    for _ in range(6):
        name, t = f"ball{rng.integers(1, 4)}", float(rng.uniform(1.0, 6.0))
        session.drag(name, t, place(session, name, t) + rng.normal(size=3) * 0.05)
        for (pinned, when), where in pins.items():
            assert np.abs(place(session, pinned, when) - where).max() < 1e-6
    after = session.u
    steps = sum(1 for _ in iter(session.undo, False))
    assert steps == 9 and np.array_equal(session.u, before)
    assert sum(1 for _ in iter(session.redo, False)) == 9 and np.array_equal(session.u, after)


@pytest.mark.parametrize(("scene", "name", "t"), [("juggle3", "ball1", 1.2), ("soccer", "ball", 1.5)])
def test_out_and_back_leaves_nothing_behind(
    opened: Callable[[str], EditSession], scene: str, name: str, t: float
) -> None:
    session = opened(scene)
    before = session.u
    gesture = session.begin(name, t)
    start = gesture.start.position
    for share in (0.3, 0.7, 1.0, 0.6, 0.2, 0.0):
        gesture.move(start + share * np.array([0.1, 0.1, 0.05]))
    assert gesture.commit().converged
    assert np.abs(session.u - before).max() < 1e-6


def test_an_aborted_gesture_changes_nothing(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    before = session.now
    gesture = session.begin("ball1", 1.2)
    gesture.move(gesture.start.position + [0.1, 0.0, 0.0])
    assert np.abs(gesture.iterate.u - session.u).max() > 1e-3  # the scene follows while it is dragged
    gesture.abort()
    assert session.now == before
    with pytest.raises(HoiError, match="is over"):
        gesture.move(gesture.start.position)


def test_what_cannot_be_says_what_binds(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    where = place(session, "ball1", 1.2)
    session.add(hoi.Pin("ball1", 1.2, position=where, after=session.rollout.span_name("ball1", 1.2)))
    report = session.drag("ball1", 1.2, where + [0.2, 0.0, 0.0])
    assert not report.converged
    assert any((own.kind, own.name) == ("pin", "ball1") for own in report.binding), report
    assert np.abs(place(session, "ball1", 1.2) - where).max() < 1e-6


def test_locks_and_windows_keep_to_the_bit(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    before, layout = session.u, session.layout
    session.lock("juggler/right_upper_arm")
    session.window(0.5, 3.0)
    target = place(session, "ball1", 1.2) + [0.05, 0.1, 0.0]
    assert session.drag("ball1", 1.2, target).converged
    character = session.scene.character("juggler")
    dofs = character.skeleton.dofs_of(character.skeleton.segment("right_upper_arm"))
    block = layout["juggler"]
    knots = np.abs((session.u - before)[block.indices].reshape(block.shape))
    assert knots[:, list(dofs)].max() == 0.0 and knots.max() > 1e-3
    late = np.linspace(3.0, session.scene.end, 50)
    for name in ("juggler/right_hand", "juggler/head", "ball2"):
        now, was = session.rollout.positions(name, late), session.source.positions(name, late)
        assert np.abs(now - was).max() < 1e-9


def test_the_body_follows_gently(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    target = place(session, "juggler/right_hand", 2.0) + [0.2, 0.2, 0.1]
    assert session.drag("juggler/right_hand", 2.0, target).converged
    times = np.linspace(session.scene.start, session.scene.end, 300)
    for name in ("juggler/pelvis", "juggler/left_foot", "juggler/right_foot"):
        moved = session.rollout.positions(name, times) - session.source.positions(name, times)
        assert np.linalg.norm(moved, axis=1).max() < 0.02, name
    assert np.linalg.norm(accelerations(session.rollout, "juggler/right_hand")[1], axis=1).max() < 40.0


def test_balls_are_kept_apart_while_another_is_dragged(opened: Callable[[str], EditSession]) -> None:
    """A drag of the first ball that brings the other two within 6 mm, with and without a wish that they keep clear."""
    session = opened("juggle3")
    times = np.linspace(3.7, 3.9, 400)
    reach = sum(session.scene.thing(name).body.radius for name in ("ball2", "ball3"))
    target = place(session, "ball1", 4.02) + [-0.02, -0.02, 0.22]

    def gaps() -> np.ndarray:
        away = session.rollout.positions("ball2", times) - session.rollout.positions("ball3", times)
        return np.asarray(np.linalg.norm(away, axis=1) - reach)

    assert gaps().min() > 0.04
    assert session.drag("ball1", 4.02, target).converged
    assert gaps().min() < 0.01
    closest = float(times[gaps().argmin()])
    assert session.undo()
    assert session.add(hoi.KeepClear("ball2", "ball3", closest, distance=0.02)).converged
    assert session.drag("ball1", 4.02, target).converged
    assert gaps().min() > 0.02 - 1e-3
    assert np.abs(place(session, "ball1", 4.02) - target).max() < 1e-6


def test_limits_speeds_and_feet_as_constraints(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    limits = JointLimits.of(session.rollout, "juggler")
    assert session.add(limits).converged
    _, accel = accelerations(session.rollout, "juggler/right_hand")
    most = float(np.linalg.norm(accel, axis=1).max())
    assert session.add(HandAcceleration("juggler/right_hand", most)).converged
    contact = session.scene.contacts[4].id
    assert session.add(SoftCatch(contact, 1.2)).converged
    thing, k = session.rollout.happened[contact]
    assert session.rollout.trajectories.chains[thing].events[k].speed < 1.2 + 1e-6
    for foot in standing(session.rollout, 1.5, 2.5):
        assert session.add(foot).converged
    assert session.drag(
        "juggler/right_hand", 2.0, place(session, "juggler/right_hand", 2.0) + [0.1, 0.1, 0.0]
    ).converged
    poses = session.rollout.poses("juggler")
    assert (poses - limits.high).max() < 1e-3 and (limits.low - poses).max() < 1e-3
    assert np.linalg.norm(accelerations(session.rollout, "juggler/right_hand")[1], axis=1).max() < 1.05 * most


def test_a_script_and_a_file_give_the_same_document(opened: Callable[[str], EditSession], tmp_path: Path) -> None:
    session = opened("juggle3")
    session.drag("ball1", 1.2, place(session, "ball1", 1.2) + [0.05, 0.1, 0.0])
    session.add(hoi.Pin("ball2", 3.5, position=place(session, "ball2", 3.5)))
    session.lock("ball3")
    session.undo()
    names: dict[str, EditSession] = {}
    exec(session.script(), names)
    assert np.array_equal(names["session"].u, session.u)
    session.save(tmp_path / "a.hoi")
    again = hoi.open(str(tmp_path / "a.hoi"))
    assert np.array_equal(again.u, session.u) and again.now == session.now
    assert [step.label for step in again.history] == [step.label for step in session.history]
    assert len(repr(session.history)) < 300 * len(session.history)  # what was done, not the scene each time
    assert [event.time for event in again.rollout.events] == [event.time for event in session.rollout.events]
    assert again.redo() and again.document.freedom.locks[0].name == "ball3"


def test_mistakes_are_told(opened: Callable[[str], EditSession]) -> None:
    session = opened("juggle3")
    with pytest.raises(HoiError, match="ball9"):
        session.drag("ball9", 1.0, [0, 0, 0])
    with pytest.raises(HoiError, match="outside the scene"):
        session.drag("ball1", 99.0, [0, 0, 0])
    with pytest.raises(HoiError, match="three numbers"):
        session.drag("ball1", 1.0, [0, 0])
    with pytest.raises(HoiError, match="no constraint"):
        session.remove("nothing")
    with pytest.raises(HoiError, match="right_nose"):
        session.lock("juggler/right_nose")
    with pytest.raises(HoiError, match="not locked"):
        session.unlock("juggler")
    assert session.now == 0


def test_a_catch_a_throw_and_another_time() -> None:
    start = hoi.Flying(np.array([0.2, 1.2, 0.9]), np.array([0.0, 2.5, -0.6]))
    session = ball_to_a_mime(hoi.ball(0.12, 0.035), start, 2.0)
    before = len(session.u)
    assert session.grasp("ball", "juggler/right_palm", t=0.45, release=1.0).converged
    caught = next(event for event in session.rollout.events if event.kind == "grasp")
    assert caught.contact == "catch1" and caught.time == pytest.approx(0.45, abs=1e-6)
    assert len(session.u) == before + 1  # its release
    assert session.retime("catch1", 0.5).converged
    assert session.rollout.events[0].time == pytest.approx(0.5, abs=1e-6)
    assert session.retime("catch1:release", 0.9).converged
    target = session.state("juggler/right_palm", 0.9).position + [0.1, 0.5, 0.2]
    assert session.throw("catch1", 1.2, target).converged
    assert np.abs(place(session, "ball", 1.2) - target).max() < 1e-6
    assert "hoi.open(scene)" in session.script()
    while session.undo():
        pass
    assert len(session.u) == before


def test_a_plan_that_is_not_declared_and_does_not_happen_is_not_called_solved() -> None:
    session = hoi.open("baseball:start")
    report = session.solve()
    assert not report.converged and list(report.missed) == [Finding("contact", "hit")]
    assert report.binding[0].kind == "undeclared" and "declare it" in str(report.binding[0])
    assert not session.undo()


def dropped_at(x: float, speed: float = 0.0) -> hoi.Flying:
    return hoi.Flying(np.array([x, 1.0, 0.0]), np.array([speed, 0.0, 0.0]))


def flying_alone(*starts: hoi.Flying) -> EditSession:
    things = [hoi.Thing(name, hoi.ball(0.2, 0.05), start) for name, start in zip("ab", starts, strict=False)]
    return hoi.open(hoi.Scene(things=things, fixtures=[hoi.ground()], end=1.5))


def test_a_place_below_the_ground_or_in_another_ball_is_not_reached() -> None:
    """Rows are about a flight however long it lasts; what ends it before is in the way."""
    session = flying_alone(dropped_at(0.0))
    report = session.drag("a", 0.3, [0.0, -1.0, 0.0])
    assert not report.converged and report.holds
    assert (report.binding[0].kind, report.binding[0].name, report.binding[0].partner) == ("clear", "a", "ground")
    y = float(place(session, "a", 0.3)[1])
    assert 0.05 <= y < 0.1 and report.residual == pytest.approx(1.0 + y)

    session = flying_alone(dropped_at(0.0, 0.5), dropped_at(0.5))
    report = session.drag("a", 0.2, place(session, "b", 0.2))
    assert not report.converged
    assert any(own.kind in ("met", "clear") and own.partner == "b" for own in report.binding)
    assert np.linalg.norm(place(session, "a", 0.2) - place(session, "b", 0.2)) >= 0.1 - 1e-6


def test_nothing_is_dragged_into_what_it_would_start_inside_of() -> None:
    session = flying_alone(dropped_at(0.0))
    report = session.drag("a", 0.0, [0.0, 0.0, 0.0])
    assert not report.converged and "ground, which a would start" in str(report.binding[0])
    assert 0.05 <= place(session, "a", 0.0)[1] < 0.1
    assert session.rollout.events[0].other == "ground"


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("juggler/pelvis", (0.05, 0.15, 0.1)),  # out of reach on these feet
        ("juggler/pelvis", (0.05, -0.15, 0.1)),  # so low that ankles come to their limits
        ("juggler/left_foot", (0.3, 0.06, -0.3)),
        ("juggler/right_hand", (0.2, 0.4, 0.3)),
    ],
)
def test_what_is_shown_of_a_body_is_what_is_kept(
    opened: Callable[[str], EditSession], name: str, by: tuple[float, ...]
) -> None:
    one = felt(opened("juggle3"), "juggle3", name, 3.0, np.array(by))
    assert one.report.holds and max(one.leap, one.leap_ever) < AGREE, one
    assert one.slide < 0.008 and one.beyond < 0.02, one  # in every frame, between the samples as well
    assert one.slide_after < 0.005 and one.beyond_after < 2e-3, one


def test_a_hand_is_dragged_while_what_is_in_it_has_to_keep_clear_of_a_thigh() -> None:
    """How many rows that takes changes from step to step."""
    session = hoi.open("save")
    gesture = session.begin("juggler/left_hand", 6.154)
    target = gesture.start.position + [0.022, -0.172, -0.213]
    for share in (0.25, 0.5, 0.75, 1.0):
        gesture.move(gesture.start.position + share * (target - gesture.start.position))
    report = gesture.commit()
    assert report.converged and np.linalg.norm(session.state("juggler/left_hand", 6.154).position - target) < 1e-6
