"""Things that are not balls on their way into hands: led there, and kept out of them until then."""

from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.closing_hand import OUT, ClosingHand
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.constraints.second_hand import outside
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.problem import EditProblem
from hoi_edit.rollout import Rollout
from hoi_edit.session import EditSession
from hoi_edit.verify.independent_frames import MeasuredMotion
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.penetration_checks import _gaps, _gaps_within
from kinematics.rotation import Floats


@pytest.fixture(scope="module")
def box() -> EditSession:
    return hoi.open("box")


@pytest.fixture(scope="module")
def led(box: EditSession) -> Iterate:
    return EditProblem.of(box.model, box.iterate).start


def lower(sets: list[Rowset]) -> Floats:
    return np.concatenate([own.lower for own in sets])


def dense(seen: Rollout, sets: list[Rowset]) -> Floats:
    """By u, while the nodes stay as they are."""
    rows = seen.linearisation.of([own.functional for own in sets], seen.given_nodes)
    rows = replace(rows, columns={name: own for name, own in rows.columns.items() if name in seen.model.layout})
    motions = {own.name: own.motion for own in seen.model.scene.characters}
    return rows.dense(seen.model.layout, seen.controls, motions)


def test_both_catches_are_led_to(box: EditSession, led: Iterate) -> None:
    real = {event.contact: event for event in box.rollout.events if event.kind == "grasp"}
    decreed = {event.contact: event for event in led.rollout.events if event.kind == "grasp"}
    assert set(led.led) == {"catch1", "catch2"} and all(event.declared for event in decreed.values())
    for name, event in decreed.items():
        assert event.time == real[name].time and abs(event.gap) < 1e-9
        assert event.rate == pytest.approx(real[name].rate, abs=1e-9)


def test_a_decreed_catch_by_its_time(box: EditSession, led: Iterate) -> None:
    """The gap, and how the box lies in the hand, against central differences."""
    eps = 1e-5
    ends = [
        Iterate.at(box.model, led.u, led.nodes, {**led.times, "catch1": led.times["catch1"] + d}, led.led).rollout
        for d in (eps, -eps)
    ]
    thing, k = led.rollout.happened["catch1"]
    events = [own.trajectories.chains[thing].events[k] for own in (led.rollout, *ends)]
    assert (events[1].gap - events[2].gap) / (2.0 * eps) == pytest.approx(events[0].rate, rel=1e-4)
    passed = (ends[0].continuity["catch1"] - ends[1].continuity["catch1"]) / (2.0 * eps)
    np.testing.assert_allclose(passed, led.rollout.linearisation.outcome_by_time(thing, k), rtol=1e-4, atol=1e-5)


def test_rows_of_hulls_by_u(box: EditSession, led: Iterate) -> None:
    """Hands kept out and a catch kept, against central differences along a random way."""
    rng, eps = np.random.default_rng(2), 1e-6
    step = np.zeros_like(box.u)
    own = box.layout["thrower"].indices
    step[own] = rng.normal(size=step[own].shape)

    def at(share: float) -> Rollout:
        return Iterate.at(box.model, led.u + share * step, led.nodes, led.times, led.led).rollout

    kept = KeepContact.of(box.rollout, "catch1", fixed_time=True)
    for constraint in (*ClosingHand.of(box.rollout, "catch1"), kept):
        sets = [list(constraint.rows(seen)) for seen in (led.rollout, at(eps), at(-eps))]
        sets = [[own for own in part if own.lower[0] > -np.inf] for part in sets]
        assert len(sets[0]) == len(sets[1]) == len(sets[2]) > 0
        quotient = (lower(sets[1]) - lower(sets[2])) / (2.0 * eps)
        given = -dense(led.rollout, sets[0]) @ step
        np.testing.assert_allclose(given, quotient, rtol=1e-4, atol=1e-5 * np.abs(quotient).max())


def test_hands_are_out_of_it_before_the_catch(box: EditSession) -> None:
    first, second = ClosingHand.of(box.rollout, "catch1")
    assert first.carries and not second.carries
    for own in (first, second):
        rows = own.rows(box.rollout)
        assert len(rows) > 10 and max(float(row.miss.max()) for row in rows) < 1e-6


def test_a_palm_is_laid_on_a_box_from_outside() -> None:
    body = hoi.box(1.0, [0.2, 0.1, 0.3])
    np.testing.assert_allclose(outside(body, np.array([0.19, 0.02, 0.1]), OUT), [0.2 + OUT, 0.02, 0.1], atol=1e-9)
    np.testing.assert_allclose(outside(body, np.array([0.21, 0.02, 0.1]), OUT), [0.21, 0.02, 0.1], atol=1e-12)


def test_the_verifier_sees_a_finger_in_a_box() -> None:
    """None of the box's own corners is in the finger."""
    thing = FrameSolid.of_body(hoi.box(1.0, [0.2, 0.1, 0.3]))
    finger = FrameSolid(np.zeros(3), np.eye(3), np.array([0.05, 0.01, 0.01]), 0.0)
    assert thing is not None
    here, there = MeasuredMotion.still(2), MeasuredMotion.still(2)
    there = MeasuredMotion(np.array([[0.247, 0.0, 0.0], [0.26, 0.0, 0.0]]), there.rotation, there.velocity, there.spin)
    corners = np.tile(np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.1, 0.1) for z in (-0.3, 0.3)]), (2, 1, 1))
    assert (_gaps(corners, 0.0, there, finger) > 0.0).all()
    np.testing.assert_allclose(_gaps_within(thing, here, there, finger), [-0.003, 0.01], atol=1e-12)
