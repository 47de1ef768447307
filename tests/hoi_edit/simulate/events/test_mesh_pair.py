"""Closed meshes meet: in flight, one lying and one falling on it, and a mesh and a box."""

from collections.abc import Callable

import numpy as np
import pytest
import trimesh

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene, ground
from hoi_edit.simulate.trajectory import Event
from kinematics.rotation import Floats
from rigid.body import Body, box, mesh
from rigid.gjk import Poses, separation
from rigid.impact import Material
from tests.hoi_edit.simulate.events.hull_scenes import assert_derivative_along_all, energy, momentum, run, thrown

DULL = Material(0.2, 0.6)
WEDGE = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.25], [0.28, 0.03, 0.2]], float)  # [m]


def wedge() -> Body:
    return mesh(0.8, trimesh.convex.convex_hull(WEDGE))


def stone() -> Body:
    """A flattened icosahedron."""
    shape = trimesh.creation.icosahedron()
    return mesh(0.5, trimesh.Trimesh(shape.vertices * [0.12, 0.08, 0.1], shape.faces))


def in_flight() -> Scene:
    a = thrown("a", stone(), [-0.7, 1.03, 0.02], [3.0, 0.1, 0.0], [4.0, 1.0, 5.0])
    b = thrown("b", wedge(), [0.0, 1.0, 0.0], [0.0, 0.0, 0.1], [1.0, 2.0, 0.5])
    return Scene(things=[a, b], end=0.45)


def mesh_on_box() -> Scene:
    a = thrown("a", wedge(), [-0.7, 1.05, 0.03], [2.5, 0.1, 0.0], [3.0, 1.0, 2.0])
    b = thrown("b", box(0.9, [0.1, 0.15, 0.2]), [0.0, 1.0, 0.0], [0.0, 0.0, 0.1], [1.0, 2.0, 0.5])
    return Scene(things=[a, b], end=0.45)


def on_one_that_lies() -> Scene:
    a = thrown("a", stone(), [0.03, 0.75, 0.02], [0.0, 0.0, 0.0], [1.0, 0.5, 2.0], DULL)
    b = thrown("b", mesh(2.0, trimesh.creation.box((0.6, 0.2, 0.6))), [0.0, 0.1001, 0.0], [0.0] * 3, [0.0] * 3, DULL)
    return Scene(things=[a, b], fixtures=[ground(material=Material(0.3, 1.0))], end=0.33)


IN_AIR = pytest.mark.parametrize("scene", [in_flight, mesh_on_box], ids=["mesh on mesh", "mesh on box"])
Made = Callable[[], Scene]


def meetings(rollout: Rollout) -> list[tuple[Event, Event]]:
    events = [event for event in rollout.events if event.twin is not None]
    return list(zip(events[::2], events[1::2], strict=True))


def total(scene: Scene, pair: tuple[Event, Event], of: Callable[[Body, Floats], Floats | float], when: str) -> Floats:
    return np.asarray(sum(of(scene.thing(event.object).body, getattr(event, when)) for event in pair))


def deepest(rollout: Rollout, times: Floats) -> float:
    """How far two things are inside each other at most; hulls that overlap are shrunk until they do not."""
    scene = rollout.model.scene
    states = {name: [rollout.state(name, t) for t in times] for name in ("a", "b")}
    corners = [np.asarray(scene.thing(name).body.vertices) for name in ("a", "b")]
    poses = [Poses(np.stack([s.rotation for s in own]), np.stack([s.position for s in own])) for own in states.values()]
    for share in (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1):
        ways = separation((1.0 - share) * corners[0], poses[0], (1.0 - share) * corners[1], poses[1])
        if np.linalg.norm(ways, axis=1).min() > 0.0:
            return float(share * max(np.abs(own).max() for own in corners))
    return np.inf


@IN_AIR
def test_momentum_is_kept_and_energy_falls(scene: Made) -> None:
    made = scene()
    met = meetings(run(made))
    assert met
    for pair in met:
        assert pair[0].time == pair[1].time and abs(pair[0].gap) <= 1e-9
        before, after = (total(made, pair, momentum, when) for when in ("before", "after"))
        np.testing.assert_allclose(after, before, atol=1e-9)
        assert total(made, pair, energy, "after") <= total(made, pair, energy, "before") + 1e-12
        assert pair[0].stick == pair[1].stick and np.array_equal(pair[0].normal, -pair[1].normal)


@IN_AIR
def test_nothing_is_passed_through(scene: Made) -> None:
    rollout = run(scene())
    assert deepest(rollout, np.linspace(0.0, rollout.model.scene.end, 1500)) <= 1e-6


@IN_AIR
@pytest.mark.parametrize("thing", ["a", "b"])
def test_derivatives_are_true(scene: Made, thing: str) -> None:
    rollout = run(scene())
    first = meetings(rollout)[0][0].time
    t = first + 0.02
    assert sum(pair[0].time < t for pair in meetings(rollout)) == 1
    assert_derivative_along_all(rollout, thing, t, 1e-6)


def test_one_falls_on_one_that_lies() -> None:
    made = on_one_that_lies()
    rollout = run(made)
    rests = [event for event in rollout.events if event.object == "b" and event.kind == "rest"]
    met = meetings(rollout)
    assert rests and met and rests[0].time < met[0][0].time
    assert abs(met[0][0].gap) <= 1e-9
    for pair in met:
        assert abs(pair[0].gap) <= 1e-6  # the same two look at each other again a microsecond later
        assert total(made, pair, energy, "after") <= total(made, pair, energy, "before") + 1e-12 + _hops(made, pair)
    assert deepest(rollout, np.linspace(0.0, made.end, 1200)) <= 1e-5
    assert rollout.state("a", made.end).position[1] > 0.2 and rollout.state("b", made.end).position[1] > 0.09


def _hops(scene: Scene, pair: tuple[Event, Event]) -> float:
    """What one that lay gets for taking off, at 5 cm/s at most."""
    return float(sum(scene.thing(event.object).body.mass * 0.05**2 for event in pair if event.hop))
