"""The stretches that a thing's life is cut into: from its start, and from each intended contact that has a node."""

import numpy as np

from hoi_edit.scene import Contact, Held, Thing
from hoi_edit.simulate.contact_laws import MATCH
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.hull_contact import APART
from hoi_edit.simulate.prescribed import packed_flights
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import touches_at
from hoi_edit.simulate.search.layouts import GAP, PULL, RATE, TOUCHING
from kinematics.rotation import rotation_exp


def segments_of(run: Run, thing: Thing) -> list[Cursor]:
    """From its start to its end; with nodes, cut at each intended contact that has one."""
    plan, past, cursors = run.scene.plan_of(thing.name), run.past, list[Cursor]()
    if past is None:
        ends = [-1, *(k for k, contact in enumerate(plan) if contact.id in run.nodes), len(plan)]
    else:
        cursors, ends = list(past.segments.cursors[thing.name]), list(past.segments.cuts[thing.name])
    run.cuts[thing.name] = ends
    for number in range(len(ends) - 1) if past is None else past.changed[thing.name]:
        begin, end = ends[number : number + 2]
        ahead = plan[begin + 1 : end + 1]
        cursor = _start(run, thing, ahead) if begin < 0 else _from_node(run, thing, plan[begin], ahead)
        if end < len(plan):
            goal = plan[end]
            cursor.goal, cursor.limit = goal.id, min(cursor.limit, goal.time + (0.0 if goal.declared else MATCH))
            cursor.led = goal.id in run.guide
            if cursor.led:
                cursor.limit = run.guide[goal.id][0]
        elif past is not None:
            cursor.limit = min(cursor.limit, past.ends.get(thing.name, np.inf))
        cursors[number : number + 1] = [cursor]
    return cursors


def _from_node(run: Run, thing: Thing, contact: Contact, plan: list[Contact]) -> Cursor:
    node = run.nodes[contact.id]
    cursor = Cursor(thing, plan, node.time, run.scene.end)
    if node.state is None:
        release = run.context.controls.contacts[contact.id].release
        frame = run.context.world.frame(contact.carrier)
        run.hold(cursor, frame, node.position, node.rotation, release, contact.id)
    else:
        run.take_off(cursor, node.state)
        # a ball leaves what it has touched as a whole; of what has corners another one may come down at once
        whole = thing.shape.by_centre
        cursor.searched = node.time if whole else node.time + APART
        cursor.blind = dict.fromkeys(run.context.laws.targets(contact).tolist(), np.inf if whole else cursor.searched)
    return cursor


def _start(run: Run, thing: Thing, plan: list[Contact]) -> Cursor:
    start = run.context.controls.starts[thing.name]
    cursor = Cursor(thing, plan, run.scene.start, run.scene.end)
    rotation = np.asarray(thing.start.rotation, float)
    if np.any(start.turn):
        rotation = rotation_exp(np.asarray(start.turn)) @ rotation
    if isinstance(thing.start, Held):
        release = run.context.controls.contacts[thing.name].release if thing.start.release is not None else None
        frame = run.context.world.frame(thing.start.carrier)
        run.hold(cursor, frame, start.position, rotation, release, thing.name)
    else:
        run.take_off(cursor, np.concatenate([start.position, rotation.ravel(), start.velocity, start.spin]))
        cursor.lies = any(contact.id in run.guide for contact in plan) and _lies(run, cursor)
    return cursor


def _lies(run: Run, cursor: Cursor) -> bool:
    """Whether a ball is on something that stands still, and neither leaves it nor comes down on it."""
    still = np.flatnonzero(run.context.world.surfaces.frame < 0)
    if not cursor.thing.shape.by_centre or not len(still):
        return False
    start = np.full(len(still), cursor.time)
    flight = packed_flights(run, [cursor], start[:1]).repeat(len(still), axis=0)
    rows = touches_at(run.context.moving, run.context.world.solids, still, run.context.gravity, flight, start)
    touching = (np.abs(rows[:, GAP]) <= TOUCHING) & (np.abs(rows[:, RATE]) <= TOUCHING) & (rows[:, PULL] < 0.0)
    return bool(touching.any())
