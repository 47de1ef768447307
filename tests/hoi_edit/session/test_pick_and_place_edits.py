"""Boxes and bats are picked up, carried, put down and hit with; whatever is wrong is said in a sentence."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.put_down import PutDown
from hoi_edit.constraints.taking_hand import TakingHand
from hoi_edit.export.sampling import track
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError
from rigid.distance import RoundedBox
from tests.sessions import undone

PALMS = ("ann/right_palm", "ann/left_palm")
HALF = np.array([0.16, 0.1, 0.12])  # [m]
TOP = 0.6  # [m] of the table
UP, DOWN = 0.8, 1.6  # [s]


def at_table() -> EditSession:
    """Somebody who stands before a table with a box on it."""
    ann = hoi.Character.of("ann", performed("stand_mime"))
    table = hoi.Fixture("table", RoundedBox(np.array([0.35, 0.5 * TOP, 0.2]), 0.0), np.array([0.0, 0.5 * TOP, 0.6]))
    lies = hoi.Flying(np.array([0.0, TOP + HALF[1], 0.55]))
    box = hoi.Thing("box", hoi.box(2.0, HALF), lies, hoi.Material(0.3, 0.6))
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.04), hoi.Flying(np.array([1.0, 0.04, 1.0])))
    return hoi.open(hoi.Scene([ann], [box, ball], [hoi.ground(), table], end=2.4))


@pytest.fixture(scope="module")
def carried() -> EditSession:
    """The box is picked up with both hands and put down again."""
    session = at_table()
    report = session.pick_up("box", PALMS, t=UP)
    assert report.converged, report
    report = session.put_down("box", [0.1, 0.0, 0.55], t=DOWN)
    assert report.converged, report
    return session


@pytest.fixture
def session(carried: EditSession) -> Iterator[EditSession]:
    """The same, left as it was."""
    now = carried.now
    yield carried
    while carried.now > now:
        carried.undo()


def test_it_does_not_leap_and_lies_flat_and_still(session: EditSession) -> None:
    assert [(event.kind, event.contact) for event in session.rollout.events if event.object == "box"][1:] == [
        ("grasp", "catch1"), ("rest", "put1"),
    ]  # fmt: skip
    for t in (UP, DOWN):
        before, after = session.state("box", t - 1e-9), session.state("box", t)
        np.testing.assert_allclose(before.position, after.position, atol=1e-8)
        np.testing.assert_allclose(before.rotation, after.rotation, atol=1e-8)
    lying = session.state("box", 2.3)
    np.testing.assert_allclose(lying.position, [0.1, TOP + HALF[1], 0.55], atol=1e-7)
    np.testing.assert_allclose(lying.rotation[1], [0.0, 1.0, 0.0], atol=1e-7)
    assert not lying.velocity.any() and np.abs(session.state("box", DOWN - 1e-9).velocity).max() < 1e-6
    assert session.state("box", 1.2).position[1] > TOP + HALF[1] + 0.01  # it was lifted
    assert session.state("box", 1.2).rotation[1, 1] > np.cos(0.25)


def test_tracks_name_who_holds_it_and_nobody_where_it_lies(session: EditSession) -> None:
    seen = track(session.rollout, "box", np.array([0.4, 1.2, 2.2]))
    assert list(seen.holders) == ["", "+".join(PALMS), ""]


def test_what_is_saved_passes_the_check_and_its_script_gives_it_again(session: EditSession, tmp_path: Path) -> None:
    assert not [str(claim) for claim in measures(session) if claim.is_off]
    session.save(tmp_path / "carried.hoi")
    again = hoi.open(tmp_path / "carried.hoi")
    np.testing.assert_array_equal(again.u, session.u)
    names: dict[str, EditSession] = {}
    exec(session.script(), names)
    np.testing.assert_array_equal(names["session"].u, session.u)
    end = session.simulate(session.u).state("box", 2.3)
    np.testing.assert_allclose(end.position, session.state("box", 2.3).position, atol=1e-9)


def test_each_is_one_step_and_undone_to_the_bit() -> None:
    session = at_table()
    first = session.u
    with undone(session):
        assert session.pick_up("box", "ann/right_palm", t=UP).converged
        assert len(session.history) == 2
    np.testing.assert_array_equal(session.u, first)
    assert not session.scene.contacts


def test_a_lying_box_is_dragged_along_its_table_and_not_off_it() -> None:
    session = at_table()
    assert session.drag("box", 1.0, [0.1, TOP + HALF[1], 0.6]).converged
    np.testing.assert_allclose(session.state("box", 0.0).position, [0.1, TOP + HALF[1], 0.6], atol=1e-7)
    report = session.drag("box", 1.0, [0.1, 0.9, 0.6])
    assert not report.converged and "on what it lies on" in str(report)


def test_what_is_carried_and_what_was_put_down_are_dragged(session: EditSession) -> None:
    for t, way in ((1.2, np.array([0.03, 0.05, 0.0])), (2.2, np.array([-0.05, 0.0, 0.03]))):
        to = session.state("box", t).position + way
        assert session.drag("box", t, to).converged
        np.testing.assert_allclose(session.state("box", t).position, to, atol=1e-6)
    assert not [str(claim) for claim in measures(session) if claim.is_off]


def test_both_are_retimed_with_grip_and_place(session: EditSession) -> None:
    place = session.state("box", 2.3).position
    assert session.retime("catch1", 0.9).converged and session.retime("put1", 1.7).converged
    assert [event.time for event in session.rollout.events if event.intended] == [0.9, 1.7]
    np.testing.assert_allclose(session.state("box", 2.3).position[1], place[1], atol=1e-7)


def test_a_hold_moves_in_time_with_its_grip(session: EditSession) -> None:
    grip = [TakingHand.of(session.rollout, "catch1", site).place for site in PALMS]
    report = session.move_hold("box", 1.2, UP + 0.05)
    assert report.converged and not report.unchanged
    assert [event.time for event in session.rollout.events if event.intended] == [UP + 0.05, DOWN]
    now = [TakingHand.of(session.rollout, "catch1", site).place for site in PALMS]
    np.testing.assert_allclose(now, grip, atol=1e-6)


def test_a_plan_of_both_is_solved_at_once() -> None:
    scene = at_table().scene
    plan = [
        hoi.Contact("take", "box", PALMS, UP, "grasp", declared=True),
        hoi.Contact("put", "box", "table", DOWN, "rest"),
    ]
    session = hoi.open(replace(scene, contacts=plan))
    assert session.solve().converged
    assert session.scene.contact("take").taken and not session.scene.contact("take").declared
    assert not [str(claim) for claim in measures(session) if claim.is_off]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.pick_up("box", PALMS, t=1.2), "is in 'ann/right_palm' at 1.2 s already"),
        (lambda s: s.pick_up("box", PALMS, t=2.2, grip=[0.0, 0.1, 0.0]), "for each of 2 sites"),
        (lambda s: s.pick_up("ball", "ann/right_palm", t=1.0, grip=[0.0, 0.1, 0.0]), "leave out its grip"),
        (lambda s: s.put_down("ball", t=1.0), "is a ball, and would roll"),
        (lambda s: s.put_down("box", t=2.2), "is in no hand at 2.2 s"),
        (lambda s: s.put_down("box", "shelf", t=1.2), "there is no fixture 'shelf'"),
        (lambda s: s.put_down("box", 1.2), "time at which 'box' is put down is None"),
        (lambda s: s.put_down("box", [1.0], t=1.2), "the name of a fixture, or three numbers"),
        (lambda s: s.release("box", t=1.2), "when 'put1' is to take it from there"),
        (lambda s: s.retime("put1", 0.5), "there is time from 0.81 s to 2.40 s"),
        (lambda s: s.hit("ball", "box", t=2.2), "is in no hand at 2.2 s"),
        (lambda s: s.hit("box", "box", t=1.2), "is no ball"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(session: EditSession, call: object, words: str) -> None:
    with pytest.raises(HoiError, match=words):
        call(session)  # type: ignore[operator]


def test_a_hand_that_cannot_get_there_is_told_how_far_it_is() -> None:
    session = at_table()
    far = replace(session.scene.thing("box"), name="far", start=hoi.Flying(np.array([0.0, 0.1, 4.0])))
    session.add_thing(far)
    session.lock("far")
    report = session.pick_up("far", "ann/right_palm", t=UP)
    assert not report.converged and "and does not get to it" in str(report.binding[0])
    assert len(session.history) == 3


def test_rows_of_hands_and_of_what_is_put_down_have_the_right_derivatives(carried: EditSession) -> None:
    """By difference quotients of what the rows say is amiss."""
    seen, model = carried.rollout, carried.model
    asked = (TakingHand.of(seen, "catch1", PALMS[1]), PutDown.of(seen, "put1"))
    rng, h = np.random.default_rng(1), 1e-6
    way = 0.1 * rng.normal(size=model.layout.size)
    for block in model.layout.blocks:
        if not block.of_body:
            way[block.indices] = 0.0
    for wish in asked:
        sets = list(wish.rows(seen))
        J = seen.dense(seen.linearisation.of([rows.functional for rows in sets]))
        ahead, behind = (
            np.concatenate([rows.lower for rows in wish.rows(model.simulate(carried.u + step * way))])
            for step in (h, -h)
        )
        np.testing.assert_allclose(J @ way, -(ahead - behind) / (2.0 * h), atol=1e-5)


def test_where_a_thing_would_be_when_it_is_meant_to_be_elsewhere() -> None:
    scene = hoi.open("box").scene
    session = EditSession(scene)
    (caught,) = session.grasp("box", "thrower/left_palm", t=1.2).binding
    (laid,) = session.put_down("box", t=0.6).binding
    assert str(caught).startswith("catch1, catch2: box would be in thrower/left_palm then; give a release")
    assert str(laid).startswith("catch1, catch2: box would lie on ground then; put it down after it")


def test_what_is_no_ball_is_not_hit(session: EditSession) -> None:
    with pytest.raises(HoiError, match="'box' is no ball, and only balls are hit"):
        session.hit("box", "ann/right_palm", t=0.5)


def test_what_is_not_taken_up_any_more_is_not_put_down_either(session: EditSession) -> None:
    before = session.state("box", 0.1)
    told = session.remove_contact("catch1")
    assert [(finding.kind, finding.contacts) for finding in told][:1] == [("contacts gone", ("put1",))]
    assert not session.scene.contacts and session.iterate.rollout.happened == {}
    np.testing.assert_allclose(session.state("box", 2.3).position, before.position, atol=1e-9)
