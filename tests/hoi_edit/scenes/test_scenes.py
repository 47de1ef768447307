"""Every scene that ships opens, does what it was planned to do, and nothing else."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.adjoint import Target
from hoi_edit.scenes import SCENES

FINISHED = [name for name in SCENES if not name.endswith(":start")]


@pytest.fixture(scope="module", params=FINISHED)
def session(request: pytest.FixtureRequest) -> hoi.EditSession:
    return hoi.open(request.param)


def test_its_plan_happens(session: hoi.EditSession) -> None:
    assert not session.rollout.missed
    assert max(abs(event.gap) for event in session.rollout.events) < 1e-12


def test_nothing_else_happens_before_it_is_done(session: hoi.EditSession) -> None:
    done = max(event.time for event in session.rollout.events if event.intended and event.kind != "release")
    assert [event for event in session.rollout.events if not event.intended and event.time < done] == []


def test_no_hand_goes_into_what_it_has_let_go(session: hoi.EditSession) -> None:
    assert session.rollout.pushed == ()


def test_nothing_jumps(session: hoi.EditSession) -> None:
    for thing in session.scene.things:
        for event in session.rollout.trajectories.chains[thing.name].events:
            here, before = (session.state(thing.name, t).position for t in (event.time, event.time - 1e-9))
            assert np.linalg.norm(here - before) < 1e-6, event


def test_the_run_from_nodes_is_the_fresh_one(session: hoi.EditSession) -> None:
    from_nodes = session.model.simulate(session.u, session.rollout.nodes)
    assert len(from_nodes.events) == len(session.rollout.events)
    assert all(np.abs(off).max() < 1e-9 for off in from_nodes.continuity.values())
    for thing in session.scene.things:
        for t in np.linspace(session.scene.start, session.scene.end, 40):
            off = from_nodes.state(thing.name, t).position - session.state(thing.name, t).position
            assert np.linalg.norm(off) < 1e-9, (thing.name, t)


def test_derivatives_are_in_no_doubt_but_along_a_ball_that_is_kept_up(session: hoi.EditSession) -> None:
    scene = session.scene
    for thing in scene.things:
        for t in np.linspace(scene.start, scene.end - 1e-3, 9):
            told = [str(event.doubt) for event in session.rollout.rows([Target(thing.name, t)]).doubts]
            convex = [e for e in session.rollout.trajectories.chains[thing.name].events if e.kind == "impact"]
            kept_up = sum("/" in str(event.other) and event.time < t for event in convex)
            assert bool(told) == (kept_up > 3), (thing.name, t, told)
            assert all("too large" in words for words in told)


@pytest.mark.parametrize("name", [name for name in SCENES if name.endswith(":start")])
def test_a_crude_input_follows_its_plan_by_decree(name: str) -> None:
    session = hoi.open(name)
    planned = {contact.id: contact.time for contact in session.scene.contacts if contact.declared}
    kept = {event.contact: event.time for event in session.rollout.events if event.declared}
    assert kept == planned


def test_the_cascade_is_a_real_one() -> None:
    scene = hoi.open("juggle3").scene
    assert len(scene.contacts) >= 20
    assert not any(contact.declared for contact in scene.contacts)
