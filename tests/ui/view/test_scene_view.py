"""What the viewport shows and what can be picked in it, without a window."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import hoi_edit as hoi
from ui import theme
from ui.view.camera import Camera
from ui.view.drawing import Solid, SolidArray
from ui.view.picking import pick
from ui.view.scene_view import Stage, View, handle


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
