"""Things that are no balls: a mouse move with a box or a bat beside one with a ball, and a box that rattles to rest."""

import numpy as np

import hoi_edit as hoi
from bench import Row
from bench.bench_editing import dragged
from bench.timing import median_ms
from hoi_edit.rollout import Model
from hoi_edit.scene import Flying, Scene, Thing, ground
from kinematics.rotation import rotation_exp
from rigid.body import box
from rigid.impact import Material

DRAGS = {"box": ("box", 1.3), "baseball": ("bat", 0.8)}  # in flight above the ground; in two hands
BALL = ("juggle3", "ball1", 5.4)
BLOCKS, STEPS = 4, 15  # they take turns: a shared machine has its moods
SEEDS, END = 8, 4.0  # [s]
HALF, MASS = (0.15, 0.11, 0.11), 1.2


def run() -> list[Row]:
    return [row for name in DRAGS for row in _beside_a_ball(name)] + _rattling()


def _beside_a_ball(scene: str) -> list[Row]:
    ball, solid = hoi.open(BALL[0]), hoi.open(scene)
    moves, peers = list[float](), list[float]()
    for _ in range(BLOCKS):
        moves += dragged(solid, *DRAGS[scene], STEPS).move
        peers += dragged(ball, *BALL[1:], STEPS).move
    name, peer = f"{DRAGS[scene][0]} in {scene}: drag step and its report", f"ball in {BALL[0]}, p50"
    middle = float(np.median(peers))
    return [
        Row(f"{name}, p50", float(np.median(moves)), peer, middle),
        Row(f"{name}, p95", float(np.percentile(moves, 95)), peer, middle),
    ]


def rattling(seed: int) -> Scene:
    """A box that is let go above the ground at a slant."""
    rng = np.random.default_rng(seed)
    R = np.asarray(rotation_exp(rng.normal(size=3)))
    start = Flying(np.array([0.0, 0.6, 0.0]), 0.7 * rng.normal(size=3), R, 2.0 * rng.normal(size=3))
    material = Material(rng.uniform(0.0, 0.5), rng.uniform(0.2, 0.9))
    return Scene(things=[Thing("box", box(MASS, np.array(HALF)), start, material)], fixtures=[ground()], end=END)


def _rattling() -> list[Row]:
    times, events = list[float](), list[int]()
    for seed in range(SEEDS):
        model = Model.of(rattling(seed))
        events.append(len(model.simulate(model.start).events))
        times.append(median_ms(lambda model=model: model.simulate(model.start), 5))  # type: ignore[misc]
    what = f"a box of {min(events)} to {max(events)} touches, {END:.0f} s of it"
    worst = max(times)
    return [Row(f"{what}: simulate, median", float(np.median(times))), Row(f"{what}: simulate, longest", worst)]
