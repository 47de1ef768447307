"""Two hands on one thing: the first carries it, the second stays where it holds on, whatever is dragged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.second_hand import SecondHand, on_surface
from hoi_edit.reporting.findings import Finding
from hoi_edit.scenes.baseball import bat_in_hands
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_between
from rigid.impact import Material
from tests.sessions import ball_to_a_mime

RIGHT, LEFT = "batter/right_palm", "batter/left_palm"
RELEASE = 1.2  # [s] in the middle of the swing
ON, BETWEEN = 1e-6, 2e-3  # [m] how far the second palm is off its place when it is looked at, and in between


def swing(by: Any = (RIGHT, LEFT), contacts: Any = ()) -> hoi.Scene:
    """A mime, whose left hand is up to 10 cm off a bat that the right one swings and throws."""
    clip = performed("swing_mime")
    held = replace(bat_in_hands(clip.skeleton), by=by, release=RELEASE)
    return hoi.Scene(
        characters=[hoi.Character("batter", clip.skeleton, hoi.Layer.over(clip, 0.1))],
        things=[hoi.Thing("bat", hoi.capsule(0.9, 0.033, 0.39), held, Material(0.5, 0.5))],
        fixtures=[hoi.ground()],
        contacts=contacts,
        end=1.6,
    )


@pytest.fixture(scope="module")
def solved() -> EditSession:
    session = hoi.open(swing())
    hand = SecondHand.of(session.rollout, "bat")
    assert strays(session, hand)[1] > 0.05
    assert session.solve().converged
    at, ever = strays(session, hand)
    assert at < ON and ever < BETWEEN
    return session


@pytest.fixture
def session(solved: EditSession) -> EditSession:
    while solved.now > 1:
        solved.undo()
    return solved


def seen_from(session: EditSession, thing: str, point: str, times: Floats) -> Floats:
    """(N, 3) a point of a body in a thing's own frame."""
    states = [(session.state(thing, t), session.state(point, t).position) for t in times]
    return np.stack([state.rotation.T @ (place - state.position) for state, place in states])


def hold_of(session: EditSession, thing: str) -> tuple[float, float]:
    span = next(span for span in session.rollout.spans(thing) if span.kind == "held")
    return span.start, span.end


def strays(session: EditSession, hand: SecondHand) -> tuple[float, float]:
    """How far the second palm is off its place when it is looked at, and ever."""
    start, end = hold_of(session, "bat")
    at = seen_from(session, "bat", LEFT, start + np.asarray(hand.shares) * (end - start))
    ever = seen_from(session, "bat", LEFT, np.linspace(start, end, 200))
    return tuple(float(np.linalg.norm(places - hand.place, axis=1).max()) for places in (at, ever))  # type: ignore[return-value]


def test_solving_brings_the_second_hand_to_the_thing(session: EditSession) -> None:
    bat, hand = session.scene.thing("bat").body, SecondHand.of(session.rollout, "bat")
    assert strays(session, hand)[1] < BETWEEN
    assert np.hypot(hand.place[0], hand.place[2]) == pytest.approx(float(bat.radius), abs=1e-8)  # on its surface
    assert len(hand.shares) <= 26


@pytest.mark.parametrize(
    ("name", "t", "by"),
    [
        ("bat", 0.6, (0.0, 0.2, 0.0)),
        ("bat", 0.9, (0.1, 0.1, 0.14)),
        ("bat", 1.4, (0.1, 0.1, 0.0)),
        (RIGHT, 0.5, (0.1, 0.1, 0.0)),
        (LEFT, 0.8, (0.0, 0.15, 0.1)),
    ],
)
def test_both_hands_stay_on_what_is_dragged(session: EditSession, name: str, t: float, by: tuple[float, ...]) -> None:
    before, target = session.u, session.state(name, t).position + by
    hand = SecondHand.of(session.rollout, "bat")
    report = session.drag(name, t, target)
    assert report.converged, report
    assert np.abs(session.state(name, t).position - target).max() < 1e-6
    at, ever = strays(session, hand)
    print(f"\n{name} at {t} s by {np.linalg.norm(by):.2f} m: {at:.1e} m off when looked at, {1e3 * ever:.2f} mm ever")
    assert at < ON and ever < BETWEEN
    assert np.abs(SecondHand.of(session.rollout, "bat").place - hand.place).max() < ON
    for block in ("bat.position", "bat.turn"):  # the first hand holds it as it did
        indices = session.layout[block].indices
        assert np.array_equal(session.u[indices], before[indices])
    assert session.undo() and np.array_equal(session.u, before)


def test_a_second_hand_that_is_pinned_holds_a_drag_back(session: EditSession) -> None:
    where, bat = session.state(LEFT, 0.5).position, session.state("bat", 0.5)
    assert session.add(hoi.Pin(LEFT, 0.5, position=where)).converged
    gesture = session.begin("bat", 0.5)
    report = gesture.move(bat.position + 0.2 * bat.rotation[:, 1], steps=8)  # along the handle
    print(f"\n{report}, missed {dict(report.missed)}")
    drag = Finding("drag", "bat", time=0.5)
    assert not report.converged and list(report.missed) == [drag]  # it gives way, and nothing else
    gesture.abort()
    assert np.abs(session.state(LEFT, 0.5).position - where).max() < 1e-6


def test_a_second_hand_that_is_let_go_may_leave(session: EditSession) -> None:
    hand = SecondHand.of(session.rollout, "bat")
    session.let_go("bat")
    assert session.drag(LEFT, 0.5, session.state(LEFT, 0.5).position + [0.0, 0.2, 0.0]).converged
    assert strays(session, hand)[1] > 0.1
    with pytest.raises(HoiError, match="ball"):
        session.let_go("ball")


def test_hands_part_from_what_they_throw(session: EditSession) -> None:
    """Both are in touch with it when it is released, and neither is an event."""
    events = [event for event in session.rollout.events if event.other in ("batter/right_hand", "batter/left_hand")]
    assert [event.kind for event in events] == ["release"]


def rows_and_quotients(session: EditSession, hand: SecondHand, along: Floats) -> tuple[Floats, Floats]:
    """The change of the rows' numbers along a direction, by derivative and by difference quotient."""
    rollout, model = session.rollout, session.model
    functionals = [rows.functional for rows in hand.rows(rollout)]
    ours = rollout.dense(rollout.linearisation.of(functionals)) @ along

    def numbers(u: Floats) -> list[tuple[Floats, Floats]]:
        seen = model.simulate(u)
        span = seen.spans("bat")[0]
        times = span.start + np.asarray(hand.shares) * (span.end - span.start)
        states = [(seen.state("bat", t), seen.state(LEFT, t)) for t in times]
        return [(bat.rotation.T @ (palm.position - bat.position), bat.rotation.T @ palm.rotation)
                for bat, palm in states]  # fmt: skip

    h, start = 1e-5, session.iterate.u
    turned = [rollout.state("bat", t).rotation for t in _times(session, hand)]
    theirs = []
    for R, (place, turn), (was, had) in zip(
        turned, numbers(start + h * along), numbers(start - h * along), strict=True
    ):
        theirs.append(R @ (place - was) / (2.0 * h))
        if hand.turned:
            theirs.append(R @ rotation_between(turn, had) / (2.0 * h))
    return ours, np.concatenate(theirs)


def _times(session: EditSession, hand: SecondHand) -> Floats:
    start, end = hold_of(session, "bat")
    return np.asarray(start + np.asarray(hand.shares) * (end - start))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("block", ["batter", "bat.position", "bat.turn", "bat.release"])
def test_rows_are_true(session: EditSession, block: str, turned: bool) -> None:
    """Where the hand slips, too: the times that are looked at follow the release."""
    session.undo()
    hand = SecondHand.of(session.rollout, "bat", turned)
    along, indices = np.zeros(len(session.u)), session.layout[block].indices
    along[indices] = np.random.default_rng(0).normal(size=indices.stop - indices.start)
    ours, theirs = rows_and_quotients(session, hand, along)
    session.redo()
    assert np.abs(ours - theirs).max() <= 1e-6 * np.abs(theirs).max()


def test_the_turn_of_the_second_hand_may_be_kept_too(session: EditSession) -> None:
    hand = SecondHand.of(session.rollout, "bat", turned=True)
    kept = replace(
        hand, shares=np.asarray(hand.shares)[[3, 5]]
    )  # its places are kept anyway: rows that are twice there
    assert session.add(kept).converged
    for t in _times(session, kept):
        assert np.abs(session.state("bat", t).rotation.T @ session.state(LEFT, t).rotation - hand.turn).max() < 1e-6


def test_two_hands_are_stored(session: EditSession, tmp_path: Path) -> None:
    session.save(tmp_path / "two.hoi")
    again = hoi.open(str(tmp_path / "two.hoi"))
    assert np.array_equal(again.u, session.u) and again.scene.second_hand("bat") == LEFT


def test_a_ball_is_caught_with_two_hands() -> None:
    start = hoi.Flying(np.array([0.0, 1.3, 1.4]), np.array([0.0, 1.8, -2.0]))
    session = ball_to_a_mime(hoi.ball(0.4, 0.11), start, 1.4)
    hands = ("juggler/right_palm", "juggler/left_palm")
    assert session.grasp("ball", hands, t=0.5, release=1.1).converged
    assert session.rollout.events[0].contact == "catch1" and session.rollout.events[0].kind == "grasp"
    hand = SecondHand.of(session.rollout, "catch1")
    assert session.drag("ball", 0.8, session.state("ball", 0.8).position + [0.1, 0.15, 0.05]).converged
    begin, end = hold_of(session, "ball")
    times = begin + np.asarray(hand.shares) * (end - begin)
    places = seen_from(session, "ball", hands[1], times)
    # how a ball is turned is taken over when an edit is done, so it may have turned in both hands: as one
    assert np.abs(places - places[0]).max() < ON
    assert np.linalg.norm(places[0]) == pytest.approx(0.11, abs=1e-6)
    ever = seen_from(session, "ball", hands[1], np.linspace(begin, end, 100))
    assert np.linalg.norm(ever - places[0], axis=1).max() < 0.01  # the mime's hands go up and down in turn
    assert session.retime("catch1:release", 1.15).converged
    ends = seen_from(session, "ball", hands[1], np.array([*hold_of(session, "ball")]))
    assert np.abs(ends[1] - ends[0]).max() < ON


def test_a_hold_that_is_only_planned_is_looked_at_as_closely_as_knots_are() -> None:
    start = hoi.Flying(np.array([0.0, 1.3, 1.4]), np.array([0.0, 1.8, -2.0]))
    session = ball_to_a_mime(hoi.ball(0.4, 0.11), start, 1.4)
    session.grasp("ball", ("juggler/right_palm", "juggler/left_palm"), t=0.5, release=1.1, declared=True)
    planned = SecondHand.of(session.rollout, "catch1", closely=True)
    assert np.ptp(np.diff(planned.shares)) == pytest.approx(0.0, abs=1e-12)
    layer = session.scene.characters[0].motion
    assert isinstance(layer, hoi.Layer) and 0.6 / (len(planned.shares) - 1) < layer.grid.spacing
    assert session.solve().converged
    solved = SecondHand.of(session.rollout, "catch1")  # now that it is known where it is fast
    assert len(solved.shares) < len(planned.shares)
    assert np.isclose(solved.shares[:, None], planned.shares, atol=1e-12).any(axis=1).all()


def test_places_are_drawn_to_the_nearest_of_a_body() -> None:
    bat, box = hoi.capsule(0.9, 0.03, 0.4), hoi.box(1.0, [0.2, 0.1, 0.3])
    np.testing.assert_allclose(on_surface(bat, np.array([0.1, 0.2, 0.0])), [0.03, 0.2, 0.0], atol=1e-12)
    np.testing.assert_allclose(on_surface(box, np.array([0.3, 0.05, 0.1])), [0.2, 0.05, 0.1], atol=1e-12)
    for inside in ([0.01, 0.2, 0.0], [0.033, 0.2, 0.0]):  # a palm that reaches around, or is as good as there
        np.testing.assert_array_equal(on_surface(bat, np.array(inside)), inside)


GRASP: dict[str, Any] = {"id": "catch", "object": "bat", "time": 1.4, "kind": "grasp"}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: swing((RIGHT, RIGHT)), "held by 'batter/right_palm' twice"),
        (lambda: swing((RIGHT, "batter/third_palm")), "third_palm"),
        (lambda: swing((RIGHT, "batter/right_hand_back")), "which are one part"),
        (lambda: swing((RIGHT, LEFT, "batter/head")), "held by 3 sites"),
        (lambda: swing(()), "held by 0 sites"),
        (lambda: swing(contacts=[hoi.Contact(**GRASP, other=(RIGHT, RIGHT))]), "contact 'catch' is held by"),
        (lambda: swing(contacts=[hoi.Contact(**GRASP, other=(RIGHT, "ground"))]), "a grasp by 'ground'"),
        (lambda: swing(contacts=[hoi.Contact(**GRASP, other=(RIGHT, LEFT, "batter/head"))]), "3 sites"),
        (lambda: swing(contacts=[hoi.Contact(**GRASP | {"kind": "impact"}, other=(RIGHT, LEFT))]), "two hands"),
    ],
)  # fmt: skip
def test_hands_that_cannot_be_are_told(make: Callable[[], hoi.Scene], told: str) -> None:
    with pytest.raises(HoiError, match=told):
        make()


def test_one_hand_is_no_second_hand() -> None:
    session = hoi.open(swing(RIGHT))
    with pytest.raises(HoiError, match="no second hand"):
        SecondHand.of(session.rollout, "bat")
