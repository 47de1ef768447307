"""Rings are around what they mark and not over it; pins stay where they are."""

from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
from ui import theme
from ui.view.camera import Camera
from ui.view.drawing import Drawing, Marker
from ui.view.overlays import PinSign, outline, place_of_pin, signs
from ui.view.scene_drawing import Stage
from ui.view.scene_view import View

SIZE = (960, 600)
EDGE = 3.2  # [px] that a ring and its dark edge reach inwards
CAMERAS = (Camera((0.0, 1.0, 0.0), 3.4, 0.5, 0.12), Camera((0.0, 1.3, 0.0), 0.9, 2.0, -0.2),
           Camera((0.0, 1.0, 0.0), 5.0, 0.0, 0.0, orthographic=True))  # fmt: skip


@pytest.fixture(scope="module")
def session() -> hoi.EditSession:
    return hoi.open("juggle3")


def seen_radius(camera: Camera, place: np.ndarray, radius: float) -> float:
    """[px] by what is seen of points all over a ball."""
    random = np.random.default_rng(3)
    out = random.normal(size=(4000, 3))
    points = camera.project(place + radius * out / np.linalg.norm(out, axis=1)[:, None], *SIZE)[:, :2]
    return float(np.linalg.norm(points - camera.project(place, *SIZE)[:2], axis=1).max())


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_outline_of_a_ball_is_what_is_seen_of_it(camera: Camera) -> None:
    place = np.asarray(camera.target, float)  # aside from the middle of a picture a ball looks like an egg
    assert outline(camera, SIZE, place, 0.04) == pytest.approx(seen_radius(camera, place, 0.04), rel=0.01)
    assert outline(replace(camera, orthographic=False), SIZE, camera.eye + camera.axes[2], 0.04) == 0.0


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("camera", CAMERAS)
def test_rings_leave_a_dragged_ball_in_sight(session: hoi.EditSession, camera: Camera, scale: float) -> None:
    rollout, place = session.rollout, session.rollout.state("ball1", 1.05).position
    target = (float(place[0]), float(place[1]), float(place[2]))
    rings = signs(rollout, 1.05, camera, SIZE, scale, [], ("ball1", 1.05), target)
    radius = outline(camera, SIZE, place, float(session.scene.thing("ball1").body.radius))
    inner = [scale * (ring.size_px / 2 - EDGE) for ring in rings]
    assert [ring.shape for ring in rings] == ["ring", "ring"] and radius < inner[0]
    assert inner[1] > scale * rings[0].size_px / 2  # and they are told apart


def test_on_a_flight_and_on_a_hand_rings_are_small(session: hoi.EditSession) -> None:
    hovered = signs(session.rollout, 1.05, CAMERAS[1], SIZE, 1.0, [], ("ball1", 1.2), None)
    hand = signs(session.rollout, 1.05, CAMERAS[1], SIZE, 1.0, [], ("juggler/right_hand", 1.05), (0.0, 1.0, 0.0))
    assert [ring.size_px for ring in hovered] == [13.0] and [ring.size_px for ring in hand] == [13.0, 18.0]


def test_a_pin_is_where_it_is_and_not_where_its_thing_is(session: hoi.EditSession) -> None:
    rollout = session.rollout
    pin = hoi.Pin("ball1", 1.05, position=[0.1, 2.0, 0.3])
    sign = PinSign("ball1", 1.05, place_of_pin(pin, rollout))
    view = View(rollout, 0.5, CAMERAS[0], SIZE, pinned=(sign,))
    drawing: Drawing = Stage().seen(view)[0]
    marks: list[Marker] = [own for own in drawing.markers if own.colour == theme.unit(theme.PLAYHEAD)]
    assert [own.shape for own in marks] == ["ring", "disc"]
    assert all(np.allclose(own.position, [0.1, 2.0, 0.3]) for own in marks)
    open_one = place_of_pin(hoi.Pin("ball1", 1.05, position=[np.nan, 2.0, np.nan]), rollout)
    place = rollout.state("ball1", 1.05).position
    assert np.allclose(open_one, [place[0], 2.0, place[2]])
    hidden = Stage().seen(replace(view, hidden=frozenset({"ball1"})))[0]
    assert not [own for own in hidden.markers if own.colour == theme.unit(theme.PLAYHEAD)]
