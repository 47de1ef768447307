"""Distances of convex hulls are proven, and those that others find."""

import numpy as np
import pytest
import trimesh

from rigid.gjk import Poses, separation
from tests.rigid.hulls import PAIRS, SHAPES, STONE, scattered, slow_distance


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_distances_are_proven_and_independently_found(name_a: str, name_b: str) -> None:
    a, b, many = SHAPES[name_a], SHAPES[name_b], 500
    poses_a, poses_b = scattered(many, 1, 0.4), scattered(many, 2, 0.1)
    ways = separation(a, poses_a, b, poses_b)
    lengths = np.linalg.norm(ways, axis=1)
    apart = lengths > 0.0
    assert 0.3 < apart.mean() <= 1.0
    # the width of the slab between them, across the way found, is a lower bound of any distance: they must be equal
    n = ways[apart] / lengths[apart, None]
    low_a = np.einsum("bvi,bi->bv", poses_a.apply(a)[apart], n).min(axis=1)
    high_b = np.einsum("bvi,bi->bv", poses_b.apply(b)[apart], n).max(axis=1)
    np.testing.assert_allclose(low_a - high_b, lengths[apart], atol=1e-14)
    for i in range(40):
        world_a, world_b = poses_a.apply(a)[i], poses_b.apply(b)[i]
        assert slow_distance(world_a, world_b) == pytest.approx(lengths[i], abs=1e-9)


def test_a_mesh_is_as_far_as_trimesh_says() -> None:
    hull = trimesh.convex.convex_hull(STONE)
    places = scattered(200, 5, 0.4)
    ways = separation(np.zeros((1, 3)), Poses(np.tile(np.eye(3), (200, 1, 1)), places.position), STONE, Poses(
        np.tile(np.eye(3), (200, 1, 1)), np.zeros((200, 3))))  # fmt: skip
    _, distance, _ = trimesh.proximity.closest_point_naive(hull, places.position)
    outside = (
        ~hull.contains(places.position) if trimesh.util.has_module("rtree") else np.linalg.norm(ways, axis=1) > 0.0
    )
    np.testing.assert_allclose(np.linalg.norm(ways[outside], axis=1), distance[outside], atol=1e-13)
