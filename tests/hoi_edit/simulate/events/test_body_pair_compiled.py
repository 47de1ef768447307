"""What a touch of two bodies does, and its derivative, in machine code against the law that JAX differentiates."""

from typing import Any

import jax
import numpy as np
import pytest

from hoi_edit.simulate.events.body_pair import derivative_of_parting, parted_by_law
from hoi_edit.simulate.events.body_pair_compiled import paired_jacobians, parted
from hoi_edit.simulate.packed_layouts import PAIRED, PARTED
from kinematics.rotation import Floats, rotation_exp
from rigid.hull_features import KINDS


def pairs(kind: int, count: int = 32) -> Floats:
    """Two bodies anyhow, every third of them against a surface that nothing moves; some by decree, some in hops."""
    rng, rows = np.random.default_rng(kind), []
    for k in range(count):
        columns: dict[str, Any] = {}
        for which in "ab":
            R = np.asarray(rotation_exp(rng.normal(size=3)))
            columns |= {
                f"state_{which}": np.concatenate([rng.normal(size=3), R.ravel(), rng.normal(size=6)]),
                f"rates_{which}": rng.normal(size=6), f"radius_{which}": rng.uniform(0.0, 0.2),
                f"inverse_mass_{which}": rng.uniform(0.2, 2.0), f"moments_{which}": rng.uniform(0.1, 1.0, size=3),
                f"corners_{which}": rng.normal(size=9),
            }  # fmt: skip
        if k % 3 == 0:
            columns |= {"inverse_mass_b": 0.0, "moments_b": np.inf}
        law = {"restitution": rng.uniform(0.0, 1.3), "friction": rng.uniform(), "normal_turn": 0.3 * rng.normal(size=3)}
        decree = {"hop": 0.05 * (k % 2), "declared": float(k % 5 == 0), "stick": float(k % 2)}
        rows.append(PAIRED.pack(1, **columns, **law, **decree, kind=kind)[0])
    return np.array(rows)


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_it_is_that_of_the_law(kind: int) -> None:
    rows = pairs(kind)
    laws, ours = np.asarray(jax.vmap(parted_by_law)(rows)), np.array([parted(row) for row in rows])
    np.testing.assert_allclose(ours, laws, rtol=1e-10, atol=1e-10)
    assert 0.0 < ours[:, PARTED.first("stick")].mean() + np.isinf(ours[:, PARTED.first("ratio")]).mean() < 1.0
    theirs = np.asarray(derivative_of_parting(rows))
    size = 1.0 + np.abs(theirs).max(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(paired_jacobians(rows) / size, theirs / size, atol=1e-10)
