"""Patterns that are juggled: every catch happens, hands are gentle, joints and feet are where they can be."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.juggling import Performance, parse, performance, schedule
from hoi_edit.juggling.command import file_name
from hoi_edit.juggling.paths import LIFT, UP, hand_paths, stands
from hoi_edit.juggling.timing import GRAVITY
from hoi_edit.verify import verify
from kinematics.errors import HoiError

SECONDS = {"3": 2.0, "531": 2.5}


@pytest.fixture(scope="module", params=SECONDS)
def done(request: pytest.FixtureRequest) -> Performance:
    return performance(schedule(parse(request.param), seconds=SECONDS[request.param]))


def test_every_catch_happens_gently(done: Performance) -> None:
    own = done.figures
    assert own.missed == 0 and own.collisions == 0
    assert own.catches == done.plan.catches >= 5
    assert own.residual < 1e-7
    assert own.acceleration < 60.0
    assert own.beyond_limits < 0.0
    assert own.foot_slide < 0.002
    assert not any(contact.declared for contact in done.session.scene.contacts)
    assert f"{own.balls} balls" in str(own)


def test_the_verifier_agrees(done: Performance) -> None:
    said: list[str] = []
    assert verify(done.session, said.append), said


def test_throws_are_as_high_as_they_should_be(done: Performance) -> None:
    for flight in done.plan.flights:
        middle = 0.5 * (flight.release + flight.catch)
        if middle < done.plan.end and flight.toss.height > 2:
            name, hand = f"ball{flight.ball + 1}", ("right", "left")[flight.toss.hand]
            rises = done.session.state(name, middle).position[1]
            rises -= done.session.state(f"juggler/{hand}_palm", flight.release).position[1]
            assert rises == pytest.approx(done.plan.height(flight.toss.height), abs=0.3)


def test_it_can_be_dragged_like_any_other() -> None:
    session = hoi.juggle("3", seconds=2.0)
    flight = schedule(parse("3"), seconds=2.0).flights[2]
    ball, t = f"ball{flight.ball + 1}", flight.release + 0.5 * flight.lasts
    to = session.state(ball, t).position + np.array([0.0, 0.08, 0.03])
    report = session.drag(ball, t, to)
    assert report.converged
    assert np.allclose(session.state(ball, t).position, to, atol=1e-6)
    assert not session.rollout.missed


@pytest.mark.parametrize("text", ["3", "441", "51", "(4,4)", "5", "<3p 3|3p 3>"])
def test_paths_throw_balls_to_where_hands_are(text: str) -> None:
    plan = schedule(parse(text), seconds=3.0)
    paths = hand_paths(plan, stands(plan.pattern.jugglers, 2.2), [np.zeros(3)] * plan.pattern.balls)
    assert np.linalg.norm(paths.at(np.arange(0.0, plan.end, 0.004), 2), axis=2).max() < 60.0
    for flight in plan.flights:
        toss = flight.toss
        thrower, catcher = 2 * toss.juggler + toss.hand, 2 * toss.to_juggler + toss.to_hand
        x, v = (paths.at(np.array([flight.release]), order)[thrower, 0] for order in (0, 1))
        lands = x + flight.lasts * v - np.array([0.0, 0.5 * GRAVITY * flight.lasts**2, 0.0])
        aimed = paths.at(np.array([flight.catch]))[catcher, 0] + LIFT * UP
        assert np.allclose(lands, aimed, atol=1e-6)


def test_what_a_body_cannot_do_is_said() -> None:
    with pytest.raises(
        HoiError, match=r"hand of juggler would have to accelerate by [\d.]+ m/s² at .* 90 m/s² is the most"
    ):
        performance(schedule(parse("9"), seconds=3.0))
    with pytest.raises(HoiError, match="20 m/s² is the most"):
        performance(schedule(parse("3"), seconds=2.0), acceleration=20.0)
    with pytest.raises(HoiError, match="a hand holds 4"):
        hoi.juggle("9", seconds=3.0, acceleration=500.0)
    with pytest.raises(HoiError, match="2 balls leave the right hand of juggler at beat 0"):
        hoi.juggle("24[54]")
    with pytest.raises(HoiError, match=r"hand of juggler does not get to where it must be .* from its limit then"):
        hoi.juggle("5", seconds=3.0, beat=0.4, acceleration=500.0)
    with pytest.raises(HoiError, match="1 to 6 m"):
        hoi.juggle("<3p 3|3p 3>", apart=0.1)


def test_the_command_leaves_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["juggle", "3", "--seconds", "1.6", "--out", str(tmp_path / "new")]) == 0
    printed = capsys.readouterr().out
    for part in ("3 balls", "peak hand acceleration", "foot slide", "uncalled-for collisions 0", "worst residual"):
        assert part in printed
    session = hoi.open(tmp_path / "new" / "3.hoi")
    assert not session.rollout.missed
    session.close()
    assert main(["juggle", "32", "--out", str(tmp_path)]) == 2
    assert "2.5 high on average" in capsys.readouterr().err


def test_names_of_files_are_names_everywhere() -> None:
    assert file_name("531") == "531"
    assert file_name("<3p 3|3p 3>") == "3p3_3p3"
    assert file_name("(6x,4)*") == "(6x-4)m"
