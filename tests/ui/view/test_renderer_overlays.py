"""Lines and markers, where arithmetic says how wide they are and what hides them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.ui.view.pictures import BARE, GREEN, HEIGHT, LEVEL, WHITE, WIDTH, ball, covered, drawn, luminance, pixel
from ui.view.drawing import Drawing, Marker, Polyline
from ui.view.renderer import Renderer


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with drawn() as made:
        yield made


@pytest.mark.parametrize("width_px", [1.0, 3.0, 9.0])
@pytest.mark.parametrize("slope", [0.0, 0.7])
def test_a_line_covers_its_width(renderer: Renderer, width_px: float, slope: float) -> None:
    ends = np.array([[-1.0, 1 - slope, 0], [1.0, 1 + slope, 0]])
    cover = covered(renderer, LEVEL, Drawing(lines=(Polyline(ends, WHITE, width_px),)))
    across = cover[:, WIDTH // 2].sum() * np.cos(np.arctan(slope))
    assert across == pytest.approx(width_px, abs=0.25)


def test_a_line_keeps_its_colour(renderer: Renderer) -> None:
    colour = np.array([0.2, 0.6, 0.9])
    picture = renderer.render(LEVEL, replace(BARE, lines=(Polyline([[-1, 1, 0], [1, 1, 0]], colour, 7.0),)))
    np.testing.assert_allclose(pixel(picture, LEVEL, (0, 1, 0)), 255 * colour, atol=1.5)


def test_a_translucent_line_is_even_across_its_joints(renderer: Renderer) -> None:
    t = np.linspace(-1, 1, 41)
    curve = np.stack([t, 1.6 - t * t, 0 * t], axis=1)
    cover = covered(renderer, LEVEL, Drawing(lines=(Polyline(curve, WHITE, 8.0, 0.5),)))
    assert cover.max() == pytest.approx(0.5, abs=0.01), "a joint drawn twice would be brighter"
    for point in curve[2:-2]:
        x, y, _ = LEVEL.project(point, WIDTH, HEIGHT)
        assert cover[int(y), int(x)] == pytest.approx(0.5, abs=0.01)


def test_a_line_passes_in_front_of_bodies_and_shows_faintly_behind(renderer: Renderer) -> None:
    body = ball((0, 1, 0), 0.3, (0.1, 0.1, 0.1))
    plain = luminance(pixel(renderer.render(LEVEL, replace(BARE, solids=(body,))), LEVEL, (0, 1, 0)))
    level = {}
    for z in (0.6, -0.6):
        line = Polyline([[-1, 1, z], [1, 1, z]], WHITE, 6.0)
        level[z] = luminance(
            pixel(renderer.render(LEVEL, replace(BARE, solids=(body,), lines=(line,))), LEVEL, (0, 1, 0))
        )
    assert level[0.6] > 250
    assert plain + 10 < level[-0.6] < plain + 80


def test_a_line_that_runs_behind_the_eye_still_shows_its_front(renderer: Renderer) -> None:
    """From a metre ahead to ten metres behind, low on the right: it must leave the picture downwards, not wrap."""
    eye, (right, up, back) = LEVEL.eye, LEVEL.axes
    line = np.stack([eye - 3 * back + 0.2 * right - 0.2 * up, eye + 10 * back + 0.2 * right - 0.2 * up])
    cover = covered(renderer, LEVEL, Drawing(lines=(Polyline(line, WHITE, 4.0),)))
    rows, columns = np.nonzero(cover > 0.3)
    assert len(rows) > 50
    assert rows.min() > HEIGHT / 2 and columns.min() > WIDTH / 2
    assert rows.max() == HEIGHT - 1 or columns.max() == WIDTH - 1


def test_short_and_degenerate_lines_do_no_harm(renderer: Renderer) -> None:
    lines = tuple(Polyline(np.ones((n, 3)), WHITE, 4.0) for n in (0, 1, 2, 5))
    assert np.isfinite(covered(renderer, LEVEL, Drawing(lines=lines))).all()


def test_a_line_through_a_ball_stays_inside_it(renderer: Renderer) -> None:
    """Also from far away, where depths are coarse; and yet a line on the ground is not swallowed by it."""
    for distance in (3.0, 6.0, 12.0):
        camera = replace(LEVEL, distance=distance, fov_y=2 * np.arctan(1.6 / distance), elevation=0.3)
        body = ball((0, 1, 0), 0.05, (0.1, 0.1, 0.1))
        through = Polyline([[-1, 1, 0], [1, 1, 0]], WHITE, 2.0)
        lying = Polyline([[-0.9, 0, 0.5], [0.9, 0, 0.5]], GREEN, 3.0)
        drawing = Drawing((body,), (through, lying), hidden_alpha=0.0)
        picture = renderer.render(camera, drawing)
        assert luminance(pixel(picture, camera, (0, 1, 0))) < 110
        assert luminance(pixel(picture, camera, (0.2, 1, 0))) > 200
        for x in np.linspace(-0.7, 0.7, 15):
            np.testing.assert_allclose(pixel(picture, camera, (x, 0, 0.5)), 255 * np.array(GREEN), atol=2)


def test_a_marker_on_top_shows_through_bodies(renderer: Renderer) -> None:
    body = ball((0, 1, 0), 0.3)
    for on_top in (False, True):
        marker = Marker((0, 1, 0), GREEN, 12.0, on_top=on_top)
        picture = renderer.render(LEVEL, replace(BARE, solids=(body,), markers=(marker,)))
        assert pixel(picture, LEVEL, (0, 1, 0)).argmax() == int(on_top)


def test_markers_keep_their_size_and_shape(renderer: Renderer) -> None:
    for shape, area in (("disc", np.pi * 15**2), ("ring", np.pi * (15**2 - 13**2)), ("diamond", 2 * 15**2)):
        for distance in (3.0, 6.0):
            camera = replace(LEVEL, distance=distance)
            marker = Marker((0, 1, 0), WHITE, 30.0, shape)  # type: ignore[arg-type]
            cover = covered(renderer, camera, Drawing(markers=(marker,)))
            assert cover.sum() == pytest.approx(area, rel=0.06)
            assert (cover[HEIGHT // 2, WIDTH // 2] > 0.9) == (shape != "ring")
