"""Nothing becomes a step of the history in which a session shows something else than its controls give."""

from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
import hoi_edit.simulate.run as run
from hoi_edit.edit.document import Call
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession, gate
from hoi_edit.simulate.kind_words import IMPACT
from kinematics.rotation import rotation_exp
from tests.clips import swinging_human
from tests.hoi_edit.session.thrown_ball import place, scene


@pytest.fixture
def session() -> EditSession:
    return hoi.open(scene())


def torn(session: EditSession, by: float) -> Iterate:
    """The same with what follows its last hold begun elsewhere."""
    here = session.iterate
    contact = next(name for name, node in here.nodes.items() if node.state is None)
    node = here.nodes[contact]
    nodes = {**here.nodes, contact: replace(node, position=np.asarray(node.position) + [by, 0.0, 0.0])}
    return Iterate.at(session.model, here.u, nodes, here.times).timed()


def test_what_is_as_its_controls_say_passes(session: EditSession) -> None:
    assert gate.objections(session.iterate, session.iterate) == ()
    report = session.drag("ball", 0.5, place(session, "ball", 0.5) + [0.02, 0.03, 0.0])
    assert report.converged and session.now == 1


def test_a_leap_is_found_and_told_with_its_size(session: EditSession) -> None:
    (leap, *_) = gate.objections(session.iterate, torn(session, 0.01))
    assert (leap.kind, leap.name) == ("leaps", "ball") and abs(leap.amounts[0].value - 0.01) < 1e-6  # type: ignore[operator]
    assert "would leap by 0.01 m" in str(leap)
    assert gate.objections(session.iterate, torn(session, 1e-7)) == ()


def test_what_was_so_before_is_not_held_against_an_edit(session: EditSession) -> None:
    assert gate.objections(torn(session, 0.01), torn(session, 0.01)) == ()


def test_a_thing_that_goes_another_way_than_its_controls_say_is_found(session: EditSession) -> None:
    """So far off that what comes next is met otherwise."""
    kinds = {finding.kind for finding in gate.objections(session.iterate, torn(session, 0.3))}
    assert {"leaps", "parts"} <= kinds


def test_an_edit_that_would_tear_a_session_apart_is_refused_with_what_is_wrong(session: EditSession) -> None:
    wrong = torn(session, 0.01)
    document = replace(session.document, u=wrong.u + 1e-9, nodes=dict(wrong.nodes))
    report = session._planned((Report(True, 0.0, 1), document, wrong), "tear", Call("solve"))
    assert not report.converged and report.unchanged and session.now == 0
    assert report.binding[0].kind == "leaps" and "so nothing was changed" in repr(report)
    with pytest.raises(hoi.HoiError, match="tear was not done: it would lead to ball, which would leap"):
        session._taken((document, wrong, ()), "tear", Call("solve"))
    assert session.now == 0


def test_two_touches_at_one_instant_are_found(session: EditSession, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = session.iterate.rollout
    chain = seen.trajectories.chains["ball"]
    k = next(k for k, event in enumerate(chain.events) if event.kind == "grasp")
    twice = replace(
        chain,
        events=[*chain.events[: k + 1], chain.events[k]._replace(other="ground", kind=IMPACT, contact="touch9")],
    )
    both = replace(seen, trajectories=replace(seen.trajectories, chains={"ball": twice}))
    assert [finding.kind for finding in gate._at_once(both)] == ["at once"]
    assert not list(gate._at_once(seen))
    later = chain.events[k]._replace(other="ground", kind=IMPACT, contact=None, time=chain.events[k].time + 0.002)
    near = replace(chain, events=[*chain.events[: k + 1], later])
    hit = replace(seen, trajectories=replace(seen.trajectories, chains={"ball": near}))
    (finding,) = gate.beside(seen, hit)
    assert finding.kind == "hits hard by" and finding.partner == "ground" and finding.contacts == (later_id(chain, k),)


def later_id(chain: object, k: int) -> str:
    return str(chain.events[k].contact)  # type: ignore[attr-defined]


def test_what_cannot_be_simulated_is_answered_and_never_raised(
    session: EditSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.rollout  # noqa: B018 as it is before anything goes wrong
    monkeypatch.setattr(run, "MOST_EVENTS", 0)
    place_then = np.array([0.3, 1.0, 0.1])
    edits = [
        lambda: session.drag("ball", 0.5, place_then),
        lambda: session.retime(session.scene.contacts[0].id, session.scene.contacts[0].time + 0.02),
        lambda: session.add(hoi.Pin("ball", t=0.5, position=place_then)),
    ]
    for edit in edits:
        report = edit()
        assert not report.converged and report.unchanged and session.now == 0
        assert [finding.kind for finding in report.binding] == ["crushed"], report


def test_every_edit_that_reports_is_answered() -> None:
    methods = {name: getattr(EditSession, name) for name in dir(EditSession) if not name.startswith("_")}
    reporting = [
        name for name, method in methods.items() if getattr(method, "__annotations__", {}).get("return") is Report
    ]
    assert {"drag", "grasp", "retime", "release"} <= set(reporting)
    assert all(hasattr(getattr(EditSession, name), "__wrapped__") for name in reporting), reporting


def test_a_ball_that_is_let_go_inside_somebody_is_told_with_a_way_out() -> None:
    ann = hoi.Character.of("ann", swinging_human(1.0))
    held = hoi.Held("ann/right_palm", position=np.array([-0.15, 0.0, 0.0]))
    session = hoi.open(hoi.Scene([ann], [hoi.Thing("ball", hoi.ball(0.3, 0.12), held)], [hoi.ground()], end=1.0))
    report = session.release("ball", 0.5)
    told = [finding for finding in report.events_changed if finding.kind == "let go inside"]
    assert len(told) == 1 and told[0].name == "ball" and told[0].partner.startswith("ann/")
    assert f"inside {told[0].partner} at 0.50 s" in str(told[0])
    (inside,) = session.rollout.let_go_inside
    assert inside.depth > 1e-3 and inside.time == pytest.approx(0.5)


def test_a_thing_that_starts_inside_somebody_is_told_where_it_would_be_clear() -> None:
    ann = hoi.Character.of("ann", swinging_human(1.0))
    session = hoi.open(hoi.Scene([ann], [], [hoi.ground()], end=1.0))
    inside = session.state("ann/thorax", 0.0).position
    with pytest.raises(hoi.HoiError, match=r"mm inside 'ann/.*move it out, to \(.*\) m for instance") as error:
        session.add_thing(hoi.Thing("ball", hoi.ball(0.2, 0.05), hoi.Flying(inside)))
    clear = [float(number) for number in str(error.value).split("(")[1].split(")")[0].split(",")]
    session.add_thing(hoi.Thing("ball", hoi.ball(0.2, 0.049), hoi.Flying(np.array(clear))))  # said to three digits
    assert not any(event.time == 0.0 for event in session.rollout.events)


def test_what_is_in_a_hand_then_cannot_be_hit_and_that_is_said() -> None:
    ann = hoi.Character.of("ann", swinging_human(1.0))
    held = hoi.Thing("ball", hoi.ball(0.2, 0.03), hoi.Held("ann/right_palm"))
    session = hoi.open(hoi.Scene([ann], [held], [hoi.ground()], end=1.0))
    report = session.hit("ball", "ann/left_palm", 0.5)
    assert not report.converged and report.unchanged and report.binding and session.now == 0


@pytest.mark.parametrize("tilt", [0.0, 0.45])
def test_a_landing_of_a_box_that_is_meant_goes_on_to_the_bit(tilt: float) -> None:
    """On a side all its corners come down at one instant: what follows the first one is the next."""
    falls = hoi.Flying(np.array([0.0, 0.5, 0.0]), rotation=rotation_exp(np.array([0.0, 0.0, tilt])))
    box = hoi.Thing("box", hoi.box(1.0, np.array([0.15, 0.1, 0.12])), falls, hoi.Material(0.2, 0.6))
    session = hoi.open(hoi.Scene([], [box], [hoi.ground()], end=0.8))
    before = [(event.kind, event.time) for event in session.rollout.events]
    session.mean("box", before[0][1])
    assert session.rollout.events[0].intended
    assert [(event.kind, event.time) for event in session.rollout.events] == before
    assert gate.objections(session.iterate, session.iterate) == ()
    run = session.simulate(session.u)
    assert [(event.kind, event.time) for event in run.events] == before
