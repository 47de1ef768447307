"""Where rows begin: what is asked for becomes covectors at the start of the span that it lies in."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoi_edit.adjoint.accumulator import Gathering
from hoi_edit.adjoint.along import ride_back
from hoi_edit.adjoint.event_rows import carry_row
from hoi_edit.adjoint.in_air import on_outcome
from hoi_edit.adjoint.local_links import flights_of
from hoi_edit.adjoint.rows import Functional, PoseBlock, Target
from hoi_edit.adjoint.through import through, while_it_settles
from hoi_edit.simulate.events.ball_jacobians import held_and_released
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.spans.flight_in_air import air_flights
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross
from rigid.body import is_ball


def begin(gathering: Gathering, functionals: Sequence[Functional]) -> None:
    """Everything that is asked for becomes covectors at the start of the span that it lies in."""
    things: list[tuple[Target, Ints, Floats]] = []
    first = 0
    for functional in functionals:
        rows = np.arange(first, first + functional.count)
        first += functional.count
        things.extend((target, rows, on) for target, on in functional.things)
        gathering.on_frames.extend((frame, time, rows, on) for frame, time, on in functional.frames)
        gathering.poses.extend(PoseBlock(who, time, rows, q, rate) for who, time, q, rate in functional.poses)
        for block, values in functional.columns:
            gathering.add(block, rows, values)
        for name, k, on in functional.outcomes:
            through(gathering, name, k, rows, on_outcome(gathering.local, name, k, on))
    _begin_points(gathering, [entry for entry in things if "/" in entry[0].name])
    _begin_things(gathering, [entry for entry in things if "/" not in entry[0].name])


def _begin_things(gathering: Gathering, asked: list[tuple[Target, Ints, Floats]]) -> None:
    flights: list[Any] = []
    helds: list[Any] = []
    for target, rows, select in asked:
        gathering.scene.thing(target.name)
        chain = gathering.chains[target.name]
        k = chain.index_at(target.time) if target.span is None else target.span
        span = chain.spans[k]
        if target.span is None and chain.settles_at(k, target.time):
            while_it_settles(gathering, target.name, k, target.time, rows, select)
        elif span.kind == "contact":
            ride_back(gathering, target.name, k, target.time, rows, select)
        else:
            (helds if span.kind == "held" else flights).append((target, rows, k, span, select))
    in_air = [entry for entry in flights if entry[0].name in gathering.airs]
    jacobians = air_flights(gathering.simulation, [(span, target.time) for target, _, _, span, _ in in_air])
    for (target, rows, k, _, select), jacobian in zip(in_air, jacobians, strict=True):
        gathering.leave_at(target.name, k, rows, select @ jacobian)
    for group in _by_inertia(gathering.simulation, [entry for entry in flights if entry[0].name not in gathering.airs]):
        links = flights_of(gathering.local, group[0][0].name, [(s.state, t.time - s.start) for t, _, _, s, _ in group])
        for (target, rows, k, _, select), link in zip(group, links, strict=True):
            gathering.leave_at(target.name, k, rows, select @ link)
    if helds:
        frames = gathering.simulation.exact.frames([entry[3].frame for entry in helds], [t.time for t, *_ in helds])
        items = np.stack([carry_row(entry[3], frame) for entry, frame in zip(helds, frames, strict=True)])
        links = held_and_released(gathering.simulation.gravity, items)
        for (target, rows, k, span, select), link in zip(helds, links, strict=True):
            gathering.on_frames.append((span.frame, target.time, rows, select @ link[:, 6:18]))
            gathering.leave_at(target.name, k, rows, select @ link[:, :6])


def _begin_points(gathering: Gathering, asked: list[tuple[Target, Ints, Floats]]) -> None:
    """Points of bodies: a covector on a point is one on its frame."""
    if not asked:
        return
    own = [gathering.world.frame(target.name) for target, _, _ in asked]
    motions = gathering.simulation.exact.frames(own, [target.time for target, _, _ in asked])
    for (target, rows, on), frame, motion in zip(asked, own, motions, strict=True):
        f = FRAME.unpack(motion)
        arm = f.rotation.reshape(3, 3) @ gathering.scene.place(target.name)[2]
        gathering.on_frames.append((frame, target.time, rows, point_covectors(on, arm, f.spin)))


def point_covectors(on: Floats, arm: Floats, spin: Floats) -> Floats:
    """Covectors (k, 12) on the motion of a point as such on its frame's, which is `arm` away and turns with `spin`."""
    place, turn, velocity, turning = on[:, :3], on[:, 3:6], on[:, 6:9], on[:, 9:12]
    turned = turn + cross(arm, place) + cross(arm, cross(velocity, spin))
    return np.concatenate([place, turned, velocity, turning + cross(arm, velocity)], axis=1)


def _by_inertia(simulation: Discovery, flights: list[Any]) -> list[list[Any]]:
    """Targets in groups that one call serves: all balls, and every other thing by itself."""
    groups: dict[str, list[Any]] = {}
    for entry in flights:
        thing = simulation.scene.thing(entry[0].name)
        groups.setdefault("" if is_ball(thing.body) else thing.name, []).append(entry)
    return list(groups.values())
