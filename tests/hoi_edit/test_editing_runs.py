"""Short pieces of the long runs: see tests/drift.py and tests/reach.py."""

import pytest

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
