"""Edits of any scene, chosen at random: all that a session offers, where it makes sense and where it does not."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.scenes.resources import built_in_clips
from hoi_edit.session import EditSession
from kinematics.rotation import Floats
from rigid.body import is_ball
from tests.random_scenes import DULL, LIVELY, SHAPES, body_of

LOOKS = 60  # at how near a thing comes to a hand
AIMED = 0.7  # of times and places are where that may well succeed
MOST_THINGS, MOST_PEOPLE = 6, 3


@dataclass(frozen=True)
class Attempt:
    """One edit about to be made: of what, with which dice, and who may stop it."""

    session: EditSession
    rng: np.random.Generator
    stop: hoi.Listener

    def one_of(self, names: list[str]) -> str:
        return names[int(self.rng.integers(len(names)))] if names else "none"

    def is_so(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    @property
    def person(self) -> str:
        return self.one_of([person.name for person in self.session.scene.characters])

    @property
    def thing(self) -> str:
        return self.one_of([thing.name for thing in self.session.scene.things])

    @property
    def solid(self) -> str:
        """A thing that is no ball, if there is one."""
        things = self.session.scene.things
        return self.one_of([one.name for one in things if not is_ball(one.body)] or [one.name for one in things])

    @property
    def contact(self) -> str:
        return self.one_of([contact.id for contact in self.session.scene.contacts])

    @property
    def time(self) -> float:
        scene = self.session.scene
        return float(self.rng.uniform(scene.start + 0.05, scene.end - 0.05))

    @property
    def palm(self) -> str:
        return f"{self.person}/{self.one_of(['left_palm', 'right_palm'])}"

    @property
    def site(self) -> str:
        others = ["left_instep", "right_instep", "head", "left_shoulder", "right_tuck"]
        return self.palm if self.is_so(0.6) else f"{self.person}/{self.one_of(others)}"

    @property
    def hands(self) -> str | tuple[str, ...]:
        who = self.person
        return self.palm if self.is_so(0.5) else (f"{who}/right_palm", f"{who}/left_palm")

    def away(self, most: float = 0.4) -> Floats:
        by = self.rng.normal(size=3)
        return np.asarray(by / np.linalg.norm(by) * 10.0 ** self.rng.uniform(-2.0, np.log10(most)))

    def when(self, thing: str, site: str | tuple[str, ...]) -> float:
        """A time at which a thing is near a site, or any."""
        if not self.is_so(AIMED):
            return self.time
        scene = self.session.scene
        times = np.linspace(scene.start, min(scene.end, scene.start + 12.0), LOOKS + 2)[1:-1]
        point = site if isinstance(site, str) else site[0]
        state = self.session.state
        apart = [float(np.linalg.norm(state(thing, t).position - state(point, t).position)) for t in times]
        return float(times[int(np.argmin(apart))]) + 0.05 * float(self.rng.normal())

    def held(self, thing: str) -> float:
        """A time at which a thing is in a hand, or any."""
        spans = [span for span in self.session.rollout.trajectories.chains[thing].spans if span.kind == "held"]
        if not spans or not self.is_so(AIMED):
            return self.time
        span = spans[int(self.rng.integers(len(spans)))]
        return float(self.rng.uniform(span.start, min(span.end, self.session.scene.end)))


Edit = Callable[[Attempt], object]


def drag(on: Attempt) -> object:
    points = [f"{on.person}/{part}" for part in ("left_palm", "right_palm", "right_instep", "head")]
    name, t = on.thing if on.is_so(0.6) else on.one_of(points), on.time
    return on.session.drag(name, t, on.session.state(name, t).position + on.away(), progress=on.stop)


def bend(on: Attempt) -> object:
    who = on.session.scene.character(on.person)
    angles = [name for name in who.skeleton.topology.dof_names if name.endswith("rotation")]
    name, t = f"{who.name}/{on.one_of(angles)}", on.time
    angle = float(on.session.rollout.poses(who.name, np.array([t]))[0, who.skeleton.dof(name.partition("/")[2])])
    return on.session.bend(name, t, angle + 0.2 * float(on.rng.normal()), progress=on.stop)


def throw(on: Attempt) -> object:
    hold = on.contact if on.is_so(0.3) and on.session.scene.contacts else on.thing
    t = on.time
    is_thing = hold in on.session.rollout.trajectories.chains
    thing = hold if is_thing else on.session.scene.contact(hold).object
    return on.session.throw(hold, t, on.session.state(thing, t).position + on.away(), progress=on.stop)


def throw_to(on: Attempt) -> object:
    thing, scene = on.thing, on.session.scene
    release = on.held(thing)
    t = release + float(on.rng.uniform(0.3, 1.0))
    return on.session.throw(
        thing, t, on.palm, on.stop, release=release, declared=on.is_so(0.2) and scene.start < t < scene.end
    )


def grasp(on: Attempt) -> object:
    thing, hand = on.thing, on.site if on.is_so(0.3) else on.hands if on.is_so(0.3) else on.palm
    t = on.when(thing, hand)
    release = None if on.is_so(0.4) else min(t + float(on.rng.uniform(0.1, 1.0)), on.session.scene.end)
    return on.session.grasp(thing, hand, t, release=release, declared=on.is_so(0.15), progress=on.stop)


def release(on: Attempt) -> object:
    thing = on.thing
    return on.session.release(thing, on.held(thing), progress=on.stop)


def pass_to(on: Attempt) -> object:
    thing = on.thing
    return on.session.pass_to(thing, on.site, on.held(thing), declared=on.is_so(0.15), progress=on.stop)


def pick_up(on: Attempt) -> object:
    thing, hands = on.solid if on.is_so(0.8) else on.thing, on.hands
    return on.session.pick_up(thing, hands, on.when(thing, hands), progress=on.stop)


def put_down(on: Attempt) -> object:
    thing = on.solid
    return on.session.put_down(thing, None if on.is_so(0.5) else "ground", t=on.held(thing), progress=on.stop)


def hit(on: Attempt) -> object:
    bats = [thing.name for thing in on.session.scene.things if thing.name.startswith("bat")]
    thing, tool = on.thing, on.one_of(bats) if bats and on.is_so(0.5) else on.site
    return on.session.hit(thing, tool, on.when(thing, tool), progress=on.stop)


def mean(on: Attempt) -> object:
    by_chance = [event for event in on.session.rollout.events if event.kind == "impact" and not event.intended]
    if not by_chance:
        return None
    return on.session.mean(by_chance[int(on.rng.integers(len(by_chance)))], progress=on.stop)


def move_hold(on: Attempt) -> object:
    thing = on.thing
    t = on.held(thing)
    return on.session.move_hold(thing, t, t + 0.2 * float(on.rng.normal()), progress=on.stop)


def retime(on: Attempt) -> object:
    contact = on.contact
    t = on.session.scene.contact(contact).time + float(on.rng.normal()) * 0.2
    return on.session.retime(contact if on.is_so(0.6) else f"{contact}:release", t, progress=on.stop)


def solve(on: Attempt) -> object:
    return on.session.solve(progress=on.stop) if any(one.declared for one in on.session.scene.contacts) else None


def pin(on: Attempt) -> object:
    t, name = on.time, on.palm if on.is_so(0.7) else on.thing
    place = on.session.state(name, t).position + 0.3 * on.away()
    return on.session.add(hoi.Pin(name, t=t, position=place), progress=on.stop)


def unpin(on: Attempt) -> None:
    constraints = on.session.document.constraints
    if constraints:
        on.session.remove(int(on.rng.integers(len(constraints))))


def place(on: Attempt) -> object:
    x, z, turn = 0.3 * on.rng.normal(size=3)
    return on.session.place(on.person, by=[x, 0.0, z], turn=float(turn), progress=on.stop)


def shift(on: Attempt) -> object:
    return on.session.shift(on.person, 0.5 * float(on.rng.normal()))


def stretch(on: Attempt) -> object:
    return on.session.stretch(on.person, float(on.rng.uniform(0.8, 1.3)))


def trim(on: Attempt) -> object:
    who = on.person
    motion = on.session.scene.character(who).motion
    first, last = np.sort(on.rng.uniform(motion.start, motion.end, 2))
    return on.session.trim(who, float(first), float(last))


def import_clip(on: Attempt) -> object:
    known = built_in_clips()
    path = known[on.one_of(["kick_mime", "stand_mime", "juggling_mime"])]
    if len(on.session.scene.characters) >= MOST_PEOPLE or on.is_so(0.5):
        return on.session.import_clip(path, onto=on.person, progress=on.stop)
    x, z = on.rng.uniform(-3.0, 3.0, 2)
    return on.session.import_clip(path, at=on.session.scene.start, move=(x, z), progress=on.stop)


def change_thing(on: Attempt) -> object:
    name = on.thing
    if on.is_so(0.5):
        return on.session.change_thing(name, restitution=float(on.rng.uniform(0.2, 0.9)), progress=on.stop)
    return on.session.change_thing(name, mass=float(on.rng.uniform(0.05, 2.0)), progress=on.stop)


def change_material(on: Attempt) -> object:
    name = on.one_of([on.person, on.thing, *(fixture.name for fixture in on.session.scene.fixtures)])
    return on.session.change_material(name, friction=float(on.rng.uniform(0.1, 0.9)), progress=on.stop)


def add_thing(on: Attempt) -> object:
    if len(on.session.scene.things) >= MOST_THINGS:
        return None
    at, shape = on.session.state(on.palm, on.time).position + on.away(), on.one_of([*SHAPES])
    taken = {thing.name for thing in on.session.scene.things}
    name = next(name for name in (f"{shape}{k}" for k in range(1, 100)) if name not in taken)
    body, material = body_of(shape, on.rng), LIVELY if shape == "ball" else DULL
    return on.session.add_thing(hoi.Thing(name, body, hoi.Flying(at), material), progress=on.stop)


def remove_thing(on: Attempt) -> object:
    return on.session.remove_thing(on.thing, progress=on.stop) if len(on.session.scene.things) > 1 else None


def remove_character(on: Attempt) -> object:
    return on.session.remove_character(on.person, progress=on.stop) if len(on.session.scene.characters) > 1 else None


def remove_contact(on: Attempt) -> object:
    return on.session.remove_contact(on.contact, progress=on.stop)


def rename(on: Attempt) -> None:
    taken = {thing.name for thing in on.session.scene.things}
    name = on.thing
    on.session.rename(name, next(f"{name}{c}" for c in "xyzuvw" if f"{name}{c}" not in taken))


def let_go(on: Attempt) -> None:
    on.session.let_go(on.contact if on.is_so(0.5) else f"{on.person}/left_foot")


def window(on: Attempt) -> None:
    start = on.time
    if on.is_so(0.6):
        on.session.window()
    else:
        on.session.window(start, start + 3.0)


def lock(on: Attempt) -> None:
    locks = on.session.document.freedom.locks
    if locks:
        on.session.unlock(locks[0].name)
    else:
        on.session.lock(on.one_of([on.person, on.thing]))


def undo(on: Attempt) -> object:
    """And redone, it is what it was, to the bit."""
    u = on.session.u
    for _ in range(int(on.rng.integers(1, 3))):
        if not on.session.undo():
            return None
        if on.is_so(0.5):
            on.session.redo()
            assert np.array_equal(on.session.u, u), "what was undone and done again is not what it was"
        u = on.session.u
    return None


def save_and_open(on: Attempt) -> object:
    """The session that opening its file gives: the same, to the bit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.hoi"
        on.session.save(path)
        opened = hoi.open(path)
        opened.close()
        on.session.close()
    assert np.array_equal(opened.u, on.session.u) and opened.now == on.session.now, "what was saved is not what it was"
    return opened


EDITS: tuple[Edit, ...] = (
    drag, drag, drag, bend, throw, throw_to, grasp, grasp, release, pass_to, pick_up, pick_up, put_down, hit, hit, mean,
    move_hold, retime, retime, solve, pin, unpin, place, shift, stretch, trim, import_clip, change_thing,
    change_material, add_thing, remove_thing, remove_character, remove_contact, rename, let_go, window, window, lock,
    undo, undo, save_and_open,
)  # fmt: skip
