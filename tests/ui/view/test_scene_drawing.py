"""A scene as a drawing: everything is there, where the rollout says, before anything is rendered."""

import numpy as np

import hoi_edit as hoi
from hoi_edit.truth.truth_scenes import head_on
from ui.view.drawing import Drawing, Marker, Polyline, Solid, SolidArray
from ui.view.scene_drawing import UNWANTED, scene_drawing
from ui.view.viewport import resized


def falling() -> hoi.EditSession:
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    box = hoi.Flying(np.array([2.0, 3.0, 0.0]), np.zeros(3))
    things = [
        hoi.Thing("ball", hoi.ball(0.4, 0.1), start, hoi.Material(0.8, 0.3)),
        hoi.Thing("box", hoi.box(1.0, (0.1, 0.2, 0.3)), box),
    ]
    return hoi.EditSession(hoi.Scene(things=things, fixtures=[hoi.ground()], end=0.6))


def test_things_paths_and_contacts() -> None:
    session = falling()
    drawing = scene_drawing(session.rollout, 0.2, before=session.source)
    solids = {solid.kind: solid for solid in drawing.solids if isinstance(solid, Solid)}
    assert np.allclose(solids["sphere"].position, session.state("ball", 0.2).position)
    assert np.allclose(solids["box"].size, [0.1, 0.2, 0.3])
    now, was = drawing.lines[1], drawing.lines[0]
    assert was.alpha < now.alpha  # the path from before is faint
    assert np.allclose(np.asarray(now.points)[0], session.state("ball", 0.0).position)
    assert not any(marker.shape == "ring" for marker in drawing.markers)  # things may bounce


def test_a_collision_that_nobody_intended_is_a_red_ring() -> None:
    rollout = hoi.EditSession(head_on()).rollout
    rings = [marker for marker in scene_drawing(rollout, 0.2).markers if marker.shape == "ring"]
    assert rings and all(tuple(np.asarray(ring.colour)) == UNWANTED for ring in rings)


def test_bodies_are_drawn() -> None:
    session = hoi.open("juggle3")
    drawing = scene_drawing(session.rollout, 1.0, only=("ball1",))
    bodies = [solid for solid in drawing.solids if isinstance(solid, SolidArray)]
    character = session.scene.characters[0]
    assert sum(len(np.asarray(body.position)) for body in bodies) == len(character.skeleton.shapes)
    assert len(drawing.lines) == 1
    assert any(marker.shape == "diamond" for marker in drawing.markers)


def test_a_thing_that_came_in_with_an_edit_has_no_path_from_before() -> None:
    session = falling()
    session.add_thing(hoi.Thing("second", hoi.ball(0.4, 0.1), hoi.Flying(np.array([-1.0, 1.0, 0.0]))))
    drawing = scene_drawing(session.rollout, 0.2, before=session.source)
    assert len(drawing.lines) == 3  # of the first ball two, of the second one
    session.remove_thing("ball")
    assert len(scene_drawing(session.rollout, 0.2, before=session.source).lines) == 1


def test_lines_and_signs_grow_with_the_scale_of_the_screen() -> None:
    line = Polyline(np.zeros((2, 3)), (1.0, 1.0, 1.0), 2.0)
    fine = resized(Drawing((), (line,), (Marker((0, 0, 0), (1.0, 1.0, 1.0), 9.0),)), 2.0)
    assert fine.lines[0].width_px == 4.0 and fine.markers[0].size_px == 18.0
