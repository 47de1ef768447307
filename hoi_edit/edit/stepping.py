"""People who step, in an edit: who has to, where to and by when, and an edit that begins where they have done so.

The steps are a guess, written into control points, and from there the edit is solved as any other is: what is kept
is kept, things are led to their contacts, and what it costs is counted from the guess. Feet stand where they fell by
rows, as feet that step do in every edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.standing_foot import asked_of_feet
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import NEAR
from hoi_edit.edit.sqp import Solver
from hoi_edit.footwork.footfalls import steps_back, steps_there
from hoi_edit.footwork.stepped_poses import (
    AROUND,
    Stepping,
    lean,
    standing_of,
    stepped,
    stepping_feet,
    swinging_feet,
    tracks_of,
)
from hoi_edit.motions import FittedSpline, Layer
from hoi_edit.qp import Freedom
from hoi_edit.qp.weights import feet_of
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Contact, named
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.trajectory import Chain, Event, Node
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import Grid, fit

EASY = 0.15  # [m] that arms and trunk reach farther without being bent for it
AT_ARMS_LENGTH = 0.6  # [m] from a palm to what it is to take: hands reach, and nobody steps into what that lies on
SOON = 0.1  # [s] before something has to be there, and after it, feet stand
MOST = 2.0  # of the way of a thing goes somebody at most who alone sends or meets it
BENT = np.deg2rad(20.0)  # by which a trunk leans over, that somebody would rather step
LIFTED = 0.03  # [m] that a foot is higher than it was
MARGIN = 0.6  # [s] before the first and after the last change of a body that may change, too


@dataclass(frozen=True)
class Need:
    """Somebody has to be elsewhere between two times, by a share of the way that is asked for."""

    character: str
    start: float
    end: float
    share: float = 1.0


def needs(seen: Rollout, name: str, t: float, after: str | None = None) -> list[Need]:
    """Who has to go along for a point of a body, or a thing, to be elsewhere at a time: whose point it is, who holds
    the thing, or who sends it and who meets it, on the flight or in the hold that begins `after` something."""
    if "/" in name:
        return [Need(name.partition("/")[0], t, t)]
    chain = seen.trajectories.chains[name]
    here = chain.index_at(t) if after is None else seen.span_index(name, t, after)
    assert here is not None  # it is a thing's
    if chain.spans[here].in_hand:
        who = _owner(seen, seen.model.world.frame_name(chain.spans[here].frame))
        return [] if who is None else [Need(who, t, t)]
    sent, met = _meant(seen, chain, here - 1, -1), _meant(seen, chain, here, 1)
    if sent is not None and met is not None:
        if sent[0] == met[0]:
            return [Need(sent[0], sent[1].time, met[1].time)]
        return [Need(who, event.time, event.time) for who, event in (sent, met)]
    start, end = chain.spans[here].start, chain.spans[here].end
    way = (t - start) / max(end - start, 1e-6)
    ends = ((sent, 1.0 - way), (met, way))
    return [Need(e[0], e[1].time, e[1].time, min(MOST, 1.0 / max(w, 1e-6))) for e, w in ends if e is not None]


def is_strained(before: Rollout, after: Rollout, name: str, t: float) -> bool:
    """Whether somebody leans over at a time, or has lost the ground below their feet, against what they did before."""
    character = before.model.scene.character(name)
    upright, now = lean(before, character, t), lean(after, character, t)
    return float(upright @ now) < np.cos(BENT) or _is_off_the_ground(before, after, character, t)


def _is_off_the_ground(before: Rollout, after: Rollout, character: Character, t: float) -> bool:
    feet = [f"{character.name}/{character.skeleton.names[point.segment]}" for point in feet_of(character)]
    return any(abs(after.state(foot, t).position - before.state(foot, t).position)[1] > LIFTED for foot in feet)


def _meant(seen: Rollout, chain: Chain, k: int, towards: int) -> tuple[str, Event] | None:
    """The nearest event on one side that is meant or lets go, and who it is of; None if it is nobody's."""
    while 0 <= k < len(chain.events):
        event = chain.events[k]
        if event.intended or event.lets_go:
            who = _owner(seen, event.other)
            return None if who is None else (who, event)
        k += towards
    return None


def _owner(seen: Rollout, part: str | None) -> str | None:
    """Of a part of a body ("ann/right_hand")."""
    who, slash, _ = (part or "").partition("/")
    return who if slash and who in [character.name for character in seen.model.scene.characters] else None


def steppings(
    seen: Rollout, needed: Sequence[Need], way: Floats, freedom: Freedom, stays: bool, easy: float = EASY
) -> list[Stepping]:
    """The steps of all who can take some, `easy` metres short of the way; back again after it, if there is time and
    nobody stays."""
    level = np.nan_to_num(way) * np.array([1.0, 0.0, 1.0])
    far = float(np.linalg.norm(level))
    if far <= easy:
        return []
    steps = []
    for need in needed:
        character = seen.model.scene.character(need.character)
        share = max(0.0, need.share * far - easy) / far
        steps += [] if share == 0.0 else _steps_of(seen, character, share * level, need, freedom, stays)
    return steps


def _steps_of(
    seen: Rollout, character: Character, way: Floats, need: Need, freedom: Freedom, stays: bool
) -> list[Stepping]:
    if not isinstance(character.motion, Layer | FittedSpline):
        return []
    try:
        standing = standing_of(seen, character)
    except HoiError:  # a body without legs
        return []
    window = freedom.window
    start, end = float(standing.times[0]), float(standing.times[-1])
    if window is not None:
        start, end = max(start, window.start + AROUND + MARGIN), min(end, window.end - AROUND - MARGIN)
    share, there = steps_there(standing, way, need.start - SOON, start)
    if not there:
        return []
    back = () if stays else steps_back(standing, share * way, need.end + SOON, end)
    if not back and window is not None and window.end < seen.model.scene.end:
        return []  # what comes after the window is to stay as it is
    return [Stepping(character, share * way, (*there, *back))]


def feet_that_step(seen: Rollout, steps: Sequence[Stepping]) -> list[tuple[str, None]]:
    """Of which something else is asked than to stand where they do."""
    return [(f"{track.character}/{track.name}", None) for step in steps for track in tracks_of(seen, step.character)]


def stretch_of(seen: Rollout, steps: Sequence[Stepping], t: float, around: float) -> tuple[float, float] | None:
    """The time that changes when people take steps; None if that is all there is."""
    scene = seen.model.scene
    start = max(scene.start, min([t - around, *(step.first - AROUND - MARGIN for step in steps)]))
    end = min(scene.end, max([t + around, *(step.last + AROUND + MARGIN for step in steps)]))
    if any(step.stays for step in steps):
        end = scene.end
    return None if start == scene.start and end == scene.end else (start, end)


def stepped_problem(kept: EditProblem, steps: Sequence[Stepping]) -> EditProblem | None:
    """An edit that begins where people have taken steps; None if what these change is locked."""
    model, origin = kept.model, kept.origin
    u, nodes = origin.u.copy(), dict(origin.nodes)
    feet: list[Constraint] = []
    start, end = kept.stretch or (model.scene.start, model.scene.end)
    for step in steps:
        times, change, pelvis = stepped(origin.rollout, step)
        u += _written(model, step.character, times, change, (start, end))
        nodes = _taken_along(origin, nodes, step.character.name, times, pelvis)
        feet += [*stepping_feet(origin.rollout, step, start, end), *swinging_feet(origin.rollout, step)]
    if np.any((u != origin.u) & ~kept.metric.free[: len(u)]):
        return None
    begun = replace(origin, u=u, nodes=nodes)
    guess = Iterate.at(model, u, nodes, kept.start.times, kept.led, kept.past)
    return replace(kept, origin=begun, start=guess, contacts=(*kept.contacts, *feet))


def stepped_towards(
    model: Model, document: Document, iterate: Iterate, contact: Contact, stays: bool, progress: Listener | None
) -> tuple[Document, Iterate] | None:
    """A document in which those whose hands are to take something have stepped towards it; None if that is no way."""
    seen, t = iterate.rollout, float(contact.time)
    wanted, steps = seen.state(contact.object, t).position, list[Stepping]()
    for who in dict.fromkeys(site.partition("/")[0] for site in named(contact.other)):
        palms = [seen.state(site, t).position for site in named(contact.other) if site.startswith(f"{who}/")]
        way, need = wanted - np.mean(palms, axis=0), Need(who, t, t)
        steps += steppings(seen, [need], way, document.freedom, stays, AT_ARMS_LENGTH)
    if not steps:
        return None
    asked = [*feet_that_step(seen, steps), *asked_of_feet(document.constraints, seen)]
    stretch = stretch_of(seen, steps, t, NEAR)
    kept = EditProblem.of(
        model, iterate, document.freedom, document.loose, stretch=stretch, asked=asked, starts=stretch is not None
    )
    begun = stepped_problem(kept, steps)
    if begun is None:
        return None
    solver = Solver(begun, document.constraints, begun.start, what="take steps", listener=progress)
    for _ in solver.run():
        pass
    end = solver.iterate.with_turns(document.loose).timed()
    return (replace(document, u=end.u, nodes=dict(end.nodes)), end) if solver.converged else None


def _written(model: Model, character: Character, times: Floats, change: Floats, between: tuple[float, float]) -> Floats:
    """The change of u (n,) that changes poses so, and none outside of a stretch of time."""
    motion, result = character.motion, np.zeros(model.layout.size)
    assert isinstance(motion, Layer | FittedSpline)
    grid: Grid = motion.grid
    first, last, spacing = float(grid.start), float(grid.end), float(grid.spacing)
    fine = np.arange(first, last, 0.25 * spacing)
    before, after = fine[fine < times[0] - 1e-9], fine[fine > times[-1] + 1e-9]
    inside = (times >= first - 1e-9) & (times <= last + 1e-9)
    looks = np.concatenate([before, times[inside], after])
    values = [np.repeat(change[:1], len(before), axis=0), change[inside], np.repeat(change[-1:], len(after), axis=0)]
    controls = fit(grid, looks, np.concatenate(values))
    middle, half = first + (np.arange(grid.count) - 1) * spacing, 2.0 * spacing - 1e-9
    early = (middle - half < between[0]) & (between[0] > model.scene.start)
    late = (middle + half > between[1]) & (between[1] < model.scene.end)
    controls[early | late] = 0.0
    controls[:, ~np.any(change != 0.0, axis=0)] = 0.0
    result[model.layout[character.name].indices] = controls.ravel()
    return result


def _taken_along(origin: Iterate, nodes: dict[str, Node], name: str, times: Floats, pelvis: Floats) -> dict[str, Node]:
    """Flights that begin with a touch of somebody, where that body is by then; a hold goes with its hand."""
    rate = np.gradient(pelvis, times, axis=0)
    moved = dict(nodes)
    for contact, (thing, k) in origin.rollout.happened.items():
        node, event = nodes.get(contact), origin.rollout.trajectories.chains[thing].events[k]
        if node is None or node.state is None or _owner(origin.rollout, event.other) != name:
            continue
        away, speed = (
            np.array([np.interp(event.time, times, of[:, axis]) for axis in range(3)]) for of in (pelvis, rate)
        )
        s = STATE.unpack(np.asarray(node.state))
        place = s.position + away + (node.time - event.time) * speed
        moved[contact] = replace(node, state=np.concatenate([place, s.rotation, s.velocity + speed, s.spin]))
    return moved
