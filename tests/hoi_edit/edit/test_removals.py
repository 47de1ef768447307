"""Things, people and contacts that leave a scene, and touches that come to be meant: one step each, undone to the bit,
kept in files and scripts."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.reporting.findings import Finding
from hoi_edit.scenes.resources import clip_path
from tests.hoi_edit.session.thrown_ball import scene
from tests.ui import garden


def bouncing(*contacts: hoi.Contact) -> hoi.EditSession:
    """A ball that bounces at 0.44 and at 1.15 s."""
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.0]))
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.04), start, hoi.Material(0.8, 0.3))
    return hoi.open(hoi.Scene(things=[ball], fixtures=[hoi.ground()], contacts=contacts, end=1.5, name="bouncing"))


def replayed(session: hoi.EditSession, fresh: hoi.EditSession) -> hoi.EditSession:
    exec(session.script().replace("hoi.open(scene)", "fresh"), {"fresh": fresh})
    return fresh


def test_a_thing_leaves_with_all_that_was_about_it_and_the_rest_stays_to_the_bit(tmp_path: Path) -> None:
    session = hoi.open(scene())
    assert session.add(hoi.SoftCatch("catch", 8.0)).converged
    assert session.add(hoi.Pin("by", 0.2, position=session.state("by", 0.2).position)).converged
    session.switch_off("soft catch catch")
    session.lock("ball")
    session.let_go("catch")
    before, was = session.document, session.state("by", 0.8)
    told = session.remove_thing("ball")
    assert str(told[0]) == "contact catch is taken out with it"
    assert any(own.kind == "taken out" and own.about == Finding("soft catch", "catch") for own in told)
    assert {"the lock of ball: taken out with it", "what is let go of catch: taken out with it"} <= {*map(str, told)}
    assert not any(own.kind in ("no longer hits", "lost") for own in told)
    document = session.document
    assert [thing.name for thing in session.scene.things] == ["by"] and not session.scene.contacts
    assert [own.label for own in document.constraints] == ["pin of by at 0.20 s"] and not document.switched_off
    assert not document.freedom.locks and not document.loose and not document.nodes
    assert np.array_equal(session.state("by", 0.8).position, was.position)
    session.save(tmp_path / "a.hoi")
    assert np.array_equal(hoi.open(tmp_path / "a.hoi").u, session.u)
    assert np.array_equal(replayed(session, hoi.open(scene())).u, session.u)
    assert session.undo() and session.document is before


def test_what_another_thing_did_after_it_was_hit_is_found_anew() -> None:
    """The second ball was struck by the first, and then bounced as it was meant to: without the first it does not."""
    striker = hoi.Thing(
        "striker", hoi.ball(0.4, 0.05), hoi.Flying(np.array([-0.6, 2.0, 0.0]), np.array([3.0, 0.0, 0.0]))
    )
    struck = hoi.Thing("struck", hoi.ball(0.4, 0.05), hoi.Flying(np.array([0.0, 2.0, 0.0])), hoi.Material(0.8, 0.3))
    session = hoi.open(hoi.Scene(things=[striker, struck], fixtures=[hoi.ground()], end=0.9))
    told = session.add_contact(hoi.Contact("floor", "struck", "ground", time=0.63))
    assert told == () and session.state("struck", 0.6).position[0] > 0.5
    assert session.remove_thing("striker") == ()
    assert session.state("struck", 0.6).position[0] == pytest.approx(0.0, abs=1e-12)
    assert session.state("struck", 0.85).position[0] == pytest.approx(0.0, abs=1e-12)  # after its bounce, too
    assert not any(event.kind == "jump" for event in session.rollout.events) and not session.rollout.missed


def test_somebody_leaves_unless_they_hold_something() -> None:
    session = hoi.EditSession(garden.scene())
    session.import_clip(clip_path("stand_mime"), name="twin", move=(1.5, 0.0))
    held = hoi.Thing("bottle", hoi.ball(0.3, 0.05), hoi.Held("twin/right_palm"))
    session.add_thing(held)
    with pytest.raises(hoi.HoiError, match="'twin' holds bottle at the start; remove what is held first"):
        session.remove_character("twin")
    session.remove_thing("bottle")
    assert session.remove_character("twin") == ()
    was = session.history[0].document
    assert np.array_equal(session.u, was.u) and [own.name for own in session.scene.characters] == ["mime"]
    told = session.remove_character("mime")
    assert told and not session.scene.characters and Finding("no longer hits", "stray", "mime/head") not in told
    assert len(session.u) < len(was.u)
    with pytest.raises(hoi.HoiError, match="unknown character 'mime'"):
        session.remove_character("mime")


def test_a_bounce_that_happens_comes_to_be_meant_and_is_kept(tmp_path: Path) -> None:
    session = bouncing()
    before, was = session.document, session.state("ball", 1.3)
    assert session.add_contact(hoi.Contact("second", "ball", "ground", time=1.15)) == ()
    assert session.add_contact(hoi.Contact("first", "ball", "ground", time=0.4)) == ()
    assert [event.contact for event in session.rollout.events] == ["first", "second"]
    assert session.state("ball", 1.3).position == pytest.approx(was.position, abs=1e-12)
    assert session.drag("ball", 1.3, was.position + [0.2, 0.1, 0.0]).converged
    assert list(session.rollout.happened) == ["first", "second"]
    assert np.array_equal(replayed(session, bouncing()).u, session.u)
    session.save(tmp_path / "a.hoi")
    assert hoi.open(tmp_path / "a.hoi").script() == session.script()
    while session.undo():
        pass
    assert session.document is before


def test_a_declared_bounce_is_planned_until_it_is_solved() -> None:
    session = bouncing()
    told = session.add_contact(hoi.Contact("late", "ball", "ground", time=0.7, declared=True))
    assert told[0] == Finding("declared", contacts=("late",)) and "contact late is only declared" in str(told[0])
    assert session.solve().converged
    (event, *_) = session.rollout.events
    assert event.contact == "late" and event.time == pytest.approx(0.7, abs=0.05) and not event.declared
    assert session.state("ball", event.time).position[1] == pytest.approx(0.04, abs=1e-6)


@pytest.mark.parametrize(
    ("contact", "what"),
    [
        (hoi.Contact("b", "ball", "ground", time=0.8), "does not happen .* by chance it touches ground"),
        (hoi.Contact("b", "ball", "ground", time=9.0), "'b' is to be at 9 s, but the scene runs from"),
        (hoi.Contact("b", "stone", "ground", time=0.4), "unknown thing 'stone'"),
        (hoi.Contact("first", "ball", "ground", time=1.1), "there is a contact 'first' already"),
        ("bounce", "'bounce' is no contact"),
    ],
)  # fmt: skip
def test_contacts_that_cannot_be_meant_are_refused(contact: hoi.Contact, what: str) -> None:
    session = bouncing(hoi.Contact("first", "ball", "ground", time=0.44))
    with pytest.raises(hoi.HoiError, match=what):
        session.add_contact(contact)
    assert session.now == 0


def test_a_contact_leaves_the_plan_and_the_touch_goes_on_by_chance() -> None:
    session = bouncing(hoi.Contact("first", "ball", "ground", 0.44), hoi.Contact("second", "ball", "ground", 1.15))
    assert session.drag("ball", 1.3, session.state("ball", 1.3).position + [0.2, 0.1, 0.0]).converged
    before, was = session.document, session.state("ball", 1.4).position
    (told,) = session.remove_contact("first")
    assert str(told).startswith("ball hits ground at 0.")  # by chance now
    assert [event.contact for event in session.rollout.events] == [None, "second"]
    assert session.state("ball", 1.4).position == pytest.approx(was, abs=1e-6)
    assert session.undo() and session.document is before
    with pytest.raises(hoi.HoiError, match="unknown contact 'nothing'"):
        session.remove_contact("nothing")


def test_a_ball_that_is_not_to_be_caught_any_more_bounces_off_the_hand() -> None:
    session = hoi.open(scene())
    assert session.add(
        hoi.Pin("ball", 1.35, position=session.state("ball", 1.35).position, after="catch:release")
    ).converged
    told = session.remove_contact("catch")
    assert any((own.kind, own.partner) == ("hits", "rig/paddle") for own in told) and not session.document.constraints
    assert not any(event.kind in ("grasp", "jump") for event in session.rollout.events)
    assert np.array_equal(replayed(session, hoi.open(scene())).u, session.u)


def test_all_contacts_of_a_thing_go_in_one_sentence() -> None:
    session = bouncing(hoi.Contact("first", "ball", "ground", 0.44), hoi.Contact("second", "ball", "ground", 1.15))
    assert [*map(str, session.remove_thing("ball"))] == ["contacts first, second are taken out with it"]
