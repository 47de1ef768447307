"""The performances: what each is to show, it shows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from examples.baseball import FARTHER, effort
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.scenes.box import HALF
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError
from kinematics.rotation import Floats, yaw

RIGHT, LEFT = "batter/right_palm", "batter/left_palm"
PARTS = ("batter/pelvis", "batter/left_toes", "batter/right_foot", "batter/head")
TIMES = (0.0, 1.1, 2.0, 2.9)


@pytest.fixture(scope="module")
def opened() -> EditSession:
    return hoi.open("baseball")


@pytest.fixture
def baseball(opened: EditSession) -> EditSession:
    while opened.now > 0:
        opened.undo()
    return opened


def strays(session: EditSession) -> Floats:
    """How far the left palm is from its place on the bat, all along."""
    place = SecondHand.of(session.rollout, "bat").place
    found = []
    for t in np.linspace(session.scene.start, session.scene.end, 150):
        bat, palm = session.state("bat", t), session.state(LEFT, t).position
        found.append(np.linalg.norm(bat.rotation.T @ (palm - bat.position) - place))
    return np.array(found)


def paths(session: EditSession) -> Floats:
    return np.array([session.state(part, t).position for part in PARTS for t in TIMES])


def test_the_bat_is_in_both_hands(baseball: EditSession) -> None:
    assert baseball.scene.second_hand("bat") == LEFT
    place, bat = SecondHand.of(baseball.rollout, "bat").place, baseball.scene.thing("bat").body
    assert np.hypot(place[0], place[2]) == pytest.approx(float(bat.radius), abs=1e-6)
    assert strays(baseball).max() < 2e-3
    assert strays(hoi.open("baseball:start")).max() > 0.05  # the mime's hand was not there


def test_the_pitch_misses_until_it_is_edited() -> None:
    assert hoi.open("baseball:start").rollout.missed == ("hit",)


def test_a_batter_who_is_moved_is_pitched_to(baseball: EditSession) -> None:
    before, bodies, pitch, eager = baseball.u, paths(baseball), baseball.state("ball", 1.8), effort(baseball)
    strikes = strays(baseball).max()
    assert baseball.place("batter", by=FARTHER).converged
    hit = next(event for event in baseball.rollout.events if event.contact == "hit")
    assert hit.other == "bat" and not baseball.rollout.missed
    # standing elsewhere is all that the feet do; what hands do about the ball is little
    assert np.abs(paths(baseball) - bodies - FARTHER).max() < 0.02
    assert np.linalg.norm(baseball.state("ball", 1.8).position - pitch.position) > 0.1
    assert effort(baseball) > eager + 0.05
    assert strays(baseball).max() < strikes + 1e-3
    assert not [str(own) for own in measures(baseball) if own.is_off]
    assert "session.place(name='batter', by=[0.25, 0.0, 0.5]" in baseball.script()
    assert baseball.undo() and np.array_equal(baseball.u, before)


def test_one_who_comes_nearer_is_pitched_to_with_less_effort(baseball: EditSession) -> None:
    eager = effort(baseball)
    assert baseball.place("batter", by=(-0.2, 0.0, -0.5)).converged
    assert effort(baseball) < eager - 0.05 and not baseball.rollout.missed


def test_one_who_turns_turns_where_they_start(baseball: EditSession) -> None:
    pivot, bodies = baseball.state("batter/pelvis", 0.0).position, paths(baseball)
    assert baseball.place("batter", turn=0.15).converged
    turned = (bodies - pivot) @ yaw(0.15).T + pivot
    feet = slice(0, 3 * len(TIMES))
    assert np.abs(paths(baseball) - turned)[feet].max() < 5e-3
    assert not baseball.rollout.missed


def test_whoever_pitches_can_be_placed_too(baseball: EditSession) -> None:
    """A blend: all of its clips move."""
    foot = "pitcher/left_toes"
    before = [baseball.state(foot, t).position for t in TIMES]
    assert baseball.place("pitcher", by=(0.1, 0.0, 0.1)).converged and not baseball.rollout.missed
    moved = np.array([baseball.state(foot, t).position for t in TIMES]) - before
    assert np.abs(moved - [0.1, 0.0, 0.1]).max() < 0.05  # with another effort the step is another


@pytest.mark.parametrize(
    ("first", "place", "told"),
    [
        (lambda s: s.lock("batter/pelvis"), {"name": "batter", "by": (1.0, 0.0, 0.0)}, "'batter/pelvis' is locked"),
        (lambda s: s.window(0.5, 1.0), {"name": "batter", "by": (1.0, 0.0, 0.0)}, "open the window"),
        (lambda s: None, {"name": "batter", "by": (1.0, 0.0)}, "three numbers"),
        (lambda s: None, {"name": "batter", "turn": np.inf}, "one \\[rad\\]"),
        (lambda s: None, {"name": "umpire"}, "umpire"),
    ],
)
def test_places_that_cannot_be_are_told(
    baseball: EditSession, first: Callable[[EditSession], None], place: dict[str, Any], told: str
) -> None:
    first(baseball)
    now = baseball.now
    with pytest.raises(HoiError, match=told):
        baseball.place(**place)
    assert baseball.now == now


def test_open_hands_are_a_promise(baseball: EditSession) -> None:
    assert baseball.add(hoi.OpenHands.of(baseball.scene)).converged
    found = [own for own in measures(baseball) if own.kind == "open hands"]
    assert len(found) == 3 and not any(own.is_off for own in found)


# -- box --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def box() -> EditSession:
    return hoi.open("box")


def test_the_box_is_caught_twice_with_both_hands(box: EditSession) -> None:
    kinds = [(event.kind, event.contact) for event in box.rollout.events]
    assert kinds == [("release", "box"), ("grasp", "catch1"), ("release", "catch1"), ("grasp", "catch2")]
    for hold, span in zip(("box", "catch1", "catch2"), box.rollout.spans("box")[::2], strict=True):
        hand = SecondHand.of(box.rollout, hold)
        for share in hand.shares:
            t = min(span.start + share * (span.end - span.start), span.end - 1e-9)
            state, palm = box.state("box", t), box.state(hand.site, t).position
            assert np.linalg.norm(state.rotation.T @ (palm - state.position) - hand.place) < 1e-4, (hold, share)
        assert abs(hand.place[0]) == pytest.approx(HALF[0], abs=6e-3)  # on the side that is away from the right hand


def test_it_turns_over_in_the_air_each_time(box: EditSession) -> None:
    times = [event.time for event in box.rollout.events]
    for release, grasp in (times[:2], times[2:]):
        spin = box.state("box", 0.5 * (release + grasp)).angular_velocity
        assert abs(spin[0]) * (grasp - release) > 2.5  # [rad] about the axis from hand to hand
    up = [box.state("box", t).rotation[1, 1] for t in (0.3, times[1] + 0.1, times[3] + 0.1)]
    assert up[0] > 0.8 and up[1] < -0.6 and up[2] > 0.6


def test_no_hand_is_in_the_box_also_after_it_is_thrown_higher(box: EditSession) -> None:
    assert not [str(own) for own in measures(box) if own.is_off]
    session = EditSession(box.scene)
    higher = session.state("box", 1.25).position + [0.0, 0.08, 0.0]
    assert session.drag("box", 1.25, higher).converged and not session.rollout.missed
    assert not [str(own) for own in measures(session) if own.is_off]


def test_the_mime_catches_once_and_misses_once() -> None:
    assert hoi.open("box:start").rollout.missed == ("catch2",)


@pytest.mark.parametrize(("by", "turn"), [((3.0, 0.0, 0.0), 0.0), ((1.0, 0.0, -2.0), 1.0)])
def test_somebody_alone_on_level_ground_can_be_placed_anywhere(by: tuple[float, float, float], turn: float) -> None:
    session = hoi.open("soccer")
    before, times = session.state("ball", 3.0), {event.contact: event.time for event in session.rollout.events}
    pivot = session.state("player/pelvis", session.scene.start).position
    report = session.place("player", by, turn)
    assert report.converged and not report.events_changed, report
    after = session.state("ball", 3.0)
    assert np.abs(after.position - (yaw(turn) @ (before.position - pivot) + pivot + by)).max() < 1e-3
    assert np.abs(after.velocity - yaw(turn) @ before.velocity).max() < 1e-2
    assert all(abs(event.time - times[event.contact]) < 1e-3 for event in session.rollout.events)


def test_a_head_of_a_blended_body_is_not_bent_farther_than_it_can() -> None:
    session = hoi.open("baseball")
    own = session.scene.character("pitcher")
    dof = own.skeleton.topology.dof_names.index("head.Xrotation")
    limits, was = np.asarray(own.skeleton.limits)[dof], session.rollout.poses("pitcher")[:, dof]
    report = session.bend("pitcher/head.Xrotation", 2.0, 5.0)
    now = session.rollout.poses("pitcher")[:, dof]
    assert not report.converged and not report.unchanged and now.max() > was.max() + 0.1, report
    assert now.max() <= max(limits[1], was.max()) + 2e-3


def test_it_is_caught_again_by_who_moves_as_was_written_to_a_file(box: EditSession, tmp_path: Path) -> None:
    box.export(tmp_path / "thrower.bvh")
    session = EditSession(box.scene)
    session.import_clip(tmp_path / "thrower.bvh", onto="thrower")
    assert session.solve().converged
    caught = [(event.kind, event.contact, event.time) for event in session.rollout.events]
    assert [event[:2] for event in caught] == [(event.kind, event.contact) for event in box.rollout.events]
    assert [event[2] for event in caught] == pytest.approx([event.time for event in box.rollout.events], abs=1e-3)
    assert not [str(own) for own in measures(session) if own.is_off]
    with pytest.raises(hoi.HoiError, match="write it to one first"):
        session.import_clip(session.bake("thrower"), onto="thrower")  # type: ignore[arg-type]
