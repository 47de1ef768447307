"""Pictures are checked where arithmetic says what a pixel must be: places, sizes, order, repeatability."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest

from tests.ui.view.pictures import BARE, CAMERA, GREEN, HEIGHT, LEVEL, RED, WHITE, WIDTH, ball, drawn, luminance, pixel
from ui.view.camera import Camera
from ui.view.drawing import Drawing, Marker, Polyline, Solid, SolidArray
from ui.view.meshes import hull_mesh
from ui.view.renderer import KEY_DIRECTION, Renderer, RendererUnavailable


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with drawn() as made:
        yield made


# ---------------------------------------------------------------------------------------------------------- places


def test_a_red_ball_is_red_where_it_projects_and_nowhere_else(renderer: Renderer) -> None:
    at = (0.3, 1.4, 0.2)
    picture = renderer.render(CAMERA, replace(BARE, solids=(ball(at, 0.15),)))
    empty = renderer.render(CAMERA, BARE)
    r, g, b = pixel(picture, CAMERA, at)
    assert r > 120 and r > 2 * g and r > 2 * b
    x, y, _ = CAMERA.project(at, WIDTH, HEIGHT)
    columns, rows = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    radius_px = 0.15 / (4.0 * np.tan(CAMERA.fov_y / 2) * 2) * HEIGHT
    outside = np.hypot(columns - x, rows - y) > 1.3 * radius_px
    np.testing.assert_array_equal(picture[outside], empty[outside])


def test_the_top_row_comes_first_and_pictures_are_opaque(renderer: Renderer) -> None:
    picture = renderer.render(LEVEL, replace(BARE, solids=(ball((0, 1.8, 0), 0.2), ball((0, 0.5, 0), 0.2, GREEN))))
    assert picture.shape == (HEIGHT, WIDTH, 4) and picture.dtype == np.uint8
    assert (picture[..., 3] == 255).all()
    assert pixel(picture, LEVEL, (0, 1.8, 0)).argmax() == 0
    assert pixel(picture, LEVEL, (0, 0.5, 0)).argmax() == 1
    upper, lower = picture[: HEIGHT // 2, :, :3].astype(int), picture[HEIGHT // 2 :, :, :3].astype(int)
    assert (upper[..., 0] - upper[..., 1]).max() > 60 and (lower[..., 1] - lower[..., 0]).max() > 60


def test_a_picture_that_is_enlarged_shows_the_same_in_its_new_size(renderer: Renderer) -> None:
    drawing = replace(BARE, solids=(ball((0.6, 1.5, 0), 0.2), ball((-0.6, 0.5, 0), 0.2, GREEN)))
    large = renderer.render(LEVEL, drawing, enlarged_to=(2 * WIDTH, 2 * HEIGHT))
    assert large.shape == (2 * HEIGHT, 2 * WIDTH, 4) and renderer.size == (WIDTH, HEIGHT)
    np.testing.assert_array_equal(
        renderer.render(LEVEL, drawing, enlarged_to=(WIDTH, HEIGHT)), renderer.render(LEVEL, drawing)
    )
    small = renderer.render(LEVEL, drawing).astype(float)
    means = large.astype(float).reshape(HEIGHT, 2, WIDTH, 2, 4).mean(axis=(1, 3))
    # four pixels are 9/16 of their own, 3/16 of its neighbours and 1/16 of those across; at the border these are itself
    around = np.pad(small, ((1, 1), (1, 1), (0, 0)), mode="edge")
    across = (around[:, :-2] + 6 * around[:, 1:-1] + around[:, 2:]) / 8
    np.testing.assert_allclose(means, (across[:-2] + 6 * across[1:-1] + across[2:]) / 8, atol=2.0)
    assert renderer.render(LEVEL, drawing).shape == (HEIGHT, WIDTH, 4)


def test_the_nearer_of_two_bodies_hides_the_other(renderer: Renderer) -> None:
    near, far = ball((0, 1, 0.5), 0.2), ball((0, 1, -0.5), 0.2, GREEN)
    for solids in ((near, far), (far, near)):
        assert pixel(renderer.render(LEVEL, replace(BARE, solids=solids)), LEVEL, (0, 1, 0)).argmax() == 0


def outline(picture: np.ndarray, empty: np.ndarray) -> tuple[int, int, int, int]:
    changed = np.abs(picture.astype(int) - empty).max(axis=-1) > 8
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1


@pytest.mark.parametrize("half_length", [0.0, 0.2, 0.6])
def test_a_capsule_keeps_round_caps_and_its_outline_matches_the_projection(
    renderer: Renderer, half_length: float
) -> None:
    radius = 0.2
    solid = Solid("capsule", (0, 1, 0), np.eye(3), (radius, half_length, 0), WHITE)
    top, bottom, left, right = outline(
        renderer.render(LEVEL, replace(BARE, solids=(solid,))), renderer.render(LEVEL, BARE)
    )
    scale = HEIGHT / 2 / np.tan(LEVEL.fov_y / 2)
    # The line of sight that just touches the upper cap.
    touch = np.arctan2(half_length, 4.0) + np.arcsin(radius / np.hypot(half_length, 4.0))
    assert bottom - top == pytest.approx(2 * scale * np.tan(touch), abs=2)
    assert right - left == pytest.approx(2 * scale * np.tan(np.arcsin(radius / 4.0)), abs=2)
    assert (top + bottom) / 2 == pytest.approx(HEIGHT / 2, abs=1)


def test_a_turned_capsule_lies_along_its_own_y(renderer: Renderer) -> None:
    """Tilted by 40 degrees to the left: a transposed rotation would tilt it to the right."""
    c, s = np.cos(0.7), np.sin(0.7)
    tilt = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    solid = Solid("capsule", (0, 1, 0), tilt, (0.1, 0.5, 0), RED)
    picture, empty = renderer.render(LEVEL, replace(BARE, solids=(solid,))), renderer.render(LEVEL, BARE)
    end = 0.55 * tilt[:, 1]
    for sign in (1, -1):
        assert pixel(picture, LEVEL, [0, 1, 0] + sign * end).argmax() == 0
        mirrored = [0, 1, 0] + sign * end * [-1, 1, 1]
        np.testing.assert_array_equal(pixel(picture, LEVEL, mirrored), pixel(empty, LEVEL, mirrored))


def test_a_box_reaches_its_half_extents(renderer: Renderer) -> None:
    half = np.array([0.5, 0.3, 0.2])
    solid = Solid("box", (0, 1, 0), np.eye(3), half, WHITE)
    top, bottom, left, right = outline(
        renderer.render(LEVEL, replace(BARE, solids=(solid,))), renderer.render(LEVEL, BARE)
    )
    corner = LEVEL.project((0.5, 1.3, 0.2), WIDTH, HEIGHT)
    assert right == pytest.approx(corner[0], abs=2)
    assert top == pytest.approx(corner[1], abs=2)
    assert right - left == pytest.approx(2 * corner[0] - WIDTH, abs=3)
    assert bottom - top == pytest.approx(HEIGHT - 2 * corner[1], abs=3)


# ----------------------------------------------------------------------------------------------------------- light


def test_a_shadow_falls_where_the_light_says_and_nowhere_else(renderer: Renderer) -> None:
    at = np.array([0.1, 1.0, 0.1])
    lit = renderer.render(CAMERA, Drawing())
    cast = renderer.render(CAMERA, Drawing(solids=(Solid("sphere", at, np.eye(3), (0.15, 0, 0), WHITE),)))
    foot = at - KEY_DIRECTION * at[1] / KEY_DIRECTION[1]
    assert luminance(pixel(cast, CAMERA, foot)) < 0.75 * luminance(pixel(lit, CAMERA, foot))
    for away in ([0.9, 0, 0], [-0.9, 0, 0.0], [0, 0, 0.9]):
        point = foot + away
        assert luminance(pixel(cast, CAMERA, point)) == pytest.approx(luminance(pixel(lit, CAMERA, point)), abs=2)


def test_shadows_soften_with_height(renderer: Renderer) -> None:
    """The higher ball's shadow is paler in the middle: more of the lamp is seen around it."""
    depth = []
    for height in (0.3, 2.5):
        at = np.array([0, height, 0])
        foot = at - KEY_DIRECTION * height / KEY_DIRECTION[1]
        camera = replace(CAMERA, target=tuple(foot), distance=1.0, elevation=0.6)
        solid = Solid("sphere", at, np.eye(3), (0.04, 0, 0), WHITE)
        lit = luminance(pixel(renderer.render(camera, Drawing()), camera, foot))
        depth.append(1 - luminance(pixel(renderer.render(camera, Drawing(solids=(solid,))), camera, foot)) / lit)
    assert depth[0] > depth[1] > 0.05


def test_the_ground_darkens_at_a_contact_even_on_the_lit_side(renderer: Renderer) -> None:
    solids = (ball((0, 0.2, 0), 0.2, WHITE),)
    camera = Camera(target=(0, 0, 0), distance=3.0, azimuth=0.85, elevation=0.5)
    towards_light = KEY_DIRECTION * [1, 0, 1] / np.hypot(KEY_DIRECTION[0], KEY_DIRECTION[2])
    ratios = []
    for distance in (0.22, 0.5, 1.2):
        point = towards_light * distance
        with_ball, without = (pixel(renderer.render(camera, Drawing(solids=s)), camera, point) for s in (solids, ()))
        ratios.append(luminance(with_ball) / luminance(without))
    assert ratios[0] < 0.93 and ratios[0] < ratios[1] and ratios[2] == pytest.approx(1.0, abs=0.03)


def test_a_lit_face_carries_no_shadow_of_its_own(renderer: Renderer) -> None:
    """Acne would speckle it."""
    table = Solid("box", (0, 0.5, 0), np.eye(3), (0.8, 0.5, 0.8), (0.6, 0.6, 0.6))
    camera = replace(CAMERA, elevation=0.9)
    picture = renderer.render(camera, Drawing(solids=(table,)))
    x, y, _ = camera.project((0, 1, 0), WIDTH, HEIGHT)
    patch = picture[int(y) - 15 : int(y) + 15, int(x) - 15 : int(x) + 15, :3].astype(float)
    assert patch.std(axis=(0, 1)).max() < 4


def test_the_side_towards_the_light_is_brighter(renderer: Renderer) -> None:
    picture = renderer.render(LEVEL, replace(BARE, solids=(ball((0, 1, 0), 0.5, (0.6, 0.6, 0.6)),)))
    across, centre = 0.3 * np.array([1.0, 0.6, 0.0]), np.array([0.0, 1.0, 0.0])
    assert luminance(pixel(picture, LEVEL, across + centre)) > 1.4 * luminance(pixel(picture, LEVEL, -across + centre))


# ---------------------------------------------------------------------------------------------------------- ghosts


def test_a_ghost_lies_between_what_is_behind_it_and_the_solid_body(renderer: Renderer) -> None:
    behind, body = renderer.render(LEVEL, BARE), renderer.render(LEVEL, replace(BARE, solids=(ball((0, 1, 0), 0.3),)))
    previous = pixel(behind, LEVEL, (0, 1, 0))[0]
    for alpha in (0.25, 0.5, 0.75):
        picture = renderer.render(LEVEL, replace(BARE, solids=(ball((0, 1, 0), 0.3, RED, alpha),)))
        red = pixel(picture, LEVEL, (0, 1, 0))[0]
        expected = (1 - alpha) * pixel(behind, LEVEL, (0, 1, 0))[0] + alpha * pixel(body, LEVEL, (0, 1, 0))[0]
        assert red > previous and red == pytest.approx(expected, abs=12)
        previous = red


def test_a_ghost_hides_its_own_inside(renderer: Renderer) -> None:
    outer, inner = ball((0, 1, 0), 0.3, RED, 0.4), ball((0, 1, 0), 0.2, GREEN, 0.4)
    one = renderer.render(LEVEL, replace(BARE, solids=(outer,)))
    for both in ((outer, inner), (inner, outer)):
        np.testing.assert_array_equal(renderer.render(LEVEL, replace(BARE, solids=both)), one)


def test_a_ghost_casts_no_shadow_and_hides_behind_bodies(renderer: Renderer) -> None:
    foot = np.array([0, 1, 0]) - KEY_DIRECTION / KEY_DIRECTION[1]
    ghost = ball((0, 1, 0), 0.15, RED, 0.4)
    with_ghost, without = renderer.render(CAMERA, Drawing(solids=(ghost,))), renderer.render(CAMERA, Drawing())
    np.testing.assert_allclose(pixel(with_ghost, CAMERA, foot), pixel(without, CAMERA, foot), atol=2)
    wall = ball((0, 1, 1), 0.4, GREEN)
    hidden = renderer.render(LEVEL, replace(BARE, solids=(wall, ghost)))
    np.testing.assert_array_equal(hidden, renderer.render(LEVEL, replace(BARE, solids=(wall,))))


# ------------------------------------------------------------------------------------------------------- behaviour


def crowd() -> Drawing:
    rng = np.random.default_rng(11)
    turns = np.linalg.qr(rng.normal(size=(30, 3, 3)))[0]
    turns *= np.sign(np.linalg.det(turns))[:, None, None]
    place, size = rng.uniform([-1, 0.2, -1], [1, 1.8, 1], (30, 3)), rng.uniform(0.03, 0.15, (30, 3))
    solids = tuple(
        Solid(("capsule", "sphere", "box")[i % 3], place[i], turns[i], size[i], RED, 1.0 if i % 5 else 0.4)
        for i in range(30)
    )
    return Drawing(solids, (Polyline(place, GREEN, 3.0, 0.8),), (Marker(place[0], WHITE),))


def test_repeats_are_identical_to_the_pixel(renderer: Renderer) -> None:
    first = renderer.render(CAMERA, crowd())
    renderer.render(LEVEL, Drawing(solids=(ball((0, 1, 0), 0.3),)))
    np.testing.assert_array_equal(renderer.render(CAMERA, crowd()), first)
    with Renderer(WIDTH, HEIGHT) as other:
        np.testing.assert_array_equal(other.render(CAMERA, crowd()), first)


def test_packed_solids_draw_the_same_picture(renderer: Renderer) -> None:
    single = [s for s in crowd().solids if isinstance(s, Solid)]
    packed = []
    for kind in ("box", "capsule", "sphere"):
        same = [s for s in single if s.kind == kind]
        fields = (np.array([getattr(s, f) for s in same]) for f in ("position", "rotation", "size", "colour", "alpha"))
        packed.append(SolidArray(kind, *fields))
    np.testing.assert_array_equal(
        renderer.render(CAMERA, Drawing(tuple(packed))), renderer.render(CAMERA, Drawing(tuple(single)))
    )


def test_multisampling_smooths_edges_and_fewer_samples_are_taken_when_more_are_refused(renderer: Renderer) -> None:
    drawing = replace(
        BARE, solids=(ball((0, 1, 0), 0.5, WHITE),), background_top=(0, 0, 0), background_horizon=(0, 0, 0)
    )
    with Renderer(WIDTH, HEIGHT, samples=0) as plain, Renderer(WIDTH, HEIGHT, samples=1000) as most:
        assert plain.samples == 0 and 0 <= most.samples <= 16
        rough = plain.render(LEVEL, drawing)
        assert rough.shape == (HEIGHT, WIDTH, 4)
        if most.samples:
            steps = [np.abs(np.diff(p[..., 1].astype(int), axis=1)).max() for p in (rough, most.render(LEVEL, drawing))]
            assert steps[1] <= steps[0]


def test_resizing_changes_the_picture_and_nothing_else(renderer: Renderer) -> None:
    with Renderer(64, 48) as other:
        other.render(CAMERA, crowd())
        other.resize(WIDTH, HEIGHT)
        np.testing.assert_array_equal(other.render(CAMERA, crowd()), renderer.render(CAMERA, crowd()))
        with pytest.raises(ValueError, match="at least one pixel"):
            other.resize(0, 10)


@pytest.mark.parametrize("elevation", [np.pi / 2, -np.pi / 2, 0.0, -0.3])
def test_every_way_of_looking_gives_a_picture(renderer: Renderer, elevation: float) -> None:
    at = (0.0, 1.0, 0.0)
    camera = replace(LEVEL, elevation=elevation)
    line = Polyline([[0.3, 1, 0], [0.8, 1, 0]], WHITE, 6.0)
    picture = renderer.render(camera, Drawing((ball(at, 0.2),), (line,), hidden_alpha=0.0))
    assert pixel(picture, camera, at).argmax() == 0, "seen from below, the ground must not hide the scene"
    assert luminance(pixel(picture, camera, (0.5, 1, 0))) > 250
    assert (picture[..., :3].mean(axis=(0, 1)) > 15).all()


def test_a_renderer_works_on_the_thread_that_made_it_and_refuses_others(renderer: Renderer) -> None:
    expected = renderer.render(CAMERA, crowd())
    results: list[Any] = []

    def elsewhere() -> None:
        try:
            renderer.render(CAMERA, crowd())
        except RuntimeError as error:
            results.append(str(error))
        with Renderer(WIDTH, HEIGHT) as own:
            results.append(own.render(CAMERA, crowd()))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "thread" in results[0]
    np.testing.assert_array_equal(results[1], expected)
    np.testing.assert_array_equal(renderer.render(CAMERA, crowd()), expected)


def test_a_renderer_names_its_driver(renderer: Renderer) -> None:
    assert renderer.driver
    assert renderer.software == ("llvmpipe" in renderer.driver or "softpipe" in renderer.driver)


def test_a_closed_renderer_says_so(renderer: Renderer) -> None:
    other = Renderer(32, 32)
    other.close()
    other.close()
    with pytest.raises(RuntimeError, match="closed"):
        other.render(CAMERA, BARE)
    renderer.render(CAMERA, BARE)


def test_mistakes_name_the_choices(renderer: Renderer) -> None:
    with pytest.raises(ValueError, match=r"'cone'.*capsule, sphere, box"):
        renderer.render(CAMERA, Drawing((Solid("cone", (0, 0, 0), np.eye(3), (1, 1, 1), RED),)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"rotation \(N, 3, 3\)"):
        renderer.render(CAMERA, Drawing((SolidArray("box", np.zeros((2, 3)), np.eye(3), np.ones((2, 3)), RED),)))
    with pytest.raises(ValueError, match=r"'star'.*disc, ring, diamond"):
        renderer.render(CAMERA, Drawing(markers=(Marker((0, 0, 0), RED, shape="star"),)))  # type: ignore[arg-type]


def test_without_gl_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("libEGL.so.1 not loaded")

    monkeypatch.setattr(moderngl, "create_context", refuse)
    with pytest.raises(RendererUnavailable, match="libegl1 libegl-mesa0 libgl1-mesa-dri") as caught:
        Renderer(8, 8)
    assert str(caught.value).count(". ") == 0 and "\n" not in str(caught.value)


def test_a_mesh_is_drawn_as_its_hull_and_not_as_a_box() -> None:
    """A pyramid with its tip up, seen from the front: beside the tip there is nothing of it, and below it is wide."""
    corners = np.array([[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.0, 0.5], [-0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    pyramid = Solid("hull", (0.0, 0.5, 0.0), np.eye(3), (0.5, 1.0, 0.5), (0.9, 0.1, 0.1), corners=corners)
    camera = Camera((0.0, 1.0, 0.0), 4.0, 0.0, 0.05)
    with Renderer(WIDTH, HEIGHT) as renderer:
        with_it, without = (renderer.render(camera, Drawing(own)).astype(int) for own in ((pyramid,), ()))
    red = (with_it[..., 0] - with_it[..., 1] > 40) & (np.abs(with_it - without).max(axis=2) > 20)
    widths = red.sum(axis=1)
    rows = np.flatnonzero(widths)
    high, low = widths[rows[len(rows) // 10]], widths[rows[-len(rows) // 5]]
    assert len(rows) > HEIGHT // 8 and 0 < high < 0.4 * low


def test_faces_of_a_hull_look_outwards() -> None:
    rng = np.random.default_rng(3)
    corners = rng.normal(size=(20, 3)) * [0.3, 0.5, 0.2]
    rows = hull_mesh(corners).reshape(-1, 3, 6)
    places = rows[..., 3:] * np.abs(corners).max(axis=0)
    normals = np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0])
    assert np.all(np.einsum("ti,ti->t", normals, rows[:, 0, :3]) > 0.0)
    outside = np.einsum("tvi,ti->tv", corners[None] - places[:, :1], rows[:, 0, :3])
    assert outside.max() < 1e-6  # every corner lies behind every face


# ------------------------------------------------------------------------------------------------- without perspective

FLAT = replace(LEVEL, orthographic=True)
ABOVE = replace(FLAT, elevation=np.pi / 2)


def test_without_perspective_a_ball_is_as_large_wherever_it_stands(renderer: Renderer) -> None:
    empty, wide = renderer.render(FLAT, BARE), []
    for depth in (-20.0, 0.0, 10.0):
        picture = renderer.render(FLAT, replace(BARE, solids=(ball((0.3, 1.2, depth), 0.2),)))
        top, bottom, left, right = outline(picture, empty)
        wide.append((right - left, bottom - top))
        x, y, _ = FLAT.project([0.3, 1.2, depth], WIDTH, HEIGHT)
        assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((x, y), abs=1.0)
    assert np.ptp(wide, axis=0).max() <= 1
    assert wide[0][0] == pytest.approx(0.4 / FLAT.metres_per_pixel(HEIGHT), abs=2)


def test_without_perspective_the_nearer_hides_the_other_and_lines_lie_on_bodies(renderer: Renderer) -> None:
    near, far = ball((0, 1, 0.5), 0.2), ball((0, 1, -0.5), 0.2, GREEN)
    picture = renderer.render(FLAT, replace(BARE, solids=(far, near)))
    assert pixel(picture, FLAT, (0, 1, 0)).argmax() == 0
    line = Polyline(np.array([[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]), GREEN, 4.0)
    hidden = renderer.render(FLAT, replace(BARE, solids=(near,), lines=(line,), hidden_alpha=0.0))
    assert pixel(hidden, FLAT, (0, 1, 0)).argmax() == 0 and pixel(hidden, FLAT, (0.6, 1, 0)).argmax() == 1
    marker = Marker((0, 1, 0), GREEN, 9.0, "disc", on_top=True)
    assert pixel(renderer.render(FLAT, replace(BARE, solids=(near,), markers=(marker,))), FLAT, (0, 1, 0)).argmax() == 1


def test_from_above_shadows_lie_where_the_light_throws_them_and_lines_of_the_grid_at_whole_metres(
    renderer: Renderer,
) -> None:
    bare = renderer.render(ABOVE, Drawing())
    there = renderer.render(ABOVE, Drawing(solids=(ball((0.0, 0.5, 0.0), 0.15),)))
    shadow = -0.5 * KEY_DIRECTION / KEY_DIRECTION[1] * [1, 0, 1]
    assert luminance(pixel(there, ABOVE, shadow)) < 0.8 * luminance(pixel(bare, ABOVE, shadow))
    assert luminance(pixel(there, ABOVE, -shadow)) == pytest.approx(luminance(pixel(bare, ABOVE, -shadow)), rel=0.02)
    on, off = ([x, 0.0, 0.6] for x in (1.0, 0.9))
    assert luminance(pixel(bare, ABOVE, on)) > 1.15 * luminance(pixel(bare, ABOVE, off))


def test_from_the_front_a_wall_of_squares_stands_behind_and_the_ground_is_a_line(renderer: Renderer) -> None:
    picture = renderer.render(FLAT, Drawing())
    assert luminance(pixel(picture, FLAT, (0.6, 1.0, 0.0))) > luminance(pixel(picture, FLAT, (0.6, 0.9, 0.0)))
    assert luminance(pixel(picture, FLAT, (0.6, 0.0, 0.0))) > luminance(pixel(picture, FLAT, (0.6, 1.0, 0.0)))
    assert luminance(pixel(picture, FLAT, (0.6, -0.1, 0.0))) < luminance(pixel(picture, FLAT, (0.6, 0.1, 0.0)))
