"""Random edits of clips with things: after each of them a session shows what its controls give, and passes `check`.

python -m tests.edit_fuzz --edits 500 --seed 3
"""

import argparse
import ctypes
import gc
import re
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.clip import Clip
from kinematics.errors import HoiError
from tests.clips import recordings
from tests.random_edits import EDITS, Attempt
from tests.random_scenes import LENGTHS, clips, scene_of

BUILT_IN = ("juggle3", "soccer", "save", "baseball")
MOST_MEMORY = 2048.0  # [MB]
GROWTH = 1024.0  # [MB] of a process that has done other things before
APART = 1e-3  # [m]
CHAOTIC = 1e-5  # [s]: events that differ by more have come apart touch by touch
SLOW, PATIENCE = 20.0, 120.0  # [CPU s] of one edit: told, and stopped
LONG = 30.0  # [s]: a longer scene is checked once, at its end
QUARTERS = 4
Say = Callable[[str], None]


def said(sentence: str) -> None:
    print(sentence, flush=True)


@dataclass
class Tally:
    """What became of edits, each in one word, and the sentences of those that were refused, by kind."""

    found: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @property
    def edits(self) -> int:
        return sum(count for what, count in self.found.items() if not what.startswith("scene"))

    def refusal(self, edit: str, sentence: str) -> None:
        kind = f"{edit}: {kind_of(sentence)}"
        self.refused[kind] += 1
        self.examples.setdefault(kind, sentence)

    def lines(self, least: int = 1) -> Iterator[str]:
        """A table: edits and what became of them, then what was refused, the most frequent first."""
        states = ("done", "partly", "nothing", "refused", "too slow", "error")
        yield f"{'edit':18s}" + "".join(f"{state:>9s}" for state in states)
        for edit in dict.fromkeys(edit.__name__ for edit in EDITS):
            counts = [self.found[f"{edit}: {state}"] for state in states]
            if any(counts):
                yield f"{edit:18s}" + "".join(f"{count:9d}" for count in counts)
        for what, count in sorted(self.found.items()):
            if what.startswith("scene"):
                yield f"{what}: {count}"
        for kind, count in self.refused.most_common():
            if count >= least:
                yield f"{count:5d} {kind}\n        e.g. {self.examples[kind][:400]}"


WORDS = "ann|bob|ball|box|bag|bat|catch|touch|pass|put|juggler|player|pitcher|batter|kick_mime|stand_mime|juggling_mime"
NAMES = re.compile(rf"\b(?:(?:{WORDS})\w*[/:.]?)+\w*")


def kind_of(sentence: str) -> str:
    """A sentence without its names and numbers."""
    plain = NAMES.sub("_", re.sub(r"'[^']*'", "_", sentence))
    return re.sub(r"(_(, | and |, and )?)+", "_ ", re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", plain))[:160]


# -- what has to be so -------------------------------------------------------------------------------------------------


def wrong(session: EditSession, before: set[str], most: float, closely: bool) -> Iterator[str]:
    """What is not as it should be, in sentences; `most` is how much memory may be used [MB]."""
    if not np.all(np.isfinite(session.u)):
        yield "u is not finite"
    yield from parted(session)
    lost = tuple(f"{contact} of " for contact in session.iterate.rollout.missed)  # which the edit has said
    for measure in measures(session) if closely else ():
        excused = measure.kind in EXCUSED or measure.what in before or measure.what.startswith(lost)
        if measure.is_off and not excused:
            yield f"check: {measure}"
    if most_used() > most:
        yield f"{most_used():.0f} MB are used"


def most_used() -> float:
    """How much memory this process has used at most [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def memory_in_use() -> float:
    """[MB] once everything that nobody needs is given back; where the system does not tell, the most there ever was."""
    gc.collect()
    now = Path("/proc/self/statm")
    if not now.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ctypes.CDLL(None).malloc_trim(0)
    return int(now.read_text().split()[1]) * resource.getpagesize() / 2**20


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


# -- the run -----------------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """Scenes one after the other, each with some edits."""

    rng: np.random.Generator
    say: Say
    most: float  # [MB]
    tally: Tally = field(default_factory=Tally)

    def scene(self, known: list[Clip], lengths: tuple[float, ...], each: int) -> None:
        rng = self.rng
        seconds = float(rng.choice(lengths))
        built_in = BUILT_IN[int(rng.integers(len(BUILT_IN)))] if rng.random() < 0.2 else None
        try:
            session = hoi.open(built_in or scene_of(known, rng, seconds))
        except HoiError as error:  # what starts inside something is said
            self.tally.found["scenes not opened"] += 1
            self.tally.refusal("scene", str(error))
            return
        self.tally.found["scenes"] += 1
        closely = session.scene.end - session.scene.start <= LONG
        before = claims_off(session) if closely else set()
        for _ in range(each):
            session = self.one_edit(session, before)
        if not closely and (session.scene.things and session.now):
            self.check(session, "at the end", None, before, True)

    def one_edit(self, session: EditSession, before: set[str]) -> EditSession:
        edit = EDITS[int(self.rng.integers(len(EDITS)))]
        began, now, name = time.process_time(), session.document, edit.__name__

        def goes_on(_: hoi.Progress) -> bool:
            return time.process_time() - began < PATIENCE

        try:
            answer = edit(Attempt(session, self.rng, goes_on))
        except hoi.Cancelled as cancelled:
            self.tally.found[f"{name}: too slow"] += 1
            self.wrong(session, name, f"stopped after {PATIENCE:g} s: {cancelled}")
            return session
        except HoiError as error:
            self.refused(session, name, str(error), "more than" in str(error) and "events" in str(error))
            return session
        except Exception as error:
            self.tally.found[f"{name}: error"] += 1
            self.wrong(session, name, f"{type(error).__name__}: {error} {traceback.format_exc(limit=-3)}")
            return session
        took = time.process_time() - began
        if took > SLOW:
            self.say(f"SLOW {self.where(session, name)}: {took:.1f} s {str(answer)[:200]}")
        if isinstance(answer, EditSession):  # that of its file
            self.tally.found[f"{name}: done"] += 1
            return answer
        self.answered(session, name, answer, session.document is not now, before)
        return session

    def answered(self, session: EditSession, name: str, answer: object, changed: bool, before: set[str]) -> None:
        arrived = not isinstance(answer, Report) or answer.converged
        if not changed and isinstance(answer, Report) and not arrived:
            self.refused(session, name, f"held back by {', '.join(map(str, answer.binding))}", not answer.binding)
        else:
            self.tally.found[f"{name}: {('done' if arrived else 'partly') if changed else 'nothing'}"] += 1
        if changed:
            self.check(session, name, answer, before, session.scene.end - session.scene.start <= LONG)

    def refused(self, session: EditSession, name: str, sentence: str, is_fault: bool) -> None:
        self.tally.found[f"{name}: refused"] += 1
        self.tally.refusal(name, sentence)
        if is_fault:
            self.wrong(session, name, f"refused by {sentence!r}")

    def check(self, session: EditSession, name: str, answer: object, before: set[str], closely: bool) -> None:
        sentences = list(wrong(session, before, self.most, closely))
        for sentence in sentences:
            self.wrong(session, name, f"{sentence} | {str(answer)[:200]} | {session.history[session.now].call}")
        if sentences:
            session.undo()

    def wrong(self, session: EditSession, name: str, sentence: str) -> None:
        self.tally.wrong.append(f"{self.where(session, name)}: {sentence}"[:700])
        self.say(f"WRONG {self.tally.wrong[-1]}")

    def where(self, session: EditSession, name: str) -> str:
        number, length = self.tally.edits, session.scene.end - session.scene.start
        return f"[{number}] {session.scene.name} {length:.0f} s, step {session.now}: {name}"


def fuzz(
    edits: int, seed: int, folder: Path | None, each: int = 8, say: Say = said, lengths: tuple[float, ...] = LENGTHS
) -> Tally:
    """What became of so many edits, and what was not as it should be."""
    run = Run(np.random.default_rng(seed), say, max(MOST_MEMORY, most_used() + GROWTH))
    known, quarter = clips(folder), 0
    while run.tally.edits < edits:
        run.scene(known, lengths, each)
        if run.tally.edits >= (quarter + 1) * edits / QUARTERS:
            quarter += 1
            count, peak = run.tally.edits, most_used()
            say(f"{count} edits, {len(run.tally.wrong)} wrong; {memory_in_use():.0f} MB in use, {peak:.0f} MB at most")
    return run.tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally = fuzz(options.edits, options.seed, recordings())
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
