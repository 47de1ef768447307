"""What is true of each built-in scene, in numbers: how large it is, how well it holds, how fast it is edited.

Three looks at a finished scene: as it opens, beside the crude input that it was made from; while a mouse drags it; and
after its demo, in which joint limits are kept, and feet of blends told to stand. What can be measured by
`hoi_edit.verify`, which shares no code with what makes and edits scenes, is.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit import scenes
from hoi_edit.constraints import Constraint, JointLimits
from hoi_edit.constraints.foot_plant import FootPlant, standing
from hoi_edit.constraints.hand_acceleration import palm_accelerations
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.report import Report
from hoi_edit.motions import Blend
from hoi_edit.rollout import Rollout
from hoi_edit.scenes.demos import Demo, demo
from hoi_edit.session import EditSession
from hoi_edit.verify import Measure, measures
from hoi_edit.verify.constraint_checks import promises
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.feet import foot_contacts
from kinematics.rotation import Floats

RESIDUAL = 1e-6  # [m], [m/s], [rad]: constraints hold to this
SLIDE = 5e-3  # [m] that a foot may slide while it stands, beyond what it does in the input
ACCELERATION, QUICKER = 60.0, 1.25  # [m/s²] of a hand; or, where that is more, so many times what the input did
PHYSICS = ("flight", "hold", "continuity", "release", "gap", "momentum", "restitution", "friction")
MOVES, WARM_UP, RADIUS, TURN = 40, 6, 0.05, 0.15  # a mouse that goes in a circle [m, rad], a step a move
AROUND = 1.5  # [s] to either side of a drag in which feet of blends are told to stand
RATE = 60.0  # [Hz] at which bodies are compared


@dataclass(frozen=True)
class SceneFigures:
    """Figures of one scene, and what is off about it."""

    scene: str
    dofs: int
    n: int
    events: int
    constraints: int  # that hold in its demo: contacts that go on, joint limits, feet that stand, the drag itself
    steps: int  # of that drag
    constraint_residual: float  # [m], [m/s] or [rad]: the worst after it
    physics_residual: float  # [m], [m/s], [rad] or [rad/s]: the worst by the verifier, as it opens and after the drag
    limits_kept: bool  # the joints' own, or the input's where it went further
    foot_slide: float  # [m] the most that a foot strays from its place while it stands, as the scene opens
    foot_slide_dragged: float  # [m] and after the drag
    hand_acceleration: float  # [m/s²] the most of any palm
    step_median: float  # [s] of a mouse move, with all contacts kept
    step_p95: float  # [s]
    body_angle: float  # [rad] root mean square change of all joints against the input, over time
    body_distance: float  # [m] the same of the places of all segments
    collisions: int  # that nobody called for, before the last contact that was
    off: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        return not self.off


@dataclass(frozen=True, eq=False)
class _SessionAtTime:
    """A session as it is at some time."""

    rollout: Rollout
    measured: list[Measure]
    slide: float
    struck: list[str]

    @staticmethod
    def at(session: EditSession, start: EditSession, limits: Sequence[JointLimits]) -> "_SessionAtTime":
        rollout = session.iterate.rollout
        measured = [*measures(session), *promises(PerformanceRecord.of(rollout), limits, session.document.loose)]
        return _SessionAtTime(rollout, measured, foot_slide(rollout, start), uncalled_for(rollout))


def verdicts(names: Sequence[str] = ()) -> Iterator[SceneFigures]:
    """Of the finished scenes called so; of all of them without names."""
    for name in names:
        demo(name)  # a name that is none is told before the work
    for name in names or [name for name in scenes.SCENES if ":" not in name]:
        yield judged(EditSession(scenes.build(name), name), EditSession(scenes.build(f"{name}:start")), demo(name))


def judged(session: EditSession, start: EditSession, edit: Demo) -> SceneFigures:
    """A finished scene beside its crude input, and under an edit."""
    limits = [JointLimits.of(start.rollout, character.name) for character in session.scene.characters]
    opened = _SessionAtTime.at(session, start, limits)
    times = step_times(session, edit)
    kept: list[Constraint] = [*limits, *_feet_of_blends(session.rollout, edit.t)]
    added = [session.add(constraint) for constraint in kept]
    report = edit.perform(session)
    dragged = _SessionAtTime.at(session, start, limits)
    measured = [*opened.measured, *dragged.measured]
    angle, distance = body_change(start.rollout, opened.rollout)
    wrong = [*_off(opened, dragged), *_missed([*added, report], edit), *_bodily(opened, dragged, start)]
    scene, document = session.scene, session.document
    contacts = EditProblem.of(session.model, session.iterate, document.freedom, document.loose).contacts
    return SceneFigures(
        scene=scene.name,
        dofs=sum(character.skeleton.n_dofs for character in scene.characters),
        n=len(document.u),
        events=len(opened.rollout.events),
        constraints=len(contacts) + len(document.constraints) + 1,
        steps=report.iterations,
        constraint_residual=report.residual,
        physics_residual=max(measure.off for measure in measured if measure.kind in PHYSICS),
        limits_kept=not any(measure.is_off for measure in measured if measure.kind == "limits"),
        foot_slide=opened.slide,
        foot_slide_dragged=dragged.slide,
        hand_acceleration=_acceleration(opened.rollout),
        step_median=float(np.median(times)),
        step_p95=float(np.percentile(times, 95)),
        body_angle=angle,
        body_distance=distance,
        collisions=len({*opened.struck, *dragged.struck}),
        off=tuple(dict.fromkeys(wrong)),
    )


def _feet_of_blends(rollout: Rollout, t: float) -> list[FootPlant]:
    """Feet as they stand around a time, of those whose feet edits do not hold by themselves."""
    plants = standing(rollout, t - AROUND, t + AROUND)
    return [plant for plant in plants if isinstance(rollout.model.scene.character(plant.character).motion, Blend)]


def _off(*looks: _SessionAtTime) -> Iterator[str]:
    for look in looks:
        yield from (str(measure) for measure in look.measured if measure.is_off)
        yield from (f"nobody called for {event}" for event in look.struck)


def _missed(reports: Sequence[Report], edit: Demo) -> Iterator[str]:
    for report in reports:
        if not report.residual <= RESIDUAL:
            yield f"the drag of {edit.name} at {edit.t:g} s, or a limit or foot plant before it, is not met: {report!r}"


def _bodily(opened: _SessionAtTime, dragged: _SessionAtTime, start: EditSession) -> Iterator[str]:
    """What hands and feet do that they ought not to."""
    slide, allowed = max(opened.slide, dragged.slide), SLIDE + foot_slide(start.rollout, start)
    if slide > allowed:
        yield f"a foot slides by {1e3 * slide:.1f} mm while it stands, allowed {1e3 * allowed:.1f} mm"
    most, quickest = max(ACCELERATION, QUICKER * _acceleration(start.rollout)), _acceleration(opened.rollout)
    if quickest > most:
        yield f"a hand accelerates by {quickest:.0f} m/s², allowed {most:.0f} m/s²"


def step_times(session: EditSession, edit: Demo) -> list[float]:
    """[s] of each move of a mouse that takes a thing around in a circle; nothing is left of it."""
    gesture = session.begin(edit.name, edit.t)
    seconds, centre = [], gesture.start.position
    for k in range(WARM_UP + MOVES):
        around = RADIUS * np.array([np.sin(TURN * k), 1.0 - np.cos(TURN * k), 0.0])
        began = time.perf_counter()
        gesture.move(centre + around, steps=1)
        seconds.append(time.perf_counter() - began)
    gesture.abort()
    return seconds[WARM_UP:]


def foot_slide(rollout: Rollout, start: EditSession) -> float:
    """[m] how far feet stray from the middle of where they are, while they stand in the input."""
    worst, scene = 0.0, rollout.model.scene
    for character in scene.characters:
        input_clip = start.bake(character.name)
        for stance in foot_contacts(input_clip):
            times = input_clip.times[stance.first : stance.last + 1]
            times = times[(times >= scene.start) & (times <= scene.end)]
            if len(times):
                places = rollout.positions(f"{character.name}/{character.skeleton.names[stance.point.segment]}", times)
                worst = max(worst, float(np.linalg.norm(places - np.median(places, axis=0), axis=1).max()))
    return worst


def _acceleration(rollout: Rollout) -> float:
    return max(float(palm_accelerations(rollout, character.name).max()) for character in rollout.model.scene.characters)


def body_change(before: Rollout, after: Rollout) -> tuple[float, float]:
    """Root mean squares over time of what differs: angles of all joints [rad], places of all segments [m]."""
    scene = after.model.scene
    times = np.arange(scene.start, scene.end, 1.0 / RATE)
    angles, ways = [], []
    for character in scene.characters:
        turns = [kind == "rotation" for kind in character.skeleton.topology.dof_kinds]
        angles.append((after.poses(character.name) - before.poses(character.name))[:, turns].ravel())
        for segment in character.skeleton.names:
            point = f"{character.name}/{segment}"
            apart = after.positions(point, times) - before.positions(point, times)
            ways.append(np.linalg.norm(apart, axis=1))
    return _rms(angles), _rms(ways)


def _rms(parts: Sequence[Floats]) -> float:
    return float(np.sqrt(np.mean(np.concatenate(parts) ** 2)))


def uncalled_for(seen: Rollout) -> list[str]:
    """Touches that nobody planned, before the last planned one is over."""
    last = max((event.time for event in seen.events if event.intended and not event.lets_go), default=-np.inf)
    touches = [event for event in seen.events if event.hits_by_chance]
    return [repr(event) for event in touches if event.time < last]
