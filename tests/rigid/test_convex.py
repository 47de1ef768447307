"""Contacts of convex hulls against independent distances, for every kind of feature, and their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigid.body import box
from rigid.convex import KINDS, Feature, Pose, closest, contact
from rigid.gjk import Poses, separation
from tests.helpers import check_derivative
from tests.rigid.hulls import PAIRS, SHAPES, scattered, slow_distance

CORNERS = box(1.0, [1.0, 1.0, 1.0]).vertices
FLOOR = CORNERS * [50.0, 1.0, 50.0] - [0.0, 1.0, 0.0]  # its upper side is y = 0
HERE = Pose(jnp.eye(3), jnp.zeros(3))

at_contact = jax.jit(contact)


def at(x: float, y: float, z: float, *turn: float) -> Pose:
    """A place and a rotation vector."""
    return Pose(jnp.asarray(Rotation.from_rotvec(turn or (0.0, 0.0, 0.0)).as_matrix()), jnp.array([x, y, z]))


def one(poses: Poses, i: int) -> Pose:
    return Pose(jnp.asarray(poses.rotation[i]), jnp.asarray(poses.position[i]))


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_a_feature_has_the_hulls_distance_and_normal(name_a: str, name_b: str) -> None:
    a, b, many = SHAPES[name_a], SHAPES[name_b], 80
    poses_a, poses_b = scattered(many, 3, 0.4), scattered(many, 4, 0.1)
    for i, way in enumerate(separation(a, poses_a, b, poses_b)):
        pose_a, pose_b = one(poses_a, i), one(poses_b, i)
        gap, normal, point = at_contact(closest(a, pose_a, b, pose_b), pose_a, pose_b)
        length = np.linalg.norm(way)
        if length > 0.0:
            assert float(gap) == pytest.approx(length, abs=1e-14)
            np.testing.assert_allclose(normal, way / length, atol=1e-12)
            spot = np.asarray(point)[None]  # halfway between both: half the distance from each
            for corners in (poses_a.apply(a)[i], poses_b.apply(b)[i]):
                assert slow_distance(spot, corners) == pytest.approx(0.5 * length, abs=1e-9)
        else:
            assert float(gap) <= 0.0


# --- one example of each kind -----------------------------------------------------------------------------------------

EXAMPLES = {
    "vertex-vertex": ("line", at(0.1, 0.8, 0.05, 0.2, 0.0, 0.3), "line", HERE),
    "vertex-edge": ("line", at(0.4, 0.1, 0.05, 0.2, 0.0, 1.3), "line", HERE),
    "vertex-face": ("box", at(-0.1, 0.7, 0.0, 0.9, 0.2, 0.6), "box", HERE),
    "edge-vertex": ("line", HERE, "line", at(0.4, 0.1, 0.05, 0.2, 0.0, 1.3)),
    "face-vertex": ("box", HERE, "box", at(-0.1, 0.7, 0.0, 0.9, 0.2, 0.6)),
    "edge-edge": ("line", at(0.02, 0.2, 0.03, 1.4, 0.1, 0.2), "line", at(0.0, 0.0, 0.0, 0.1, 0.3, 1.5)),
}


def flat_contact(x: jax.Array, feature: Feature) -> jax.Array:
    """Gap, normal and point as functions of both poses and both radii."""
    pose_a, pose_b = (Pose(y[:9].reshape(3, 3), y[9:]) for y in (x[:12], x[12:24]))
    gap, normal, point = contact(feature, pose_a, pose_b, x[24], x[25])
    return jnp.concatenate([gap[None], normal, point])


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_for_every_kind(kind: str) -> None:
    name_a, pose_a, name_b, pose_b = EXAMPLES[kind]
    feature = closest(SHAPES[name_a], pose_a, SHAPES[name_b], pose_b)
    assert KINDS[int(np.asarray(feature.kind))] == kind
    x = np.concatenate([*(np.r_[np.ravel(p.rotation), p.position] for p in (pose_a, pose_b)), [0.03, 0.05]])
    derivative = check_derivative(flat_contact, x, feature)
    np.testing.assert_allclose(derivative[0, 24:], -1.0)
    _, normal, _ = at_contact(feature, pose_a, pose_b)
    np.testing.assert_allclose(derivative[0, 9:12], normal, atol=1e-12)  # moving a by d opens the gap by n·d
    np.testing.assert_allclose(derivative[0, 21:24], -normal, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_swapping_the_bodies_turns_the_contact_around(kind: str) -> None:
    name_a, pose_a, name_b, pose_b = EXAMPLES[kind]
    a, b = SHAPES[name_a], SHAPES[name_b]
    gap, normal, point = at_contact(closest(a, pose_a, b, pose_b), pose_a, pose_b, 0.01, 0.03)
    back, turned, same = at_contact(closest(b, pose_b, a, pose_a), pose_b, pose_a, 0.03, 0.01)
    assert float(gap) == pytest.approx(float(back), abs=1e-15)
    np.testing.assert_allclose(normal, -turned, atol=1e-14)
    np.testing.assert_allclose(point, same, atol=1e-14)


@pytest.mark.parametrize("depth", [1e-3, 1e-9, 0.0, -1e-9, -1e-3])
def test_faces_and_crossing_edges_keep_their_sign(depth: float) -> None:
    """A box on its corner, and one on an edge across another's: the gap goes on through zero."""
    corner = at(0.0, 0.0, 0.0, 0.7, 0.1, 0.5)
    low = float(np.min(SHAPES["box"] @ np.asarray(corner.rotation).T, axis=0)[1])
    on_corner = Pose(corner.rotation, jnp.array([0.3, depth - low, -0.2]))
    feature = closest(SHAPES["box"], on_corner, FLOOR, HERE)
    gap, normal, _ = at_contact(feature, on_corner, HERE)
    assert KINDS[int(np.asarray(feature.kind))] == "vertex-face"
    assert float(gap) == pytest.approx(depth, abs=1e-14)
    np.testing.assert_allclose(normal, [0.0, 1.0, 0.0], atol=1e-14)
    cube, height = 0.1 * CORNERS, 0.2 * np.sqrt(2.0)
    lower, upper = at(0, 0, 0, np.pi / 4, 0.0, 0.0), at(0.0, height + depth, 0.0, 0.0, 0.0, np.pi / 4)
    edges = closest(cube, upper, cube, lower)
    assert KINDS[int(np.asarray(edges.kind))] == "edge-edge"
    assert float(at_contact(edges, upper, lower)[0]) == pytest.approx(depth, abs=1e-14)


@pytest.mark.parametrize("height", [0.2 + 1e-3, 0.2, 0.2 - 1e-9])
def test_a_box_flat_on_the_ground_touches_with_its_first_corner(height: float) -> None:
    pose = at(1.0, height, 2.0)
    feature = closest(SHAPES["box"], pose, FLOOR, HERE)
    first = int(np.flatnonzero(SHAPES["box"][:, 1] == -0.2)[0])
    assert KINDS[int(np.asarray(feature.kind))] == "vertex-face"
    np.testing.assert_array_equal(np.asarray(feature.a)[0], SHAPES["box"][first])
    gap, normal, _ = at_contact(feature, pose, HERE)
    assert float(gap) == pytest.approx(height - 0.2, abs=1e-15)
    np.testing.assert_allclose(normal, [0.0, 1.0, 0.0], atol=1e-15)


def test_a_box_that_lies_askew_touches_with_its_lowest_corner() -> None:
    pose = at(0.0, 0.3, 0.0, 1e-6, 0.0, -2e-6)
    feature = closest(SHAPES["box"], pose, FLOOR, HERE)
    lowest = np.argmin(SHAPES["box"] @ np.asarray(pose.rotation)[1])
    np.testing.assert_array_equal(np.asarray(feature.a)[0], SHAPES["box"][lowest])


def test_stacked_boxes_touch_with_faces() -> None:
    """Corner over corner, one outside the other, and crosswise."""
    for place in (at(0.0, 0.4, 0.0), at(0.2, 0.401, 0.6), at(0.1, 0.41, 0.2, 0.0, 0.5, 0.0)):
        feature = closest(SHAPES["box"], place, SHAPES["box"], HERE)
        gap, normal, _ = at_contact(feature, place, HERE)
        assert KINDS[int(np.asarray(feature.kind))] in ("vertex-face", "face-vertex")
        assert float(gap) == pytest.approx(float(place.position[1]) - 0.4, abs=1e-15)
        np.testing.assert_allclose(normal, [0.0, 1.0, 0.0], atol=1e-15)


def test_parallel_capsules_and_balls_at_one_place_are_finite() -> None:
    line, point = SHAPES["line"], SHAPES["point"]
    for a, place in ((line, at(0.2, 0.1, 0.0)), (line, HERE), (point, HERE), (point, at(0.0, 0.1, 0.0))):
        feature = closest(a, place, line, HERE)
        x = np.concatenate([*(np.r_[np.ravel(p.rotation), p.position] for p in (place, HERE)), [0.03, 0.05]])
        assert np.all(np.isfinite(FINITE(jnp.asarray(x), feature)))


FINITE = jax.jit(jax.jacrev(flat_contact))
