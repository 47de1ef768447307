import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicSpline

from kinematics.errors import HoiError
from kinematics.spline import Grid, basis, basis_at, design, evaluate, fit, interpolate
from tests.helpers import check_derivative

GRID = Grid(0.5, 0.1, 12)
CONTROLS = np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_values_and_derivatives_are_those_of_scipy(order: int) -> None:
    knots = 0.5 + 0.1 * (np.arange(16) - 3)
    expected = BSpline(knots, CONTROLS, 3).derivative(order) if order else BSpline(knots, CONTROLS, 3)
    times = np.linspace(0.5, 1.4, 37)[:-1]
    values = jax.jit(jax.vmap(lambda t: evaluate(GRID, jnp.asarray(CONTROLS), t, order)))(times)
    np.testing.assert_allclose(values, expected(times), atol=1e-12 * 30**order)
    np.testing.assert_allclose(design(GRID, times, order) @ CONTROLS, values, atol=1e-12 * 30**order)


@pytest.mark.parametrize("t", [0.5, 0.6, 0.7000000000000001, 0.95, 1.3, 1.4])
def test_basis_row_is_the_derivative_by_the_control_points_also_on_knots(t: float) -> None:
    first, weights = basis(GRID, t)
    jacobian = check_derivative(lambda c: evaluate(GRID, c, t), CONTROLS)
    dense = np.zeros(12)
    dense[int(first) : int(first) + 4] = weights
    np.testing.assert_allclose(jacobian, np.einsum("k,ij->ikj", dense, np.eye(3)), atol=1e-15)
    assert float(jnp.sum(weights)) == pytest.approx(1.0, abs=1e-15)


def value_at(t: jax.Array, grid: Grid, controls: jax.Array) -> jax.Array:
    return evaluate(grid, controls, t)


def rate_at(t: jax.Array, grid: Grid, controls: jax.Array) -> jax.Array:
    return evaluate(grid, controls, t, 1)


def value_of(controls: jax.Array, grid: Grid, t: jax.Array) -> jax.Array:
    return evaluate(grid, controls, t)


@pytest.mark.parametrize("seed", range(8))
def test_derivatives_for_random_knots_and_times_on_them(seed: int) -> None:
    """By the control points and by time, once and twice; odd seeds take a time that is a knot exactly."""
    rng = np.random.default_rng(seed)
    grid = Grid(float(rng.uniform(-3, 3)), float(rng.uniform(0.02, 0.5)), 9)
    controls = jnp.asarray(rng.normal(size=(9, 2)))
    inner = float(rng.uniform(1, 5))
    t = grid.start + (float(round(inner)) if seed % 2 else inner) * grid.spacing
    check_derivative(value_of, controls, grid, t)
    step = 1e-3 * float(grid.spacing)
    rate = check_derivative(value_at, t, grid, controls, step=step)
    np.testing.assert_allclose(rate, evaluate(grid, controls, t, 1), rtol=1e-11)
    # the acceleration is continuous on a knot but has a corner, so a quotient there is only good to the step itself
    accel = check_derivative(rate_at, t, grid, controls, step=step, tolerance=1e-2 if seed % 2 else 1e-7)
    np.testing.assert_allclose(accel, evaluate(grid, controls, t, 2), rtol=1e-9)


@pytest.mark.parametrize("t", [0.6, 0.8, 1.0, 1.2999999])
def test_time_derivatives_on_knots(t: float) -> None:
    def value(time: jax.Array) -> jax.Array:
        return evaluate(GRID, jnp.asarray(CONTROLS), time)

    rate = jax.jacfwd(value)(t)
    np.testing.assert_allclose(rate, evaluate(GRID, jnp.asarray(CONTROLS), t, 1), atol=1e-12)
    accel = jax.jacfwd(jax.jacfwd(value))(t)
    np.testing.assert_allclose(accel, evaluate(GRID, jnp.asarray(CONTROLS), t, 2), atol=1e-10)
    # C²: the same from the left
    np.testing.assert_allclose(evaluate(GRID, jnp.asarray(CONTROLS), t - 1e-9, 2), accel, atol=1e-4)


def test_ends_hold_their_value_and_have_the_inner_rate() -> None:
    c = jnp.asarray(CONTROLS)
    for inside, outside in ((0.5, 0.2), (1.4, 9.0)):
        np.testing.assert_array_equal(evaluate(GRID, c, inside), evaluate(GRID, c, outside))
        assert np.abs(jax.jacfwd(lambda t: evaluate(GRID, c, t))(inside)).max() > 0.1
        assert np.abs(jax.jacfwd(lambda t: evaluate(GRID, c, t))(outside)).max() == 0.0
        assert np.abs(evaluate(GRID, c, outside, 1)).max() == 0.0


@pytest.mark.parametrize("n", [5, 6, 50])
def test_interpolation_is_scipys_not_a_knot_spline(n: int) -> None:
    values = np.random.default_rng(n).normal(size=(n, 2))
    times = np.linspace(2.0, 2.0 + 0.25 * (n - 1), n)
    grid, controls = interpolate(2.0, 0.25, values)
    fine = np.linspace(2.0, float(times[-1]), 101)
    np.testing.assert_allclose(design(grid, fine) @ controls, CubicSpline(times, values)(fine), atol=1e-11)
    np.testing.assert_allclose(design(grid, times) @ controls, values, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_samples_make_the_lowest_polynomial(n: int) -> None:
    def polynomial(t: np.ndarray) -> np.ndarray:
        return np.asarray(np.polyval(np.arange(1.0, n + 1), t), float)

    times = 0.1 * np.arange(float(n))
    grid, controls = interpolate(0.0, 0.1, polynomial(times)[:, None])
    fine = np.linspace(0.0, 0.1 * (n - 1), 20)
    np.testing.assert_allclose((design(grid, fine) @ controls)[:, 0], polynomial(fine), atol=1e-12)


@pytest.mark.parametrize("spacing", [0.02, 0.1, 0.37, 5.0])
def test_fit_meets_both_ends_and_reproduces_cubics(spacing: float) -> None:
    times = np.linspace(1.0, 4.0, 361)
    grid = Grid.over(1.0, 4.0, spacing)
    cubic = np.stack([times**3 - times, 2 - times**2], axis=-1)
    np.testing.assert_allclose(design(grid, times) @ fit(grid, times, cubic), cubic, atol=1e-9)
    wave = np.sin(5 * times)[:, None]
    fitted = design(grid, times) @ fit(grid, times, wave)
    np.testing.assert_allclose(fitted[[0, -1]], wave[[0, -1]], atol=1e-12)


def test_fit_error_falls_with_the_fourth_power_of_the_spacing() -> None:
    times = np.linspace(0.0, 4.0, 2001)
    wave = np.sin(4 * times)[:, None]
    errors = []
    for spacing in (0.2, 0.1):
        grid = Grid.over(0.0, 4.0, spacing)
        errors.append(np.abs(design(grid, times) @ fit(grid, times, wave) - wave).max())
    assert 12 < errors[0] / errors[1] < 20


def test_bad_spacing_is_named() -> None:
    with pytest.raises(HoiError, match=r"knot spacing of -1"):
        Grid.over(0.0, 1.0, -1)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_the_basis_in_numpy_is_the_same_also_on_knots_at_the_ends_and_beyond(order: int) -> None:
    start, end = float(GRID.start), float(GRID.end)
    inner = [start + k * float(GRID.spacing) for k in range(1, GRID.count - 3)]
    times = np.array([start - 1.0, start, *inner, 0.3 * start + 0.7 * end, end, np.nextafter(end, 9e9), end + 1.0])
    first, weights = basis_at(GRID, times, order)
    for t, k, row in zip(times, first, weights, strict=True):
        wanted_first, wanted = basis(GRID, t, order)
        assert k == int(wanted_first)
        np.testing.assert_allclose(row, wanted, atol=1e-12 * 30**order)
