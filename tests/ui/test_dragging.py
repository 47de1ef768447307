"""A dragged point stays under the pointer; locks keep it on their axis or plane."""

import numpy as np
import pytest

from ui.camera import Camera
from ui.dragging import Grab, lock_of
from ui.navigation import VIEWS, Modifiers, following, framed, looking, move_of, moved, wheeled

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
    front, point = looking(CAMERA, "front"), np.array([0.4, 1.9, 0.2])
    x, y, _ = front.project(point, *SIZE)
    own = Grab(front, SIZE, (float(x), float(y)), point)
    towards = front.project(point + [0.0, 0.0, 0.3], *SIZE)[:2]
    assert lock_of(own, towards[0], towards[1], shift=True, ctrl=False, key=None) in ("x", "y")
    assert lock_of(own, own.pixel[0] + 10, own.pixel[1] - 60, shift=True, ctrl=False, key=None) == "y"


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


def test_standard_views_look_along_their_axes() -> None:
    for view, axis in (("front", [0, 0, 1]), ("right", [1, 0, 0]), ("top", [0, 1, 0])):
        assert np.allclose(looking(CAMERA, view).axes[2], axis, atol=1e-12)
