"""A ring is around things that are not balls, and a pull along it turns them about the line of sight."""

import numpy as np
import pytest

import hoi_edit as hoi
from ui.camera import Camera
from ui.turning import Ring

SIZE = (800, 600)


@pytest.fixture(scope="module")
def baseball() -> hoi.EditSession:
    return hoi.open("baseball")


def camera_at(session: hoi.EditSession, t: float) -> Camera:
    return Camera(tuple(session.state("bat", t).position), 3.0, 0.5, 0.2)


def test_a_ball_has_none(baseball: hoi.EditSession) -> None:
    camera = camera_at(baseball, 1.0)
    assert Ring.around(baseball.rollout, "ball", 1.0, camera, SIZE) is None
    assert Ring.around(baseball.rollout, None, 1.0, camera, SIZE) is None
    assert Ring.around(baseball.rollout, "batter", 1.0, camera, SIZE) is None


def test_what_the_pointer_goes_round_the_thing_goes_round(baseball: hoi.EditSession) -> None:
    camera = camera_at(baseball, 1.0)
    ring = Ring.around(baseball.rollout, "bat", 1.0, camera, SIZE)
    assert ring is not None and ring.centre == pytest.approx((400.0, 300.0))
    right, top = (400.0 + ring.radius, 300.0), (400.0, 300.0 - ring.radius)
    assert ring.is_near(*right) and ring.is_near(*top) and not ring.is_near(400.0, 300.0)
    angle = ring.angle(right, *top)
    assert angle == pytest.approx(np.pi / 2)
    # what pointed to the right on the screen points up after it
    turn = ring.turned(angle) @ ring.rotation.T
    np.testing.assert_allclose(turn @ camera.axes[0], camera.axes[1], atol=1e-12)
    assert ring.angle(top, *right) == pytest.approx(-np.pi / 2)


def test_a_turn_is_an_edit_that_comes_back_from_its_script(baseball: hoi.EditSession) -> None:
    t = 1.0
    ring = Ring.around(baseball.rollout, "bat", t, camera_at(baseball, t), SIZE)
    assert ring is not None
    report = baseball.drag("bat", t, ring.place, rotation=ring.turned(0.2))
    assert report.converged, report
    np.testing.assert_allclose(baseball.state("bat", t).rotation, ring.turned(0.2), atol=1e-5)
    assert "rotation=[[" in baseball.script()
