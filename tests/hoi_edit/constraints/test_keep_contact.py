"""Contacts that edits need not keep, those that are kept where they are, and times that cannot be."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.reporting.findings import Finding
from hoi_edit.simulate.trajectory import Event
from hoi_edit.verify import verify


def event_of(session: hoi.EditSession, contact: str) -> Event:
    thing, k = session.rollout.happened[contact]
    return session.rollout.trajectories.chains[thing].events[k]


def worst_jump(session: hoi.EditSession) -> float:
    return max((float(np.abs(own).max()) for own in session.rollout.continuity.values()), default=0.0)


@pytest.mark.parametrize(
    ("scene", "contact", "name", "by"),
    [
        ("soccer", "touch4", "ball", (0.0, 0.03, 0.03)),
        ("soccer", "touch4", "player/right_hand", (0.05, 0.1, 0.0)),
        ("juggle3", "catch13", "ball1", (0.05, 0.1, 0.0)),
        ("baseball", "hit", "ball", (0.0, 0.05, 0.0)),
    ],
)
def test_what_follows_a_contact_that_was_let_go_follows_it(
    scene: str, contact: str, name: str, by: tuple[float, float, float]
) -> None:
    session = hoi.open(scene)
    session.let_go(contact)
    for _ in range(2):  # the second edit begins where the first has put it
        t = event_of(session, contact).time - 0.2 if contact in session.rollout.happened else 1.0
        report = session.drag(name, t, session.state(name, t).position + by)
        assert report.holds and not report.unchanged
        assert worst_jump(session) < 1e-6
        assert not any(event.kind == "jump" for event in session.rollout.events)
    said: list[str] = []
    assert verify(session, said.append), said


def test_a_contact_that_is_kept_does_not_slide() -> None:
    session = hoi.open("soccer")
    kept = [hoi.KeepContact.of(session.rollout, name) for name in ("touch2", "touch4")]
    for own in kept:
        session.add(own)
    for k in range(3):
        t = 2.0 + 0.3 * k
        assert session.drag("ball", t, session.state("ball", t).position + [0.04, 0.05, 0.0]).converged
    for own in kept:
        now = hoi.KeepContact.of(session.rollout, own.contact)
        assert np.linalg.norm(now.place - own.place) < 1e-6


@pytest.mark.parametrize(("scene", "contact", "later"), [("juggle3", "catch5", 0.1), ("baseball", "hit", -0.03)])
def test_a_contact_that_is_kept_where_it_is_can_be_at_another_time(scene: str, contact: str, later: float) -> None:
    session = hoi.open(scene)
    session.add(hoi.KeepContact.of(session.rollout, contact))
    place, time = hoi.KeepContact.of(session.rollout, contact).place, event_of(session, contact).time + later
    assert session.retime(contact, time).converged
    assert event_of(session, contact).time == pytest.approx(time, abs=1e-6)
    assert np.linalg.norm(hoi.KeepContact.of(session.rollout, contact).place - place) < 1e-6


def test_a_contact_that_is_kept_when_it_is_holds_a_retiming_back() -> None:
    session = hoi.open("juggle3")
    session.add(hoi.KeepContact.of(session.rollout, "catch5", fixed_time=True))
    time = event_of(session, "catch5").time
    report = session.retime("catch5", time + 0.1)
    assert not report.converged and report.binding == (Finding("contact", "catch5"),)
    assert event_of(session, "catch5").time == pytest.approx(time, abs=1e-6)


@pytest.mark.parametrize(
    ("scene", "contact", "later"),
    [
        ("juggle3", "catch5", -0.6),
        ("juggle3", "catch9", -0.563),
        ("juggle3", "catch22", -0.895),
        ("soccer", "touch7", 0.654),
    ],
)
def test_what_a_thing_does_in_between_holds_a_retiming_back(scene: str, contact: str, later: float) -> None:
    """A catch cannot be before the throw that leads to it, nor a touch after the next one; it goes as far as it can."""
    session = hoi.open(scene)
    was, happened = event_of(session, contact).time, set(session.rollout.happened)
    report = session.retime(contact, was + later)
    assert not report.converged and report.binding
    assert happened <= set(session.rollout.happened)
    if not report.unchanged:
        moved = event_of(session, contact).time - was
        assert abs(later - moved) == pytest.approx(report.residual, abs=1e-6) and 0.0 < moved / later < 1.0


def test_a_release_goes_as_far_as_it_can() -> None:
    session = hoi.open("juggle3")
    was, next_catch = session.scene.contact("catch5").release, event_of(session, "catch8").time
    assert session.scene.contact("catch8").object == session.scene.contact("catch5").object and was is not None
    report = session.retime("catch5:release", next_catch - 0.1)
    now = session.scene.contact("catch5").release
    assert now is not None and was < now < next_catch - 0.1
    assert not report.converged and report.binding
    assert report.residual == pytest.approx(next_catch - 0.1 - now, abs=1e-6)
