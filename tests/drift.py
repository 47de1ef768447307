"""A long session with pins: after every drag they hold, kept contacts happen, and undoing it all leaves nothing behind.

python -m tests.drift --drags 1000 --soccer 200
"""

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from hoi_edit.session import EditSession
from kinematics.rotation import Floats

HOLDS = 1e-6  # [m]
PINS = 10
AWAY = (0.01, 0.2)  # [m] that a drag goes, evenly in its logarithm
AIM = 1e-3  # [m]: nearer to the start than this there is no way back to go


@dataclass
class Drift:
    """What became of the drags of one session."""

    counts: Counter[str] = field(default_factory=Counter)  # "arrived", "partly" or "refused"
    worst_pin: float = 0.0  # [m] after any drag
    worst_contact: float = 0.0  # [m, m/s, rad] that stretches of the scene do not meet by
    late: float = 0.0  # [s] that a contact was ever off its first time
    strayed: float = 0.0  # [m]: the farthest that what was dragged was ever from where it started

    def __str__(self) -> str:
        return (
            f"{dict(self.counts)}, pins off by at most {self.worst_pin:.1e} m, joints of the scene by "
            f"{self.worst_contact:.1e}; contacts by up to {1e3 * self.late:.0f} ms from their first times, things "
            f"dragged by up to {self.strayed:.2f} m from their first places"
        )


def drift(
    scene: str, drags: int, pins: int = 0, seed: int = 0, told: Callable[[int, Drift], None] | None = None
) -> Drift:
    """So many drags in one session; an AssertionError if something is wrong."""
    rng, found = np.random.default_rng(seed), Drift()
    session = hoi.open(scene)
    start, events = session.u, [event.time for event in session.rollout.events]
    pinned = [added(session, pin) for pin in spread(session, pins)]
    last: tuple[str, float] | None = None
    for k in range(drags):
        last = one_drag(session, rng, found, None if k % 2 == 0 else last)
        check(session, pinned, found)
        if told is not None:
            told(k + 1, found)
    while session.undo():
        pass
    assert np.array_equal(session.u, start), "undo does not lead back to the start"
    assert [event.time for event in session.rollout.events] == events, "undone, events are at other times"
    return found


def spread(session: EditSession, count: int) -> list[hoi.Pin]:
    """The parts that catch or touch something, each where it is just then; so many contacts, evenly over the scene."""
    chosen = np.linspace(0, len(session.scene.contacts) - 1, count).round().astype(int)
    found = []
    for k in chosen:
        contact = session.scene.contacts[int(k)]
        t = time_of(session.rollout, contact.id)
        found.append(hoi.Pin(contact.carrier, t, position=session.state(contact.carrier, t).position))
    return found


def added(session: EditSession, pin: hoi.Pin) -> hoi.Pin:
    assert session.add(pin).converged, f"{pin.label} does not hold where it already was"
    return pin


def one_drag(
    session: EditSession, rng: np.random.Generator, found: Drift, back: tuple[str, float] | None
) -> tuple[str, float]:
    """A drag away of something, or of the same thing back towards where it started; what was dragged, and when."""
    name, t = chosen(session, rng) if back is None else back
    here, home = session.state(name, t).position, session.source.state(name, t).position
    by = rng.normal(size=3) if back is None or np.linalg.norm(home - here) < AIM else home - here
    far = float(np.exp(rng.uniform(*np.log(AWAY))))
    if back is not None:
        far = min(far, float(np.linalg.norm(home - here)) + AIM)
    before = session.now
    target, span = here + far * by / np.linalg.norm(by), session.rollout.span_name(name, t)
    report = session.drag(name, t, target)
    changed = session.now > before
    assert np.all(np.isfinite(session.u)), f"u is not finite after a drag of {name} at {t}"
    assert changed or not report.converged, f"a drag of {name} at {t} converged and changed nothing"
    if report.converged:
        there = session.rollout.state_in(name, t, session.rollout.span_index(name, t, span)).position
        assert np.abs(there - target).max() < HOLDS, f"a drag of {name} at {t} says that it arrived, but has not"
    found.counts["arrived" if report.converged else "partly" if changed else "refused"] += 1
    found.strayed = max(found.strayed, float(np.linalg.norm(session.state(name, t).position - home)))
    return name, t


def chosen(session: EditSession, rng: np.random.Generator) -> tuple[str, float]:
    scene = session.scene
    names = [thing.name for thing in scene.things]
    names += [f"{character.name}/{side}_hand" for character in scene.characters for side in ("left", "right")]
    last = max(contact.time for contact in scene.contacts)
    return names[int(rng.integers(len(names)))], float(rng.uniform(scene.start, last))


def check(session: EditSession, pinned: Sequence[hoi.Pin], found: Drift) -> None:
    """Pins hold, all contacts of the scene happen, and every stretch goes on where the one before it ended."""
    rollout = session.rollout
    offs = [float(np.abs(rollout.state(pin.name, pin.t).position - pin.position).max()) for pin in pinned]
    found.worst_pin = max(found.worst_pin, *offs, 0.0) if offs else 0.0
    assert found.worst_pin < HOLDS, f"a pin is off by {found.worst_pin} m after {session.history[session.now].label}"
    lost = {contact.id for contact in session.scene.contacts} - set(rollout.happened)
    assert not lost, f"{lost} lost by {session.history[session.now].label}"
    found.late = max(
        found.late, *(abs(time_of(rollout, id_) - time_of(session.source, id_)) for id_ in rollout.happened)
    )
    jumps: list[Floats] = [np.abs(off) for off in rollout.continuity.values()]
    found.worst_contact = max(found.worst_contact, *(float(jump.max()) for jump in jumps), 0.0)
    assert found.worst_contact < 1e-5, f"a jump of {found.worst_contact} after {session.history[session.now].label}"


def time_of(rollout: Rollout, contact: str) -> float:
    thing, k = rollout.happened[contact]
    return rollout.trajectories.chains[thing].events[k].time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=1_000, help="in juggle3, with ten pins")
    parser.add_argument("--soccer", type=int, default=200, help="in soccer, with all touches kept")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for scene, drags, pins in (("juggle3", options.drags, PINS), ("soccer", options.soccer, 0)):
        begun = time.monotonic()

        def told(done: int, found: Drift, scene: str = scene, drags: int = drags, begun: float = begun) -> None:
            if done % 20 == 0 or done == drags:
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"{scene}: {done} drags: {found}; {time.monotonic() - begun:.0f} s, {memory:.0f} MB", flush=True)

        drift(scene, drags, pins, options.seed, told)
        print(f"{scene}: all undone, bit for bit as at the start", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
