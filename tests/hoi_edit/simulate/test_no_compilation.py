"""Once warm, no edit compiles anything: events may come, go, swap and change their kind."""

import jax
import numba
import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.compiling.rehearsals import kicked
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Fixture, Scene, ground
from rigid.distance import RoundedBox
from rigid.impact import Material
from tests.compilations import compilations
from tests.hoi_edit.simulate.arm_scenes import arm, flying
from tests.hoi_edit.simulate.events.ball_scenes import against_the_wall, billiards, falling, tray

ROUGH = Material(0.6, 0.5)


def test_what_is_compiled_is_seen() -> None:
    with compilations() as seen:
        jax.jit(lambda x: x + 1.2345)(np.ones(3))
        numba.njit(lambda x: x + 1.2345)(1.0)
    assert len(seen) == 2, seen


def scene() -> Scene:
    """Three balls, an arm that catches one of them, a step to bounce on and roll off."""
    times = np.arange(61) / 30
    rows = np.stack([0.5 + 0.08 * np.sin(4 * times), 0.15 * np.sin(3 * times)], axis=1)
    step = Fixture("step", RoundedBox(np.array([0.3, 0.1, 0.3]), 0.0), np.array([0.9, 0.1, 0.0]))
    balls = [
        flying([0.0, 1.0, 0.05], [0.0, 0.0, 0.0], "a", ROUGH),
        flying([0.7, 0.6, 0.0], [0.3, 0.0, 0.1], "b", ROUGH),
        flying([0.75, 1.2, 0.02], [0.1, 0.0, 0.0], "c", ROUGH),
    ]
    catch = Contact("catch", "a", "arm/palm", 0.3, "grasp", 0.713)
    return Scene([arm(rows)], balls, [ground(), step], [catch], end=1.4)


def look(rollout: Rollout) -> tuple[str, ...]:
    """Use everything that an editor would; what happened, as words."""
    rows = rollout.rows([Target(name, t) for name in "abc" for t in (0.1, 0.6, 1.3)] + [Target("arm/palm", 1.0)])
    assert np.all(np.isfinite(rollout.dense(rows)))
    for name in "abc":
        rollout.state(name, 1.35)
    return tuple(f"{event.kind} {event.object} {event.other}" for event in rollout.events)


def test_a_hundred_different_stories_compile_nothing() -> None:
    """Warm: it has met every kind of event, the rare ones in scenes of their own."""
    model, rng = Model.of(scene()), np.random.default_rng(0)
    moves = [0.1 * rng.normal(size=model.layout.size) * model.layout.free for _ in range(140)]
    warm = {look(model.simulate(model.start + du)) for du in moves[:40]}
    for rare in (billiards(0.0, 0.03), billiards(0.4, 0.03), against_the_wall(), falling()):
        struck = Model.of(rare)
        rollout = struck.simulate(struck.start)
        rollout.dense(rollout.rows([Target(thing.name, t) for thing in rare.things for t in (0.3, 1.0)]))
    warm |= {look(model.simulate(model.start, model.simulate(model.start).nodes))}
    with compilations() as seen:
        stories = {look(model.simulate(model.start + du)) for du in moves[40:]}
    assert seen == []
    assert len(stories) > 30 and len(stories - warm) > 10
    kinds = {word.split()[0] for story in stories for word in story}
    assert kinds >= {"impact", "grasp", "release", "rest"}


def along_the_arm(rows: int) -> Scene:
    """A ball comes to rest on an arm that moves and is aslant, rolls along it and strikes a post."""
    times = np.arange(rows) / 30
    post = Fixture("post", RoundedBox(np.array([0.0, 0.5, 0.0]), 0.02), np.array([0.0, 0.6, 0.25]))
    moves = np.stack([0.5 + 0.02 * np.sin(3 * times), 0.15 + 0.03 * np.sin(2 * times)], axis=1)
    ball = flying([0.0, 0.6, 0.0], [0.0, 0.0, 0.0], "a", Material(0.2, 0.6))
    return Scene([arm(moves)], [ball], [post], end=times[-1])


def while_it_rides(rollout: Rollout, thing: str) -> list[float]:
    """A time in the middle of each stretch of contact, and one after all of them."""
    spans = rollout.trajectories.chains[thing].spans
    return [0.5 * (span.start + span.end) for span in spans if span.kind == "contact"] + [spans[-1].end]


def test_a_ride_on_one_body_compiles_all_there_is_to_rides() -> None:
    """Another skeleton and a clip of another length: a ball that comes to ride in the middle of a drag costs nothing
    but its steps, and a row that comes back along its ride no more."""
    others = [Model.of(along_the_arm(rows)) for rows in (37, 52)]
    for known in (tray(), against_the_wall(), kicked()):  # a body that moves, a ball that stays when struck, a push
        first = Model.of(known)
        rollout = first.simulate(first.start)
        rollout.state("ball", 0.5)
        rollout.dense(rollout.rows([Target("ball", t) for t in while_it_rides(rollout, "ball")]))
    with compilations() as seen:
        rollouts = [model.simulate(model.start) for model in others]
        for rollout in rollouts:
            rollout.state("a", 0.9)
            J = rollout.dense(rollout.rows([Target("a", t) for t in while_it_rides(rollout, "a")]))
            assert np.all(np.isfinite(J)) and J[:, rollout.model.layout["arm"].indices].any()
    assert seen == []
    for rollout in rollouts:
        touched = [(event.kind, event.other) for event in rollout.events]
        assert ("rest", "arm/rod") in touched and ("impact", "post") in touched
        assert all(span.frame >= 0 for span in rollout.trajectories.chains["a"].spans if span.kind == "contact")
