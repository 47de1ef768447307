"""A dragged point stays under the pointer; locks keep it on their axis or plane."""

import numpy as np
import pytest

from ui.view.camera import Camera
from ui.view.drag_plane import SURE, Grab, lock_of
from ui.view.navigation import VIEWS, Modifiers, flattened, following, framed, looking, move_of, moved, named, wheeled

CAMERA, SIZE = Camera(target=(0.0, 1.0, 0.0), azimuth=0.5, elevation=0.3), (900, 600)


def grab(offset: float = 0.0) -> Grab:
    point = np.array([0.3, 1.4, -0.2])
    x, y, _ = CAMERA.project(point, *SIZE)
    return Grab(CAMERA, SIZE, (float(x) + offset, float(y)), point)


def test_free_drags_stay_under_the_pointer_and_in_the_plane_of_the_picture() -> None:
    own = grab()
    to = own.target(own.pixel[0] + 120, own.pixel[1] - 40)
    assert np.allclose(CAMERA.project(to, *SIZE)[:2], np.add(own.pixel, [120, -40]))
    assert (to - own.point) @ CAMERA.axes[2] == pytest.approx(0.0, abs=1e-12)
    assert np.allclose(grab(6.0).target(*grab(6.0).pixel), own.point)  # grabbed beside its middle, it does not leap


@pytest.mark.parametrize(("along", "still"), [("x", [1, 2]), ("y", [0, 2]), ("z", [0, 1]), ("xz", [1]), ("xy", [2])])
def test_locks_keep_the_other_coordinates(along: str, still: list[int]) -> None:
    own = grab()
    to = own.target(own.pixel[0] + 50, own.pixel[1] + 30, along)  # type: ignore[arg-type]
    assert np.allclose((to - own.point)[still], 0.0)
    assert np.linalg.norm(to - own.point) > 0.05


def test_a_plane_that_is_seen_from_its_edge_flings_nothing_away() -> None:
    level = looking(CAMERA, "front")
    x, y, _ = level.project(np.array([0.0, 1.0, 0.0]), *SIZE)
    own = Grab(level, SIZE, (float(x), float(y)), np.array([0.0, 1.0, 0.0]))
    to = own.target(own.pixel[0] + 100, own.pixel[1] + 3, "xz")
    assert np.linalg.norm(to - own.point) < 1.0 and to[1] == pytest.approx(1.0)
    along_view = own.target(own.pixel[0] + 100, own.pixel[1], "z")
    assert np.allclose(along_view, own.point)


def test_shift_takes_the_axis_that_the_pointer_follows() -> None:
    own = grab()
    up = CAMERA.project(own.point + [0.0, 0.3, 0.0], *SIZE)[:2]
    side = CAMERA.project(own.point + [0.3, 0.0, 0.0], *SIZE)[:2]
    assert lock_of(own, up[0], up[1], shift=True, ctrl=False, key=None) == "y"
    assert lock_of(own, side[0], side[1], shift=True, ctrl=False, key=None) == "x"
    assert lock_of(own, side[0], side[1], shift=False, ctrl=True, key=None) == "xz"
    assert lock_of(own, side[0], side[1], shift=True, ctrl=True, key="z") == "z"
    assert lock_of(own, side[0], side[1], shift=False, ctrl=False, key=None) == "free"


def test_shift_never_takes_an_axis_that_points_at_the_camera() -> None:
    """High in a view from the front Z looks like up, because of perspective: a ball would fly into the eye."""
    front, point = looking(CAMERA, "front", orthographic=False), np.array([0.4, 1.9, 0.2])
    x, y, _ = front.project(point, *SIZE)
    own = Grab(front, SIZE, (float(x), float(y)), point)
    towards = front.project(point + [0.0, 0.0, 0.3], *SIZE)[:2]
    assert lock_of(own, towards[0], towards[1], shift=True, ctrl=False, key=None) in ("x", "y")
    assert lock_of(own, own.pixel[0] + 10, own.pixel[1] - 60, shift=True, ctrl=False, key=None) == "y"


@pytest.mark.parametrize("way", np.arange(0.0, 2 * np.pi, 0.3))
@pytest.mark.parametrize("away", [4.0, 80.0])
@pytest.mark.parametrize("turned", [0.25, 0.6])
def test_shift_flings_nothing_into_the_depth(turned: float, away: float, way: float) -> None:
    """Wherever the pointer goes, by a little or by a lot, what is dragged goes about as far as the pointer does."""
    camera, point = Camera(azimuth=turned, elevation=0.12, distance=6.0), np.array([0.5, 0.4, 1.0])
    x, y = camera.project(point, *SIZE)[:2]
    own = Grab(camera, SIZE, (float(x), float(y)), point)
    to = float(x + away * np.cos(way)), float(y + away * np.sin(way))
    moved = np.linalg.norm(own.target(*to, own.followed(*to)) - point)
    size = camera.metres_per_pixel(SIZE[1], float(camera.project(point, *SIZE)[2]))
    assert moved < (1.3 if away < SURE else 3.0) * away * size


@pytest.mark.parametrize("aspect", [1.6, 0.7])
@pytest.mark.parametrize("view", VIEWS)
def test_what_is_framed_from_one_side_is_in_sight_from_all_others(view: str, aspect: float) -> None:
    points = np.random.default_rng(2).uniform([-0.4, 0.0, -0.3], [0.4, 1.8, 0.5], (50, 3))
    camera = framed(looking(CAMERA, view), points, aspect)
    assert camera.azimuth == looking(CAMERA, view).azimuth
    width, height = round(600 * aspect), 600
    for other in VIEWS:
        x, y, depth = looking(camera, other).project(points, width, height).T
        assert depth.min() > camera.near and depth.max() < camera.far
        assert x.min() > 0 and x.max() < width and y.min() > 0 and y.max() < height
    assert camera.distance < 5.0  # in sight, and not far away either
    assert framed(CAMERA, np.zeros((0, 3)), aspect) is CAMERA


def test_the_mouse_moves_the_camera_as_in_maya() -> None:
    alt = Modifiers(alt=True)
    assert [move_of(b, alt) for b in ("left", "middle", "right")] == ["orbit", "pan", "zoom"]
    assert move_of("middle", Modifiers()) == "orbit" and move_of("left", Modifiers()) is None
    assert move_of("middle", Modifiers(shift=True)) == "pan"

    point = np.array([0.1, 1.2, 0.3])
    panned = moved(CAMERA, "pan", 30, -20, SIZE[1])
    assert np.allclose(panned.project(panned.target, *SIZE)[:2], [450, 300])
    was = CAMERA.project(np.asarray(CAMERA.target), *SIZE)[:2]
    assert np.allclose(panned.project(np.asarray(CAMERA.target), *SIZE)[:2] - was, [30, -20], atol=0.5)
    assert moved(CAMERA, "orbit", 100, 0, SIZE[1]).distance == CAMERA.distance
    assert moved(CAMERA, "zoom", 100, 0, SIZE[1]).distance < CAMERA.distance
    assert wheeled(CAMERA, 1).distance < CAMERA.distance < wheeled(CAMERA, -1).distance

    seen = CAMERA.project(point, *SIZE)
    away = np.array([2.0, 0.0, 1.0])
    assert np.allclose(following(CAMERA, point, point + away).project(point + away, *SIZE), seen)


def test_orbiting_leaves_a_view_from_the_front_for_perspective_and_keeps_what_was_chosen() -> None:
    front = looking(CAMERA, "front")
    assert front.orthographic and named(front) == "front"
    assert moved(front, "pan", 9, 4, 600).orthographic and wheeled(front, 1).orthographic
    assert following(front, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]).orthographic
    assert not moved(front, "orbit", 9, 4, 600).orthographic
    chosen = flattened(CAMERA)
    assert chosen.orthographic and moved(chosen, "orbit", 9, 4, 600).orthographic
    assert flattened(chosen) == CAMERA


@pytest.mark.parametrize("view", VIEWS)
def test_without_perspective_a_pixel_is_as_far_at_any_depth(view: str) -> None:
    camera, point = looking(CAMERA, view), np.array([0.3, 1.4, -3.0])
    x, y, _ = camera.project(point, *SIZE)
    own = Grab(camera, SIZE, (float(x), float(y)), point)
    right, up, back = camera.axes
    moved = own.target(float(x) + 60, float(y) - 25) - point
    size = camera.metres_per_pixel(SIZE[1])
    assert np.allclose([moved @ right, moved @ up, moved @ back], [60 * size, 25 * size, 0.0])
    for away in ((40.0, 3.0), (3.0, 40.0)):  # along the two axes that are seen, and never along the third
        along = own.followed(float(x) + away[0], float(y) + away[1])
        assert abs(back[{"x": 0, "y": 1, "z": 2}[along]]) < 0.1
        assert np.linalg.norm(own.target(x + away[0], y + away[1], along) - point) == pytest.approx(40 * size)


def test_standard_views_look_along_their_axes() -> None:
    for view, axis in (("front", [0, 0, 1]), ("right", [1, 0, 0]), ("top", [0, 1, 0])):
        assert np.allclose(looking(CAMERA, view).axes[2], axis, atol=1e-12)
