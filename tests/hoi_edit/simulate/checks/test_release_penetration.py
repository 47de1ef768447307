"""A hand that lets go and does not get out of the way: nothing stops it, but it is told."""

import numpy as np
import pytest

from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Held, Scene, Thing
from hoi_edit.simulate.checks.release_penetration import DEEP
from hoi_edit.truth.paddle_rig import HALF, Curve, rig, still
from rigid.body import Body, ball, box
from rigid.impact import Material
from ui.words.fixes import ShowTime
from ui.words.problems import in_scene

RELEASE, END, SIDE = 0.3, 0.6, 0.04
BODIES = {"ball": ball(0.1, SIDE), "box": box(0.1, np.full(3, SIDE))}


def let_go(height: Curve, body: Body) -> Rollout:
    """A thing that lies on a paddle and is released; it does nothing but fall from where it was."""
    held = Held("rig/palm", position=np.array([0.0, HALF[1] + SIDE, 0.0]), release=RELEASE)
    thing = Thing("it", body, held, Material(0.5, 0.5))
    model = Model.of(Scene(characters=[rig(still(0.0), height, still(0.0), still(0.0), END)], things=[thing], end=END))
    return model.simulate(model.start)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_still_palm_below_what_it_lets_go_is_told(body: Body) -> None:
    rollout = let_go(still(1.0), body)
    (told,) = rollout.pushed
    assert (told.thing, told.hand, told.release) == ("it", "rig/paddle", RELEASE)
    # it falls by as much as it is in; halfway through the paddle the other side is nearer
    fallen = 0.5 * 9.81 * (told.time - RELEASE) ** 2
    assert told.depth == pytest.approx(min(fallen, 2.0 * (HALF[1] + SIDE) - fallen), abs=2e-3)
    assert told.depth > 0.9 * (HALF[1] + SIDE)
    assert "rig/paddle" in str(told) and "it, which it let go at 0.30 s" in str(told)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_palm_that_goes_on_pushing_is_told(body: Body) -> None:
    rollout = let_go(lambda t: 1.0 + 4.0 * t**2, body)
    assert [own.hand for own in rollout.pushed] == ["rig/paddle"] and rollout.pushed[0].depth > 20 * DEEP


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_palm_that_slows_down_faster_than_things_fall_is_not(body: Body) -> None:
    rollout = let_go(lambda t: 1.0 + 6.0 * t - 10.0 * t**2, body)
    assert [event.kind for event in rollout.events][:1] == ["release"] and rollout.pushed == ()


def test_a_hand_that_is_already_in_what_it_holds_does_not_push_it() -> None:
    """A fist around a bat: what it was in at the release is not counted."""
    held = Held("rig/palm", position=np.array([0.0, HALF[1] + 0.5 * SIDE, 0.0]), release=RELEASE)
    down = rig(still(0.0), lambda t: 1.0 + 6.0 * t - 12.0 * t**2, still(0.0), still(0.0), END)
    thing = Thing("it", BODIES["ball"], held, Material(0.5, 0.5))
    model = Model.of(Scene(characters=[down], things=[thing], end=END))
    assert model.simulate(model.start).pushed == ()


def test_the_editor_lists_it() -> None:
    from hoi_edit.edit.document import Document

    rollout = let_go(still(1.0), BODIES["ball"])
    document = Document(rollout.model.scene, rollout.u, rollout.nodes)
    (problem,) = in_scene(rollout, document)
    assert "mm into it" in problem.text and "still pushes" in problem.text
    assert problem.fixes[0].do == ShowTime("it", rollout.pushed[0].time)
