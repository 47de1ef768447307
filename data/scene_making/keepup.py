"""A ball kept up by a mime.

On convex parts an error grows twenty times with every touch, so nothing is shot from the start. The ball's way is laid
through the places of the touches instead, which says how fast it comes to each and must leave it; what is left to solve
is each touch alone: that the part moves and faces so that the law of impact does this. (The flights are then those of a
fresh simulation, as far as round-off lets it go.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from data.clip_making.keepup import TOUCHES, Touch, airborne
from data.scene_making.keep_clear import CLEAR, Flight, Watched, in_the_way, within_limits
from data.scene_making.least_change import Metric, Wanted, layer_piece, least_change
from data.scene_making.rows import Angles, Family
from hoi_edit.scene import SKIN, Character
from hoi_edit.scenes.soccer import LEATHER, MASS, RADIUS, START, scene
from hoi_edit.simulation import Model, Rollout
from hoi_edit.touching import FRAME, bounce, frame_motions
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from rigid.body import ball
from rigid.flight import State

COUNT = 8  # touches; one more is aimed at
GRAVITY = np.array([0.0, -9.81, 0.0])
AHEAD = np.deg2rad(10.0)  # of the end of the instep, from straight up
NEAR_KNEE = 0.06  # [m] from the middle of the thigh
POINTED = np.deg2rad(16.0)
HIGH_UP = np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0])
ROUNDS = 6


@dataclass(frozen=True, eq=False)
class Spot:
    """Where the ball touches a part: its centre and the normal then, in the part's frame."""

    time: float
    segment: int
    centre: Floats
    normal: Floats


def spot(skeleton: Skeleton, touch: Touch) -> Spot:
    """On a foot at its very front, where no shin is in the ball's way; on a thigh near the knee, away from the face."""
    site = skeleton.site(touch.site)
    if not touch.site.endswith("instep"):
        along, normal = site.rotation[:, 1], site.rotation[:, 2]
        ahead = NEAR_KNEE if touch.site.endswith("thigh") else 0.0
        return Spot(touch.t, site.segment, site.position + ahead * along + RADIUS * normal, normal)
    assert site.shape is not None
    rod = skeleton.shapes[site.shape]
    end = rod.position + rod.rotation @ np.array([0.0, rod.size[1], 0.0])
    normal = site.rotation @ np.array([0.0, np.sin(AHEAD), np.cos(AHEAD)])
    return Spot(touch.t, site.segment, end + (rod.size[0] + RADIUS) * normal, normal)


@dataclass(frozen=True, eq=False)
class Way:
    """The ball's way through all touches, as a function of how the parts that it touches move then (N, 24)."""

    spots: Sequence[Spot]

    @property
    def times(self) -> Floats:
        return np.array([place.time for place in self.spots])

    def centres(self, frames: Array) -> Array:
        f = FRAME.unpack(frames)
        centre = np.stack([place.centre for place in self.spots])
        return f.position + jnp.einsum("nij,nj->ni", f.rotation.reshape(-1, 3, 3), centre)

    def leaving(self, frames: Array) -> Array:
        """Velocities with which the ball must leave every touch but the last to come to the next."""
        x, flight = self.centres(frames), np.diff(self.times)[:, None]
        return (x[1:] - x[:-1]) / flight - 0.5 * flight * GRAVITY[None]

    def start(self, frames: Array) -> Array:
        """Position and velocity of a ball that falls from rest onto the first touch."""
        fall = self.times[0] - START
        return jnp.concatenate([self.centres(frames)[0] - 0.5 * fall**2 * GRAVITY, jnp.zeros(3)])

    def mismatch(self, frames: Array) -> Array:
        """Velocity after each touch by the law of impact, less the one that it must leave with (3 each)."""
        x, leaving, body = self.centres(frames), self.leaving(frames), ball(MASS, RADIUS)
        law = SimpleNamespace(
            normal_turn=jnp.zeros(3), inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0],
            ball_radius=RADIUS, restitution=LEATHER.restitution * SKIN.restitution,
            friction=LEATHER.friction * SKIN.friction,
        )  # fmt: skip
        velocity, spin, off = (self.times[0] - START) * GRAVITY, jnp.zeros(3), []
        for k, wanted in enumerate(leaving):
            normal = FRAME.unpack(frames[k]).rotation.reshape(3, 3) @ self.spots[k].normal
            after, _, _ = bounce(frames[k], law, State(x[k], jnp.eye(3), velocity, spin), normal, None)
            off.append(after.velocity - wanted)
            spin = after.angular_velocity
            velocity = wanted + (self.times[k + 1] - self.times[k]) * GRAVITY
        return jnp.concatenate(off)

    def place(self, frames: Array, time: float) -> Array:
        """The ball's centre at a time between the start and the last touch."""
        k = int(np.searchsorted(self.times, time))
        if k == 0:
            return self.start(frames)[:3] + 0.5 * (time - START) ** 2 * GRAVITY
        tau = time - self.times[k - 1]
        return self.centres(frames)[k - 1] + tau * self.leaving(frames)[k - 1] + 0.5 * tau**2 * GRAVITY


@dataclass(frozen=True, eq=False)
class Player:
    """What the way depends on: the frames of the parts that touch the ball, or are in its way."""

    character: Character
    way: Way

    def frames(self, own: Array, segments: Sequence[int], times: Sequence[float]) -> Array:
        items = np.column_stack([segments, times])
        return frame_motions(self.character.skeleton, self.character.motion, own, jnp.asarray(items))

    def at_touches(self, own: Array) -> Array:
        return self.frames(own, [place.segment for place in self.way.spots], list(self.way.times))

    def start(self, own: Array) -> Array:
        return self.way.start(self.at_touches(own))

    def mismatch(self, own: Array) -> Array:
        return self.way.mismatch(self.at_touches(own))

    def clear(self, watched: Sequence[Watched], own: Array) -> Array:
        """How far the ball is from planes that it shall not cross, less the room that it shall have."""
        if not watched:
            return jnp.zeros(0)
        touching = self.at_touches(own)
        parts = [self.character.skeleton.segment(w.seen.by.partition("/")[2]) for w in watched]
        f = FRAME.unpack(self.frames(own, parts, [w.seen.time for w in watched]))
        away = jnp.stack([self.way.place(touching, w.seen.time) for w in watched]) - f.position
        local = jnp.einsum("nji,nj->ni", f.rotation.reshape(-1, 3, 3), away)
        out, touch = np.stack([w.out for w in watched]), np.stack([w.touch for w in watched])
        return jnp.sum(out * (local - touch), axis=1) - CLEAR


class OfPlayer:
    """A function of the player's control points, as a family of rows."""

    def __init__(self, function: Any) -> None:
        self._value, self._jacobian = jax.jit(function), jax.jit(jax.jacrev(function))

    def values(self, rollout: Rollout) -> Floats:
        return np.asarray(self._value(jnp.asarray(rollout.controls.motions["player"])))

    def jacobian(self, rollout: Rollout) -> Floats:
        block = rollout.model.layout["player"]
        own = np.asarray(self._jacobian(jnp.asarray(rollout.controls.motions["player"])))
        J = np.zeros((len(own), rollout.model.layout.size))
        J[:, block.indices] = own.reshape(len(own), block.stop - block.start)
        return J


def locked(dof: str) -> bool:
    """Whoever stands, stands still; arms have nothing to do with it."""
    return dof.startswith("pelvis") or "arm" in dof or "hand" in dof or "toes" in dof


def metric_of(model: Model, touches: Sequence[Touch]) -> Metric:
    """A foot is free while it is in the air, so that it comes down where it did; trunk and head always are."""
    pieces = [layer_piece(model, "player", partial(_not_of, ("abdomen.", "thorax.", "head.")))]
    for k, touch in enumerate(touches):
        if touch.side:
            leg = tuple(f"{touch.side}_{part}." for part in ("thigh", "shank", "foot"))
            pieces.append(layer_piece(model, "player", partial(_not_of, leg), *airborne(k)))
    return Metric(pieces)


def _not_of(parts: tuple[str, ...], dof: str) -> bool:
    return not dof.startswith(parts)


def pointed(skeleton: Skeleton, touches: Sequence[Touch]) -> Angles:
    """Feet that point a little at their touches, which makes more room yet."""
    feet = [(k, skeleton.dof(f"{t.side}_foot.Xrotation")) for k, t in enumerate(touches) if t.site.endswith("instep")]
    at, dof = np.array(feet, int).reshape(-1, 2).T
    return Angles("player", np.array([t.t for t in touches]), at, dof, np.ones(len(at)), np.full(len(at), POINTED))


def flights(touches: Sequence[Touch]) -> list[Flight]:
    times = [START, *(touch.t for touch in touches)]
    return [Flight("ball", f"touch{k}" if k else None, times[k], times[k + 1]) for k in range(len(touches))]


def soccer() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/soccer.npz`."""
    touches, aimed = TOUCHES[:COUNT], TOUCHES[: COUNT + 1]
    sites, times = [f"player/{touch.site}" for touch in touches], [touch.t for touch in touches]
    model = Model.of(scene("plan", HIGH_UP, sites, times, declared=False))
    player = model.scene.character("player")
    way = Player(player, Way([spot(player.skeleton, touch) for touch in aimed]))
    start = jax.jit(way.start)
    own = solve(model, way, aimed, start)
    return {
        "impact.other": np.array(sites),
        "impact.time": np.array(times),
        "ball.drop": np.asarray(start(player.motion.parameters())),
        "ball.start": np.asarray(start(own)),
        "player": np.asarray(own),
    }


def solve(model: Model, way: Player, touches: Sequence[Touch], start: Any) -> Array:
    """Rounds of solving and looking what was in the way."""
    metric, bounces, watched = metric_of(model, touches), OfPlayer(way.mismatch), list[Watched]()
    rollout = model.simulate(model.start)
    for _ in range(ROUNDS):
        print(f"{len(watched)} places to keep clear of")
        above: list[Family] = [
            within_limits(rollout, "player", locked),
            pointed(way.character.skeleton, touches),
            OfPlayer(partial(way.clear, tuple(watched))),
        ]
        wanted = Wanted([bounces], above)
        rollout = least_change(model, rollout.u, model.start, wanted, metric, steps=12, still=1e-2)
        rollout = least_change(model, rollout.u, rollout.u, wanted, metric, steps=6, still=1e-12)
        own = jnp.asarray(rollout.controls.motions["player"])
        met = in_the_way(_with_start(model, rollout.u, np.asarray(start(own))), flights(touches))
        if not met:
            break
        watched += met[:3]  # what comes after the first is not the plan any more
    return own


def _with_start(model: Model, u: Floats, start: Floats) -> Rollout:
    u = u.copy()
    for name, value in (("ball.position", start[:3]), ("ball.velocity", start[3:])):
        u[model.layout[name].indices] = value
    return model.simulate(u)
