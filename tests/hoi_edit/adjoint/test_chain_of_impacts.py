"""A ball kept up on a head for twelve touches: every link of the chain is true, though the whole chain is hopeless.

Each touch on something round multiplies what came before, so a derivative over all of them says nothing; from the nodes
between them every stretch is a small, tame function.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.adjoint import Functional, Target
from hoi_edit.motions.frame_motion import jacobians
from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Scene
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.trajectory import Node
from hoi_edit.truth.difference_quotients import extrapolated
from hoi_edit.truth.paddle_rig import HEAD, HEAD_RADIUS, REACH, rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying
from kinematics.rotation import Floats, rotation_exp

TOUCHES = 12
END = 4.2
FRAME_COLUMNS, LAW_COLUMNS = slice(12, 24), slice(30, 35)  # of a link
STEP = 2e-4  # of the widest quotient: a touch makes twenty times as much of it


def scene(contacts: tuple[Contact, ...] = ()) -> Scene:
    """Straight up and down on top of a head that rises and sinks: the one way to stay up without steering."""
    character = rig(still(-REACH), lambda t: 0.5 + 0.1 * np.sin(1.3 * t), still(0.0), still(0.0), END)
    top = 0.5 + HEAD[1] + HEAD_RADIUS + RADIUS
    thing = flying((0.0, top + 0.15, 0.0), spin=(0.0, 9.0, 0.0), restitution=0.95, friction=0.5)
    return Scene(characters=[character], things=[thing], contacts=contacts, end=END)


@dataclass(frozen=True, eq=False)
class Chain:
    """The scene with its first touches meant, and the rollout from their nodes."""

    model: Model
    nodes: dict[str, Node]
    rollout: Rollout

    @property
    def ids(self) -> list[str]:
        return [f"touch{k}" for k in range(TOUCHES)]


@cache
def chain(off: float = 0.0) -> Chain:
    """`off`: nodes moved off the straight line by so much, as in a plan that is not solved yet."""
    bare = Model.of(scene())
    times = [event.time for event in bare.simulate(bare.start).events[:TOUCHES]]
    touches = [Contact(f"touch{k}", "ball", "rig/head", time) for k, time in enumerate(times)]
    model = Model.of(scene(tuple(touches)))
    nodes = model.simulate(model.start).nodes
    rng = np.random.default_rng(3)
    nodes = {name: moved(node, off * rng.uniform(-1.0, 1.0, 12)) for name, node in nodes.items()}
    return Chain(model, nodes, model.simulate(model.start, nodes))


def moved(node: Node, z: Floats) -> Node:
    """By z: place, turn, velocity, spin."""
    s = STATE.unpack(np.asarray(node.state))
    turned = np.asarray(rotation_exp(jnp.asarray(z[3:6]))) @ s.rotation.reshape(3, 3)
    state = np.concatenate([s.position + z[:3], turned.ravel(), s.velocity + z[6:9], s.spin + z[9:12]])
    return replace(node, state=state)


def test_all_touches_happen_and_are_continuous() -> None:
    c = chain()
    assert [event.contact for event in c.rollout.events[:TOUCHES]] == c.ids
    assert list(c.rollout.continuity) == c.ids
    assert max(np.abs(gap).max() for gap in c.rollout.continuity.values()) <= 1e-12


def test_links_stay_small_where_the_whole_explodes() -> None:
    c = chain()
    links = [c.rollout.linearisation.jacobians.of["ball", k] for k in range(TOUCHES)]
    assert all(np.isfinite(link).all() and np.abs(link).max() < 1e3 for link in links)
    last = c.rollout.events[TOUCHES - 1].time
    whole = c.rollout.dense(c.rollout.rows([Target("ball", last + 0.01)]))
    assert np.isfinite(whole).all() and np.abs(whole).max() > 1e6


def doubts(rollout: Rollout, time: float, nodes: Container[str] = ()) -> list[str]:
    asked = Functional(12, things=[(Target("ball", time), np.eye(12))])
    return [str(event.doubt) for event in rollout.linearisation.of([asked], nodes).doubts]


@pytest.mark.parametrize("fresh", [False, True], ids=["from nodes", "from the start"])
def test_a_row_that_explodes_is_in_doubt_and_says_by_what(fresh: bool) -> None:
    c = chain()
    rollout = c.model.simulate(c.model.start) if fresh else c.rollout
    times = [event.time for event in rollout.events]
    assert not any(doubts(rollout, time + 0.01) for time in times[:3])
    for time in times[5:TOUCHES]:
        told = doubts(rollout, time + 0.01)
        assert told and all("ball with rig/" in words and f"at {time:.2f} s" in words for words in told)


def test_the_doubt_begins_where_a_millionth_becomes_one() -> None:
    c = chain()
    for event in c.rollout.events[:TOUCHES]:
        J = c.rollout.dense(c.rollout.rows([Target("ball", event.time + 0.01)], np.eye(12)))
        start = np.r_[tuple(c.model.layout[f"ball.{own}"].indices for own in ("position", "turn", "velocity", "spin"))]
        largest = np.abs(J[:, start]).max()
        assert bool(doubts(c.rollout, event.time + 0.01)) == (largest > 1e6), event


def test_nodes_leave_nothing_to_doubt() -> None:
    c = chain()
    assert not any(doubts(c.rollout, event.time + 0.01, c.nodes) for event in c.rollout.events[:TOUCHES])


def test_a_node_may_be_named_by_any_time() -> None:
    """Edits move touches, and the nodes' own times stay: that must not show in any derivative."""
    c = chain()
    later = {
        name: Node(node.time + 0.02, c.rollout.context.state_in(c.rollout.spans("ball")[k + 1], node.time + 0.02))
        for k, (name, node) in enumerate(c.nodes.items())
    }
    renamed = c.model.simulate(c.model.start, later)
    assert max(np.abs(gap).max() for gap in renamed.continuity.values()) <= 1e-12
    target = Target("ball", c.rollout.events[2].time + 0.05)
    expected = c.rollout.dense(c.rollout.rows([target]))
    np.testing.assert_allclose(
        renamed.dense(renamed.rows([target])), expected, rtol=0.0, atol=1e-11 * np.abs(expected).max()
    )


def per_link(c: Chain, changed: Callable[[float], tuple[Floats, dict[str, Node]]]) -> Floats:
    """d continuity (TOUCHES, 12) along a change of u and the nodes."""

    def difference(h: float) -> Floats | None:
        ends = []
        for sign in (h, -h):
            rollout = c.model.simulate(*changed(sign))
            if [event.contact for event in rollout.events[:TOUCHES]] != c.ids:
                return None
            ends.append(np.concatenate([rollout.continuity[name] for name in c.ids]))
        return np.asarray((ends[0] - ends[1]) / (2.0 * h))

    found = extrapolated(difference, STEP)
    assert found is not None, "the touches change along this direction"
    return found.value.reshape(TOUCHES, 12)


def assert_true(ours: Floats, truth: Floats, off: float) -> None:
    """Off the line turns are left out: a gap is then the logarithm of a finite rotation, and a link is not."""
    rows = np.r_[0:12] if off == 0.0 else np.r_[0:3, 6:12]
    assert np.abs(ours - truth)[rows].max() <= 1e-9 * np.abs(truth).max()


@pytest.mark.parametrize("off", [0.0, 2e-3], ids=["solved", "unsolved"])
@pytest.mark.parametrize("first", [0, 1], ids=["even", "odd"])
def test_every_link_by_the_flight_before(first: int, off: float) -> None:
    """Every other node is moved, so that each gap is due to one of its sides only."""
    c = chain(off)
    z = np.random.default_rng(first).normal(size=(TOUCHES, 12))

    def changed(h: float) -> tuple[Floats, dict[str, Node]]:
        return c.model.start, c.nodes | {c.ids[k]: moved(c.nodes[c.ids[k]], h * z[k]) for k in range(first, TOUCHES, 2)}

    truth = per_link(c, changed)
    for k in range(first + 1, TOUCHES, 2):
        assert_true(c.rollout.linearisation.jacobians.of["ball", k][:, :12] @ z[k - 1], truth[k], off)


def frame_changes(c: Chain, direction: Floats) -> Floats:
    """(TOUCHES, 12) how the head's frame at each touch follows a change of the control points."""
    (character,) = c.model.scene.characters
    times = np.array([event.time for event in c.rollout.events[:TOUCHES]])
    parameters = c.rollout.controls.motions["rig"]
    moving, head = c.rollout.context.moving, character.skeleton.segment("head")
    J = jacobians(moving, np.full(TOUCHES, head), times, character.skeleton.n_dofs)
    (term,) = terms(character.motion, parameters, times)
    assert isinstance(term, KnotTerm)
    near = direction.reshape(np.shape(parameters))[term.first[:, None] + np.arange(4)]
    q, rate = (np.einsum("nk,nkd->nd", weights, near) for weights in (term.value, term.rate))
    return np.stack([J[k, :, 0] @ q[k] + J[k, :, 1] @ rate[k] for k in range(TOUCHES)])


@pytest.mark.parametrize("off", [0.0, 2e-3], ids=["solved", "unsolved"])
def test_every_link_by_the_head_and_the_law(off: float) -> None:
    c = chain(off)
    layout, rng = c.model.layout, np.random.default_rng(5)
    direction = np.zeros(layout.size)
    for block in layout.blocks:
        if not block.name.startswith("ball."):
            direction[block.indices] = rng.normal(size=block.stop - block.start)
    truth = per_link(c, lambda h: (c.model.start + h * direction, c.nodes))
    frames = frame_changes(c, direction[layout["rig"].indices])
    for k, name in enumerate(c.ids):
        law = [direction[layout[f"{name}.{part}"].indices] for part in ("restitution", "friction", "normal")]
        link = c.rollout.linearisation.jacobians.of["ball", k]
        ours = link[:, FRAME_COLUMNS] @ frames[k] + link[:, LAW_COLUMNS] @ np.concatenate(law)
        assert_true(ours, truth[k], off)
