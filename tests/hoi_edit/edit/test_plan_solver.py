"""Whole plans, solved at once from people who only pretended."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.keep_contact import KeepContact, KeptContacts
from hoi_edit.constraints.open_hands import COMING, LEAVING, OpenHands


@pytest.fixture(scope="module", params=["juggle3:start", "soccer:start"])
def solved(request: pytest.FixtureRequest) -> hoi.EditSession:
    session = hoi.open(request.param)
    report = session.solve()
    assert report.converged and report.residual < 1e-6, report
    return session


def test_everything_planned_happens_and_nothing_else(solved: hoi.EditSession) -> None:
    assert not solved.rollout.missed
    assert not any(contact.declared for contact in solved.scene.contacts)
    assert [event for event in solved.rollout.events if not event.intended and event.kind == "impact"] == []


def test_it_happens_without_being_led(solved: hoi.EditSession) -> None:
    """As a run from nodes; and stretches join."""
    again = solved.model.simulate(solved.u, solved.rollout.given_nodes)
    assert set(again.happened) == {contact.id for contact in solved.scene.contacts}
    assert max(float(np.abs(off).max()) for off in again.continuity.values()) < 1e-6
    assert not any(event.declared for event in again.events)


def test_it_is_one_step_of_the_history(solved: hoi.EditSession) -> None:
    assert len(solved.history) == 2
    assert solved.undo() and any(contact.declared for contact in solved.scene.contacts)
    assert solved.redo() and not solved.rollout.missed


def test_hands_are_open() -> None:
    """In a finished routine no palm follows what it has thrown: there are rows only where it is close, and all hold."""
    session = hoi.open("juggle3")
    hands = OpenHands.of(session.scene)
    assert len(hands.holds) == len(session.scene.things) + len(session.scene.contacts)
    rows = hands.rows(session.rollout)
    assert rows and len(rows) < len(hands.holds) * (len(LEAVING) + len(COMING))
    assert max(float(row.miss.max()) for row in rows) < 2e-3


def test_contacts_together_are_contacts_one_by_one() -> None:
    """Rows of all kept contacts in one go, against each by itself, a little off the time of its touch as well."""
    session = hoi.open("soccer")
    kept = [KeepContact.of(session.rollout, contact.id) for contact in session.scene.contacts]
    times = [own.time + 1e-3 * (k % 2) for k, own in enumerate(kept)]
    together = KeptContacts(kept, times, session.rollout).rows()
    single = [
        row for own, t in zip(kept, times, strict=True) for row in KeptContacts([own], [t], session.rollout).rows()
    ]
    assert len(together) == len(single) >= len(kept)
    for one, other in zip(together, single, strict=True):
        assert one.owner == other.owner
        np.testing.assert_allclose(one.upper, other.upper, atol=1e-14)
        for (_, a), (_, b) in zip(one.functional.things, other.functional.things, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-14)
        for (_, a), (_, b) in zip(one.functional.columns, other.functional.columns, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-14)
