"""The camera is pure arithmetic: everything here has a closed form to compare with."""

from __future__ import annotations

import numpy as np
import pytest

from ui.view.camera import STAND_BACK, Camera

WIDTH, HEIGHT = 1280, 720
CAMERAS = [
    Camera(),
    Camera(target=(1.0, 0.5, -2.0), distance=7.0, azimuth=-2.1, elevation=-0.4, fov_y=1.2),
    Camera(elevation=np.pi / 2),
    Camera(azimuth=np.pi, elevation=0.0, distance=0.3, near=0.01),
    Camera(azimuth=0.0, elevation=0.0, orthographic=True),
    Camera(target=(1.0, 0.5, -2.0), distance=7.0, azimuth=-2.1, elevation=-0.4, orthographic=True),
]


def clip_to_pixels(camera: Camera, points: np.ndarray) -> np.ndarray:
    """The matrices' own answer, worked out the long way."""
    homogeneous = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    clip = homogeneous @ (camera.projection(WIDTH / HEIGHT) @ camera.view()).T
    ndc = clip[:, :2] / clip[:, 3:]
    return np.stack([(ndc[:, 0] + 1) / 2 * WIDTH, (1 - ndc[:, 1]) / 2 * HEIGHT], axis=1)


@pytest.mark.parametrize("camera", CAMERAS)
def test_project_and_ray_are_inverse(camera: Camera) -> None:
    for px, py in [(0.5, 0.5), (640.0, 360.0), (1279.5, 3.25), (100.0, 700.0)]:
        origin, direction = camera.ray(px, py, WIDTH, HEIGHT)
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-12)
        for along in (0.2, 3.0, 50.0):
            projected = camera.project(origin + along * direction, WIDTH, HEIGHT)
            np.testing.assert_allclose(projected[:2], [px, py], atol=1e-6)
            assert 0 < projected[2] <= along + 1e-12


@pytest.mark.parametrize("camera", CAMERAS)
def test_project_agrees_with_the_matrices(camera: Camera) -> None:
    points = camera.target + np.random.default_rng(3).uniform(-0.1, 0.1, (40, 3))
    np.testing.assert_allclose(camera.project(points, WIDTH, HEIGHT)[:, :2], clip_to_pixels(camera, points), atol=1e-8)


@pytest.mark.parametrize("flat", [False, True])
def test_projection_maps_near_and_far_to_the_ends_of_depth(flat: bool) -> None:
    camera = Camera(near=0.1, far=30.0, orthographic=flat)
    for depth, expected in [(0.1, -1.0), (30.0 + (STAND_BACK if flat else 0.0), 1.0)]:
        clip = camera.projection(1.5) @ [0.0, 0.0, -depth, 1.0]
        assert clip[2] / clip[3] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_target_is_in_the_middle_and_axes_are_a_rotation(camera: Camera) -> None:
    away = camera.distance + (STAND_BACK if camera.orthographic else 0.0)
    np.testing.assert_allclose(camera.project(camera.target, WIDTH, HEIGHT), [640, 360, away], atol=1e-9)
    np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(camera.axes) == pytest.approx(1.0)
    assert np.linalg.norm(camera.eye - camera.target) == pytest.approx(away)


def test_azimuth_zero_stands_on_the_z_side_and_up_is_up() -> None:
    camera = Camera(target=(0, 0, 0), distance=2.0, azimuth=0.0, elevation=0.0)
    np.testing.assert_allclose(camera.eye, [0, 0, 2])
    right, up = camera.project([[0.1, 0, 0], [0, 0.1, 0]], WIDTH, HEIGHT)
    assert right[0] > 640 and right[1] == pytest.approx(360)
    assert up[1] < 360 and up[0] == pytest.approx(640)


def test_without_perspective_the_target_is_as_large_and_what_is_behind_it_as_large_as_that() -> None:
    camera, flat = Camera(elevation=0.3), Camera(elevation=0.3, orthographic=True)
    right, _, back = camera.axes
    assert camera.metres_per_pixel(HEIGHT) == flat.metres_per_pixel(HEIGHT) == flat.metres_per_pixel(HEIGHT, 120.0)
    for depth in (-6.0, 0.0, 30.0):  # also behind where a camera with perspective stands
        ends = flat.project(camera.target - depth * back + np.outer([0.0, 1.0], right), WIDTH, HEIGHT)
        assert ends[1, 0] - ends[0, 0] == pytest.approx(1.0 / flat.metres_per_pixel(HEIGHT))
    assert flat.dolly(0.5).metres_per_pixel(HEIGHT) == pytest.approx(0.5 * flat.metres_per_pixel(HEIGHT))


def test_points_behind_the_eye_have_no_pixel() -> None:
    camera = Camera()
    projected = camera.project(camera.eye + camera.axes[2], WIDTH, HEIGHT)
    assert np.isnan(projected[:2]).all() and projected[2] < 0


def test_orbit_keeps_the_target_and_stops_at_the_poles() -> None:
    camera = Camera().orbit(0.3, 100.0)
    assert camera.elevation == pytest.approx(np.pi / 2)
    np.testing.assert_array_equal(camera.target, Camera().target)
    turned = Camera().orbit(0.3, -0.1).orbit(-0.3, 0.1)
    np.testing.assert_allclose(turned.eye, Camera().eye)


def test_pan_by_metres_per_pixel_moves_the_scene_by_that_many_pixels() -> None:
    camera = Camera()
    size = camera.metres_per_pixel(HEIGHT)
    moved = camera.pan(-25 * size, 40 * size).project(camera.target, WIDTH, HEIGHT)
    np.testing.assert_allclose(moved[:2], [640 + 25, 360 + 40], atol=1e-9)


def test_dolly_scales_the_distance_within_limits() -> None:
    assert Camera(distance=4.0).dolly(0.5).distance == pytest.approx(2.0)
    assert Camera().dolly(1e-9).distance > 0
    assert Camera().dolly(1e9).distance < Camera().far


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("aspect", [16 / 9, 0.5])
def test_frame_contains_all_points_and_touches_the_border(camera: Camera, aspect: float) -> None:
    points = np.random.default_rng(5).uniform([-3, 0, -1], [2, 2.5, 4], (60, 3))
    height = 600
    width = int(height * aspect)
    for margin in (1.0, 1.25):
        framed = camera.frame(points, width / height, margin)
        assert framed.azimuth == camera.azimuth and framed.elevation == camera.elevation
        pixels = framed.project(points, width, height)
        farthest = framed.far + (STAND_BACK if framed.orthographic else 0.0)
        assert (pixels[:, 2] > framed.near).all() and (pixels[:, 2] < farthest).all()
        reach = np.abs(pixels[:, :2] / [width / 2, height / 2] - 1).max()
        assert reach == pytest.approx(1 / margin, abs=1e-6), "the fit should be tight, not merely sufficient"


def test_frame_of_one_point_or_none() -> None:
    framed = Camera().frame([[1.0, 2.0, 3.0]])
    np.testing.assert_allclose(framed.project([1.0, 2.0, 3.0], WIDTH, HEIGHT)[:2], [640, 360], atol=1e-9)
    camera = Camera()
    assert camera.frame(np.zeros((0, 3))) is camera


def test_cameras_compare_by_value() -> None:
    assert Camera() == Camera(target=np.array([0.0, 1.0, 0.0]))
    assert hash(Camera()) == hash(Camera())
    assert Camera() != Camera().orbit(0.1, 0.0)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="3 coordinates"):
        Camera(target=(0.0, 1.0))
    with pytest.raises(ValueError, match="near"):
        Camera(near=1.0, far=0.5)
