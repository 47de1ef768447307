"""Balls that slide, roll, lift off and fall over edges, against the textbook; whoever takes steps takes the same."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.distance import RoundedBox
from rigid.free_flight import energy
from rigid.rolling_ends import GRIP, LIFT, NONE, ContactSpan, X
from rigid.sustained_contact import Riding, gap_and_normal
from tests.rigid.moving_surface import (
    BUSY,
    ENDLESS,
    GLOBE,
    GRAVITY,
    ON_TABLE,
    RADIUS,
    STILL,
    TABLE,
    TOP,
    G,
    K,
    after_edge,
    at,
    find,
    follow,
    moving,
    play,
    ride_to,
    span,
    world,
)

# --- closed forms ----------------------------------------------------------------------------------------------------


def test_a_slide_slows_down_and_rolls_on_at_a_constant_speed() -> None:
    """The bowling ball: slip ends after |u| / (μ g (1 + 1/k)), having lost 2/7 of it in speed."""
    friction, v, spin = 0.2, np.array([1.5, 0.0, 0.4]), np.array([3.0, 1.0, 9.0])
    slide = span(TABLE, ON_TABLE, v, spin, rolls=False, friction=friction)
    slip = v - RADIUS * np.cross(spin, [0.0, 1.0, 0.0])
    duration = np.linalg.norm(slip) / (friction * G * 3.5)
    end = find(STILL, slide)
    assert int(end.kind) == GRIP and float(end.time) == pytest.approx(duration, abs=1e-13)
    time, ride = play(STILL, slide, end)
    after = v - slip / 3.5
    np.testing.assert_allclose(ride.velocity, after, atol=1e-10)
    np.testing.assert_allclose(ride.position, ON_TABLE + 0.5 * (v + after) * duration, atol=1e-10)
    rolling = follow(slide.contact, at(time, STILL), ride, end.kind)
    assert bool(rolling.rolls)
    on = ContactSpan(rolling, ride, time, jnp.asarray(0.005, float))
    later = ride_to(STILL, on, 40, time + 0.203)
    np.testing.assert_allclose(later.velocity, after, atol=1e-10)
    np.testing.assert_allclose(later.position, ride.position + 0.203 * after, atol=1e-10)
    np.testing.assert_allclose(later.spin, [after[2] / RADIUS, 1.0, -after[0] / RADIUS], atol=1e-9)


def test_down_an_incline_with_five_sevenths_of_gravity() -> None:
    tilt = 0.3
    u = moving(axis=(0.0, 0.0, -1.0), turn=(tilt, 0, 0), place=(1.0, 2.0, 3.0))
    rolling = span(TABLE, ON_TABLE, (-0.2, 0.0, 0.1))
    ride = ride_to(u, rolling, 51, 0.514)
    expected = ON_TABLE + 0.514 * np.array([-0.2, 0.0, 0.1]) + [0.5 * 5 / 7 * G * np.sin(tilt) * 0.514**2, 0, 0]
    np.testing.assert_allclose(ride.position, expected, atol=1e-10)


def test_a_steep_incline_makes_it_slide_at_once() -> None:
    """Rolling needs 2/7 g sin φ of friction, so it takes tan φ <= 7/2 μ."""
    for friction, kind in ((0.99 * 2 / 7 * np.tan(0.6), GRIP), (1.01 * 2 / 7 * np.tan(0.6), NONE)):
        u = moving(axis=(0.0, 0.0, -1.0), turn=(0.6, 0.0, 0.0))
        rolling = span(TABLE, ON_TABLE, (0.0, 0.0, 0.0), friction=friction, step=0.001)
        end = find(u, rolling)
        assert int(end.kind) == kind
        time, ride = play(u, rolling, end)
        if kind == GRIP:
            assert bool(end.at_once) and float(time) == 0.0
            sliding = follow(rolling.contact, at(time, u), ride, end.kind)
            later = ride_to(u, ContactSpan(sliding, ride, time, jnp.asarray(0.01, float)), 20, 0.2)
            down = G * (np.sin(0.6) - friction * np.cos(0.6))
            np.testing.assert_allclose(later.velocity, [down * 0.2, 0.0, 0.0], atol=1e-12)


def test_a_plate_that_accelerates_takes_two_sevenths_of_it_along() -> None:
    u = moving(acceleration=(3.0, 0.5, 0.0))
    ride = ride_to(u, span(TABLE, ON_TABLE, (0.0, 0.0, 0.0)), 30, 0.3)
    state = world(ride, at(0.3, u))
    assert float(state.velocity[0]) == pytest.approx(2 / 7 * 3.0 * 0.3, abs=1e-12)
    assert float(state.position[0]) == pytest.approx(0.5 * 2 / 7 * 3.0 * 0.3**2, abs=1e-12)
    assert float(state.position[1]) == pytest.approx(0.1 + RADIUS + 0.5 * 0.5 * 0.3**2, abs=1e-13)


def test_on_a_turntable_it_goes_round_in_a_circle_at_two_sevenths_of_the_turn() -> None:
    """Seen from the world; it has no spin about the normal but what it started with."""
    rate = 4.0
    u = moving(axis=(0.0, 1.0, 0.0), turn=(0.0, rate, 0.0))
    table = span(TABLE, (0.3, 0.15, 0.0), (0.5, 0.0, 0.2), step=0.005)
    begin, end = (world(ride_to(u, table, n, n * 0.005), at(n * 0.005, u)) for n in (0, 60))
    phase = rate * 2 / 7 * 0.3
    turn = np.array([[np.cos(phase), 0, np.sin(phase)], [0, 1, 0], [-np.sin(phase), 0, np.cos(phase)]])
    np.testing.assert_allclose(end.velocity, turn @ begin.velocity, atol=1e-8)


def test_a_palm_that_brakes_harder_than_gravity_lets_go_when_it_reaches_it() -> None:
    amplitude, frequency = 0.2, 9.0
    u = moving(amplitude=(0.0, amplitude, 0.0), frequency=(0.0, frequency, 0.0))
    for friction in (0.4, 0.0):
        resting = span(TABLE, ON_TABLE, (0.0, 0.0, 0.0), friction=friction, rolls=friction > 0)
        end = find(u, resting)
        assert int(end.kind) == LIFT
        assert float(end.time) == pytest.approx(np.arcsin(G / (amplitude * frequency**2)) / frequency, abs=1e-14)
        time, ride = play(u, resting, end)
        state = world(ride, at(time, u))
        assert float(state.velocity[1]) == pytest.approx(amplitude * frequency * np.cos(frequency * float(time)))


@pytest.mark.parametrize(("speed", "rolls"), [(0.3, True), (0.7, True), (0.3, False)])
def test_off_the_top_of_a_globe_at_the_textbook_angle(speed: float, rolls: bool) -> None:
    """From rest cos θ = 10/17 rolling and 2/3 sliding without friction; here it starts on top with a speed."""
    ball = span(
        GLOBE, (0.0, 0.35, 0.0), (0.6 * speed, 0.0, 0.8 * speed), rolls=rolls, friction=ENDLESS if rolls else 0.0,
        step=0.01,
    )  # fmt: skip
    end = find(STILL, ball)
    assert int(end.kind) in (LIFT, GRIP)
    _, ride = play(STILL, ball, end)
    inertia = 1.0 + K if rolls else 1.0
    expected = (2.0 + inertia * speed**2 / (G * 0.35)) / (2.0 + inertia)
    assert float(ride.position[1]) / 0.35 == pytest.approx(expected, abs=2e-8)
    assert abs(float(gap_and_normal(ball.contact, ride.position)[0])) <= 1e-13
    before, after = (float(energy(world(r, at(0.0, STILL)), TOP, GRAVITY)) for r in (ball.start, ride))
    assert after == pytest.approx(before, abs=1e-7)


def test_from_rest_the_angles_are_ten_seventeenths_and_two_thirds() -> None:
    for rolls, expected in ((True, 10 / 17), (False, 2 / 3)):
        tilt = 0.05
        at_rest = (0.35 * np.sin(tilt), 0.35 * np.cos(tilt), 0.0)
        ball = span(GLOBE, at_rest, (0.0,) * 3, rolls=rolls, friction=ENDLESS if rolls else 0.0, step=0.02)
        _, ride = play(STILL, ball, find(STILL, ball))
        assert float(ride.position[1]) / 0.35 == pytest.approx(expected * np.cos(tilt), abs=1e-6)


# --- edges -----------------------------------------------------------------------------------------------------------


def ends_of(u: jax.Array, spans: ContactSpan, most: int = 6) -> list[tuple[int, float, Riding]]:
    """All ends until the ball leaves."""
    found: list[tuple[int, float, Riding]] = []
    while len(found) < most and (not found or found[-1][0] != LIFT):
        end = find(u, spans)
        time, ride = play(u, spans, end)
        found.append((int(end.kind), float(time), ride))
        if int(end.kind) != NONE:
            spans = replace(spans, contact=follow(spans.contact, at(time, u), ride, end.kind))
        spans = replace(spans, start=ride, begin=time)
    return found


def test_slowly_over_an_edge_it_pivots_until_nothing_presses() -> None:
    speed = 0.4
    ball = span(TABLE, (0.9, 0.15, 0.0), (speed, 0.0, 0.0), step=0.005)
    ends = ends_of(STILL, ball)
    assert ends[0][0] == X and ends[-1][0] == LIFT
    assert ends[0][1] == pytest.approx(0.1 / speed, abs=1e-13)
    cosine = (float(ends[-1][2].position[1]) - 0.1) / RADIUS
    assert cosine == pytest.approx((2.0 + 1.4 * speed**2 / (G * RADIUS)) / 3.4, abs=1e-7)


def test_fast_over_an_edge_it_leaves_at_once() -> None:
    ball = span(TABLE, (0.9, 0.15, 0.0), (1.01 * np.sqrt(G * RADIUS), 0.0, 0.0), step=0.005)
    (first, t_edge, _), (last, t_leave, ride) = ends_of(STILL, ball)
    assert (first, last) == (X, LIFT) and t_edge == t_leave
    np.testing.assert_allclose(ride.position, [1.0, 0.15, 0.0], atol=1e-13)


# --- the integrator --------------------------------------------------------------------------------------------------


def test_the_law_has_no_seam_around_a_capsule() -> None:
    """Held to it whatever the force, through quadrants that `feature_of` tells apart; nothing would really hold it."""
    capsule = RoundedBox.of("capsule", [0.1, 0.4, 0.0])
    ball = span(capsule, (0.15, 0.0, 0.0), (0.0, 0.0, 1.0))
    floating = replace(ball, contact=replace(ball.contact, gravity=jnp.zeros(3)))
    end = find(STILL, floating)
    assert int(end.kind) == LIFT and bool(end.at_once)
    late, phase = ride_to(STILL, floating, 63, 0.635), 0.635 / 0.15
    np.testing.assert_allclose(late.position, 0.15 * np.array([np.cos(phase), 0, np.sin(phase)]), atol=1e-5)


@pytest.mark.parametrize("rolls", [True, False])
@pytest.mark.parametrize("n", [0, 1, 17, 63, 64])
def test_a_search_takes_the_steps_of_the_derivative(n: int, rolls: bool) -> None:
    """By numbers of the surface, from a chunk that is rolled once, as by the surface itself, which is rolled anew."""
    ball = span(GLOBE, (0.05, np.sqrt(0.35**2 - 0.05**2), 0.0), (0.2, 0, 0.5), (20, 5, 40), rolls=rolls, friction=0.3)
    ball = replace(ball, begin=jnp.asarray(0.03, float), step=jnp.asarray(0.003, float))
    for duration in (0.0, 0.002) if n < 64 else (0.0,):
        time = 0.03 + n * 0.003 + duration
        ours, truth = after_edge(BUSY, ball, n, time), ride_to(BUSY, ball, n, time)
        for by_search, by_derivative in zip(jax.tree.leaves(ours), jax.tree.leaves(truth), strict=True):
            np.testing.assert_allclose(by_search, by_derivative, atol=2e-13)
