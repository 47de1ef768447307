"""A step of a drag: beside a simulation of the same scene, the yardstick, and itself in a longer routine."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import hoi_edit as hoi
from bench import Row
from bench.bench_kinematics import yardstick_ms
from bench.bench_qp import Bench, solo
from bench.long_routine import PERIOD, long_routine
from bench.timing import median_ms
from hoi_edit.edit.outcome import report_of
from hoi_edit.qp.step import solve
from hoi_edit.session import EditSession

STEPS, WARM_UP = 80, 8
BLOCKS = 4  # of steps, with the yardstick laid on after each: a shared machine has its moods
RADIUS, TURN = 0.08, 0.15  # [m, rad]: a mouse that goes in circles, a centimetre a step
DRAGS = {"juggle3": ("ball1", 5.4), "passing6": ("ball1", 5.0), "soccer": ("ball", 1.5)}  # in flight, [s]
ROUNDS = 6  # of the long routine before its drag: the same throw of the same ball
AROUND = 1.5  # [s] to both sides of a drag that may move, where there is a window
LENGTHS = (10.0, 40.0, 100.0)  # [s]


@dataclass(frozen=True)
class Timed:
    """Times [ms] of each step of a drag, of what a gesture does for it in all, and of simulating where it led."""

    step: list[float]
    move: list[float]
    simulation: list[float]

    def median(self, which: str) -> float:
        return float(np.median(getattr(self, which)))


def dragged(session: EditSession, name: str, t: float, steps: int = STEPS) -> Timed:
    """A mouse that never rests. Steps and simulations take turns, so that a noisy machine slows down both."""
    gesture = session.begin(name, t)
    start, model = gesture.start.position, session.model
    timed = Timed([], [], [])
    for k in range(WARM_UP + steps):
        target = start + RADIUS * np.array([np.sin(TURN * k), 1.0 - np.cos(TURN * k), 0.5 * np.sin(2 * TURN * k)])
        gesture.aim(target)
        step = _ms(gesture._solver.step)
        move = step + _ms(lambda solver=gesture._solver: report_of(solver, closely=False))  # type: ignore[misc]
        point = gesture.iterate
        simulation = _ms(lambda point=point: model.simulate(point.u, point.nodes))  # type: ignore[misc]
        if k >= WARM_UP:
            for times, took in zip((timed.step, timed.move, timed.simulation), (step, move, simulation), strict=True):
                times.append(took)
    gesture.abort()
    return timed


def _ms(fn: Callable[[], object]) -> float:
    start = time.perf_counter()
    fn()
    return 1e3 * (time.perf_counter() - start)


def run() -> list[Row]:
    rows = [row for name in DRAGS for row in _by_scene(name)]
    return rows + _qp_by_length() + _drag_by_length()


def _by_scene(scene: str) -> list[Row]:
    session, times, yardsticks = hoi.open(scene), Timed([], [], []), []
    for _ in range(BLOCKS):
        block = dragged(session, *DRAGS[scene], STEPS // BLOCKS)
        times = Timed(times.step + block.step, times.move + block.move, times.simulation + block.simulation)
        yardsticks.append(yardstick_ms())
    yardstick = float(np.median(yardsticks))
    name, simulation = f"{scene} (n = {len(session.u)}, {_rows(session, scene)} rows)", times.median("simulation")
    late = float(np.percentile(times.step, 95))
    return [
        Row(f"{name}: drag step, p50", times.median("step"), "simulate from nodes", simulation),
        Row(f"{name}: drag step, p50", times.median("step"), "yardstick", yardstick),
        Row(f"{name}: drag step, p95", late, "simulate from nodes", simulation),
        Row(f"{name}: drag step, p95", late, "yardstick", yardstick),
        Row(f"{name}: drag step and its report, p50", times.median("move"), "simulate from nodes", simulation),
    ]


def _rows(session: EditSession, scene: str) -> int:
    """How many rows the QP of its drag has."""
    gesture = session.begin(*DRAGS[scene])
    gesture.aim(gesture.start.position + np.array([0.0, RADIUS, 0.0]))
    return sum(rowset.functional.count for rowset in gesture._solver.rowsets(gesture.iterate))


def _qp_by_length() -> list[Row]:
    """The same rows, at the same times; only the clip goes on for longer."""
    rows: list[Row] = []
    for seconds in LENGTHS:
        bench = Bench.of(solo(seconds), contacts=20)
        problem = bench.problem(120, inequalities=20)
        before = solve(problem)
        ours = median_ms(lambda p=problem, b=before: solve(p, b).step, 40)  # type: ignore[misc]
        first = rows[0].ours_ms if rows else ours
        rows.append(Row(f"QP alone, {seconds:.0f} s (n = {bench.model.layout.size})", ours, "the same in 10 s", first))
    return rows


def _drag_by_length() -> list[Row]:
    """One throw dragged, in the routine and in one that is ten times as long; everything may move, or little."""
    short, long = hoi.open("juggle3"), long_routine(10 * LENGTHS[0])
    name, t = DRAGS["juggle3"]
    rows = []
    for what, windowed in (("everything may move", False), ("in a window of 3 s", True)):
        times = []
        for session, when in ((short, t), (long, t + ROUNDS * PERIOD)):
            if windowed:
                session.window(when - AROUND, when + AROUND)
            times.append(dragged(session, name, when, 30).median("step"))
        rows.append(Row(f"drag step, 100 s (n = {len(long.u)}), {what}", times[1], "juggle3, 10 s", times[0]))
    return rows
