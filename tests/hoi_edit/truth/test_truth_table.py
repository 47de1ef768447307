"""The truth table: every derivative of every small scene, against closed forms and difference quotients."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from hoi_edit import cli
from hoi_edit.commands import check as checks
from hoi_edit.rollout import Model
from hoi_edit.simulate.trajectory import Event
from hoi_edit.truth import CASES, Case, judge
from hoi_edit.truth.difference_quotients import extrapolated, quotient
from kinematics.errors import HoiError

BY_NAME: Mapping[str, Case] = {case.name: case for case in CASES}
DROP = BY_NAME["drop height to final height"]


def events_until(case: Case) -> list[Event]:
    """Of the case's own thing, up to the time that is asked about."""
    model = Model.of(case.scene())
    return [e for e in model.simulate(model.start).events if e.object == case.thing and e.time < case.time]


@pytest.mark.parametrize("case", CASES, ids=BY_NAME)
def test_every_row_is_true(case: Case) -> None:
    """The referee itself knows 1e-10 in the rows with three round touches and with an edge, and 1e-11 in the others."""
    verdict = judge(case)
    assert verdict.error <= 1e-9, f"{verdict}\n{verdict.where}, where the referee is sure to {verdict.referee:.0e}"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("drop height to final height", "impact"),
        ("two balls, glancing", "impact"),
        ("catch, throw, bounce", "grasp release impact"),
        ("throw, catch, hold, throw", "release grasp release"),
        ("three touches on round things", "impact impact impact"),
        ("two balls, meeting twice", "release impact impact impact"),
        ("rolling off an edge, at once", "rest edge leave"),
        ("rolling around an edge", "rest edge slide leave"),
        ("a pitch through air, bouncing", "impact"),
        ("thrown through air on a paddle", "release impact"),
        ("two balls, one feels the air", "impact"),
    ],
)
def test_rows_are_what_they_are_called(name: str, kinds: str) -> None:
    events = events_until(BY_NAME[name])
    assert [event.kind for event in events] == kinds.split()
    assert not any(event.doubt for event in events)


@pytest.mark.parametrize(
    ("name", "stick"),
    [
        ("bounce on a plane, sliding", 0.0),
        ("bounce on a plane, sticking", 1.0),
        ("moving paddle", 1.0),
        ("tilting paddle", 0.0),
    ],
)
def test_rows_stick_and_slide(name: str, stick: float) -> None:
    (event,) = events_until(BY_NAME[name])
    assert event.stick == stick


def test_the_known_number() -> None:
    (value,) = DROP.closed.values()
    assert value == pytest.approx(-0.2733, abs=1e-4)


def test_the_referee_knows_its_own_error() -> None:
    found = extrapolated(lambda h: np.array([np.sin(1.0 + h) - np.sin(1.0 - h)]) / (2.0 * h), 0.1)
    assert found is not None
    assert abs(found.value[0] - np.cos(1.0)) <= 10.0 * found.doubt <= 1e-10


def test_the_referee_refuses_where_events_change() -> None:
    model = Model.of(DROP.scene())
    (touch,) = model.simulate(model.start).events
    higher = np.eye(model.layout.size)[model.layout["ball.position"].start + 1]
    with pytest.raises(HoiError, match="events of 'ball' change"):
        quotient(model, model.start, higher, "ball", touch.time)


def test_a_check_tells_by_its_exit_status(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CASES", [DROP])
    assert cli.main(["check", "--gradients"]) == 0
    right = capsys.readouterr().out
    assert "-0.27329" in right and "closed form" in right and "off" not in right
    assert right.splitlines()[-1].startswith("all is well: 1 case, worst relative error")
    monkeypatch.setattr(checks, "CASES", [replace(DROP, closed={DROP.entry: -0.2})])
    assert cli.main(["check", "--gradients"]) == 1
    wrong = capsys.readouterr().out
    assert "off, d y / d ball.position[1]" in wrong and wrong.splitlines()[-1].startswith(f"off: {DROP.name}: 1 case")
