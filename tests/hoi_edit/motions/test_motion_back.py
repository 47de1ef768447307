"""Covectors on the motion of a frame at many times, carried back to a character's parameters without JAX; and how that
motion goes on."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.motions import Motion
from hoi_edit.motions.frame_motion import motions, motions_and_jerks
from hoi_edit.motions.mixture import recipe
from hoi_edit.motions.motion_back import parameters_back
from hoi_edit.simulate.packed_layouts import FRAME, frame_motion
from hoi_edit.simulate.variations import turn_between
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from tests.hoi_edit.motions.moving_bodies import beside_another

# beyond both ends, on knots of the recording and of the layer, in ramps, between them, and within a clip's warp
TIMES = np.array([-0.2, 0.0, 0.1, 0.31, 0.4, 0.47, 0.8, 0.93, 1.2, 1.233, 1.9, 2.0, 2.1])
KINDS = ["layer", "fitted", "blend", "swaying"]


def by_forward_kinematics(
    skeleton: Skeleton, motion: Motion, parameters: Any, segment: int, times: Floats, on: Floats
) -> Floats:
    """The same, differentiated through poses, kinematics and all."""
    nominal = [FRAME.unpack(frame_motion(skeleton, motion, parameters, jnp.asarray(segment), t)) for t in times]

    def varied(given: Any) -> jax.Array:
        rows = []
        for t, was in zip(times, nominal, strict=True):
            f = FRAME.unpack(frame_motion(skeleton, motion, given, jnp.asarray(segment), jnp.asarray(t)))
            turn = turn_between(f.rotation.reshape(3, 3), was.rotation.reshape(3, 3))
            rows.append(jnp.concatenate([f.position, turn, f.velocity, f.spin, f.accel, f.spin_accel]))
        return jnp.stack(rows)

    _, back = jax.vjp(varied, parameters)
    trees = [jax.tree.leaves(back(jnp.asarray(row))[0]) for row in on]
    return np.stack([np.concatenate([np.ravel(leaf) for leaf in leaves]) for leaves in trees])


@pytest.mark.parametrize("kind", KINDS)
def test_covectors_come_back_as_through_forward_kinematics(kind: str) -> None:
    scene, skeleton, motion, parameters, first = beside_another(kind, 11)
    on = np.random.default_rng(12).normal(size=(2, len(TIMES), 18))
    on[:, 3] = 0.0  # a look that does not matter
    if kind == "swaying":  # what is sampled is known from its start to its end
        on[:, (TIMES < 0.0) | (TIMES > 2.0)] = 0.0
    for segment in (0, len(skeleton.names) - 1):
        wanted = by_forward_kinematics(skeleton, motion, parameters, segment, TIMES, on)
        found = parameters_back(scene, recipe(motion), parameters, first + segment, TIMES, on)
        # what is sampled stands where it does to h⁴, and moves and accelerates to less
        assert np.abs(found - wanted).max() <= (1e-3 if kind == "swaying" else 1e-11) * np.abs(wanted).max()


def test_where_nothing_matters_nothing_is_left() -> None:
    scene, _, motion, parameters, first = beside_another("blend", 11)
    found = parameters_back(scene, recipe(motion), parameters, first, TIMES, np.zeros((2, len(TIMES), 18)))
    assert found.shape == (2, sum(np.size(leaf) for leaf in jax.tree.leaves(parameters))) and not found.any()


@pytest.mark.parametrize("kind", ["layer", "fitted", "blend"])
def test_accelerations_go_on_at_their_rates(kind: str) -> None:
    """By differentiation, on the same piece of a spline wherever that is, and by quotients between knots."""
    scene, skeleton, motion, parameters, first = beside_another(kind, 11)
    segment, h = len(skeleton.names) - 1, 1e-5
    found, jerks = motions_and_jerks(scene, first + segment, TIMES)
    np.testing.assert_array_equal(found, motions(scene, np.full(len(TIMES), first + segment), TIMES))
    for t, jerk in zip(TIMES, jerks, strict=True):
        _, rate = jax.jvp(
            lambda t: frame_motion(skeleton, motion, parameters, jnp.asarray(segment), t),
            (jnp.asarray(t),), (jnp.asarray(1.0),),
        )  # fmt: skip
        size = 1.0 + np.abs(jerk).max()
        np.testing.assert_allclose(jerk, rate[FRAME.first("accel") :], rtol=0.0, atol=1e-10 * size)
        now, soon, then = motions(scene, np.full(3, first + segment), t + h * np.arange(3))
        ahead = ((4.0 * soon - 3.0 * now - then) / (2.0 * h))[FRAME.first("accel") :]
        if t in (0.31, 0.47, 0.93, 1.233):  # between knots: on one, round-off says which piece goes on
            np.testing.assert_allclose(jerk, ahead, rtol=0.0, atol=1e-3 * size)


def test_what_stands_still_goes_nowhere() -> None:
    scene, *_ = beside_another("layer", 11)
    found, jerks = motions_and_jerks(scene, -1, TIMES)
    np.testing.assert_array_equal(found, motions(scene, np.full(len(TIMES), -1), TIMES))
    assert not jerks.any()
