"""Things that are not balls: a tumbling box meets the floor to round-off, and its derivative is true."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.verify import measures
from kinematics.rotation import rotation_exp
from rigid.body import box, flight_inertia
from rigid.free_flight import energy
from rigid.impact import Material
from tests.hoi_edit.simulate.events.hull_scenes import assert_derivative_along_all, run


def test_a_box_bounces_on_its_corners() -> None:
    start = Flying(np.array([0.0, 1.0, 0.0]), np.array([0.3, 1.0, 0.2]), angular_velocity=np.array([1.0, 2.0, 3.0]))
    thing = Thing("box", box(0.9, [0.1, 0.15, 0.2]), start, Material(0.6, 0.5))
    rollout = run(Scene(things=[thing], fixtures=[ground()], end=0.542))
    assert [event.kind for event in rollout.events] == ["impact", "impact"]
    assert max(abs(event.gap) for event in rollout.events) <= 1e-13
    assert_derivative_along_all(rollout, "box", 0.5415, 1e-8)


@pytest.mark.parametrize("seed", [1, 4])
def test_a_box_that_rattles_comes_to_lie_and_passes_every_check(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turned, spin = np.asarray(rotation_exp(rng.normal(size=3))), 2.0 * rng.normal(size=3)
    start = Flying(np.array([0.0, 0.6, 0.0]), 0.7 * rng.normal(size=3), turned, spin)
    body = box(1.2, [0.15, 0.11, 0.11])
    thing = Thing("box", body, start, Material(0.25, 0.6))
    session = hoi.EditSession(Scene(things=[thing], fixtures=[ground()], end=3.0))
    assert session.rollout.events[-1].kind == "rest" and len(session.rollout.events) < 100
    assert not [str(measure) for measure in measures(session) if measure.is_off]
    states: list[Any] = [session.state("box", float(t)) for t in np.linspace(0.0, 3.0, 600)]
    inertia = flight_inertia(body)
    energies = [float(energy(state, inertia, jnp.array([0.0, -9.81, 0.0]))) for state in states]
    assert np.diff(energies).max() < 1e-12
    assert min((s.position + body.vertices @ s.rotation.T)[:, 1].min() for s in states) > -1e-9
