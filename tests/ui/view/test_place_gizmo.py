"""Handles around somebody on the ground: what is under the pointer, and where a pull leads."""

import numpy as np
import pytest

import hoi_edit as hoi
from ui.view.camera import Camera
from ui.view.place_gizmo import DISC, RADIUS, PlaceGizmo, gizmo_of
from ui.view.rotate_gizmo import PIECES

SIZE = (800, 600)


@pytest.fixture(scope="module")
def gizmo() -> PlaceGizmo:
    session = hoi.open("juggle3")
    pelvis = session.state("juggler/pelvis", 1.0).position
    camera = Camera(tuple(pelvis), 4.0, 0.5, 0.3)
    found = gizmo_of(session.rollout, "juggler", 1.0, camera, SIZE)
    assert found is not None
    np.testing.assert_allclose(found.centre, [pelvis[0], 0.0, pelvis[2]])  # on the ground, below the pelvis
    for name in ("ball1", "ground", None):
        assert gizmo_of(session.rollout, name, 1.0, camera, SIZE) is None
    assert gizmo_of(session.rollout, "juggler", 1.0, Camera(tuple(pelvis), 0.05, 0.5, 0.3), SIZE) is None  # too near
    return found


def test_each_handle_is_under_the_pointer_where_it_is_drawn(gizmo: PlaceGizmo) -> None:
    for axis in ("x", "z"):
        shaft, head = gizmo.arrow(axis)
        assert gizmo.handle_at(*head[0]) == gizmo.handle_at(*shaft.mean(axis=0)) == axis
    assert gizmo.handle_at(*gizmo.disc[:-1].mean(axis=0)) == "xz"
    on_ring = [gizmo.handle_at(*point) for point in gizmo.ring.points[:-1]]
    assert on_ring.count("turn") > 0.8 * PIECES and set(on_ring) == {"turn", "x", "z"}  # arrows cross it
    assert gizmo.handle_at(5.0, 5.0) is None


def test_a_pull_moves_by_what_the_pointer_has_passed_over_on_the_ground(gizmo: PlaceGizmo) -> None:
    def seen(place: np.ndarray) -> tuple[float, float]:
        x, y, _ = gizmo.camera.project(gizmo.centre + place, *SIZE)
        return float(x), float(y)

    start, goal = seen(np.zeros(3)), seen(np.array([0.4, 0.0, -0.3]))
    by, turn = gizmo.pulled("xz", start, *goal)
    np.testing.assert_allclose(by, [0.4, 0.0, -0.3], atol=1e-9)
    assert turn == 0.0
    by, _ = gizmo.pulled("x", seen(np.array([0.5, 0.0, 0.0])), *seen(np.array([0.9, 0.0, 0.0])))
    np.testing.assert_allclose(by, [0.4, 0.0, 0.0], atol=1e-6)
    quarter = RADIUS * np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    by, turn = gizmo.pulled("turn", seen(quarter[0]), *seen(quarter[1]))
    assert turn == pytest.approx(np.pi / 2) and not by.any()
    np.testing.assert_allclose(gizmo.moved(np.ones(3)).centre, gizmo.centre + 1.0)
    assert DISC * RADIUS < RADIUS


def test_from_as_low_as_people_look_it_is_still_gone_round(gizmo: PlaceGizmo) -> None:
    low = PlaceGizmo(gizmo.character, gizmo.centre, gizmo.radius, Camera(tuple(gizmo.centre), 4.0, 0.0, 0.1), SIZE)
    points = low.ring.points
    assert low.pulled("turn", tuple(points[3]), *points[21])[1] == pytest.approx(np.pi / 2, abs=1e-6)
