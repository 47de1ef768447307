"""Numbers that a solved scene must have, each with its derivative by the control vector.

A family of rows is asked twice: for its values in a rollout, and, where the solver goes on, for its Jacobian there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import jax.numpy as jnp
import numpy as np

from hoi_edit.linearise import Target
from hoi_edit.motions.base import poses
from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.packed import flown
from hoi_edit.scene import Scene
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME
from kinematics.rotation import Floats

PLACE_AND_TURN = np.eye(12)[:6]


class Family(Protocol):
    def values(self, rollout: Rollout) -> Floats:
        """(N,)"""
        ...

    def jacobian(self, rollout: Rollout) -> Floats:
        """(N, n)"""
        ...


@dataclass(frozen=True)
class Seen:
    """A thing in flight, as a site of a body (or another thing) sees it: x and y across the site, z out of it [m].

    The flight is the one that the event `after` begins, be it long enough or not: the row exists before the plan works.
    """

    thing: str
    after: str | None  # an intended contact, or the thing itself if it starts in a hand; None: it starts in flight
    time: float
    by: str

    def span(self, rollout: Rollout) -> int:
        events = rollout.trajectories.chains[self.thing].events
        return 0 if self.after is None else max(k for k, e in enumerate(events) if e.contact == self.after) + 1

    def place(self, rollout: Rollout) -> Floats:
        """Where the thing is in the world."""
        span = rollout.trajectories.chains[self.thing].spans[self.span(rollout)]
        return flown(np.asarray(span.state), self.time - span.start, rollout.simulation.gravity)[:3]


def site_frames(rollout: Rollout, sites: Sequence[tuple[str, float]]) -> tuple[Floats, Floats]:
    """Positions (N, 3) and rotations (N, 3, 3) in the world of sites, segments or things (name, time)."""
    position, rotation = np.empty((len(sites), 3)), np.empty((len(sites), 3, 3))
    scene, world = rollout.model.scene, rollout.model.world
    of_body = [k for k, (name, _) in enumerate(sites) if "/" in name]
    if of_body:
        frames = [world.frame(sites[k][0]) for k in of_body]
        found = FRAME.unpack(rollout.simulation.exact.frames(frames, [sites[k][1] for k in of_body]))
        for k, p, R in zip(of_body, found.position, found.rotation.reshape(-1, 3, 3), strict=True):
            position[k] = p + R @ scene.place(sites[k][0])[2]
            rotation[k] = R @ site_rotation(scene, sites[k][0])
    for k in set(range(len(sites))) - set(of_body):
        state = rollout.state(*sites[k])
        position[k], rotation[k] = state.position, state.rotation
    return position, rotation


def site_rotation(scene: Scene, name: str) -> Floats:
    """Of a site in its segment; anything else is taken as it is."""
    owner, _, point = name.partition("/")
    sites = {site.name: site for site in scene.character(owner).skeleton.sites} if point else {}
    return np.asarray(sites[point].rotation) if point in sites else np.eye(3)


def cross_matrix(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@dataclass(frozen=True)
class Places:
    """Each thing at its place as a site sees it, less `wanted`, along given directions."""

    seen: Sequence[Seen]
    wanted: Floats  # (N, 3)
    along: Sequence[Floats] | None = None  # (k, 3) each; None: all three axes

    @cached_property
    def _directions(self) -> Sequence[Floats]:
        return [np.eye(3)] * len(self.seen) if self.along is None else [np.atleast_2d(a) for a in self.along]

    def values(self, rollout: Rollout) -> Floats:
        found = [
            along @ (R.T @ (seen.place(rollout) - p) - wanted)
            for seen, wanted, along, p, R in zip(
                self.seen, self.wanted, self._directions, *self._by(rollout), strict=True
            )
        ]
        return np.concatenate(found) if found else np.zeros(0)

    def _by(self, rollout: Rollout) -> tuple[Floats, Floats]:
        return site_frames(rollout, [(seen.by, seen.time) for seen in self.seen])

    def jacobian(self, rollout: Rollout) -> Floats:
        targets = [Target(s.thing, s.time, s.span(rollout)) for s in self.seen] + [
            Target(s.by, s.time) for s in self.seen
        ]
        if not targets:
            return np.zeros((0, rollout.model.layout.size))
        J = rollout.dense(rollout.linearisation.rows(targets, PLACE_AND_TURN)).reshape(2, len(self.seen), 6, -1)
        found = []
        for k, (seen, along, p, R) in enumerate(zip(self.seen, self._directions, *self._by(rollout), strict=True)):
            arm = cross_matrix(seen.place(rollout) - p)
            found.append(along @ R.T @ (J[0, k, :3] - J[1, k, :3] + arm @ J[1, k, 3:]))
        return np.concatenate(found)


@dataclass(frozen=True)
class Facing:
    """How much of a site's normal points up, less what is wanted."""

    sites: Sequence[tuple[str, float]]  # name and time
    wanted: float

    def values(self, rollout: Rollout) -> Floats:
        return np.asarray(site_frames(rollout, self.sites)[1][:, 1, 2] - self.wanted)

    def jacobian(self, rollout: Rollout) -> Floats:
        targets = [Target(name, time) for name, time in self.sites]
        if not targets:
            return np.zeros((0, rollout.model.layout.size))
        J = rollout.dense(rollout.linearisation.rows(targets, np.eye(12)[3:6])).reshape(len(targets), 3, -1)
        normals = site_frames(rollout, self.sites)[1][:, :, 2]
        return np.stack([-cross_matrix(n)[1] @ j for n, j in zip(normals, J, strict=True)])


@dataclass(frozen=True)
class Apart:
    """How far two things in flight are from each other, less what is wanted [m]."""

    pairs: Sequence[tuple[Seen, Seen]]
    wanted: float

    def values(self, rollout: Rollout) -> Floats:
        away = [a.place(rollout) - b.place(rollout) for a, b in self.pairs]
        return np.linalg.norm(np.reshape(away, (-1, 3)), axis=1) - self.wanted

    def jacobian(self, rollout: Rollout) -> Floats:
        targets = [Target(s.thing, s.time, s.span(rollout)) for pair in self.pairs for s in pair]
        if not targets:
            return np.zeros((0, rollout.model.layout.size))
        J = rollout.dense(rollout.linearisation.rows(targets, np.eye(12)[:3])).reshape(len(self.pairs), 2, 3, -1)
        away = np.array([a.place(rollout) - b.place(rollout) for a, b in self.pairs])
        normal = away / np.linalg.norm(away, axis=1, keepdims=True)
        return np.asarray(np.einsum("ni,nij->nj", normal, J[:, 0] - J[:, 1]))


@dataclass(frozen=True)
class Angles:
    """Joint angles of a character, times a sign, less a bound: zero or more inside the limits."""

    character: str
    times: Floats  # (T,) at which the pose is looked at
    at: np.ndarray  # (N,) which of them
    dof: np.ndarray  # (N,)
    sign: Floats  # (N,) +1 for a lower bound, -1 for an upper one
    bound: Floats  # (N,)

    def values(self, rollout: Rollout) -> Floats:
        motion, own = rollout.model.scene.character(self.character).motion, rollout.controls.motions[self.character]
        q = np.asarray(poses(motion, own, jnp.asarray(self.times)))
        return np.asarray(self.sign * (q[self.at, self.dof] - self.bound))

    def jacobian(self, rollout: Rollout) -> Floats:
        layout, J = rollout.model.layout, np.zeros((len(self.at), rollout.model.layout.size))
        motion, own = rollout.model.scene.character(self.character).motion, rollout.controls.motions[self.character]
        (term,) = terms(motion, own, self.times)
        assert isinstance(term, KnotTerm)
        dofs = np.shape(own)[1]
        for k, (at, dof) in enumerate(zip(self.at, self.dof, strict=True)):
            columns = layout.first(self.character) + (int(term.first[at]) + np.arange(4)) * dofs + dof
            J[k, columns] = self.sign[k] * term.value[at]
        return J
