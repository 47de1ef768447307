"""First touches of moving hulls: to round-off, none missed, none made up."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigid.body import Body, ball, box, capsule, flight_inertia
from rigid.convex import KINDS, contact
from rigid.free_flight import State, fly
from rigid.gjk import Floats, Poses
from rigid.hull_contact_time import Hulls, Moving, first_touch

GRAVITY = jnp.array([0.0, -9.81, 0.0])
FLOOR = box(1.0, [50.0, 1.0, 50.0])

flights = jax.jit(jax.vmap(fly, in_axes=(None, None, None, 0)))


def flying(body: Body, state: State, gravity: jax.Array = GRAVITY) -> Moving:
    inertia = flight_inertia(body)

    def poses(times: Floats) -> Poses:
        several = np.resize(times, 40) if len(times) < 40 else times  # fewer shapes, fewer compilations
        after = flights(state, inertia, gravity, jnp.asarray(several))
        return Poses(np.asarray(after.rotation)[: len(times)], np.asarray(after.position)[: len(times)])

    return poses


def still(x: float, y: float, z: float) -> Moving:
    return lambda times: Poses(np.tile(np.eye(3), (len(times), 1, 1)), np.tile([x, y, z], (len(times), 1)))


def thrown(position: list[float], velocity: list[float], spin: list[float]) -> State:
    R = jnp.asarray(Rotation.from_rotvec([0.3, 0.2, -0.4]).as_matrix())
    return State(jnp.asarray(position), R, jnp.asarray(velocity), jnp.asarray(spin))


def on_floor(body: Body, state: State) -> Hulls:
    return Hulls(body.vertices, FLOOR.vertices, float(body.radius), flying(body, state), still(0.0, -1.0, 0.0))


@pytest.mark.parametrize("body", [box(1.0, [0.1, 0.2, 0.3]), capsule(1.0, 0.05, 0.2)], ids=["box", "capsule"])
def test_a_tumbling_body_meets_the_floor_to_round_off(body: Body) -> None:
    state = thrown([0.1, 1.0, 0.2], [1.0, 2.0, 0.5], [3.0, -5.0, 8.0])
    hulls = on_floor(body, state)
    found = first_touch(hulls, 12.0 + 10.0 * body.reach, 0.0, 2.0)
    assert found is not None
    time, feature = found
    gap, normal, point = contact(feature, *hulls.poses(time), body.radius)
    assert abs(float(gap)) <= 1e-13
    assert KINDS[int(np.asarray(feature.kind))] == "vertex-face"
    np.testing.assert_allclose(normal, [0.0, 1.0, 0.0], atol=1e-13)
    assert abs(float(point[1])) <= 1e-13
    before = hulls.gaps(np.linspace(0.0, time - 1e-9, 2000))
    assert before.min() > 0.0


def test_a_small_fast_box_does_not_pass_through_a_thin_plate() -> None:
    bullet, plate = box(1.0, [0.01, 0.01, 0.01]), box(1.0, [1.0, 0.001, 1.0])
    state = thrown([0.0, 1.0, 0.0], [0.0, -200.0, 0.0], [1.0, 0.0, 50.0])
    hulls = Hulls(bullet.vertices, plate.vertices, 0.0, flying(bullet, state), still(0.0, 0.0, 0.0))
    found = first_touch(hulls, 221.0, 0.0, 1.0)
    assert found is not None
    assert found[0] == pytest.approx(1.0 / 200.0, abs=2e-4)
    assert abs(hulls.gap_of(found[1], found[0])) <= 1e-13


def test_two_tumbling_boxes_meet_in_the_air() -> None:
    a, b = box(1.0, [0.1, 0.2, 0.3]), box(1.0, [0.2, 0.1, 0.25])
    one = flying(a, thrown([-1.0, 1.0, 0.0], [2.0, 3.0, 0.1], [3.0, -5.0, 8.0]))
    other = flying(b, thrown([1.0, 1.1, 0.1], [-2.0, 3.0, 0.0], [-6.0, 2.0, 1.0]))
    hulls = Hulls(a.vertices, b.vertices, 0.0, one, other)
    found = first_touch(hulls, 20.0, 0.0, 1.0)
    assert found is not None
    time, feature = found
    assert abs(hulls.gap_of(feature, time)) <= 1e-13
    assert hulls.gaps(np.linspace(0.0, time - 1e-9, 2000)).min() > 0.0
    assert hulls.gaps(np.array([time + 1e-6]))[0] <= 0.0


def test_balls_that_pass_do_not_touch_and_balls_that_graze_do() -> None:
    a = ball(1.0, 0.05)
    for miss, touches in ((0.1 + 1e-7, False), (0.1 - 1e-7, True)):
        passing = flying(a, thrown([-1.0, miss, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]), gravity=jnp.zeros(3))
        hulls = Hulls(a.vertices, a.vertices, 0.1, passing, still(0.0, 0.0, 0.0))
        assert (first_touch(hulls, 2.0, 0.0, 1.0) is not None) == touches


def test_what_touches_at_the_start_touches_then() -> None:
    body = box(1.0, [0.1, 0.2, 0.3])
    hulls = Hulls(body.vertices, FLOOR.vertices, 0.0, still(0.0, 0.2, 0.0), still(0.0, -1.0, 0.0))
    found = first_touch(hulls, 1.0, 0.5, 1.0)
    assert found is not None and found[0] == 0.5


@pytest.mark.parametrize(("height", "touches"), [(1e-3, False), (1e-4, False), (1e-12, True)])
def test_hovering_hulls_end_the_search(height: float, touches: bool) -> None:
    """A box slides just above the floor for a second: the search is no hang, and says so if it cannot tell."""
    body = box(1.0, [0.1, 0.2, 0.3])

    def sliding(times: Floats) -> Poses:
        place = np.stack([2.0 * times, np.full(len(times), 0.2 + height), 0.0 * times], axis=1)
        return Poses(np.tile(np.eye(3), (len(times), 1, 1)), place)

    hulls = Hulls(body.vertices, FLOOR.vertices, 0.0, sliding, still(0.0, -1.0, 0.0))
    assert (first_touch(hulls, 2.0, 0.0, 1.0) is not None) == touches
