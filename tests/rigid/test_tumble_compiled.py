"""Free flight of any body in machine code against the law that JAX differentiates."""

from typing import Any

import jax
import numpy as np
import pytest

from hoi_edit.simulate.dynamics.tumbling import flight_jacobians
from hoi_edit.simulate.packed_layouts import state_of, state_row
from kinematics.rotation import Floats, rotation_exp
from rigid.body import Body, ball, box, capsule, flight_inertia
from rigid.free_flight import fly
from rigid.tumble_compiled import flown_free, free_flights, packed_inertia

GRAVITY: Any = np.array([0.0, -9.81, 0.3])
TIMES = np.array([-0.7, -1e-3, 0.0, 1e-9, 0.03, 0.4, 2.0])
BODIES = {
    "tumbles": box(1.0, [0.1, 0.2, 0.3]),
    "nearly a top": box(1.0, [0.1, 0.1 + 1e-9, 0.3]),
    "top about x": box(1.2, [0.15, 0.11, 0.11]),
    "top about y": capsule(1.0, 0.05, 0.3),
    "ball": ball(1.0, 0.1),
}


def state(spin: float) -> Floats:
    rng = np.random.default_rng(7)
    R = np.asarray(rotation_exp(rng.normal(size=3)))
    return np.concatenate([rng.normal(size=3), R.ravel(), rng.normal(size=3), spin * rng.normal(size=3)])


@pytest.mark.parametrize("spin", [0.0, 1e-7, 6.0])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_flight_and_its_derivative_are_those_of_the_law(body: Body, spin: float) -> None:
    inertia = flight_inertia(body)
    start: Any = state(spin)
    law = jax.jit(jax.vmap(lambda t: state_row(fly(state_of(start), inertia, GRAVITY, t))))(TIMES)
    np.testing.assert_allclose(flown_free(start, packed_inertia(inertia), GRAVITY, TIMES), law, atol=1e-12)
    items = np.column_stack([np.tile(start, (len(TIMES), 1)), TIMES])
    derivative = flight_jacobians(GRAVITY, inertia, items)
    np.testing.assert_allclose(free_flights(packed_inertia(inertia), items), derivative, atol=1e-10)
