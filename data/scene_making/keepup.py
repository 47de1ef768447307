"""A ball kept up by a mime: touch by touch, each aimed at the next.

On convex parts an error grows twenty times with every touch, so touches are added one at a time, each solved to the
last digit before the next one is aimed.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.clip_making.keepup import TOUCHES, Touch, airborne
from data.scene_making.keep_clear import Flight, Watched, in_the_way, kept_clear, within_limits
from data.scene_making.least_change import Metric, Piece, Wanted, layer_piece, least_change
from data.scene_making.rows import Places, Seen, site_frames
from hoi_edit.scenes.soccer import RADIUS, START, scene
from hoi_edit.simulation import Model, Rollout
from kinematics.rotation import Floats

COUNT = 6  # touches
GRAVITY = 9.81
HIGH_UP = np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0])
START_WEIGHT = 2.0  # of a metre, or a metre per second, by which the ball starts elsewhere


def locked(dof: str) -> bool:
    """Whoever stands, stands still; arms have nothing to do with it."""
    return dof.startswith("pelvis") or "arm" in dof or "hand" in dof or "toes" in dof


def metric_of(model: Model, touches: Sequence[Touch]) -> Metric:
    """A foot is free while it is in the air, so that it comes down where it did; trunk and head around a header."""
    pieces: list[Piece] = []
    for k, touch in enumerate(touches):
        if touch.side:
            begin, end = airborne(k)
            parts: tuple[str, ...] = tuple(f"{touch.side}_{part}." for part in ("thigh", "shank", "foot"))
        else:
            begin, end, parts = touch.t - 0.5, touch.t + 0.5, ("abdomen.", "thorax.", "head.")
        pieces.append(layer_piece(model, "player", lambda dof, parts=parts: not dof.startswith(parts), begin, end))
    numbers = Metric.of_numbers(model, {"ball.position": START_WEIGHT, "ball.velocity": START_WEIGHT})
    return Metric([*pieces, *numbers])


def aims(touches: Sequence[Touch]) -> Places:
    """The ball on each site at its time, after the touch before."""
    seen = [Seen("ball", f"touch{k}" if k else None, t.t, f"player/{t.site}") for k, t in enumerate(touches)]
    return Places(seen, np.tile([0.0, 0.0, RADIUS], (len(touches), 1)))


def flights(touches: Sequence[Touch]) -> list[Flight]:
    times = [START, *(touch.t for touch in touches)]
    return [Flight("ball", f"touch{k}" if k else None, times[k], times[k + 1]) for k in range(len(touches))]


def dropped(touch: Touch) -> Floats:
    """Position and velocity at the start of a ball that falls from rest onto a touch."""
    model = Model.of(scene("look", HIGH_UP, [f"player/{touch.site}"], [touch.t], declared=True))
    (position,), (rotation,) = site_frames(model.simulate(model.start), [(f"player/{touch.site}", touch.t)])
    fall = 0.5 * GRAVITY * (touch.t - START) ** 2
    return np.concatenate([position + RADIUS * rotation[:, 2] + [0.0, fall, 0.0], np.zeros(3)])


def soccer() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/soccer.npz`."""
    touches = TOUCHES[:COUNT]
    sites, times = [f"player/{touch.site}" for touch in touches], [touch.t for touch in touches]
    drop = dropped(touches[0])
    plan = scene("plan", drop, sites, times, declared=True)
    rollout = solve(Model.of(plan), touches)
    ball = rollout.controls.starts["ball"]
    return {
        "impact.other": np.array(sites),
        "impact.time": np.array(times),
        "ball.drop": drop,
        "ball.start": np.concatenate([ball.position, ball.velocity]),
        "player": np.asarray(rollout.controls.motions["player"]),
    }


def solve(model: Model, touches: Sequence[Touch]) -> Rollout:
    really = Model.of(replace(model.scene, contacts=[replace(c, declared=False) for c in model.scene.contacts]))
    rollout, watched = model.simulate(model.start), list[Watched]()
    for count in range(1, len(touches) + 1):
        metric = metric_of(model, touches[:count])
        for _ in range(4):
            print(f"{count} touches, {len(watched)} places to keep clear of")
            limits = within_limits(rollout, "player", locked)
            wanted = Wanted([aims(touches[:count])], [limits, kept_clear(watched)])
            rollout = least_change(model, rollout.u, model.start, wanted, metric, steps=8, still=1e-3)
            rollout = least_change(model, rollout.u, rollout.u, wanted, metric, steps=6)
            met = in_the_way(really.simulate(rollout.u), flights(touches[:count]))
            if not met:
                break
            watched += met
    return really.simulate(rollout.u)
