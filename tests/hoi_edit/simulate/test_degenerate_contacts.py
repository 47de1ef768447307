"""Touches at the border: those that graze, those that nearly happen, and two at once."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Fixture, Flying, Scene, Thing, ground
from hoi_edit.session import EditSession
from hoi_edit.simulate import run
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.truth_scenes import RADIUS, flying
from kinematics.errors import DoubtfulDerivative
from rigid.body import ball
from rigid.distance import RoundedBox
from rigid.impact import Material

THICK = 0.1  # [m] radius of the post
POST = Fixture("post", RoundedBox(np.array([0.0, 1.0, 0.0]), THICK), np.array([1.0, 0.0, 0.0]))
WALLS = tuple(
    Fixture(f"wall_{axis}", RoundedBox(np.full(3, 5.0), 0.0), -5.0 * np.eye(3)[k]) for k, axis in ((0, "x"), (2, "z"))
)


def simulated(thing: Thing, fixtures: Sequence[Fixture], end: float = 0.25) -> Rollout:
    model = Model.of(Scene(things=[thing], fixtures=fixtures, end=end))
    return model.simulate(model.start)


def past_the_post(overlap: float) -> Rollout:
    """Straight past a round post, so close that the two would overlap by this much [m]."""
    aside = THICK + RADIUS - overlap
    return simulated(flying((0.0, 0.5, aside), (8.0, 0.0, 0.0), restitution=0.8, friction=0.2), [POST])


@pytest.mark.parametrize("overlap", [1e-4, 1e-6])
def test_a_grazing_touch_is_found_and_says_that_it_grazes(overlap: float) -> None:
    rollout = past_the_post(overlap)
    (event,) = rollout.events
    # a chord of depth d in a circle of radius R meets it at an angle of sqrt(2 d / R)
    assert event.rate == pytest.approx(-8.0 * np.sqrt(2.0 * overlap / 0.15), rel=1e-2)
    assert event.doubt is not None and event.doubt.kind == "grazes" and str(event.doubt).startswith("it grazes")
    rows = rollout.rows([Target("ball", 0.2)])
    assert rows.doubts == (event,)
    assert np.isfinite(rollout.dense(rows)).all()


def test_even_then_the_derivative_is_right() -> None:
    """In its small range: 0.03 of the speed is along the normal."""
    rollout = past_the_post(7e-5)
    direction = np.zeros(rollout.model.layout.size)
    direction[rollout.model.layout["ball.position"].indices] = [0.3, 0.5, -1.0]
    found = quotient(rollout.model, rollout.u, direction, "ball", 0.2)
    ours = rollout.dense(rollout.rows([Target("ball", 0.2)])) @ direction
    assert np.abs(ours - found.value).max() <= 1e-8 * np.abs(found.value).max()


def test_whoever_asks_for_a_doubtful_derivative_is_warned() -> None:
    session = EditSession(past_the_post(1e-6).model.scene)
    with pytest.warns(DoubtfulDerivative, match="post .* it grazes"):
        session.linearise("ball", 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.linearise("ball", 0.1)  # before it there is nothing to doubt


def test_a_shallow_bounce_on_the_floor_grazes_too() -> None:
    rollout = simulated(flying((0.0, 0.07, 0.0), (8.0, -0.1, 0.0), restitution=0.8), [ground()], 0.1)
    (event,) = rollout.events
    assert event.doubt is not None and rollout.rows([Target("ball", 0.08)]).doubts == (event,)
    assert rollout.rows([Target("ball", 0.01)]).doubts == ()  # before it there is nothing to doubt


@pytest.mark.parametrize("gap", [1e-7, 1e-5, 5e-4])
def test_a_near_miss_is_told_once(gap: float) -> None:
    rollout = past_the_post(-gap)
    assert rollout.events == []
    (near,) = rollout.near
    assert (near.object, near.other) == ("ball", "post")
    assert near.gap == pytest.approx(gap, abs=1e-12) and near.time == pytest.approx(1.0 / 8.0, abs=1e-6)


def test_a_wide_miss_is_none() -> None:
    assert past_the_post(-0.02).near == ()


def test_a_touch_at_the_very_start_is_one_sided() -> None:
    """A ball that starts any lower is inside, and falls."""
    session = EditSession(Scene(things=[flying((0.0, RADIUS, 0.0), (0.5, -1.0, 0.0))], fixtures=[ground()], end=0.1))
    with pytest.warns(DoubtfulDerivative, match="it starts in touch with ground"):
        session.linearise("ball", 0.08)
    higher = simulated(flying((0.0, RADIUS + 1e-6, 0.0), (0.5, -1.0, 0.0)), [ground()], 0.1)
    assert [event.doubt for event in higher.events] == [None]


def under_the_shelf(gap: float) -> EditSession:
    """Thrown up to that far below a shelf, which it reaches after 0.2 s."""
    top = 1.0 + 2.0**2 / (2 * 9.81) + RADIUS + gap
    shelf = Fixture("shelf", RoundedBox(np.array([0.5, 0.01, 0.5]), 0.0), np.array([0.0, top + 0.01, 0.0]))
    return EditSession(Scene(things=[flying((0.0, 1.0, 0.0), (0.1, 2.0, 0.0))], fixtures=[shelf], end=0.6))


def passing_balls(gap: float) -> EditSession:
    """Past each other after 0.3 s, without weight."""
    a = flying((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), name="a")
    b = flying((0.6, 1.0 + 2 * RADIUS + gap, 0.0), (-1.0, 0.0, 0.0), name="b")
    return EditSession(Scene(things=[a, b], gravity=(0.0, 0.0, 0.0), end=0.6))


@pytest.mark.parametrize(
    ("make", "name", "what"),
    [
        (under_the_shelf, "ball", "near miss of ball with shelf .* they pass within 1.0e-09 m"),
        (passing_balls, "a", "near miss of a with b at 0.3000 s"),
        (passing_balls, "b", "near miss of a with b at 0.3000 s"),
    ],
)
def test_whoever_asks_for_a_derivative_past_a_near_miss_is_warned(
    make: Callable[[float], EditSession], name: str, what: str
) -> None:
    close, wide = make(1e-9), make(1e-4)
    with pytest.warns(DoubtfulDerivative, match=what):
        close.linearise(name, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close.linearise(name, 0.1)  # before it there is nothing to doubt
        wide.linearise(name, 0.5)
    (near,) = wide.rollout.near
    assert near.gap == pytest.approx(1e-4, abs=1e-9) and near.doubt is None


def test_balls_that_pass_are_near_only_where_they_do_not_touch() -> None:
    assert passing_balls(-1e-4).rollout.near == ()
    assert passing_balls(0.01).rollout.near == ()


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("order", [1, -1])
def test_two_touches_at_one_instant_come_in_the_order_of_the_scene(order: int, friction: float) -> None:
    walls = WALLS[::order]
    rollout = simulated(flying((0.5, 1.0, 0.5), (-2.0, 1.0, -2.0), restitution=0.8, friction=friction), walls, 0.4)
    first, second = rollout.events
    assert [first.other, second.other] == [wall.name for wall in walls]
    assert second.time - first.time <= 1e-12
    assert first.doubt is None
    assert second.doubt is not None and second.doubt.kind == "tied" and second.doubt.partner == walls[0].name
    after = rollout.state("ball", 0.35).velocity
    assert after[0] > 0.0 and after[2] > 0.0  # out of the corner
    rows = rollout.rows([Target("ball", 0.35)])
    assert rows.doubts == (second,)
    assert np.isfinite(rollout.dense(rows)).all()


def test_without_friction_the_order_does_not_matter() -> None:
    thing = flying((0.5, 1.0, 0.5), (-2.0, 1.0, -2.0), restitution=0.8, friction=0.0)
    one, other = simulated(thing, WALLS, 0.4), simulated(thing, WALLS[::-1], 0.4)
    np.testing.assert_allclose(one.state("ball", 0.35).velocity, [1.6, 1.0 - 9.81 * 0.35, 1.6], atol=1e-12)
    a, b = (r.dense(r.rows([Target("ball", 0.35)])) for r in (one, other))
    np.testing.assert_allclose(a, b, atol=1e-12)


def loose(name: str, place: Sequence[float], velocity: Sequence[float] = (0.0, 0.0, 0.0)) -> Thing:
    start = Flying(np.array(place, float), np.array(velocity, float))
    return Thing(name, ball(0.15, 0.05), start, Material(1.0, 0.0))


def doubted(rollout: Rollout, name: str, time: float) -> list[str]:
    return [str(event.doubt) for event in rollout.rows([Target(name, time)]).doubts]


def played(things: Sequence[Thing], end: float = 0.9) -> Rollout:
    model = Model.of(Scene(things=things, gravity=(0.0, 0.0, 0.0), end=end))
    return model.simulate(model.start)


def test_a_ball_that_meets_two_at_once_says_so_to_all_three() -> None:
    """Which of them it meets first decides where it goes; one of the two others has only one touch to say so."""
    cue = loose("cue", (-0.4, 1.0, 0.0), (2.0, 0.0, 0.0))
    rollout = played([cue, loose("left", (0.0, 1.0, 0.0501)), loose("right", (0.0, 1.0, -0.0501))])
    assert len(rollout.events) == 4
    for name in ("cue", "left", "right"):
        assert any("same instant" in words for words in doubted(rollout, name, 0.8)), name
        assert doubted(rollout, name, 0.1) == []


def test_one_after_the_other_is_no_tie() -> None:
    cue = loose("cue", (-0.4, 1.0, 0.0), (2.0, 0.0, 0.0))
    rollout = played([cue, loose("left", (0.0, 1.0, 0.0601)), loose("right", (0.01, 1.0, -0.0501))])
    assert len(rollout.events) >= 2 and not any(event.doubt for event in rollout.events)


@pytest.mark.parametrize("gap", [0.0, 1e-7, 1e-6])
def test_a_cradle_of_balls_is_one_instant(gap: float) -> None:
    still = [loose(f"ball{k}", (k * (0.1 + gap), 1.0, 0.0)) for k in range(1, 5)]
    rollout = played([loose("ball0", (-0.5, 1.0, 0.0), (2.0, 0.0, 0.0)), *still])
    assert len(rollout.events) == 8 and all("same instant" in str(event.doubt) for event in rollout.events)


def test_a_cradle_with_room_is_not() -> None:
    still = [loose(f"ball{k}", (k * 0.1001, 1.0, 0.0)) for k in range(1, 5)]
    rollout = played([loose("ball0", (-0.5, 1.0, 0.0), (2.0, 0.0, 0.0)), *still])
    assert len(rollout.events) == 8 and not any(event.doubt for event in rollout.events)


def test_two_balls_dropped_as_a_stack_touch_at_the_instant_in_which_the_lower_one_lands() -> None:
    things = [loose("lower", (0.0, 1.0, 0.0)), loose("upper", (0.0, 1.1 + 1e-9, 0.0))]
    model = Model.of(Scene(things=things, fixtures=[ground()], end=0.5))
    rollout = model.simulate(model.start)
    for name in ("lower", "upper"):
        assert any("ground" in words for words in doubted(rollout, name, 0.49)), name


def test_a_meeting_is_tied_with_what_the_other_one_hits_a_moment_later() -> None:
    """The struck ball stands against a wall; the one that struck it has no other touch."""
    wall = Fixture("wall", RoundedBox(np.full(3, 5.0), 0.0), np.array([5.05, 0.0, 0.0]))
    things = [loose("cue", (-0.4, 1.0, 0.0), (2.0, 0.0, 0.0)), loose("ball", (-1e-7, 1.0, 0.0))]
    model = Model.of(Scene(things=things, fixtures=[wall], gravity=(0.0, 0.0, 0.0), end=0.5))
    rollout = model.simulate(model.start)
    meeting = next(event for event in rollout.events if event.object == "cue")
    assert "with wall by ball" in str(meeting.doubt)


@pytest.mark.parametrize("aside", np.linspace(0.35, 0.75, 9))  # whether round-off leaves a gap hangs on it
def test_what_does_not_spring_back_slips_off_an_edge(aside: float) -> None:
    """A ball without any restitution comes down beside the top of a bar: it keeps its speed across the normal, which
    takes it off the bar at once, and falls on."""
    bar = Fixture("bar", RoundedBox(np.array([0.0, 0.0, 1.0]), THICK), np.array([0.0, 0.5, 0.0]))
    start, slope = (aside * (THICK + RADIUS), 1.5, 0.0), np.array([aside, np.sqrt(1.0 - aside**2), 0.0])
    rollout = simulated(flying(start, (0.0, 0.0, 0.0), restitution=0.0, friction=0.0), [bar], end=0.5)
    (event,) = rollout.events
    after, lasted = np.asarray(event.after), 0.5 - event.time
    assert event.normal == pytest.approx(slope, abs=1e-9)
    assert after[12:15] @ slope == pytest.approx(0.0, abs=1e-9)
    fallen = after[:3] + after[12:15] * lasted - [0.0, 0.5 * 9.81 * lasted**2, 0.0]
    assert rollout.state("ball", 0.5).position == pytest.approx(fallen, abs=1e-12)


def test_where_no_time_leads_on_a_run_says_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    thing = flying((0.0, 0.5, 0.0), (0.0, 0.0, 0.0), restitution=0.8)
    assert len(simulated(thing, [ground()], end=3.0).trajectories.chains[thing.name].events) > 3
    monkeypatch.setattr(run, "AT_ONE_INSTANT", 3)
    monkeypatch.setattr(run, "INSTANT", 2.0)
    with pytest.raises(run.Overwhelmed, match=r"has 3 events at .* s, the last ones with 'ground'; give it more room"):
        simulated(thing, [ground()], end=3.0)
