"""Somebody stands elsewhere, with all that they do: the whole clip is turned and moved, and what others do about it
follows.

Their root gets other control points, all along the clip, and stays where it was put while the rest is solved. No single
drag could do that: it bends a motion around one time. What nobody else touches goes along, flights included, so that
somebody alone on level ground is there at once. Else a place that is too far for one go is approached by and by, so
that no contact is lost on the way.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.foot_plant import FootPlant
from hoi_edit.constraints.lying import Lies
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.outcome import report_of
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.edit.sqp import Solver
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.qp import Lock
from hoi_edit.rollout import Model
from hoi_edit.scene import Character, Held, Thing, is_level, named
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.trajectory import Node
from kinematics.errors import HoiError
from kinematics.rotation import Floats, yaw
from kinematics.spline import design, fit

PIECE, SMALLEST = 0.25, 1.0 / 64.0  # of the way
VERTICAL = 1e-9  # by which the first hinge of a root may be off the vertical
LOOKS = 4  # at a path that is turned, from one control point to the next


@dataclass(frozen=True, eq=False)
class Placing:
    """A move on the ground, after a turn about the vertical through `pivot`."""

    character: str
    by: Floats  # (3,) [m]
    turn: float  # [rad]
    pivot: Floats  # (3,)

    @property
    def label(self) -> str:
        return f"place {self.character}"

    def part(self, share: float) -> "Placing":
        return replace(self, by=share * self.by, turn=share * self.turn)

    def of(self, places: Floats) -> Floats:
        """Where points (N, 3) of the world are afterwards."""
        return np.asarray((places - self.pivot) @ yaw(self.turn).T + self.pivot + self.by)

    def carried(self, node: Node, share: float, there: float) -> Node:
        """A flight after a contact, taken along from one share of the way to another; a hold goes with its hand."""
        if node.state is None:
            return node
        s, turn = STATE.unpack(np.asarray(node.state)), yaw((there - share) * self.turn)
        origin = self.pivot + share * self.by
        place = turn @ (s.position - origin) + self.pivot + there * self.by
        rotation = turn @ s.rotation.reshape(3, 3)
        return replace(node, state=np.concatenate([place, rotation.ravel(), turn @ s.velocity, turn @ s.spin]))

    def moves(self, model: Model, u: Floats) -> Floats:
        """The change of u that does it."""
        character, change = model.scene.character(self.character), np.zeros_like(u)
        motion, layout = character.motion, model.layout
        several = isinstance(motion, Blend)
        for k, spline in enumerate(motion.motions if isinstance(motion, Blend) else (motion,)):
            block = layout[f"{self.character}.clips.{k}" if several else self.character]
            controls = u[block.indices].reshape(block.shape)
            change[block.indices] = self._of_spline(character, spline, controls).ravel()
        return change

    def _of_spline(self, character: Character, motion: object, controls: Floats) -> Floats:
        """Of control points (K, D): weights of a blend add up to one, so each of its clips moves as the whole does."""
        assert isinstance(motion, Layer | FittedSpline)
        slides, hinge = root_dofs(character)
        axes = np.asarray(character.skeleton.axis)[slides]
        change = np.zeros_like(controls)
        change[:, slides] = self.by @ axes.T
        if self.turn != 0.0:
            change[:, hinge] += self.turn * np.sign(character.skeleton.axis[hinge][1])
            grid = motion.grid
            count = LOOKS * (grid.count - 3) + 1
            times = np.linspace(float(grid.start), float(grid.end), count)
            values = design(grid, times) @ controls[:, slides]
            if isinstance(motion, Layer):
                values = values + design(motion.source_grid, times) @ np.asarray(motion.source)[:, slides]
            paths = np.asarray(character.skeleton.offset)[0] + values @ axes
            turned = (paths - self.pivot) @ (yaw(self.turn) - np.eye(3)).T
            change[:, slides] += fit(grid, times, turned @ axes.T)
        return change


def root_dofs(character: Character) -> tuple[list[int], int]:
    """The slides of a root, and its hinge about the vertical."""
    skeleton, motion = character.skeleton, character.motion
    slides, hinges = skeleton.dofs_of(0, "translation"), skeleton.dofs_of(0, "rotation")
    axes = np.asarray(skeleton.axis)
    upright = bool(hinges) and abs(abs(axes[hinges[0]][1]) - 1.0) < VERTICAL
    if len(slides) != 3 or not upright or not np.allclose(axes[slides] @ axes[slides].T, np.eye(3), atol=1e-9):
        raise HoiError(
            f"{character.name!r} cannot be placed: its root does not slide freely and turn about the vertical"
        )
    parts = motion.motions if isinstance(motion, Blend) else (motion,)
    if not all(isinstance(part, Layer | FittedSpline) for part in parts):
        raise HoiError(f"{character.name!r} cannot be placed: its motion is no layer, no fitted spline and no blend")
    return list(slides), hinges[0]


def placed(
    model: Model,
    document: Document,
    iterate: Iterate,
    name: str,
    by: Floats,
    turn: float,
    progress: Listener | None = None,
    t: float | None = None,
) -> tuple[Report, Document, Iterate]:
    """The whole way or, with a report of what holds it back, nothing."""
    character = model.scene.character(name)
    slides, hinge = root_dofs(character)
    locks = [Lock(f"{name}/{character.skeleton.topology.dof_names[dof]}") for dof in (*slides, hinge)]
    _check(document, character, {lock.name for lock in locks})
    start = iterate.rollout.state(f"{name}/{character.skeleton.names[0]}", model.scene.start if t is None else t)
    whole = Placing(name, by, turn, start.position)
    freedom = replace(document.freedom, locks=(*document.freedom.locks, *locks))
    # feet go with their body, and so does what lies before it: no leg is to reach back for a ball
    kept = EditProblem.of(model, iterate, freedom, (*document.loose, name), things_follow=True)
    solver = Solver(kept, document.constraints, iterate, what=whole.label, listener=progress)
    things_along = _only_touched_by(kept, name)
    alone = {thing.name for thing in model.scene.things} <= things_along
    share, piece, report = 0.0, 1.0 if alone else PIECE, Report(True, 0.0, 0)
    while share < 1.0 and piece >= SMALLEST:
        next_share = min(share + piece, 1.0)
        trial = _stepped(
            solver, whole, share, next_share, things_along, _carried(document.constraints, whole.part(next_share))
        )
        for _ in trial.run():
            pass
        report = report_of(trial)
        if report.converged:
            solver, share, piece = trial, next_share, 1.5 * piece
        else:
            piece *= 0.5
    if share < 1.0:
        return report, document, iterate
    end = solver.iterate.with_turns(document.loose).timed()
    carried, switched_off = (_carried(some, whole) for some in (document.constraints, document.switched_off))
    there = replace(document, u=end.u, nodes=dict(end.nodes), constraints=carried, switched_off=switched_off)
    return report, there, end


def _stepped(
    solver: Solver, whole: Placing, share: float, next_share: float, things: Collection[str],
    constraints: tuple[Constraint, ...],
) -> Solver:  # fmt: skip
    """The same edit with its body set from one share of the way to another, with what lies there for it, and with
    flights of things that nobody else touches; the rest is where it was."""
    model, now, origin = solver.kept.model, solver.iterate, solver.kept.origin
    change = whole.part(next_share).moves(model, origin.u) - whole.part(share).moves(model, origin.u)
    for constraint in _lying_for(solver.kept, whole.character):
        place = model.layout[f"{constraint.thing}.position"].indices
        start = origin.u[place]
        lifted = constraint.lifted(model, whole.part(next_share).of(start))
        change[place] = lifted - constraint.lifted(model, whole.part(share).of(start))
    for name in things:
        if not change[model.layout[f"{name}.position"].indices].any() and f"{name}.velocity" in model.layout:
            place, velocity = (model.layout[f"{name}.{part}"].indices for part in ("position", "velocity"))
            change[place] = whole.part(next_share).of(origin.u[place]) - whole.part(share).of(origin.u[place])
            change[velocity] = (yaw(next_share * whole.turn) - yaw(share * whole.turn)) @ origin.u[velocity]
    nodes = {
        contact: whole.carried(node, share, next_share) if model.scene.contact(contact).object in things else node
        for contact, node in now.nodes.items()
    }
    moved = Iterate.at(model, now.u + change, nodes, now.times, now.led)
    return replace(solver.towards(constraints), iterate=moved, known={}, looked=None)


def _only_touched_by(kept: EditProblem, character: str) -> set[str]:
    """Things that go along, wherever somebody goes on level ground: they are meant to touch nobody else, and start in
    their hands or where edits may change that."""
    scene, things_along = kept.model.scene, set[str]()
    level = {fixture.name for fixture in scene.fixtures if is_level(fixture)}
    for thing in scene.things:
        hands = named(thing.start.by) if isinstance(thing.start, Held) else ()
        touched = [*hands, *(other for contact in scene.plan_of(thing.name) for other in named(contact.other))]
        theirs = any(_owner(part) == character for part in touched)
        if theirs and all(_owner(part) in (character, *level) for part in touched) and (hands or _is_free(kept, thing)):
            things_along.add(thing.name)
    return things_along


def _is_free(kept: EditProblem, thing: Thing) -> bool:
    """Whether a start in flight, or on something, may be elsewhere."""
    place = kept.metric.free[kept.model.layout[f"{thing.name}.position"].indices]
    return not thing.shape.stays_put and bool(place.all())


def _owner(part: str) -> str:
    return part.partition("/")[0]


def _lying_for(kept: EditProblem, character: str) -> list[Lies]:
    """What lies still, may lie elsewhere, and is first touched by somebody."""
    scene, layout, lying = kept.model.scene, kept.model.layout, list[Lies]()
    for constraint in kept.contacts:
        if isinstance(constraint, Lies) and kept.metric.free[layout[f"{constraint.thing}.position"].indices].all():
            plan = scene.plan_of(constraint.thing)
            if constraint.at_rest and plan and _owner(plan[0].carrier) == character:
                lying.append(constraint)
    return lying


def _carried(constraints: Sequence[Constraint], placing: Placing) -> tuple[Constraint, ...]:
    """Feet stand where they are put; pins are places of the world, and stay."""
    return tuple(
        replace(constraint, places=placing.of(np.asarray(constraint.places)))
        if isinstance(constraint, FootPlant) and constraint.character == placing.character
        else constraint
        for constraint in constraints
    )


def _check(document: Document, character: Character, roots: set[str]) -> None:
    """What is locked does not move, and all of the clip has to."""
    names = {character.name, f"{character.name}/{character.skeleton.names[0]}", *roots}
    locked = [lock.name for lock in document.freedom.locks if lock.name in names]
    if locked:
        raise HoiError(f"{character.name!r} cannot be placed while {locked[0]!r} is locked; unlock it first")
    if document.freedom.window is not None:
        raise HoiError(f"{character.name!r} is placed with all of its clip; open the window first: session.window()")
