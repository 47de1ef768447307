"""The verifier: true documents pass, and each way of spoiling one is found and named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.cli import main
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.edit.document import Document
from hoi_edit.session import EditSession
from hoi_edit.session.stored_history import load, save
from hoi_edit.truth.truth_scenes import floor_bounce
from hoi_edit.verify import Measure, measures
from hoi_edit.verify.replay import root
from tests.hoi_edit.session.thrown_ball import scene as thrown

SCENES = ("juggle3", "soccer", "baseball", "passing6")


def off(session: EditSession) -> list[Measure]:
    return [own for own in measures(session) if own.is_off]


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A juggler with a drag, a pin, a lock and constraints of every kind, saved."""
    session = hoi.open("juggle3")
    session.add(hoi.Pin("ball2", 3.5, position=session.state("ball2", 3.5).position))
    session.lock("juggler/right_upper_arm")
    session.add(hoi.JointLimits.of(session.rollout, "juggler"))
    session.add(hoi.SoftCatch(session.scene.contacts[4].id, 1.2))
    session.add(standing(session.rollout, 1.5, 2.5)[0])
    assert session.drag("ball1", 4.5, session.state("ball1", 4.5).position + [0.05, 0.1, 0.0]).converged
    path = tmp_path_factory.mktemp("edited") / "juggle.hoi"
    session.save(path)
    return path


@pytest.fixture(scope="module")
def kicked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ball kept up, dragged and saved: its nodes are flights."""
    session = hoi.open("soccer")
    assert session.drag("ball", 1.5, session.state("ball", 1.5).position + [0.05, 0.05, 0.0]).converged
    path = tmp_path_factory.mktemp("kicked") / "soccer.hoi"
    session.save(path)
    return path


def spoilt(path: Path, folder: Path, how: Callable[[Document], Document]) -> Path:
    """A copy of a document whose last state was tampered with."""
    steps, now = load(path)
    steps[now] = replace(steps[now], document=how(steps[now].document))
    save(folder / "spoilt.hoi", steps, now)
    return folder / "spoilt.hoi"


@pytest.mark.parametrize("name", SCENES)
def test_built_in_scenes_are_true(name: str) -> None:
    found = list(measures(hoi.open(name)))
    assert not [str(own) for own in found if own.is_off]
    kinds = {own.kind for own in found}
    assert {"bodies", "flight", "continuity", "gap", "penetration", "contacts", "source", "gradient"} <= kinds


def test_edited_documents_are_true(edited: Path, kicked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (edited, kicked):
        assert main(["check", str(path)]) == 0, capsys.readouterr().out
        assert capsys.readouterr().out.startswith("all is well")
    kinds = {own.kind for own in measures(hoi.open(str(edited)))}
    assert {"pins", "limits", "soft catches", "feet", "locks"} <= kinds


def test_a_nudged_velocity_is_found(kicked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def nudge(document: Document) -> Document:
        state = np.array(document.nodes["touch2"].state)
        state[12] += 1e-3
        return replace(document, nodes={**document.nodes, "touch2": replace(document.nodes["touch2"], state=state)})

    path = spoilt(kicked, tmp_path, nudge)
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("ball goes on after touch2 as it left" in line and "off by 0.001 m/s" in line for line in lines), lines
    assert lines[0].startswith("off: ") and max(map(len, lines)) < 130


def test_a_moved_pin_is_found(edited: Path, tmp_path: Path) -> None:
    def move(document: Document) -> Document:
        pin = document.constraints[0]
        assert isinstance(pin, hoi.Pin)
        moved = replace(pin, position=pin.position + [0.001, 0.0, 0.0])
        return replace(document, constraints=(moved, *document.constraints[1:]))

    found = off(EditSession.load(spoilt(edited, tmp_path, move)))
    assert [own.what for own in found] == ["ball2 is where it is pinned"]
    assert found[0].off == pytest.approx(1e-3, rel=1e-2) and found[0].time == 3.5


def test_a_locked_entry_that_changed_is_found(edited: Path, tmp_path: Path) -> None:
    session = EditSession.load(edited)
    character = session.scene.character("juggler")
    dof = character.skeleton.dofs_of(character.skeleton.segment("right_upper_arm"))[0]
    name = character.skeleton.topology.dof_names[dof]

    def bend(document: Document) -> Document:
        u = document.u.copy()
        block = session.layout["juggler"]
        u[block.indices].reshape(block.shape)[60, dof] += 1e-9
        return replace(document, u=u)

    found = off(EditSession.load(spoilt(edited, tmp_path, bend)))
    assert [own.kind for own in found] == ["locks"]
    assert f"juggler/{name} at control point 60, locked, is unchanged by 'drag ball1" in found[0].what


def test_bent_physics_is_found(kicked: Path, tmp_path: Path) -> None:
    entry = EditSession.load(kicked).layout["touch2.restitution"].start

    def bend(document: Document) -> Document:
        u = document.u.copy()
        u[entry] += 0.01
        return replace(document, u=u)

    found = off(EditSession.load(spoilt(kicked, tmp_path, bend)))
    assert any(own.kind == "locks" and "touch2.restitution" in own.what for own in found)
    assert any(own.kind == "continuity" and "after touch2" in own.what for own in found)


def test_laws_of_something_that_became_bouncier_are_no_broken_locks(tmp_path: Path) -> None:
    session = EditSession(floor_bounce(0.6, 0.4))
    contact = session.scene.contacts[0].id
    assert session.change_thing("ball", restitution=0.5, friction=0.3).converged
    assert not [own for own in off(session) if own.kind == "locks"]
    session.save(tmp_path / "a.hoi")
    session.close()
    entry = session.layout[f"{contact}.restitution"].start

    def bend(document: Document) -> Document:
        u = document.u.copy()
        u[entry] += 0.01
        return replace(document, u=u)

    found = off(EditSession.load(spoilt(tmp_path / "a.hoi", tmp_path, bend)))
    assert any(own.kind == "locks" and f"{contact}.restitution" in own.what for own in found)


@pytest.mark.parametrize(
    ("block", "inside"), [("by.velocity", False), ("catch.release", False), ("catch.release", True)]
)
def test_starts_and_releases_outside_a_window_are_kept(tmp_path: Path, block: str, inside: bool) -> None:
    session = EditSession(thrown())
    release = float(session.layout["catch.release"].of(session.u))
    session.window(0.2, release + (0.1 if inside else -0.1))
    session.lock("rig")  # a step to spoil
    session.save(tmp_path / "a.hoi")
    session.close()
    entry = session.layout[block].start

    def move(document: Document) -> Document:
        u = document.u.copy()
        u[entry] += 1e-4
        return replace(document, u=u)

    found = [
        own.what for own in off(EditSession.load(spoilt(tmp_path / "a.hoi", tmp_path, move))) if own.kind == "locks"
    ]
    assert any(block in what for what in found) != inside, found


def test_a_ball_that_starts_in_a_limb_is_found(kicked: Path, tmp_path: Path) -> None:
    session = EditSession.load(kicked)
    block = session.layout["ball.position"].indices
    inside = session.state("player/head", session.scene.start).position

    def move(document: Document) -> Document:
        u = document.u.copy()
        u[block] = inside + [0.0, 0.02, 0.05]
        return replace(document, u=u)

    found = off(EditSession.load(spoilt(kicked, tmp_path, move)))
    deep = next(own for own in found if own.what == "ball is outside player/head")
    assert str(deep).startswith(f"ball is inside player/head at {deep.time:.4f} s, by {deep.off:.2g} m")
    assert any(own.kind in ("contacts", "continuity") and "touch1" in own.what for own in found), found


def test_a_claim_that_does_not_hold_does_not_read_as_if_it_did() -> None:
    assert str(Measure("gap", "ball touches palm", 1.0, 0.1, 1e-8)).startswith("not so: ball touches palm at 1.0000 s;")
    assert str(Measure("gap", "ball touches palm", 1.0, 0.0, 1e-8)).startswith(
        "ball touches palm at 1.0000 s: off by 0"
    )


def test_a_ball_that_floats_beside_the_hand_is_found() -> None:
    session = hoi.open("juggle3")
    u, out = session.u, session.scene.character("juggler").skeleton.site("right_palm").rotation[:, 2]
    u[session.layout["ball1.position"].indices] += 0.01 * out
    session._done("float", session.history[0].call, replace(session.document, u=u))
    assert any(own.kind == "in hand" and own.what.startswith("ball1 lies as close to") for own in off(session))


def test_a_hand_that_passes_through_what_it_let_go_is_found() -> None:
    session = hoi.open("juggle3")
    u = session.u
    u[session.layout["ball1.release"].start] -= 0.15  # while the hand is still on its way up
    session._done("early", session.history[0].call, replace(session.document, u=u))
    assert any(own.kind == "let go" and "ball1" in own.what for own in off(session))


def test_a_source_that_is_not_the_scenes_is_found(edited: Path, tmp_path: Path) -> None:
    steps, now = load(edited)
    first = steps[0].document
    u = first.u.copy()
    u[session_entry(first)] += 0.5
    steps[0] = replace(steps[0], document=replace(first, u=u))
    save(tmp_path / "a.hoi", steps, now)
    assert any(own.kind == "source" for own in off(EditSession.load(tmp_path / "a.hoi")))


def session_entry(document: Document) -> int:
    return len(document.u) // 2


def test_a_plan_that_is_only_declared_is_not_true() -> None:
    found = off(hoi.open("juggle3:start"))
    assert any(own.kind == "declared" and "catch1" in own.what for own in found)


def test_bounces_rolling_and_air_pass() -> None:
    fast = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.5, 0.0, 0.0]), angular_velocity=np.array([0.0, 0.0, 30.0]))
    thrown = hoi.Flying(
        np.array([0.0, 1.0, 2.0]), np.array([8.0, 3.0, 0.0]), angular_velocity=np.array([0.0, 40.0, 9.0])
    )
    tumbling = hoi.Flying(
        np.array([0.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0]), angular_velocity=np.array([3.0, 1.0, 5.0])
    )
    rubber = hoi.Material(0.6, 0.5)
    things = [
        hoi.Thing("first", hoi.ball(0.1, 0.05), fast, rubber),
        hoi.Thing("second", hoi.ball(0.2, 0.06), hoi.Flying(np.array([0.5, 1.02, 0.01]), np.zeros(3)), rubber),
        hoi.Thing("windy", hoi.ball(0.05, 0.04), thrown, rubber, hoi.air_for(0.05, 0.04, wind=(0.0, 0.0, 2.0))),
        hoi.Thing("stick", hoi.capsule(0.3, 0.02, 0.2), tumbling, rubber),
    ]
    session = hoi.open(hoi.Scene((), things, [hoi.ground()], end=1.2))
    met = [event for event in session.rollout.events if event.kind == "impact" and event.other == "second"]
    assert met  # two free balls
    found = list(measures(session))
    assert not [str(own) for own in found if own.is_off]
    assert {"momentum", "restitution", "friction"} <= {own.kind for own in found}


@pytest.mark.parametrize("digits", [15, 9, 6])
def test_a_touch_is_found_as_exactly_as_its_gap_can_be_told(digits: int) -> None:
    """A gap of few digits is level around its root: secants have no slope there."""
    found = root(lambda t: round(3.0 * (t - 0.7) - 4.9 * (t - 0.7) ** 2, digits), 0.7 + 2e-6)
    assert abs(found - 0.7) <= 10.0**-digits


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.hoi").write_bytes(b"PK nothing")
    for arguments, why in (
        (["check"], "check wants a .hoi file or a built-in scene"),
        (["check", "lost.hoi"], "lost.hoi"),
        (["check", str(tmp_path / "broken.hoi")], "cut short or damaged"),
        (["check", "juggle9"], "unknown scene 'juggle9'"),
    ):
        assert main(arguments) == 2
        errors = capsys.readouterr().err.splitlines()
        assert len(errors) == 1 and why in errors[0], errors
