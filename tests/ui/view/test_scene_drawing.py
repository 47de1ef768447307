"""How a scene is drawn, for the window and for pictures alike, and what can be picked in it; without a window."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.truth.truth_scenes import head_on
from ui import theme
from ui.view.camera import Camera
from ui.view.drawing import Drawing, Marker, Polyline, Solid, SolidArray
from ui.view.picking import pick
from ui.view.scene_drawing import Stage, handle
from ui.view.scene_paths import UNWANTED
from ui.view.scene_view import View
from ui.view.viewport import resized


@pytest.fixture(scope="module")
def session() -> hoi.EditSession:
    return hoi.open("juggle3")


@pytest.fixture(scope="module")
def view(session: hoi.EditSession) -> View:
    return View(session.rollout, 1.05, Camera((0.0, 1.0, 0.0), 3.4, 0.5, 0.12), (960, 600))


def test_what_is_drawn_can_be_picked(view: View) -> None:
    drawing, bodies, paths = Stage().seen(view)
    balls = [solid for solid in drawing.solids if isinstance(solid, Solid)]
    assert len(balls) == 3 and {path.name for path in paths} == {"ball1", "ball2", "ball3"}
    where = view.rollout.state("ball1", view.t).position
    x, y, _ = view.camera.project(where, *view.size)
    hit = pick(bodies, *view.camera.ray(float(x), float(y), *view.size))
    assert hit is not None and hit.name == "ball1"
    head = view.rollout.state("juggler/head", view.t).position
    x, y, _ = view.camera.project(head, *view.size)
    hit = pick(bodies, *view.camera.ray(float(x), float(y), *view.size))
    assert hit is not None and hit.name == "juggler/head"
    assert handle(view, hit.name, hit.point) == "juggler/head"


def test_a_limb_is_held_at_the_joint_that_is_nearest(view: View) -> None:
    elbow = view.rollout.state("juggler/right_forearm", view.t).position
    wrist = view.rollout.state("juggler/right_hand", view.t).position
    assert handle(view, "juggler/right_forearm", 0.9 * elbow + 0.1 * wrist) == "juggler/right_forearm"
    assert handle(view, "juggler/right_forearm", 0.1 * elbow + 0.9 * wrist) == "juggler/right_hand"


def test_what_is_hidden_is_neither_seen_nor_picked(view: View) -> None:
    drawing, bodies, paths = Stage().seen(replace(view, hidden=frozenset({"ball1", "juggler"})))
    assert not any(isinstance(solid, SolidArray) for solid in drawing.solids)
    assert {name for group in bodies for name in group.names} == {"ball2", "ball3"}
    assert {path.name for path in paths} == {"ball2", "ball3"}


def test_paths_from_before_and_ghosts_only_where_something_moved(session: hoi.EditSession, view: View) -> None:
    gesture = session.begin("ball1", 1.05)
    gesture.move(gesture.start.position + [0.0, 0.15, 0.0])
    moved = gesture.iterate.rollout
    gesture.abort()
    same = Stage().seen(replace(view, before=view.rollout))[0]
    edited = Stage().seen(replace(view, rollout=moved, before=view.rollout))[0]
    faint = [line for line in edited.lines if line.alpha == 0.32]
    assert not [line for line in same.lines if line.alpha == 0.32]
    assert 1 <= len(faint) < 8
    ghosts = [solid for solid in edited.solids if isinstance(solid, SolidArray) and np.all(np.asarray(solid.alpha) < 1)]
    assert not [s for s in same.solids if isinstance(s, SolidArray) and np.all(np.asarray(s.alpha) < 1)]
    limbs = sum(len(np.asarray(ghost.position)) for ghost in ghosts)
    assert 0 < limbs < len(session.scene.characters[0].skeleton.shapes)  # the arms, not the feet


def test_two_views_of_the_same_are_the_same_picture(view: View) -> None:
    assert view.same_picture(replace(view)) and not view.same_picture(replace(view, t=1.06))
    assert not view.same_picture(None) and not view.same_picture(replace(view, selected="ball1"))


def test_paths_are_flights_and_holds_without_gaps(view: View) -> None:
    stretches = [s for s in Stage().tracks(view.rollout).around(0.0, 3.0) if s.name == "ball1"]
    assert [s.kind for s in stretches] == ["held", "flight", "held", "flight", "held", "flight"][: len(stretches)]
    for a, b in pairwise(stretches):
        assert a.times[-1] == pytest.approx(b.times[0]) and np.allclose(a.points[-1], b.points[0], atol=1e-9)


def test_colours_are_told_apart() -> None:
    colours = [np.array(colour[:3]) for colour in theme.THINGS]
    apart = [np.abs(a - b).sum() for k, a in enumerate(colours) for b in colours[k + 1 :]]
    assert min(apart) > 60


def falling() -> hoi.EditSession:
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    box = hoi.Flying(np.array([2.0, 3.0, 0.0]), np.zeros(3))
    things = [
        hoi.Thing("ball", hoi.ball(0.4, 0.1), start, hoi.Material(0.8, 0.3)),
        hoi.Thing("box", hoi.box(1.0, (0.1, 0.2, 0.3)), box),
    ]
    return hoi.EditSession(hoi.Scene(things=things, fixtures=[hoi.ground()], end=0.6))


def drawn(session: hoi.EditSession, t: float, **how: Any) -> Drawing:
    return Stage().drawing(View(session.rollout, t, Camera(), (640, 480), before=session.source, **how))


def faint(drawing: Drawing) -> list[Polyline]:
    """Paths from before an edit."""
    return [line for line in drawing.lines if line.alpha == 0.32]


def test_things_stand_where_they_are_on_their_paths() -> None:
    session = falling()
    drawing = drawn(session, 0.2, only="ball")
    solids = {solid.kind: solid for solid in drawing.solids if isinstance(solid, Solid)}
    assert np.allclose(solids["sphere"].position, session.state("ball", 0.2).position)
    assert np.allclose(solids["box"].size, [0.1, 0.2, 0.3])
    path = np.concatenate([np.asarray(line.points) for line in drawing.lines])
    assert np.allclose(path[0], session.state("ball", 0.0).position)
    assert np.allclose(path[-1], session.state("ball", 0.6).position)
    assert not any(marker.shape == "ring" for marker in drawing.markers)  # things may bounce


def test_a_collision_that_nobody_intended_is_a_red_ring() -> None:
    rings = [marker for marker in drawn(hoi.EditSession(head_on()), 0.2).markers if marker.shape == "ring"]
    assert rings and all(tuple(np.asarray(ring.colour)) == UNWANTED for ring in rings)


def test_only_what_was_there_before_an_edit_has_a_path_from_then() -> None:
    session = falling()
    session.drag("ball", 0.2, session.state("ball", 0.2).position + [0.0, 0.0, 0.1])
    session.add_thing(hoi.Thing("second", hoi.ball(0.4, 0.1), hoi.Flying(np.array([-1.0, 1.0, 0.0]))))
    was = faint(drawn(session, 0.2))
    assert was and all(np.allclose(np.asarray(line.points)[:, 2], 0.0) for line in was)
    session.remove_thing("ball")
    assert not faint(drawn(session, 0.2))


def test_balls_along_a_flight_take_the_place_of_marks_of_time(view: View) -> None:
    marks = [marker for marker in Stage().drawing(view).markers if marker.size_px == 5.0]
    film = Stage().drawing(replace(view, flashes=True, ghosts=False, hands=False, around=0.4))
    assert marks and not [marker for marker in film.markers if marker.size_px == 5.0]
    flashes = [solid for solid in film.solids if isinstance(solid, SolidArray) and solid.kind == "sphere"]
    balls = [flash for flash in flashes if np.asarray(flash.alpha).max() < 0.5]
    assert 0 < sum(len(np.asarray(ball.position)) for ball in balls) <= 3 * 8  # of three balls, within 0.4 s
    assert all(float(np.asarray(ball.alpha).min()) > 0.1 for ball in balls)


def test_bodies_are_drawn_and_the_path_of_one_thing_alone(session: hoi.EditSession) -> None:
    drawing = drawn(session, 1.0, only="ball1", ghosts=False)
    bodies = [solid for solid in drawing.solids if isinstance(solid, SolidArray)]
    character = session.scene.characters[0]
    assert sum(len(np.asarray(body.position)) for body in bodies) == len(character.skeleton.shapes)
    way = session.rollout.positions("ball1", np.linspace(0.0, 2.0, 721))
    for line in drawing.lines:
        ends = np.asarray(line.points)[[0, -1]]
        assert np.linalg.norm(way[:, None] - ends, axis=2).min(axis=0).max() < 0.01
    assert any(marker.shape == "diamond" for marker in drawing.markers)


def test_lines_and_signs_grow_with_the_scale_of_the_screen() -> None:
    line = Polyline(np.zeros((2, 3)), (1.0, 1.0, 1.0), 2.0)
    fine = resized(Drawing((), (line,), (Marker((0, 0, 0), (1.0, 1.0, 1.0), 9.0),)), 2.0)
    assert fine.lines[0].width_px == 4.0 and fine.markers[0].size_px == 18.0
