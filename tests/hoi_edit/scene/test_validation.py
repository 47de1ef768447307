"""What is wrong with a scene is told in a sentence, when it is made or opened."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.motions.base import clip_of
from hoi_edit.qp.weights import weights
from hoi_edit.scene.controls import Layout, initial_controls
from hoi_edit.truth.truth_scenes import flying
from kinematics.errors import HoiError
from rigid.distance import RoundedBox
from tests.hoi_edit.session.thrown_ball import flat, place

# given what their types would not let pass
SCENE, THING, CHARACTER, BALL, MATERIAL = (
    getattr(hoi, name) for name in ("Scene", "Thing", "Character", "ball", "Material")
)


def held(name: str, release: float | None = None) -> hoi.Thing:
    return hoi.Thing(name, hoi.ball(0.1, 0.03), hoi.Held("rig/palm", release))


UP = np.array([0.0, 1.0, 0.0])


def thrown(position: Any, name: Any = "a") -> hoi.Thing:
    return hoi.Thing(name, hoi.ball(0.1, 0.05), hoi.Flying(position))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: BALL(0.1, "3cm"), "the radius of a ball must be a positive number, not '3cm'"),
        (lambda: CHARACTER.of("ann", "my.bvh"), "'my.bvh', which is no clip; read_clip"),
        (lambda: SCENE([], held("a")), r"are a Thing; give a list of hoi\.Thing"),
        (lambda: SCENE([clip_of_rig()]), r"a Clip is among the characters .* Character\.of"),
        (lambda: SCENE([], [THING("a", hoi.ball(0.1, 0.1), [0, 1, 0])]), r"start of thing 'a' is \[0, 1, 0\]"),
        (lambda: SCENE([], [THING("a", 0.1, hoi.Flying(np.ones(3)))]), "body of thing 'a' is 0.1"),
        (lambda: hoi.open(SCENE([flat()], [held("a", -1.0)])), "to be released at -1 s, but the scene runs from 0 s"),
        (
            lambda: hoi.open(SCENE([flat()], [held("a", 50.0)])),
            "to be released at 50 s, but the scene runs from 0 s to 10 s",
        ),
        (lambda: hoi.open(SCENE([flat()], [held("a"), held("b")])), "'a' and 'b' start at one place in 'rig/palm'"),
        (lambda: SCENE([], [thrown(["a", "b", "c"])]), r"velocity \['a', 'b', 'c'\], not three numbers"),
        (lambda: SCENE([], [thrown([[1], [1, 2], 3])]), "not three numbers"),
        (lambda: SCENE([], [thrown(UP)], end="1"), "an end or a gravity that is not a finite number"),
        (lambda: SCENE([], [thrown(UP)], gravity="down"), "is 'down'; it must be three numbers"),
        (lambda: SCENE([], [thrown(UP, 5)]), "^5 cannot be a name; a name is some text"),
        (lambda: SCENE([], [thrown(UP, None)]), "^None cannot be a name"),
        (lambda: SCENE([], [thrown(UP, "")]), "^'' cannot be a name"),
        (lambda: SCENE([], [thrown(UP), thrown(UP)]), "two things of the scene are called 'a'; names must differ"),
        (lambda: hoi.open(SCENE([], [thrown([0, -2.06, 0])], [hoi.ground()])), "'a' starts 2.06 m below the top"),
        (lambda: hoi.open(SCENE([], [thrown([0, -1.2, 0])], [hoi.ground()])), "'a' starts .* inside 'ground'"),
        (lambda: hoi.open(SCENE([], [thrown([0, 0.9, 0])], [hoi.ground(3.0)])), "'a' starts 2.1 m below the top"),
        (lambda: hoi.ground("a"), "the height of the ground is 'a'"),  # type: ignore[arg-type]
        (
            lambda: hoi.open(
                SCENE([], [flying((0, 1, 0), name="a")], [hoi.ground()], [hoi.Contact("c", "a", "ground", 17.0)])
            ),
            "'c' is to be at 17 s, but the scene runs from 0 s to 10 s",
        ),
    ],
)
def test_a_scene_that_makes_no_sense_is_refused(make: Callable[[], Any], what: str) -> None:
    with pytest.raises(HoiError, match=what):
        make()


def clip_of_rig() -> Any:
    return clip_of(flat().motion, flat().motion.parameters(), flat().skeleton, "rig")


# -- numbers of fixtures, materials and contacts ----------------------------------------------------------------------

BOX = RoundedBox(np.full(3, 0.1), 0.0)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"shape": RoundedBox(np.full(3, np.nan), 0.0)}, r"half extents of fixture 'f' are \[nan, nan, nan\]"),
        ({"shape": RoundedBox(-np.ones(3), 0.0)}, "half extents of fixture 'f' are .* zero or more"),
        ({"shape": RoundedBox(np.ones((3, 3)), 0.0)}, r"half extents of fixture 'f' are of shape \(3, 3\)"),
        ({"shape": RoundedBox(np.ones(3), -0.1)}, "radius of fixture 'f' is -0.1; .* zero or more"),
        ({"shape": RoundedBox(np.ones(3), np.nan)}, "radius of fixture 'f' is nan"),
        ({"shape": hoi.ball(1.0, 0.1)}, r"shape of fixture 'f' is a Body; .*RoundedBox\(half_extents, radius\)"),
        ({"position": np.array([0.0, np.nan, 0.0])}, "position of fixture 'f' is .* three numbers"),
        ({"position": np.zeros(2)}, r"position of fixture 'f' is \[0.0, 0.0\]; it must be three numbers"),
        ({"rotation": 2.0 * np.eye(3)}, "rotation of fixture 'f' is no rotation matrix"),
        ({"rotation": np.diag([1.0, 1.0, -1.0])}, "rotation of fixture 'f' is no rotation matrix"),
    ],
)
def test_a_fixture_that_makes_no_sense_is_refused(given: dict[str, Any], what: str) -> None:
    with pytest.raises(HoiError, match=what) as told:
        hoi.Scene([], [], [replace(hoi.Fixture("f", BOX), **given)])
    assert "\n" not in str(told.value)


def test_lists_are_numbers_too() -> None:
    shelf = hoi.Fixture("shelf", RoundedBox([0.1, 0.1, 0.1], 0), [0, 0.3, 0])  # type: ignore[arg-type]
    session = hoi.open(hoi.Scene([], [thrown([0, 1, 0])], [shelf], end=0.5))
    assert session.rollout.events[0].other == "shelf"


@pytest.mark.parametrize(
    ("material", "what"),
    [
        (MATERIAL("a", 0.1), "the restitution of thing 'a' is 'a'; it must be between 0 and 1"),
        (MATERIAL(None), "the restitution of thing 'a' is None"),
        (MATERIAL([0.5]), r"the restitution of thing 'a' is \[0.5\]"),
        (MATERIAL(0.5, "b"), "the friction of thing 'a' is 'b'; it must be zero or more"),
        (MATERIAL(0.5, -1.0), "the friction of thing 'a' is -1"),
        (None, r"the material of thing 'a' is None; make one with hoi\.Material"),
    ],
)
def test_a_material_that_makes_no_sense_is_refused(material: Any, what: str) -> None:
    with pytest.raises(HoiError, match=what):
        hoi.Scene([], [replace(thrown(UP), material=material)])


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"restitution": "b"}, "the restitution of contact 'c' is 'b'"),
        ({"restitution": 1.4}, "the restitution of contact 'c' is 1.4"),
        ({"friction": "b"}, "the friction of contact 'c' is 'b'"),
        ({"friction": ""}, "the friction of contact 'c' is ''"),
        ({"time": "soon"}, "contact 'c' has the time soon; it must be a number of seconds"),
        ({"release": "soon"}, "contact 'c' is to be released at 'soon'; give a time, or None"),
        ({"other": 5}, "the partner of contact 'c' is 5; give a name"),
        ({"id": 5}, "^5 cannot be a name"),
    ],
)
def test_a_contact_that_makes_no_sense_is_refused(given: dict[str, Any], what: str) -> None:
    own: dict[str, Any] = {"id": "c", "object": "a", "other": "ground", "time": 0.4} | given
    with pytest.raises(HoiError, match=what):
        hoi.Scene([], [thrown(UP)], [hoi.ground()], [hoi.Contact(**own)])


# -- names ------------------------------------------------------------------------------------------------------------


def test_names_may_have_dots() -> None:
    body = replace(flat(), name="walk.01")
    things = [flying((0.05, 1.6, 0.0), name="walk.ball"), flying((0.5, 1.6, 0.0), name="walk")]
    contacts = [hoi.Contact("walk.01", "walk.ball", "walk.01/palm", 0.33)]  # even that of a character
    session = hoi.open(hoi.Scene([body], things, [hoi.ground()], contacts, end=0.5))
    plain = hoi.open(
        hoi.Scene(
            [flat()],
            [replace(things[0], name="b"), replace(things[1], name="a")],
            [hoi.ground()],
            [hoi.Contact("hit", "b", "rig/palm", 0.33)],
            end=0.5,
        )
    )
    assert np.array_equal(weights(session.model), weights(plain.model))
    names = {"rig": "walk.01", "a": "walk", "b": "walk.ball", "hit": "walk.01"}
    for block, own in zip(plain.layout.blocks, session.layout.blocks, strict=True):
        assert own.owner == names[block.owner] and (own.part, own.group) == (block.part, block.group)
    assert np.array_equal(session.layout.free, plain.layout.free)
    for one, name, other in ((session, "walk.ball", "walk"), (plain, "b", "a")):
        one.lock(other)
        one.window(0.0, 0.5)
        one.free(scales={f"{name}.velocity": 2.0})
        assert one.drag(name, 0.1, place(one, name, 0.1) + [0.02, 0.0, 0.0]).converged
    assert np.abs(session.u - plain.u).max() < 1e-12
    assert not np.array_equal(session.u, session.history[0].document.u)  # a lock of "walk" is not one of the others
    with pytest.raises(HoiError, match=r"choose from: walk\.01, walk, walk\.ball"):
        session.lock("walk.02")


def test_a_block_has_one_name() -> None:
    own = hoi.Scene([replace(flat(), name="ball.position")], [flying((0.05, 1.6, 0.0))], end=0.5)
    with pytest.raises(HoiError, match=r"would both have a block 'ball\.position'"):
        Layout.of(initial_controls(own))
