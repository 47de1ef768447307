"""Weights are inertias: closed forms where there are some, and the order that a body's joints must have."""

import numpy as np
import pytest

from hoi_edit.scenes.soccer import soccer
from hoi_edit.simulation import Model
from hoi_edit.weights import dof_weights, weights
from tests.hoi_edit.test_discover import grasping


def test_a_thing_weighs_its_mass_and_a_slide_what_it_carries() -> None:
    model = Model.of(grasping())
    found = weights(model)
    assert np.all(found > 0.0) and len(found) == model.layout.size
    np.testing.assert_allclose(found[model.layout["ball.position"].indices], 0.15)
    slide, turn = dof_weights(model.scene.characters[0], 1.0)
    assert slide == pytest.approx(1.0) and turn == pytest.approx(1.0)  # one kilogram, one kg m² about its own axis


def test_a_pelvis_is_dearer_than_a_shoulder_and_that_than_a_wrist() -> None:
    character = soccer().characters[0]
    names = character.skeleton.topology.dof_names
    cost = dict(zip(names, dof_weights(character, 1.0), strict=True))
    assert cost["pelvis.Xposition"] == pytest.approx(float(np.sum(character.skeleton.inertias.mass)))
    assert cost["pelvis.Xposition"] > cost["right_upper_arm.Xrotation"] >= cost["right_hand.Xrotation"]
