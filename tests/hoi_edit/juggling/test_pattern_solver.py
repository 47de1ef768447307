"""Patterns that are juggled: every catch happens, hands are gentle, joints and feet are where they can be."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.commands.juggle import file_name
from hoi_edit.edit.report import Report
from hoi_edit.juggling import Performance, parse, performance, schedule
from hoi_edit.juggling.failure_reasons import reason
from hoi_edit.juggling.hand_paths import LIFT, UP, hand_paths
from hoi_edit.juggling.throws import level, lying_of, shared_holds, stands, throws, until
from hoi_edit.juggling.timing import GRAVITY
from hoi_edit.reporting.findings import Finding
from hoi_edit.scene.controls import snapped
from hoi_edit.verify import verify
from kinematics.errors import HoiError

SECONDS = {"3": 2.0, "531": 2.5, "24[54]": 2.0}


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


@pytest.mark.parametrize("text", ["3", "441", "51", "(4,4)", "5", "744", "[43]1", "<3p 3|3p 3>"])
def test_paths_throw_balls_to_where_hands_are(text: str) -> None:
    plan = schedule(parse(text), seconds=3.0)
    where = stands(plan.pattern.jugglers, 2.2)
    paths = hand_paths(plan, where)
    assert np.linalg.norm(paths.at(np.arange(0.0, plan.end, 0.004), 2), axis=2).max() < 60.0
    flights = throws(plan, plan, where, level(where))
    assert len(flights) == len(plan.flights) >= 8
    for own in flights:
        x, v = (paths.at(np.array([own.release]), order)[own.thrower, 0] for order in (0, 1))
        lands = x + own.off + own.lasts * v - np.array([0.0, 0.5 * GRAVITY * own.lasts**2, 0.0])
        if own.catch < plan.end:
            aimed = paths.at(np.array([own.catch]))[own.catcher, 0] + own.on + LIFT * UP
            assert np.allclose(lands, aimed, atol=1e-6)


@pytest.mark.parametrize("text", ["24[54]", "[33]33", "[43]1", "([44],2)", "(2x,[44x])"])
def test_of_several_balls_the_highest_leaves_first_and_the_hand_slows_down(text: str) -> None:
    plan = schedule(parse(text), seconds=3.0)
    groups: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for flight in plan.flights:
        own = groups.setdefault((flight.toss.beat, flight.toss.hand), [])
        own.append((flight.release, 0.5 * GRAVITY * flight.lasts))
    several = [sorted(own) for own in groups.values() if len(own) > 1]
    assert len(several) >= 3
    for (since, fast), (later, slow) in several:
        assert 0.0199 <= later - since <= 0.0501
        assert (fast - slow) / (later - since) > 2.0 * GRAVITY  # else the hand would go on to push the first


def test_none_of_two_equal_throws_is_caught_much_too_early() -> None:
    plan = schedule(parse("([44],2)"), seconds=3.0)
    alone = schedule(parse("(4,0)"), beat=plan.beat, dwell=plan.dwell, seconds=3.0).flights[0].lasts
    lasts = [flight.lasts for flight in plan.flights]
    assert min(lasts) < alone < max(lasts)
    assert alone - min(lasts) < 0.08 and max(lasts) - alone < 0.08


@pytest.mark.parametrize("text", ["[33]33", "([44],2)", "(2x,[44x])"])
def test_balls_lie_beside_each_other_in_a_hand(text: str) -> None:
    plan = schedule(parse(text), seconds=3.0)
    lying = lying_of(plan)
    rows = [((ball, k), hold) for ball, course in enumerate(plan.holds) for k, hold in enumerate(course)]
    together = set()
    for key, own in rows:
        for other, hold in rows:
            meet = max(own.catch or 0.0, hold.catch or 0.0) < min(until(own), until(hold))
            if meet and key < other and (own.juggler, own.hand) == (hold.juggler, hold.hand):
                together |= {key, other}
                assert np.linalg.norm(lying[key] - lying[other]) > 0.0749
    assert len(together) >= 8
    assert {key for key in together if key[1] > 0} == shared_holds(plan)


def test_a_plan_lays_balls_where_the_scene_puts_them() -> None:
    plan = schedule(parse("[33]33"), seconds=2.0)
    scene, lying = hoi.juggling.scene("[33]33", seconds=2.0), lying_of(plan)
    for ball, course in enumerate(plan.holds):
        caught = [contact for contact in scene.contacts if contact.object == f"ball{ball + 1}"]
        for k, contact in enumerate(caught, start=1):
            assert contact.time == course[k].catch
            site = scene.characters[0].skeleton.site(contact.carrier.partition("/")[2])
            across, along, _ = site.rotation.T @ (snapped(scene, contact) - site.position)
            assert np.allclose([across, along], lying[ball, k], atol=1e-9)


def test_what_holds_a_pattern_back_is_named() -> None:
    plan, scene = schedule(parse("3"), seconds=2.0), hoi.juggling.scene("3", seconds=2.0)

    def why(*binding: Finding) -> str:
        return reason(plan, scene, Report(False, 0.01, 9, binding), 60.0)

    meeting, touching = (Finding("clear", "ball1", other, 2.31) for other in ("ball3", "juggler/left_hand"))
    assert why(Finding("contact", "catch3"), touching, meeting).startswith("ball1 and ball3 meet at 2.31 s")
    assert why(touching).startswith("ball1 and the left hand meet at 2.31 s")
    assert why(Finding("acceleration", "juggler/right_palm")).startswith(
        "the right hand would have to accelerate by more than 60"
    )
    flight = plan.flights[0]
    for told in (Finding("contact", "catch1"), Finding("busy", "ball2", "juggler/left_hand", contacts=("catch1",))):
        assert why(told) == (
            f"the 3 of ball1 from the right hand of juggler at {flight.release:.2f} s to the left hand at "
            f"{flight.catch:.2f} s does not get there"
        )
    assert why(Finding("lock", "juggler")) == "it is held back by the lock of juggler"


def test_what_a_body_cannot_do_is_said() -> None:
    with pytest.raises(
        HoiError, match=r"hand of juggler would have to accelerate by [\d.]+ m/s² at .* 90 m/s² is the most"
    ):
        performance(schedule(parse("9"), seconds=3.0))
    with pytest.raises(HoiError, match="20 m/s² is the most"):
        performance(schedule(parse("3"), seconds=2.0), acceleration=20.0)
    with pytest.raises(HoiError, match="a hand holds 4"):
        hoi.juggle("9", seconds=3.0, acceleration=500.0)
    with pytest.raises(HoiError, match=r"hand of juggler would catch a ball at [\d.]+ s with 2 in it; our hands"):
        hoi.juggle("[333]33", acceleration=500.0)
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
