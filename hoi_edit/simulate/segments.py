"""The stretches that a thing's life is cut into: from its start, and from each intended contact that has a node."""

import numpy as np

from hoi_edit.scene import Contact, Held, Thing
from hoi_edit.simulate.contact_laws import MATCH
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.prescribed import packed_flights
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.search import touches_at
from hoi_edit.simulate.search.layouts import GAP, PULL, RATE, TOUCHING
from kinematics.rotation import rotation_exp
from rigid.body import is_ball


def segments_of(simulation: Discovery, thing: Thing) -> list[Cursor]:
    """From its start to its end; with nodes, cut at each intended contact that has one."""
    plan, past, cursors = simulation.scene.plan_of(thing.name), simulation.past, list[Cursor]()
    if past is None:
        nodes = simulation.nodes or {}
        ends = [-1, *(k for k, contact in enumerate(plan) if contact.id in nodes), len(plan)]
    else:
        cursors, ends = list(past.simulation.segments[thing.name]), past.simulation.cuts[thing.name]
    simulation.cuts[thing.name] = ends
    for number in range(len(ends) - 1) if past is None else past.changed[thing.name]:
        begin, end = ends[number : number + 2]
        own = plan[begin + 1 : end + 1]
        cursor = _start(simulation, thing, own) if begin < 0 else _from_node(simulation, thing, plan[begin], own)
        if end < len(plan):
            goal = plan[end]
            cursor.goal, cursor.limit = goal.id, min(cursor.limit, goal.time + (0.0 if goal.declared else MATCH))
            cursor.led = goal.id in simulation.guide
            if cursor.led:
                cursor.limit = simulation.guide[goal.id][0]
        cursors[number : number + 1] = [cursor]
    return cursors


def _from_node(simulation: Discovery, thing: Thing, contact: Contact, plan: list[Contact]) -> Cursor:
    assert simulation.nodes is not None
    node = simulation.nodes[contact.id]
    cursor = Cursor(thing, plan, node.time, simulation.scene.end)
    if node.state is None:
        release = simulation.controls.contacts[contact.id].release
        frame = simulation.world.frame(contact.carrier)
        simulation.hold(cursor, frame, node.position, node.rotation, release, contact.id)
    else:
        simulation.take_off(cursor, node.state)
        cursor.blind = dict.fromkeys(simulation.laws.targets(contact).tolist(), np.inf)
    return cursor


def _start(simulation: Discovery, thing: Thing, plan: list[Contact]) -> Cursor:
    own = simulation.controls.starts[thing.name]
    cursor = Cursor(thing, plan, simulation.scene.start, simulation.scene.end)
    rotation = np.asarray(thing.start.rotation, float)
    if np.any(own.turn):
        rotation = rotation_exp(np.asarray(own.turn)) @ rotation
    if isinstance(thing.start, Held):
        release = simulation.controls.contacts[thing.name].release if thing.start.release is not None else None
        frame = simulation.world.frame(thing.start.carrier)
        simulation.hold(cursor, frame, own.position, rotation, release, thing.name)
    else:
        simulation.take_off(cursor, np.concatenate([own.position, rotation.ravel(), own.velocity, own.spin]))
        cursor.lies = any(contact.id in simulation.guide for contact in plan) and _lies(simulation, cursor)
    return cursor


def _lies(simulation: Discovery, cursor: Cursor) -> bool:
    """Whether a ball is on something that stands still, and neither leaves it nor comes down on it."""
    still = np.flatnonzero(simulation.world.surfaces.frame < 0)
    if not is_ball(cursor.thing.body) or not len(still):
        return False
    start = np.full(len(still), cursor.time)
    flight = packed_flights(simulation, [cursor], start[:1]).repeat(len(still), axis=0)
    rows = touches_at(simulation.exact.moving, simulation.world.solids, still, simulation.gravity, flight, start)
    touching = (np.abs(rows[:, GAP]) <= TOUCHING) & (np.abs(rows[:, RATE]) <= TOUCHING) & (rows[:, PULL] < 0.0)
    return bool(touching.any())
