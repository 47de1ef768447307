"""The axes in the corner point where they should, and a click on an end looks from there."""

from dataclasses import replace

import pytest

from ui.view import navigation
from ui.view.camera import Camera
from ui.view.compass import SIDES, name_of, tip_at, tips

CENTRE, RADIUS = (100.0, 50.0), 30.0


def test_from_the_front_x_is_to_the_right_y_up_and_z_at_the_eye() -> None:
    found = {(tip.axis, tip.positive): tip for tip in tips(Camera(azimuth=0.0, elevation=0.0), CENTRE, RADIUS)}
    assert found["x", True].at == pytest.approx((130.0, 50.0)) and found["y", True].at == pytest.approx((100.0, 20.0))
    assert found["z", True].nearness == pytest.approx(1.0) and found["z", False].nearness == pytest.approx(-1.0)


def test_what_is_nearer_is_drawn_later_and_taken_first() -> None:
    found = tips(Camera(azimuth=0.0, elevation=0.0), CENTRE, RADIUS)
    assert found[-1].view == "front"
    hit = tip_at(found, *CENTRE, 9.0)
    assert hit is not None and hit.view == "front" and tip_at(found, 0.0, 0.0, 9.0) is None


@pytest.mark.parametrize(("axis", "sign", "view"), SIDES)
def test_the_view_of_an_end_looks_at_it(axis: str, sign: int, view: str) -> None:
    camera = navigation.looking(Camera(), view)
    assert sign * camera.axes[2]["xyz".index(axis)] == pytest.approx(1.0)
    assert name_of(camera) == view.capitalize()
    assert name_of(replace(camera, azimuth=camera.azimuth + 0.2)) == "Orthographic"
    with_perspective = replace(camera, orthographic=False)
    assert name_of(with_perspective) == f"{view.capitalize()} · perspective"
    assert name_of(replace(with_perspective, azimuth=camera.azimuth + 0.2)) == "Perspective"
