"""The rows of the truth table, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from hoi_edit.scene import Scene
from hoi_edit.truth import closed_forms
from hoi_edit.truth import truth_scenes as scenes
from hoi_edit.truth.jacobian_entry import VX, JacobianEntry, X, Y, Z


@dataclass(frozen=True, eq=False)
class Case:
    """Of `thing` at `time`, everything by everything is checked; `entry` is the number that is printed."""

    name: str
    scene: Callable[[], Scene]
    thing: str
    time: float
    entry: JacobianEntry
    closed: Mapping[JacobianEntry, float] = field(default_factory=dict)  # what can be written down


CASES: tuple[Case, ...] = (
    Case(
        "drop height to final height", scenes.drop, "ball", 0.6, JacobianEntry(Y, "ball.position", 1),
        closed_forms.drop(0.6),
    ),
    Case(
        "bounce on a plane, sliding", partial(scenes.floor_bounce, 0.8, 0.05), "ball", 0.8,
        JacobianEntry(X, "ball.position", 1), closed_forms.sliding(0.8, 0.05, 0.8),
    ),
    Case(
        "bounce on a plane, sticking", partial(scenes.floor_bounce, 0.8, 0.9), "ball", 0.8,
        JacobianEntry(X, "ball.velocity", 0), closed_forms.sticking(0.8, 0.8),
    ),
    Case(
        "two balls, head on", scenes.head_on, "a", 0.7, JacobianEntry(VX, "b.velocity", 0), closed_forms.exchanged(0.7)
    ),
    Case("two balls, glancing", scenes.glancing, "b", 0.6, JacobianEntry(Y, "a.position", 1)),
    Case("moving paddle", partial(scenes.paddle, 0.0, 0.3), "ball", 0.55, JacobianEntry(Y, "rig", 9)),
    Case("tilting paddle", partial(scenes.paddle, 0.3, 0.02), "ball", 0.55, JacobianEntry(X, "rig", 10)),
    Case("catch, throw, bounce", scenes.caught_and_thrown, "ball", 1.2, JacobianEntry(X, "catch.release")),
    Case("throw, catch, hold, throw", scenes.thrown_and_caught, "ball", 1.35, JacobianEntry(Y, "rig", 9)),
    Case("three touches on round things", scenes.pinball, "ball", 1.3, JacobianEntry(X, "ball.position", 0)),
    Case("two balls, meeting twice", scenes.sandwiched, "a", 0.28, JacobianEntry(VX, "a.release")),
    Case(
        "rolling off an edge, at once", partial(scenes.table_edge, 1.2, 0.8), "ball", 0.5,
        JacobianEntry(Y, "ball.position", 0), closed_forms.over_the_edge(1.2, 0.5),
    ),
    Case(
        "rolling around an edge", partial(scenes.table_edge, 0.5, 0.8), "ball", 0.7,
        JacobianEntry(X, "ball.velocity", 0),
    ),
    Case("a pitch through air, bouncing", scenes.pitched, "ball", 0.6, JacobianEntry(Z, "ball.spin", 1)),
    Case("thrown through air on a paddle", scenes.thrown_in_air, "ball", 0.9, JacobianEntry(X, "ball.release")),
    Case("two balls, one feels the air", scenes.glancing_in_air, "b", 0.6, JacobianEntry(Y, "a.velocity", 0)),
)  # fmt: skip
