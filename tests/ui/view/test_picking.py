"""Rays against bodies have closed forms; what a ray enters lies on its surface; curves have a nearest point."""

import numpy as np
import pytest

from ui.view.camera import Camera
from ui.view.picking import (  # fmt: skip
    Capsules,
    FlightOnScreen,
    FlightPoint,
    Hit,
    Pickable,
    nearest_on_curve,
    pick,
    ray_boxes,
    ray_capsules,
    ray_spheres,
    under_pointer,
)

X = np.array([1.0, 0.0, 0.0])


def distance_to_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    along = np.clip((p - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(p - a - along * (b - a)))


def test_a_ray_enters_a_ball_where_it_should() -> None:
    centre, radius = np.array([[3.0, 0.0, 0.0], [3.0, 0.3, 0.0], [3.0, 1.1, 0.0], [-3.0, 0.0, 0.0]]), np.full(4, 0.5)
    assert np.allclose(ray_spheres(np.zeros(3), X, centre, radius), [2.5, 2.6, np.inf, np.inf])
    assert np.allclose(ray_spheres(centre[0], X, centre[:1], radius[:1]), 0.5)  # from within: where it leaves


def test_rays_enter_capsules_on_their_surface_and_nowhere_before() -> None:
    random = np.random.default_rng(4)
    a, b, r = random.normal(size=(200, 3)), random.normal(size=(200, 3)), random.uniform(0.05, 0.3, 200)
    b[:10] = a[:10]  # balls
    origin = np.array([0.0, 0.0, 6.0])
    hits = 0
    for k in range(200):
        aim = (a[k] + b[k]) / 2 + random.normal(size=3) * 0.2
        direction = (aim - origin) / np.linalg.norm(aim - origin)
        s = float(ray_capsules(origin, direction, Capsules(a[k : k + 1], b[k : k + 1], r[k : k + 1]))[0])
        along = np.linspace(0.0, 12.0, 4001)
        gaps = np.array([distance_to_segment(origin + x * direction, a[k], b[k]) for x in along[::20]])
        if np.isfinite(s):
            hits += 1
            assert distance_to_segment(origin + s * direction, a[k], b[k]) == pytest.approx(r[k], abs=1e-9)
            assert np.all(gaps[along[::20] < s - 1e-9] >= r[k] - 1e-9)
        else:
            assert gaps.min() > r[k] - 1e-3
    assert 50 < hits < 200


def test_boxes_that_are_turned() -> None:
    turn = np.array([[np.cos(0.6), -np.sin(0.6), 0.0], [np.sin(0.6), np.cos(0.6), 0.0], [0.0, 0.0, 1.0]])
    position, half = np.array([[4.0, 0.1, 0.0]]), np.array([[0.5, 0.2, 0.3]])
    s = float(ray_boxes(np.zeros(3), X, position, turn[None], half)[0])
    local = turn.T @ (s * X - position[0])
    assert np.max(np.abs(local) / half[0]) == pytest.approx(1.0)
    assert not np.isfinite(ray_boxes(np.zeros(3), -X, position, turn[None], half)[0])
    straight = ray_boxes(np.array([0.0, 0.1, 0.0]), X, position, np.eye(3)[None], half)  # along a face's normal
    assert float(straight[0]) == pytest.approx(3.5)


def test_the_nearest_body_is_picked_and_slack_helps_the_small() -> None:
    eye = np.eye(3)[None]
    ball = Pickable("sphere", ("ball",), np.array([[3.0, 0.0, 0.0]]), eye, np.array([[0.05, 0.0, 0.0]]))
    limb = Pickable("capsule", ("arm",), np.array([[5.0, 0.0, 0.0]]), eye, np.array([[0.2, 1.0, 0.0]]))
    hit = pick((limb, ball), np.zeros(3), X)
    assert hit is not None and hit.name == "ball" and np.allclose(hit.point, [2.95, 0.0, 0.0])
    beside = np.array([3.0, 0.07, 0.0]) / np.linalg.norm([3.0, 0.07, 0.0])
    past = pick((limb, ball), np.zeros(3), beside)
    assert past is not None and past.name == "arm"
    near = pick((limb, ball), np.zeros(3), beside, slack=0.02)
    assert near is not None and near.name == "ball"
    assert pick((ball,), np.zeros(3), -X) is None and pick((), np.zeros(3), X) is None


def test_a_point_of_a_flight_is_picked_with_its_time() -> None:
    times = np.linspace(0.0, 1.0, 61)
    path = np.stack([times - 0.5, 1.0 + 2.0 * times - 4.9 * times**2, np.zeros(61)], axis=1)
    camera, size = Camera(target=(0.0, 1.0, 0.0)), (900, 600)
    screen = camera.project(path, *size)
    exact = camera.project(np.array([0.437 - 0.5, 1.0 + 2.0 * 0.437 - 4.9 * 0.437**2, 0.0]), *size)
    hit = nearest_on_curve(screen, times, float(exact[0]), float(exact[1]))
    assert hit is not None and hit.pixels < 0.2 and hit.time == pytest.approx(0.437, abs=2e-3)
    assert hit.depth == pytest.approx(exact[2], abs=1e-2)
    behind = np.full((5, 3), np.nan)
    assert nearest_on_curve(behind, np.arange(5.0), 0.0, 0.0) is None
    assert nearest_on_curve(screen[:1], times[:1], 0.0, 0.0) is None


def test_without_perspective_what_is_picked_is_what_projects_there_near_or_far() -> None:
    camera, size = Camera((0.0, 1.0, 0.0), 5.0, 0.7, 0.4, orthographic=True), (800, 600)
    right, _, back = camera.axes
    places = np.array([camera.target + 0.5 * k * right - 8.0 * k * back for k in (-1, 0, 1)])
    balls = Pickable("sphere", ("near", "middle", "far"), places, np.tile(np.eye(3), (3, 1, 1)), np.full((3, 3), 0.05))
    for name, place in zip(balls.names, places, strict=True):
        x, y, depth = camera.project(place, *size)
        ray = camera.ray(float(x), float(y), *size)
        hit = pick((balls,), *ray, slack=0.006, away=camera.distance)
        assert hit is not None and hit.name == name and hit.distance == pytest.approx(float(depth) - 0.08)
        assert np.allclose(camera.project(hit.point, *size)[:2], [x, y])
        aside = camera.ray(float(x) + 0.1 / camera.metres_per_pixel(size[1]), float(y), *size)
        assert pick((balls,), *aside, slack=0.006, away=camera.distance) is None  # however far it is


SIZE = (900, 600)
FRONT = Camera((0.0, 1.0, 0.0), 3.4, 0.0, 0.0)


def limb(name: str, x: float, radius: float) -> Pickable:
    size = np.array([[radius, 0.3, 0.0]])
    return Pickable("capsule", (name,), np.array([[x, 1.0, 0.0]]), np.eye(3)[None], size)


def flight(z: float = 0.3) -> FlightOnScreen:
    """From left to right over everything, nearer to the eye by z; a tick every 20 cm."""
    times = np.linspace(0.0, 1.0, 101)
    path = np.stack([2.0 * times - 1.0, np.full(101, 1.0), np.full(101, z)], axis=1)
    return FlightOnScreen("ball", FRONT.project(path, *SIZE), times, FRONT.project(path[::10], *SIZE)[:, :2])


BODIES = (limb("ann/arm", -0.5, 0.04), limb("ann/trunk", 0.5, 0.10))


def meant(at: float, up: float = 0.0, own: FlightOnScreen | None = None, bodies: tuple[Pickable, ...] = BODIES) -> str:
    """What is picked over a place of the flight, so many pixels above it."""
    x, y, _ = FRONT.project(np.array([at, 1.0, 0.3]), *SIZE)
    found = under_pointer(bodies, [own or flight()], FRONT, SIZE, float(x), float(y) - up)
    return "" if found is None else f"flight {found.time:.2f}" if isinstance(found, FlightPoint) else found.name


def on_screen(x: float) -> float:
    """The place of the flight that covers a place of the bodies, which are farther away."""
    return x * 3.1 / 3.4


def test_a_limb_under_the_pointer_is_meant_and_not_a_line_that_passes_over_it() -> None:
    arm, trunk = on_screen(-0.5), on_screen(0.5)
    assert meant(arm) == "ann/arm"  # its ticks are at -0.4 and -0.6
    assert meant(trunk).startswith("flight") and meant(trunk, up=12.0) == "ann/trunk"
    assert meant(0.0, up=5.0) == "flight 0.50" and meant(0.0, up=9.0) == ""


def test_beside_a_limb_a_flight_is_in_the_air_though_the_limb_is_easy_to_hit() -> None:
    edge = on_screen(-0.5 + 0.04 + 0.005)  # half a centimetre beside it
    x, y, _ = FRONT.project(np.array([edge, 1.0, 0.3]), *SIZE)
    near = pick(BODIES, *FRONT.ray(float(x), float(y), *SIZE), slack=0.006)
    assert near is not None and near.name == "ann/arm"
    assert meant(edge).startswith("flight") and meant(edge, up=12.0) == "ann/arm"


def test_over_a_limb_the_marks_of_a_flight_can_be_taken() -> None:
    over = limb("ann/arm", -0.4 * 3.4 / 3.1, 0.04)  # behind the tick at -0.4
    assert meant(-0.4, bodies=(over,)) == "flight 0.30"
    assert meant(-0.4, up=4.0, bodies=(over,)).startswith("flight") and meant(-0.4, up=6.0, bodies=(over,)) == "ann/arm"


def test_things_come_first_and_what_is_hidden_last() -> None:
    eye, size = np.eye(3)[None], np.array([[0.04, 0.0, 0.0]])
    ball = Pickable("sphere", ("ball",), np.array([[0.2, 1.0, 0.3]]), eye, size)
    assert meant(0.2, bodies=(*BODIES, ball)) == "ball"  # on a tick
    behind = flight(-0.5)
    x, y, _ = FRONT.project(np.array([0.5, 1.0, 0.0]), *SIZE)
    found = under_pointer(BODIES, [behind], FRONT, SIZE, float(x), float(y))
    assert isinstance(found, Hit) and found.name == "ann/trunk"
