"""The compiled twins of what JAX differentiates: frames of every kind of motion, touches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoi_edit.motions import joint_state
from hoi_edit.motions.frame_motion import jacobians, motions, table_of
from hoi_edit.simulate.packed_layouts import frame_motions
from hoi_edit.simulate.search import STRUCK, flights, solids, touch_at
from hoi_edit.simulate.variations import turn_between
from kinematics.forward import forward, rates
from kinematics.rotation import rotation_exp
from rigid.distance import RoundedBox, feature_of, gap_and_normal
from tests.helpers import random_skeleton
from tests.hoi_edit.motions.moving_bodies import Swaying, beside_another, motion_of, moving


@pytest.mark.parametrize("kind", ["layer", "fitted", "blend"])
def test_frames_are_those_that_are_differentiated(kind: str) -> None:
    rng, played = np.random.default_rng(5), beside_another(kind, 5)
    skeleton = played.skeleton
    times = np.concatenate([rng.uniform(-0.3, 2.3, 40), [0.0, 0.1, 0.2, 0.4, 0.9, 1.2, 2.0]])
    for segment in range(len(skeleton.names)):
        found = motions(played.scene, np.full(len(times), played.first + segment), times)
        rows = np.column_stack([np.full(len(times), segment), times])
        wanted = np.asarray(frame_motions(skeleton, played.motion, played.parameters, rows))
        assert np.abs(found - wanted).max() <= 1e-11 * (1.0 + np.abs(wanted).max())


@pytest.mark.parametrize("kind", ["layer", "blend"])
def test_frames_by_coordinates_and_rates(kind: str) -> None:
    """Geometric Jacobians against the derivative of forward kinematics."""
    played = beside_another(kind, 8)
    skeleton = played.skeleton

    def frame(q: jax.Array, rate: jax.Array, segment: int, nominal: jax.Array) -> jax.Array:
        frames = forward(skeleton, q)
        spin, at_origin = jnp.split(rates(skeleton, frames, rate, 0.0 * q).twist[segment], 2)
        p = frames.position[segment]
        turn = turn_between(frames.rotation[segment], nominal)
        return jnp.concatenate([p, turn, at_origin + jnp.cross(spin, p), spin])

    for segment, t in [(0, 0.3), (3, 0.9), (len(skeleton.names) - 1, 1.4), (7, 1.9)]:
        q = joint_state(played.motion, played.parameters, t)
        nominal = forward(skeleton, q.q).rotation[segment]
        wanted = np.stack(jax.jacfwd(frame, (0, 1))(q.q, q.rate, segment, nominal), axis=1)
        at = np.array([played.first + segment])
        found = jacobians(played.scene, at, np.array([t]), skeleton.n_dofs)[0]
        assert np.abs(found - wanted).max() <= 1e-11 * (1.0 + np.abs(wanted).max())


def test_a_motion_of_another_kind_is_interpolated() -> None:
    rng = np.random.default_rng(6)
    skeleton = random_skeleton(rng)
    motion = Swaying(rng.normal(size=skeleton.n_dofs))
    parameters = motion.parameters()
    times = rng.uniform(0.1, 1.9, 30)
    found = motions(moving([skeleton], [motion], [parameters]), np.full(30, 7), times)
    wanted = np.asarray(frame_motions(skeleton, motion, parameters, np.column_stack([np.full(30, 7), times])))
    assert np.abs(found - wanted)[:, :12].max() <= 1e-9
    assert np.abs(found - wanted)[:, 12:].max() <= 1e-2  # of an acceleration, which nothing decides but a tie


def test_the_table_holds_the_same_frames() -> None:
    rng = np.random.default_rng(7)
    a, b = random_skeleton(rng, 5, 1), random_skeleton(rng)
    own = [motion_of("layer", a), motion_of("blend", b)]
    scene = moving([a, b], own, [motion.parameters() for motion in own])
    times, middle = np.linspace(0.0, 2.0, 41), rng.normal(size=(13, 3))
    pose, centre, speed = table_of(scene, times, middle)
    for frame in range(13):
        exact = motions(scene, np.full(41, frame), times)
        assert np.abs(pose[:, frame] - exact[:, :12]).max() <= 1e-5
        where = exact[:, :3] + exact[:, 3:12].reshape(-1, 3, 3) @ middle[frame]
        assert np.abs(centre[:, frame] - where).max() <= 1e-5
        fastest = np.linalg.norm(np.diff(where, axis=0), axis=1).max() / 0.05
        assert speed[frame] == pytest.approx(fastest, abs=1e-3)


numbers = st.floats(-1.5, 1.5)


@settings(max_examples=200, deadline=None)
@given(st.tuples(*[numbers] * 12), st.sampled_from([(0, 0, 0), (0, 1, 0), (1, 0.5, 0.2), (1, 0, 1)]), st.booleans())
def test_a_touch_is_what_rigid_distance_says(x: tuple[float, ...], core: tuple[float, ...], snap: bool) -> None:
    place, position, velocity = np.array(x[:3]), np.array(x[3:6]), np.array(x[6:9])
    if snap:  # onto edges and corners of the core, where features change
        position, place = np.round(position * 2) / 2, np.zeros(3)
    turned = np.eye(3) if snap else np.asarray(rotation_exp(np.array(x[9:12])))
    solid = solids(np.array([-1]), place[None], turned[None], np.array([core], float), np.array([0.1]))
    state = np.concatenate([position, np.eye(3).ravel(), velocity, np.zeros(3)])
    flight = flights(*(np.array(v)[None] for v in (0.0, state, 0.05, 0.0, 1.0)))[0]
    still = moving([], [], [])
    struck = STRUCK.unpack(touch_at(still, solid, 0, np.zeros(3), flight, 0.0))
    local = turned.T @ (position - place)
    shape = RoundedBox(np.array(core, float), 0.15)
    feature = feature_of(shape, local)
    gap, normal = gap_and_normal(shape, local, feature)
    assert np.array_equal(struck.feature, feature)
    assert struck.gap == pytest.approx(float(gap), abs=1e-15)
    assert np.allclose(struck.normal, turned @ normal, atol=1e-14)
    assert struck.rate == pytest.approx(float((turned @ normal) @ velocity), abs=1e-14)
