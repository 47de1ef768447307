"""Simulating and linearising a juggled scene, in milliseconds, in yardsticks, and against central differences."""

from dataclasses import replace

import numpy as np

import hoi_edit as hoi
from bench import Row
from bench.bench_kinematics import yardstick_ms
from bench.timing import median_ms
from hoi_edit.adjoint import Linearisation, Target
from hoi_edit.motions import Layer
from hoi_edit.rollout import POSITION_AND_VELOCITY, Model, Rollout
from hoi_edit.scene import Scene
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.scenes.juggle3 import juggle3
from kinematics.clip_tools import repeat
from rigid.body import ball

BALLS, SECONDS = (1, 3, 7, 20), (5.0, 20.0, 60.0, 240.0)
TARGETS = [Target("ball1", 0.5 + 0.9 * k) for k in range(5)]  # thirty rows


def linearised(rollout: Rollout) -> object:
    """From a rollout to rows: local Jacobians, carried back, in blocks."""
    chains = dict(rollout.trajectories.chains)
    return Linearisation(rollout.context, chains).rows(TARGETS, POSITION_AND_VELOCITY)


def run() -> list[Row]:
    model = Model.of(juggle3())
    u, yardstick = model.start, yardstick_ms()
    fresh = model.simulate(u)
    nodes = fresh.nodes
    again = model.simulate(u, nodes)
    simulate, from_nodes = median_ms(lambda: model.simulate(u), 15), median_ms(lambda: model.simulate(u, nodes), 15)
    linearise = median_ms(lambda: linearised(again), 15)
    differences = 2 * len(u) * simulate  # that many simulations; nobody wants to wait for them
    name = f"juggle3 (n = {len(u)}, {len(fresh.events)} events)"
    return [
        Row(f"{name}: simulate from nodes", from_nodes, "yardstick", yardstick),
        Row(f"{name}: simulate from the start", simulate, "yardstick", yardstick),
        Row(f"{name}: linearise 30 rows", linearise, "simulate from nodes", from_nodes),
        Row(f"{name}: linearise 30 rows", linearise, "yardstick", yardstick),
        Row(f"{name}: linearise 30 rows", linearise, "central differences", differences),
        *_by_balls(yardstick),
        *_by_length(yardstick),
    ]


def _by_balls(yardstick: float) -> list[Row]:
    rows = []
    for count in BALLS:
        model = Model.of(_tossing(count, 5.0))
        nodes = model.simulate(model.start).nodes
        time = median_ms(lambda model=model, nodes=nodes: model.simulate(model.start, nodes), 8)  # type: ignore[misc]
        rows.append(Row(f"5 s, {count} balls: simulate from nodes", time, "yardstick", yardstick))
    return [*rows, _slope("ball", BALLS, rows)]


def _by_length(yardstick: float) -> list[Row]:
    rows = []
    for seconds in SECONDS:
        model = Model.of(_tossing(3, seconds))
        nodes = model.simulate(model.start).nodes
        time = median_ms(lambda model=model, nodes=nodes: model.simulate(model.start, nodes), 5)  # type: ignore[misc]
        rows.append(Row(f"{seconds:.0f} s, 3 balls: simulate from nodes", time, "yardstick", yardstick))
    return [*rows, _slope("second", SECONDS, rows)]


def _slope(unit: str, amounts: tuple[float, ...], rows: list[Row]) -> Row:
    """What one more costs: a straight line through all of them."""
    each = float(np.polyfit(amounts, [row.ours_ms for row in rows], 1)[0])
    return Row(f"each {unit} more", each, rows[0].peer, rows[0].peer_ms)


def _tossing(balls: int, seconds: float) -> Scene:
    """Balls that bounce on the ground before a standing person, each bounce intended."""
    clip = performed("stand_mime")
    clip = repeat(clip, int(np.ceil(seconds / (clip.duration - 0.5))) + 1, 0.5)
    flight = 0.8
    up = 0.5 * 9.81 * flight
    things, contacts = [], []
    for k in range(balls):
        x = 0.4 * (k - balls / 2)
        start = hoi.Flying(
            np.array([x, 0.05 + up * 0.4 - 0.5 * 9.81 * 0.16, 1.5]), np.array([0.0, up - 9.81 * 0.4, 0.0])
        )
        things.append(hoi.Thing(f"ball{k}", ball(0.15, 0.05), start, hoi.Material(1.0, 0.0)))
        touches = 0.4 + flight * np.arange(int((seconds - 0.4) / flight))
        contacts += [hoi.Contact(f"{k}:{i}", f"ball{k}", "ground", float(t)) for i, t in enumerate(touches)]
    person = hoi.Character("person", clip.skeleton, Layer.over(clip))
    scene = Scene([person], things, [hoi.ground()], contacts, end=seconds)
    return replace(scene, name=f"{balls} balls, {seconds:.0f} s")
