"""Curves show what the selection does, points are where they are drawn, and a drag asks for the right thing."""

import numpy as np
import pytest

import hoi_edit as hoi
from ui.timeline.motion_curves import Curve, curves_of, hit_at, lay_out_plots, title_of, with_axes_of
from ui.timeline.scales import Axis, Scale

SCALE = Scale(0.0, 4.0, 100.0, 800.0)


@pytest.fixture(scope="module")
def juggling() -> hoi.EditSession:
    return hoi.open("juggle3")


def labels(curves: list[Curve]) -> list[str]:
    return [f"{curve.label} {curve.unit}" for curve in curves]


def test_each_kind_of_selection_has_its_curves(juggling: hoi.EditSession) -> None:
    seen = juggling.rollout
    assert labels(curves_of(seen, "ball1", SCALE)) == ["x m", "y m", "z m", "speed m/s"]
    assert labels(curves_of(seen, "juggler/right_forearm", SCALE)) == ["X °", "Y °"]
    assert labels(curves_of(seen, "juggler", SCALE)) == ["x m", "y m", "z m", "Y °", "X °", "Z °"]
    assert curves_of(seen, None, SCALE) == [] and curves_of(seen, "ground", SCALE) == []
    assert title_of(seen, "juggler") == "juggler's pelvis"
    assert title_of(seen, "juggler/right_palm") == "juggler's right hand"  # a site has the curves of its joint


def test_curves_are_what_the_scene_does(juggling: hoi.EditSession) -> None:
    seen = juggling.rollout
    x, y, _, speed = curves_of(seen, "ball1", SCALE)
    state = seen.state("ball1", 1.05)
    assert x.at(1.05) == pytest.approx(state.position[0], abs=1e-3)
    assert y.at(1.05) == pytest.approx(state.position[1], abs=1e-3)
    assert speed.at(1.05) == pytest.approx(np.linalg.norm(state.velocity), abs=0.02)
    names = seen.model.scene.characters[0].skeleton.topology.dof_names
    elbow = curves_of(seen, "juggler/right_forearm", SCALE)[0]
    row = seen.poses("juggler", np.array([1.05]))[0]
    assert elbow.at(1.05) == pytest.approx(np.degrees(row[names.index("right_forearm.Xrotation")]), abs=0.2)


def test_a_speed_jumps_where_a_ball_is_caught(juggling: hoi.EditSession) -> None:
    catch = next(event for event in juggling.rollout.events if event.kind == "grasp" and event.object == "ball1")
    curve = curves_of(juggling.rollout, "ball1", SCALE)[3]
    assert curve.at(catch.time - 3e-5) - curve.at(catch.time) > 0.5


def test_points_are_the_control_points_and_never_too_close(juggling: hoi.EditSession) -> None:
    close = curves_of(juggling.rollout, "juggler/right_forearm", SCALE)[0].points
    assert close is not None and np.diff(close) == pytest.approx(0.1)
    wide = curves_of(juggling.rollout, "juggler/right_forearm", Scale(0.0, 10.0, 100.0, 400.0))[0].points
    assert wide is not None and np.diff(wide) == pytest.approx(0.3)


def test_what_is_under_the_pointer(juggling: hoi.EditSession) -> None:
    plots = lay_out_plots(curves_of(juggling.rollout, "ball1", SCALE), 30.0, 200.0, 10.0)
    assert [plot.unit for plot in plots] == ["m", "m/s"]
    curve, axis = plots[0].curves[1], plots[0].axis
    found = hit_at(plots, SCALE, SCALE.x(1.1) + 3.0, axis.y(curve.at(1.1)) - 3.0)
    assert found is not None and found.curve is curve and found.t == pytest.approx(1.1)
    between = hit_at(plots, SCALE, SCALE.x(1.15), axis.y(curve.at(1.15)) + 1.0)
    assert between is not None and between.t == pytest.approx(1.15, abs=0.06)
    speed = plots[1]
    assert hit_at(plots, SCALE, SCALE.x(1.1), speed.axis.y(speed.curves[0].at(1.1))) is None  # it only follows
    assert axis.top <= axis.y(curve.values.max()) and axis.y(curve.values.min()) <= axis.top + axis.height


def test_a_drag_asks_for_one_axis_or_one_angle(juggling: hoi.EditSession) -> None:
    y = curves_of(juggling.rollout, "ball1", SCALE)[1]
    np.testing.assert_array_equal(y.target(1.7), [np.nan, 1.7, np.nan])
    elbow = curves_of(juggling.rollout, "juggler/right_forearm", SCALE)[0]
    assert elbow.target(90.0) == pytest.approx(np.pi / 2)
    assert curves_of(juggling.rollout, "juggler", SCALE)[1].target(0.9) == 0.9  # the height of the pelvis


def test_axes_are_kept_while_something_is_dragged(juggling: hoi.EditSession) -> None:
    plots = lay_out_plots(curves_of(juggling.rollout, "ball1", SCALE), 30.0, 200.0, 10.0)
    later = lay_out_plots(curves_of(juggling.rollout, "ball2", SCALE), 30.0, 200.0, 10.0)
    assert [plot.axis for plot in with_axes_of(later, plots)] == [plot.axis for plot in plots]


def test_an_axis_goes_up_and_has_round_ticks() -> None:
    axis = Axis(-1.0, 1.0, 50.0, 100.0)
    assert (axis.y(1.0), axis.y(-1.0), axis.value(100.0)) == (50.0, 150.0, 0.0)
    assert axis.ticks() == ([-1.0, -0.5, 0.0, 0.5, 1.0], 1)
