"""Distances against brute force over surface points, and their gradients against the normal."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.errors import HoiError
from rigid.distance import RoundedBox, feature_of, gap, gap_and_normal
from tests.helpers import check_derivative

SHAPES = {
    "sphere": RoundedBox.of("sphere", [0.3, 0.0, 0.0]),
    "capsule": RoundedBox.of("capsule", [0.1, 0.4, 0.0]),
    "box": RoundedBox.of("box", [0.2, 0.5, 0.1]),
}


def slow_gap(shape: RoundedBox, point: np.ndarray) -> float:
    """Exact for points outside: the distance to the clamped point; inside the core: to the nearest face."""
    core = np.asarray(shape.core)
    beyond = np.abs(point) - core
    outside = np.linalg.norm(np.maximum(beyond, 0.0))
    return float(outside + min(beyond.max(), 0.0) - np.asarray(shape.radius))


@pytest.mark.parametrize("name", SHAPES)
def test_gap_is_the_signed_distance(name: str) -> None:
    points = np.random.default_rng(0).uniform(-1.0, 1.0, size=(400, 3))
    ours = jax.jit(jax.vmap(lambda p: gap(SHAPES[name], p)))(jnp.asarray(points))
    np.testing.assert_allclose(ours, [slow_gap(SHAPES[name], p) for p in points], atol=1e-14)


def gap_for(point: jax.Array, shape: RoundedBox, feature: jax.Array) -> jax.Array:
    return gap_and_normal(shape, point, feature)[0]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    "point",
    [(0.4, 0.1, 0.05), (0.05, 0.6, 0.0), (0.3, 0.7, 0.2), (-0.3, -0.6, 0.01), (0.0, 0.0, 0.35), (0.19, 0.1, 0.0)],
)
def test_the_normal_is_the_gradient(name: str, point: tuple[float, float, float]) -> None:
    shape, p = SHAPES[name], jnp.asarray(point)
    feature = feature_of(shape, p)
    gradient = check_derivative(gap_for, p, shape, feature)
    _, normal = gap_and_normal(shape, p, feature)
    np.testing.assert_allclose(gradient, normal, atol=1e-12)
    assert float(jnp.linalg.norm(normal)) == pytest.approx(1.0, abs=1e-14)


def test_features_name_face_edge_and_corner() -> None:
    box = SHAPES["box"]
    assert feature_of(box, jnp.array([0.5, 0.0, 0.0])).tolist() == [1.0, 0.0, 0.0]
    assert feature_of(box, jnp.array([0.5, -0.9, 0.0])).tolist() == [1.0, -1.0, 0.0]
    assert feature_of(box, jnp.array([0.5, -0.9, 0.3])).tolist() == [1.0, -1.0, 1.0]
    assert feature_of(box, jnp.array([0.0, 0.0, -0.09])).tolist() == [0.0, 0.0, -1.0]  # inside, nearest face


def test_a_contact_that_slides_over_an_edge_keeps_its_smooth_law() -> None:
    """With the feature held, gap and normal are the same polynomial on both sides of the border."""
    capsule = SHAPES["capsule"]
    on_border = jnp.array([0.2, 0.4, 0.0])
    side, cap = jnp.array([1.0, 0.0, 1.0]), jnp.array([1.0, 1.0, 1.0])
    for feature in (side, cap):
        value, normal = gap_and_normal(capsule, on_border, feature)
        assert float(value) == pytest.approx(0.1) and np.all(np.isfinite(normal))


def test_points_on_the_surface_and_on_the_core_are_finite() -> None:
    for shape in SHAPES.values():
        for point in (jnp.zeros(3), jnp.array([0.2, 0.0, 0.0]), jnp.array([0.0, 0.4, 0.0])):
            value, normal = gap_and_normal(shape, point, feature_of(shape, point))
            gradient = jax.grad(lambda p, s=shape: gap(s, p))(point)
            assert np.isfinite(float(value)) and np.all(np.isfinite(normal)) and np.all(np.isfinite(gradient))


def test_unknown_shapes_list_the_choices() -> None:
    with pytest.raises(HoiError, match="unknown shape 'torus'; choose from: sphere, capsule, box"):
        RoundedBox.of("torus", [1.0, 1.0, 1.0])
