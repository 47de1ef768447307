"""Things, people and ground that become heavier, larger, bouncier or rougher: the law itself, contacts that stay, and
what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.thing_changes import altered_thing, values_of
from hoi_edit.truth.truth_scenes import floor_bounce
from rigid.air import air_for


def bounced(session: hoi.EditSession) -> float:
    """How much of its speed against the floor the ball keeps at the intended touch."""
    t = next(event.time for event in session.rollout.events if event.contact == "floor")
    before, after = (session.state("ball", t + dt).velocity[1] for dt in (-1e-6, 1e-6))
    return float(-after / before)


def dropped() -> hoi.EditSession:
    """Onto the floor, on purpose, by the law of the two materials."""
    scene = floor_bounce(0.6, 0.4)
    (touch,) = scene.contacts
    return hoi.EditSession(replace(scene, contacts=[replace(touch, restitution=None, friction=None)]))


def test_a_touch_with_a_law_of_its_own_keeps_it() -> None:
    own = hoi.EditSession(floor_bounce(0.6, 0.4))
    own.change_thing("ball", restitution=0.1)
    assert bounced(own) == pytest.approx(0.6, abs=1e-4) and own.bent == ()


def test_a_ball_that_is_to_bounce_less_does_and_still_touches_where_it_is_meant_to() -> None:
    own = dropped()
    ground = float(np.asarray(own.scene.fixtures[0].material.restitution))
    first, was = own.document, bounced(own)
    wanted = 0.5 * values_of(own.scene.thing("ball"))["restitution"]
    report = own.change_thing("ball", restitution=wanted)
    assert report.converged and report.events_changed == ()
    assert bounced(own) == pytest.approx(wanted * ground, abs=1e-4) and abs(bounced(own) - was) > 0.1
    assert own.bent == () and own.rollout.missed == ()  # it is the thing that is another one, not its law that is bent
    assert own.history[-1].label == f"change ball: restitution {wanted:g}"
    assert own.undo() and own.document is first and bounced(own) == pytest.approx(was)


def test_pins_and_contacts_are_kept_by_those_who_play_the_ball() -> None:
    own = hoi.open("soccer")
    touches = [event.contact for event in own.rollout.events if event.intended]
    place = own.state("ball", 2.0).position
    own.add(hoi.Pin("ball", 2.0, position=place))
    assert own.change_thing("ball", restitution=0.88).converged
    assert [event.contact for event in own.rollout.events if event.intended] == touches
    assert own.state("ball", 2.0).position == pytest.approx(place, abs=1e-6)
    straight = own.model.simulate(own.document.u, own.document.nodes)  # as a file would open it
    assert straight.missed == () and own.bent == ()


def test_a_larger_ball_touches_the_floor_from_higher_up() -> None:
    own = hoi.EditSession(floor_bounce(0.6, 0.4))
    radius = 1.5 * values_of(own.scene.thing("ball"))["radius"]
    own.change_thing("ball", radius=radius, mass=2.0)
    t = next(event.time for event in own.rollout.events if event.contact == "floor")
    assert own.state("ball", t).position[1] == pytest.approx(radius, abs=1e-9)


def test_inertia_and_air_follow() -> None:
    thing = hoi.Thing("ball", hoi.ball(0.2, 0.1), hoi.Flying(np.zeros(3)), air=air_for(0.2, 0.1))
    changed, expected = altered_thing(thing, {"mass": 0.5, "radius": 0.2}), hoi.ball(0.5, 0.2)
    assert changed.body.moments == pytest.approx(expected.moments) and changed.air is not None
    air = air_for(0.5, 0.2)
    assert np.asarray(changed.air.drag) == pytest.approx(np.asarray(air.drag))
    assert np.asarray(changed.air.magnus) == pytest.approx(np.asarray(air.magnus))
    box = hoi.Thing("box", hoi.box(1.0, [0.1, 0.2, 0.3]), hoi.Flying(np.zeros(3)))
    assert altered_thing(box, {"mass": 3.0}).body.moments == pytest.approx(hoi.box(3.0, [0.1, 0.2, 0.3]).moments)


def test_it_comes_back_from_its_file_and_from_its_script(tmp_path: Path) -> None:
    own = dropped()
    own.change_thing("ball", restitution=0.3, friction=0.2)
    own.save(tmp_path / "a.hoi")
    again = hoi.open(tmp_path / "a.hoi")
    assert values_of(again.scene.thing("ball")) == values_of(own.scene.thing("ball"))
    fresh = dropped()
    exec(own.script().replace("hoi.open(scene)", "fresh"), {"fresh": fresh})
    for other in (again, fresh):
        assert np.array_equal(other.state("ball", 0.8).position, own.state("ball", 0.8).position)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({}, "nothing is to change about 'ball'; give one of: mass, restitution, friction, radius"),
        ({"mass": 0.0}, "mass of 'ball' must be more than 0, not 0"),
        ({"restitution": 1.2}, "restitution of 'ball' must be from 0 to 1, not 1.2"),
        ({"friction": float("nan")}, "friction of 'ball' must be 0 or more, not nan"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(wanted: dict[str, float], words: str) -> None:
    own = hoi.EditSession(floor_bounce(0.6, 0.4))
    with pytest.raises(hoi.HoiError, match=words):
        own.change_thing("ball", **wanted)  # type: ignore[arg-type]
    assert len(own.history) == 1


def test_a_radius_is_refused_where_there_is_none_and_in_hands() -> None:
    box = hoi.Thing("box", hoi.box(1.0, [0.1, 0.2, 0.3]), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    with pytest.raises(hoi.HoiError, match="radius of 'box' cannot be changed: it is no ball"):
        hoi.EditSession(hoi.Scene(things=[box], end=0.3)).change_thing("box", radius=0.2)
    with pytest.raises(hoi.HoiError, match="radius of 'ball1' cannot be changed: hands"):
        hoi.open("juggle3").change_thing("ball1", radius=0.05)
    with pytest.raises(hoi.HoiError, match="nobody"):
        hoi.open("juggle3").change_thing("nobody", mass=0.05)


def test_a_floor_that_takes_more_gives_back_less_and_the_touch_stays() -> None:
    own = dropped()
    first, ball = own.document, values_of(own.scene.thing("ball"))["restitution"]
    report = own.change_material("ground", restitution=0.5)
    assert report.converged and report.events_changed == ()
    assert bounced(own) == pytest.approx(0.5 * ball, abs=1e-4) and own.bent == ()
    assert own.history[-1].label == "change ground: restitution 0.5"
    assert own.undo() and own.document is first and own.redo()
    assert values_of(own.scene.fixtures[0]) == {"restitution": 0.5, "friction": first_friction(own)}


def first_friction(own: hoi.EditSession) -> float:
    return float(np.asarray(own.history[0].document.scene.fixtures[0].material.friction))


def test_a_player_of_another_material_still_plays_every_touch() -> None:
    own = hoi.open("soccer")
    player = own.scene.characters[0]
    touches = [event.contact for event in own.rollout.events if event.intended]
    wanted = values_of(player)["restitution"] - 0.05
    assert own.change_material(player.name, restitution=wanted).converged
    assert values_of(own.scene.characters[0])["restitution"] == wanted
    assert [event.contact for event in own.rollout.events if event.intended] == touches
    straight = own.model.simulate(own.document.u, own.document.nodes)  # as a file would open it
    assert straight.missed == () and own.bent == ()


def test_a_thing_has_a_material_as_well() -> None:
    own, other = dropped(), dropped()
    own.change_material("ball", restitution=0.3)
    other.change_thing("ball", restitution=0.3)
    assert np.array_equal(own.document.u, other.document.u)


def test_a_material_comes_back_from_its_file_and_from_its_script(tmp_path: Path) -> None:
    own = dropped()
    own.change_material("ground", restitution=0.7, friction=0.2)
    own.save(tmp_path / "a.hoi")
    again, fresh = hoi.open(tmp_path / "a.hoi"), dropped()
    exec(own.script().replace("hoi.open(scene)", "fresh"), {"fresh": fresh})
    for other in (again, fresh):
        assert values_of(other.scene.fixtures[0]) == {"restitution": 0.7, "friction": 0.2}
        assert np.array_equal(other.state("ball", 0.8).position, own.state("ball", 0.8).position)


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        ("ground", {}, "nothing is to change about 'ground'; give one of: restitution, friction"),
        ("ground", {"restitution": -0.1}, "restitution of 'ground' must be from 0 to 1, not -0.1"),
        ("juggler", {"friction": float("inf")}, "friction of 'juggler' must be 0 or more, not inf"),
        ("juggler/head", {"friction": 0.5}, "'juggler/head' has no material of its own: all of 'juggler' is of one"),
        ("nobody", {"friction": 0.5}, "nobody.*juggler, ball1, ball2, ball3, ground"),
    ],
)
def test_a_material_that_makes_no_sense_is_one_sentence(name: str, wanted: dict[str, float], words: str) -> None:
    own = hoi.open("juggle3")
    with pytest.raises(hoi.HoiError, match=words):
        own.change_material(name, **wanted)  # type: ignore[arg-type]
    assert len(own.history) == 1


def test_a_floor_is_no_thing() -> None:
    with pytest.raises(hoi.HoiError, match="ground"):
        dropped().change_thing("ground", restitution=0.5)
