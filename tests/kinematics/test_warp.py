import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.errors import HoiError
from kinematics.warp import Warp, smooth_step


def sampled(warp: Warp, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, rate and second derivative."""
    rate = jax.grad(lambda t: warp(t))
    both = jax.jit(jax.vmap(lambda t: (warp(t), rate(t), jax.grad(rate)(t))))
    value, first, second = both(jnp.asarray(times))
    return np.asarray(value), np.asarray(first), np.asarray(second)


@pytest.mark.parametrize("seed", range(5))
def test_strictly_increasing_and_smooth_through_wild_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    outer, inner = np.cumsum(rng.uniform(0.05, 1.0, 7)), np.cumsum(10.0 ** rng.uniform(-2, 0.5, 7))
    warp = Warp.through(outer, inner)
    times = np.linspace(outer[0] - 1, outer[-1] + 1, 4001)
    value, rate, _ = sampled(warp, times)
    assert rate.min() > 0.0 and np.all(np.diff(value) > 0.0)
    np.testing.assert_allclose(sampled(warp, outer)[0], inner, atol=1e-12)
    left, right = sampled(warp, outer - 1e-12), sampled(warp, outer + 1e-12)
    np.testing.assert_allclose(left[1], right[1], rtol=1e-5)
    np.testing.assert_allclose(left[2], right[2], atol=1e-4)  # both are zero: C²


def test_steady_pairs_give_a_straight_line_and_one_pair_a_shift() -> None:
    value, rate, second = sampled(Warp.through([1.0, 2.0, 4.0], [0.5, 1.0, 2.0]), np.linspace(0.0, 6.0, 50))
    np.testing.assert_allclose(value, 0.5 * np.linspace(0.0, 6.0, 50), atol=1e-14)
    np.testing.assert_allclose(rate, 0.5, atol=1e-14)
    np.testing.assert_allclose(second, 0.0, atol=1e-12)
    assert float(Warp.through([3.0], [1.0])(5.0)) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("outer", "inner", "message"),
    [
        ([0.0, 1.0], [0.0], "as many"),
        ([0.0, 1.0, 0.5], [0.0, 1.0, 2.0], "first clip must increase; after 1 s comes 0.5 s"),
        ([0.0, 1.0], [2.0, 2.0], "second clip must increase"),
    ],
)
def test_bad_pairs_are_explained(outer: list[float], inner: list[float], message: str) -> None:
    with pytest.raises(HoiError, match=message):
        Warp.through(outer, inner)


def test_smooth_step_is_twice_differentiable_at_its_ends() -> None:
    second = jax.grad(jax.grad(lambda t: smooth_step(t, 1.0, 2.0)))
    assert [float(smooth_step(t, 1.0, 2.0)) for t in (0.0, 1.0, 1.5, 2.0, 3.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    for t in (1.0, 2.0):
        assert abs(float(second(t - 1e-7))) < 1e-4 and abs(float(second(t + 1e-7))) < 1e-4
