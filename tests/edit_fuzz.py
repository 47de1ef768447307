"""Random edits of clips with things: after each of them a session shows what its controls give, and passes `check`.

python -m tests.edit_fuzz --edits 500 --seed 3
"""

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io import read_clip
from rigid import body
from tests.clips import recordings, swinging_human

MIMES = ("juggling_mime", "kick_mime", "catch_mime", "stand_mime")
BUILT_IN = ("juggle3", "soccer", "save")
MOST_MEMORY = 2048.0  # [MB]
GROWTH = 1024.0  # [MB] of a process that has done other things before
APART = 1e-3  # [m]
CHAOTIC = 1e-5  # [s]: events that differ by more have come apart touch by touch
Edit = Callable[[EditSession, np.random.Generator], object]


def clips(folder: Path | None) -> list[Clip]:
    """What people do: recorded, where there is a folder of recordings, and performed."""
    made = [swinging_human(4.0), *map(performed, MIMES)]
    return [*made, *(read_clip(path) for path in sorted(folder.glob("*.bvh")))] if folder else made


def scene_of(clip: Clip, rng: np.random.Generator) -> hoi.Scene:
    """Somebody with one to three things: in a hand, in the air, on the ground."""
    end = clip.start + min(clip.duration, 8.0)
    things: list[hoi.Thing] = []
    for k in range(int(rng.integers(1, 4))):
        radius, mass = float(rng.uniform(0.02, 0.12)), float(rng.uniform(0.05, 1.0))
        ball = body.ball(mass, radius)
        hand = f"ann/{'left' if rng.random() < 0.5 else 'right'}_palm"
        taken = {thing.start.carrier for thing in things if isinstance(thing.start, hoi.Held)}
        if rng.random() < 0.6 and hand not in taken:
            release = None if rng.random() < 0.3 else clip.start + float(rng.uniform(0.2, 0.8)) * (end - clip.start)
            start: hoi.Held | hoi.Flying = hoi.Held(hand, release=release)
        else:
            place = [
                float(rng.uniform(-1.5, 1.5)),
                radius if rng.random() < 0.5 else 1.2,
                float(rng.uniform(-1.5, 1.5)),
            ]
            start = hoi.Flying(np.array(place))
        things.append(hoi.Thing(f"ball{k + 1}", ball, start))
    return hoi.Scene([hoi.Character.of("ann", clip)], things, [hoi.ground()], start=clip.start, end=end)


# -- edits -------------------------------------------------------------------------------------------------------------


def _thing(session: EditSession, rng: np.random.Generator) -> str:
    return session.scene.things[int(rng.integers(len(session.scene.things)))].name


def _time(session: EditSession, rng: np.random.Generator) -> float:
    scene = session.scene
    return float(rng.uniform(scene.start + 0.05, scene.end - 0.05))


def _palm(session: EditSession, rng: np.random.Generator) -> str:
    return f"{session.scene.characters[0].name}/{'left' if rng.random() < 0.5 else 'right'}_palm"


def _away(rng: np.random.Generator) -> np.ndarray:
    by = rng.normal(size=3)
    return np.asarray(by / np.linalg.norm(by) * 10.0 ** rng.uniform(-2.0, -0.4))


def drag(session: EditSession, rng: np.random.Generator) -> object:
    name = _thing(session, rng) if rng.random() < 0.6 else _palm(session, rng)
    t = _time(session, rng)
    return session.drag(name, t, session.state(name, t).position + _away(rng))


def throw(session: EditSession, rng: np.random.Generator) -> object:
    hold = _contact(session, rng) if rng.random() < 0.5 and session.scene.contacts else _thing(session, rng)
    t = _time(session, rng)
    thing = hold if hold in session.rollout.trajectories.chains else session.scene.contact(hold).object
    return session.throw(hold, t, session.state(thing, t).position + _away(rng))


def grasp(session: EditSession, rng: np.random.Generator) -> object:
    t = _time(session, rng)
    release = None if rng.random() < 0.4 else min(t + float(rng.uniform(0.1, 1.0)), session.scene.end)
    return session.grasp(_thing(session, rng), _palm(session, rng), t, release=release)


def release(session: EditSession, rng: np.random.Generator) -> object:
    return session.release(_thing(session, rng), _time(session, rng))


def retime(session: EditSession, rng: np.random.Generator) -> object:
    contact = _contact(session, rng)
    t = session.scene.contact(contact).time + float(rng.normal()) * 0.2
    return session.retime(contact if rng.random() < 0.6 else f"{contact}:release", t)


def pin(session: EditSession, rng: np.random.Generator) -> object:
    t, palm = _time(session, rng), _palm(session, rng)
    return session.add(hoi.Pin(palm, t=t, position=session.state(palm, t).position + 0.3 * _away(rng)))


def mean(session: EditSession, rng: np.random.Generator) -> object:
    by_chance = [event for event in session.rollout.events if event.kind == "impact" and not event.intended]
    return session.mean(by_chance[int(rng.integers(len(by_chance)))]) if by_chance else None


def hit(session: EditSession, rng: np.random.Generator) -> object:
    return session.hit(_thing(session, rng), _palm(session, rng), _time(session, rng))


def place(session: EditSession, rng: np.random.Generator) -> object:
    person, (x, z, turn) = session.scene.characters[0].name, 0.3 * rng.normal(size=3)
    return session.place(person, by=[x, 0.0, z], turn=float(turn))


def heavier(session: EditSession, rng: np.random.Generator) -> object:
    return session.change_thing(_thing(session, rng), restitution=float(rng.uniform(0.2, 0.9)))


def take_out(session: EditSession, rng: np.random.Generator) -> object:
    return session.remove_contact(_contact(session, rng))


def another(session: EditSession, rng: np.random.Generator) -> object:
    at = session.state(_palm(session, rng), _time(session, rng)).position + _away(rng)
    thing = hoi.Thing(f"ball{len(session.scene.things) + 1}", body.ball(0.2, 0.05), hoi.Flying(at))
    return session.add_thing(thing) if len(session.scene.things) < 6 else None


def back(session: EditSession, rng: np.random.Generator) -> object:
    return session.undo()


def _contact(session: EditSession, rng: np.random.Generator) -> str:
    contacts = session.scene.contacts
    return contacts[int(rng.integers(len(contacts)))].id if contacts else "none"


EDITS: tuple[Edit, ...] = (
    drag, drag, throw, grasp, grasp, release, retime, pin, mean, hit, place, heavier, take_out, another, back,
)  # fmt: skip


# -- what has to be so -------------------------------------------------------------------------------------------------


def wrong(session: EditSession, before: set[str], most: float) -> Iterator[str]:
    """What is not as it should be, in sentences; `most` is how much memory may be used [MB]."""
    if not np.all(np.isfinite(session.u)):
        yield "u is not finite"
    yield from parted(session)
    lost = tuple(f"{contact} of " for contact in session.iterate.rollout.missed)  # which the edit has said
    for measure in measures(session):
        excused = measure.kind in EXCUSED or measure.what in before or measure.what.startswith(lost)
        if measure.is_off and not excused:
            yield f"check: {measure}"
    if most_used() > most:
        yield f"{most_used():.0f} MB are used"


def most_used() -> float:
    """How much memory this process has used at most [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


EXCUSED = {"declared", "let go", "penetration", "gradient"}  # said by name where they arise, or of derivatives


def claims_off(session: EditSession) -> set[str]:
    """What `check` says of a scene before anybody edits it."""
    return {measure.what for measure in measures(session) if measure.is_off}


def parted(session: EditSession) -> Iterator[str]:
    """Things that are elsewhere in a simulation of the session's own controls, before small differences have grown."""
    shown, run = session.iterate.rollout, session.simulate(session.u)
    for name, chain in shown.trajectories.chains.items():
        differ = 0.0
        for a, b in zip(chain.events, run.trajectories.chains[name].events, strict=False):
            if (a.kind, a.other) != (b.kind, b.other) or differ > CHAOTIC:
                break
            differ = max(differ, abs(a.time - b.time))
            away = float(np.linalg.norm(shown.state(name, a.time).position - run.state(name, a.time).position))
            if differ <= CHAOTIC and away > APART:
                yield f"{name} is {away:.3g} m off its own simulation at {a.time:.3f} s"
                break


def said(sentence: str) -> None:
    print(sentence, flush=True)


def fuzz(edits: int, seed: int, folder: Path | None, each: int = 6, say: Callable[[str], None] = said) -> Counter[str]:
    """What became of so many edits; "wrong" counts what is not as it should be, each of which is said."""
    rng, found, known = np.random.default_rng(seed), Counter[str](), clips(folder)
    most = max(MOST_MEMORY, most_used() + GROWTH)
    while found.total() < edits:
        clip = known[int(rng.integers(len(known)))]
        built_in = BUILT_IN[int(rng.integers(len(BUILT_IN)))] if rng.random() < 0.3 else None
        try:
            session = hoi.open(built_in or scene_of(clip, rng))
        except HoiError as error:  # what starts inside something is said
            found[f"not opened: {type(error).__name__}"] += 1
            continue
        before = claims_off(session)
        for _ in range(each):
            edit = EDITS[int(rng.integers(len(EDITS)))]
            began, now = time.process_time(), session.document
            what = f"{session.scene.name} {clip.name} {session.now}: {edit.__name__}"
            try:
                answer = edit(session, rng)
            except HoiError as error:
                found[f"{edit.__name__}: refused at once"] += 1
                if "more than" in str(error) and "events" in str(error):
                    say(f"WRONG {what}: {error}")
                    found["wrong"] += 1
                continue
            took = time.process_time() - began
            changed = session.document is not now
            found[f"{edit.__name__}: {'done' if changed else 'nothing'}"] += 1
            if took > 20.0:
                say(f"SLOW {what}: {took:.1f} s")
            sentences = list(wrong(session, before, most)) if changed else []
            for sentence in sentences:
                say(f"WRONG {what}: {sentence} | {str(answer)[:200]} | {session.history[session.now].call}"[:600])
            if sentences:
                found["wrong"] += 1
                session.undo()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = fuzz(options.edits, options.seed, recordings())
    for what, count in sorted(found.items()):
        print(f"{count:6d} {what}")
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
