"""Weights are inertias: closed forms where there are some, and the order that a body's joints must have."""

import numpy as np
import pytest

from hoi_edit.qp.weights import FOOT, ROOT, dof_weights, standing_masses, weights
from hoi_edit.rollout import Model
from hoi_edit.scenes.juggle3 import juggle3
from hoi_edit.scenes.soccer import soccer
from tests.hoi_edit.simulate.arm_scenes import grasping


def test_a_thing_weighs_its_mass_and_a_slide_what_it_carries() -> None:
    model = Model.of(grasping())
    found = weights(model)
    assert np.all(found > 0.0) and len(found) == model.layout.size
    np.testing.assert_allclose(found[model.layout["ball.position"].indices], 0.15)
    slide, turn = dof_weights(model, model.scene.characters[0], 1.0)
    assert slide == pytest.approx(ROOT) and turn == pytest.approx(1.0)  # one kilogram, one kg m² about its own axis


def test_a_pelvis_is_dearer_than_a_shoulder_and_that_than_a_wrist() -> None:
    model = Model.of(soccer())
    character = model.scene.characters[0]
    names = character.skeleton.topology.dof_names
    cost = dict(zip(names, dof_weights(model, character, 1.0), strict=True))
    assert cost["pelvis.Xposition"] == pytest.approx(ROOT * float(np.sum(character.skeleton.inertias.mass)))
    assert cost["pelvis.Xposition"] > cost["right_upper_arm.Xrotation"] >= cost["right_hand.Xrotation"]


def test_feet_that_stand_are_heavy_and_those_that_step_are_not() -> None:
    juggler, player = (Model.of(scene) for scene in (juggle3(), soccer()))
    slide = juggler.scene.characters[0].skeleton.dof("pelvis.Xposition")
    standing = standing_masses(juggler)["juggler"]
    assert standing[slide, slide] >= 2 * FOOT  # to shift the body moves both feet
    np.testing.assert_allclose(standing, standing.T, atol=1e-9)
    shoulder = juggler.scene.characters[0].skeleton.dof("right_upper_arm.Xrotation")
    assert np.all(standing[shoulder] == 0.0)  # an arm does not move them
    assert standing_masses(player)["player"][slide, slide] < standing[slide, slide]  # one that kicks stands on one leg
