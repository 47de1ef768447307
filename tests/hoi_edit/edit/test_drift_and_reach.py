"""Short pieces of the long runs: see tests/drift.py and tests/reach.py."""

import pytest

import hoi_edit as hoi
from hoi_edit.simulate.chain_assembly import joined
from hoi_edit.simulate.past import Past
from tests.drift import PINS, drift
from tests.reach import SCENES, reach


@pytest.mark.parametrize(("scene", "pins"), [("juggle3", PINS), ("soccer", 0)])
def test_pins_and_contacts_hold_through_a_session(scene: str, pins: int) -> None:
    found = drift(scene, 5, pins)
    assert found.counts.total() == 5
    assert found.counts["arrived"] >= 2, found


def test_what_is_possible_is_reached() -> None:
    outcomes = list(reach(4))
    assert [outcome.scene for outcome in outcomes] == list(SCENES)
    assert sum(outcome.arrived for outcome in outcomes) >= 3, "\n".join(map(str, outcomes))


@pytest.mark.parametrize("scene", ["juggle3", "soccer"])
def test_chains_that_are_joined_about_what_changes_are_those_that_are_joined_whole(scene: str) -> None:
    session = hoi.open(scene)
    gesture = session.begin(session.scene.things[0].name, 4.0)
    gesture.move(gesture.start.position + [0.0, 0.05, 0.0])
    rollout = gesture.iterate.rollout
    assert rollout.stretch is not None
    past = Past(rollout.segments, *rollout.stretch)
    for name, cursors in rollout.segments.cursors.items():
        around, whole = past.around[name], joined(cursors)
        assert around.head is not None or around.tail is not None  # else there would be nothing to see
        about = joined(cursors, around)
        assert [event.time for event in about.events] == [event.time for event in whole.events]
        assert [span[:4] for span in about.spans] == [span[:4] for span in whole.spans]
