import numpy as np
import pytest

from hoi_edit.motions import Layer
from hoi_edit.motions.point_tracks import point_tracks
from kinematics.errors import HoiError
from tests.clips import HUMAN, swinging_human


def test_velocity_and_acceleration_are_those_of_the_position() -> None:
    clip = swinging_human(1.0)
    layer = Layer.over(clip)
    parameters = layer.parameters().at[5].add(0.1)
    names = ["left_palm", "right_instep", "head", "right_hand"]  # "head" is a site and a joint: the site wins
    h = 1e-4
    around = point_tracks(HUMAN, layer, parameters, 0.437 + h * np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), names)
    a, b, c, d, e = around.position
    np.testing.assert_allclose(around.velocity[2], (a - 8 * b + 8 * d - e) / (12 * h), atol=1e-9)
    np.testing.assert_allclose(around.acceleration[2], (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h), atol=1e-5)
    assert around.position[2, 2, 1] == pytest.approx(1.75, abs=0.2)


def test_unknown_points_list_the_choices() -> None:
    clip = swinging_human(1.0)
    layer = Layer.over(clip)
    with pytest.raises(HoiError, match=r"unknown body point 'tail'; choose from: head, chest"):
        point_tracks(HUMAN, layer, layer.parameters(), [0.0], ["tail"])
