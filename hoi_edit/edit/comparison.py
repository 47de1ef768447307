"""Two rollouts of a scene beside each other: what moved most, and when."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.reporting.words import count_of, some_of
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.trajectory import Event
from kinematics.rotation import Floats

LEAST = 1e-9  # [m], [rad], [s]: less is no change


@dataclass(frozen=True)
class Change:
    """The largest that one joint, thing or contact has seen."""

    name: str  # "juggler/right_forearm", "ball1", "catch3"
    time: float  # [s] at which it is largest
    distance: float = 0.0  # [m] that it is elsewhere then
    angle: float = 0.0  # [rad] of a joint: the largest of its own, at whatever time
    shift: float = 0.0  # [s] of a contact: later if positive

    @property
    def is_none(self) -> bool:
        return max(self.distance, self.angle, abs(self.shift)) < LEAST


@dataclass(frozen=True)
class Comparison:
    """Only what changed, the largest first."""

    joints: tuple[Change, ...]
    things: tuple[Change, ...]
    contacts: tuple[Change, ...]
    added: tuple[str, ...] = ()  # people, things and contacts that there were not before
    removed: tuple[str, ...] = ()  # and those that there are no longer

    def __repr__(self) -> str:
        """One line: how much changed, and what most."""
        changed = {"joint": self.joints, "thing": self.things, "contact": self.contacts}
        facts = [count_of(len(changes), what) + " changed" for what, changes in changed.items() if changes]
        facts += [f"new: {some_of(self.added)}"] if self.added else []
        facts += [f"gone: {some_of(self.removed)}"] if self.removed else []
        most = max((*self.joints, *self.things), key=lambda change: change.distance, default=None)
        if most is not None:
            facts += [f"most of all {most.name}, by {1e3 * most.distance:.1f} mm at {most.time:.2f} s"]
        return f"<comparison: {'; '.join(facts) or 'nothing has changed'}>"

    def __str__(self) -> str:
        lines = [
            *(f"{name} is new" for name in self.added),
            *(f"{name} is gone" for name in self.removed),
            *(f"{change.name} by {1e3 * change.distance:.1f} mm at {change.time:.2f} s" for change in self.things),
            *(
                f"{change.name} by {1e3 * change.distance:.1f} mm at {change.time:.2f} s, bent by up to "
                f"{np.rad2deg(change.angle):.1f}°"
                for change in self.joints
            ),
            *(f"{change.name} by {1e3 * change.shift:+.1f} ms at {change.time:.2f} s" for change in self.contacts),
        ]
        return "\n".join(lines) or "nothing has changed"

    def largest(self, count: int = 5) -> "Comparison":
        """The first few of each."""
        return replace(self, joints=self.joints[:count], things=self.things[:count], contacts=self.contacts[:count])


def compared(before: Rollout, after: Rollout) -> Comparison:
    """What came in later was nowhere before, and is named only; what got other joints is not compared."""
    times = np.asarray(after.model.world.table_times)
    joints = [change for change in _joints(before, after, times) if not change.is_none]
    things = [change for change in _things(before, after, times) if not change.is_none]
    contacts = [change for change in _contacts(before, after) if not change.is_none]
    return Comparison(
        tuple(sorted(joints, key=lambda change: -change.distance)),
        tuple(sorted(things, key=lambda change: -change.distance)),
        tuple(sorted(contacts, key=lambda change: -abs(change.shift))),
        tuple(name for name in _names(after) if name not in _names(before)),
        tuple(name for name in _names(before) if name not in _names(after)),
    )


def _names(seen: Rollout) -> list[str]:
    scene = seen.model.scene
    owners = [owner.name for owner in scene.owners]
    return [*owners, *(contact.id for contact in scene.contacts)]


def _farthest(name: str, before: Rollout, after: Rollout, times: Floats) -> tuple[float, float]:
    """When a thing or a point of a body is farthest from where it was, and how far."""
    away = np.linalg.norm(after.positions(name, times) - before.positions(name, times), axis=1)
    k = int(np.argmax(away))
    return float(times[k]), float(away[k])


def _joints(before: Rollout, after: Rollout, times: Floats) -> Iterator[Change]:
    was = {character.name: character.skeleton.topology for character in before.model.scene.characters}
    for character in after.model.scene.characters:
        if was.get(character.name) != character.skeleton.topology:
            continue
        bent = np.abs(after.poses(character.name) - before.poses(character.name)).max(axis=0)
        for joint, segment in enumerate(character.skeleton.names):
            dofs = character.skeleton.dofs_of(joint, "rotation")
            when, distance = _farthest(f"{character.name}/{segment}", before, after, times)
            yield Change(f"{character.name}/{segment}", when, distance, float(bent[dofs].max(initial=0.0)))


def _things(before: Rollout, after: Rollout, times: Floats) -> Iterator[Change]:
    was = [thing.name for thing in before.model.scene.things]
    for thing in after.model.scene.things:
        if thing.name in was:
            yield Change(thing.name, *_farthest(thing.name, before, after, times))


def _contacts(before: Rollout, after: Rollout) -> Iterator[Change]:
    was, now = ({event.contact: event.time for event in _meant(rollout)} for rollout in (before, after))
    for contact in sorted(set(was) & set(now), key=str):
        yield Change(str(contact), now[contact], shift=now[contact] - was[contact])


def _meant(seen: Rollout) -> list[Event]:
    return [event for event in seen.events if event.intended and (event.is_met or event.passes_on)]
