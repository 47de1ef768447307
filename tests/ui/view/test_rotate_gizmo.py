"""Rings are around things that are not balls, and a pull along one turns them about its axis."""

import numpy as np
import pytest

import hoi_edit as hoi
from ui.view.camera import Camera
from ui.view.rotate_gizmo import PIECES, Ring, ring_at, rings_around

SIZE = (800, 600)


@pytest.fixture(scope="module")
def baseball() -> hoi.EditSession:
    return hoi.open("baseball")


def camera_at(session: hoi.EditSession, t: float, azimuth: float = 0.5) -> Camera:
    return Camera(tuple(session.state("bat", t).position), 3.0, azimuth, 0.2)


def rings(session: hoi.EditSession, t: float = 1.0, azimuth: float = 0.5) -> dict[str, Ring]:
    found = rings_around(session.rollout, "bat", t, camera_at(session, t, azimuth), SIZE)
    return {ring.name: ring for ring in found}


def test_a_ball_has_none(baseball: hoi.EditSession) -> None:
    camera = camera_at(baseball, 1.0)
    for name in ("ball", None, "batter"):
        assert rings_around(baseball.rollout, name, 1.0, camera, SIZE) == ()


def test_around_the_line_of_sight_the_thing_goes_where_the_pointer_goes(baseball: hoi.EditSession) -> None:
    ring, camera = rings(baseball)["view"], camera_at(baseball, 1.0)
    np.testing.assert_allclose(ring.points[:-1].mean(axis=0), [400.0, 300.0], atol=1e-6)
    right, top = tuple(ring.points[0]), tuple(ring.points[PIECES // 4])
    assert right[0] > 400.0 and top[1] < 300.0
    assert ring.distance(*right) < 1e-6 and ring.distance(400.0, 300.0) > 30.0
    assert ring.angle(right, *top) == pytest.approx(np.pi / 2) == -ring.angle(top, *right)
    # what pointed to the right on the screen points up after it
    turn = ring.turned(np.pi / 2) @ ring.rotation.T
    np.testing.assert_allclose(turn @ camera.axes[0], camera.axes[1], atol=1e-12)


@pytest.mark.parametrize(("name", "axis"), [("x", 0), ("y", 1), ("z", 2)])
def test_each_axis_has_a_ring_that_turns_about_it(baseball: hoi.EditSession, name: str, axis: int) -> None:
    ring = rings(baseball)[name]
    seen = [k for k in range(PIECES - 4) if ring.faces[k] and ring.faces[k + 3]]
    start, end = tuple(ring.points[seen[0]]), tuple(ring.points[seen[0] + 3])
    angle = ring.angle(start, *end)
    assert angle == pytest.approx(3 * 2 * np.pi / PIECES, rel=0.15)  # exact but where it is seen from its edge
    turn = ring.turned(angle) @ ring.rotation.T
    np.testing.assert_allclose(turn[axis], np.eye(3)[axis], atol=1e-12)
    # a mark at the start of the pull is at its end after it
    away = np.cos(2 * np.pi * seen[0] / PIECES) * ring.across[0] + np.sin(2 * np.pi * seen[0] / PIECES) * ring.across[1]
    assert np.cross(away, turn @ away) @ ring.axis > 0


def test_of_several_rings_the_nearest_is_taken_and_far_sides_are_out_of_reach(baseball: hoi.EditSession) -> None:
    found = rings(baseball)
    everything = tuple(found.values())
    for name, ring in found.items():
        alone = [p for p in ring.points[ring.faces] if all(o.distance(*p) > 9.0 for o in everything if o is not ring)]
        hit = ring_at(everything, *alone[len(alone) // 2])
        assert hit is not None and hit.name == name
    behind = found["y"].points[~found["y"].faces]
    assert found["y"].distance(*behind[len(behind) // 2]) > 9.0
    assert ring_at(everything, 5.0, 5.0) is None


def test_a_ring_that_is_seen_from_its_edge_is_pulled_along(baseball: hoi.EditSession) -> None:
    ring = rings(baseball, azimuth=0.0)["x"]  # the eye is on the side of Z
    middle = tuple(ring.points[ring.faces][np.count_nonzero(ring.faces) // 2])
    assert abs(ring.angle(middle, middle[0], middle[1] - 40.0)) > 0.1
    assert ring.angle(middle, middle[0] + 40.0, middle[1]) == pytest.approx(0.0, abs=1e-6)


def test_a_turn_is_an_edit_that_comes_back_from_its_script(baseball: hoi.EditSession) -> None:
    t = 1.0
    ring = rings(baseball, t)["view"]
    report = baseball.drag("bat", t, ring.place, rotation=ring.turned(0.2))
    assert report.converged, report
    np.testing.assert_allclose(baseball.state("bat", t).rotation, ring.turned(0.2), atol=1e-5)
    assert "rotation=[[" in baseball.script()
