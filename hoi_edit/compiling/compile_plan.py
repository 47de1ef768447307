"""What is compiled ahead of time, in which order: what the first drag needs, what is common, what is rare.

`signatures.json` lists for which arguments functions are compiled, so that they need not be run for it, and that two
processes can do it at once. It is written by `python -m hoi_edit.compiling.compile_plan`, in a cache of its own, when a
test finds that it is out of date; what it lacks is compiled all the same, when scenes are rehearsed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numba.core.event as events

from hoi_edit.compiling.compile_jobs import Job
from hoi_edit.compiling.rehearsals import COMMON, FIRST, RARE, ROLLING, Rehearsal
from kinematics.code_signatures import as_data, of_data
from kinematics.compiled import ENTRIES, PROGRAM, Entry

SIGNATURES = Path(__file__).parent / "signatures.json"
REHEARSAL = 2.0  # [s] that one takes, about
SEARCHES = ("hoi_edit.simulate.search.", "hoi_edit.simulate.meetings.")  # half of all, and they call much the same


@dataclass(frozen=True)
class Plan:
    """Functions can be compiled in any order, rehearsals only when that is done: they call them. Each is in lanes, for
    one process each: what a lane shares (inner functions, what JAX has traced) another has to make once more."""

    functions: tuple[list[Job], ...]
    common: tuple[list[Job], ...]
    rare: tuple[list[Job], ...]

    @property
    def jobs(self) -> list[Job]:
        return [job for stage in (self.functions, self.common, self.rare) for lane in stage for job in lane]

    @property
    def stages(self) -> tuple[list[range], list[range], list[range]]:
        """Each lane as places among the jobs."""
        lanes = [lane for stage in (self.functions, self.common, self.rare) for lane in stage]
        places = iter([range(*pair) for pair in pairwise([0, *accumulate(map(len, lanes))])])
        first, second, third = ([next(places) for _ in stage] for stage in (self.functions, self.common, self.rare))
        return first, second, third


def plan() -> Plan:
    searches = [listed for listed in recorded() if listed["function"].startswith(SEARCHES)]
    others = [listed for listed in recorded() if not listed["function"].startswith(SEARCHES)]
    return Plan(
        (_compiling(searches), _compiling(others)),
        (_rehearsing((FIRST, *COMMON)),),
        (_rehearsing(ROLLING), _rehearsing(RARE)),
    )


def _rehearsing(rehearsals: Sequence[Rehearsal]) -> list[Job]:
    return [Job(rehearsal.name, REHEARSAL, rehearsal.run) for rehearsal in rehearsals]


def _compiling(listed: list[dict[str, Any]]) -> list[Job]:
    """What drags need goes first."""
    wanted = sorted(listed, key=lambda row: (not row["for_drags"], -row["seconds"]))
    return [job for row in wanted if (job := _job(row)) is not None]


def _job(listed: dict[str, Any]) -> Job | None:
    """Nothing where the list speaks of what is no more."""
    entry = _entries().get(listed["function"])
    try:
        arguments = tuple(map(of_data, listed["arguments"]))
    except (AttributeError, ImportError):
        return None
    if entry is None or len(arguments) != entry.plain.__code__.co_argcount:
        return None
    return Job(
        listed["function"], listed["seconds"], partial(entry.fast.compile, arguments), for_drags=listed["for_drags"]
    )


@cache
def _entries() -> dict[str, Entry]:
    return {name_of(entry): entry for entry in ENTRIES}


def name_of(entry: Entry) -> str:
    return f"{entry.plain.__module__}.{entry.plain.__name__}"


@cache
def recorded() -> list[dict[str, Any]]:
    signatures: list[dict[str, Any]] = json.loads(SIGNATURES.read_text(encoding="utf-8"))
    return signatures


class Stopwatch(events.Listener):
    """Seconds of this process for each function and kinds of arguments that numba compiles for Python to call. What it
    calls and is compiled on the way counts with it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.within: set[str] = set()  # compiled because others call it
        self._began: list[float] = []

    def on_start(self, event: Any) -> None:
        self._began.append(time.process_time())

    def on_end(self, event: Any) -> None:
        seconds = time.process_time() - self._began.pop()
        dispatcher, arguments = event.data["dispatcher"], event.data["args"]
        entry = next((entry for entry in ENTRIES if entry.fast is dispatcher), None)
        if entry is not None:
            signature = written(entry, arguments)
            if self._began:
                self.within.add(signature)
            else:
                self.seconds[signature] = seconds


def written(entry: Entry, arguments: Sequence[Any]) -> str:
    return json.dumps([name_of(entry), [as_data(kind) for kind in arguments]])


def asked_for(within: set[str]) -> set[str]:
    """Of which functions Python has asked for machine code so far, for which arguments."""
    seen = {written(entry, arguments) for entry in ENTRIES for arguments in entry.fast.signatures}
    return seen - within


def rehearsed() -> dict[str, tuple[str, float]]:
    """What is asked for by all that is common, of this process: by which rehearsal first, and how long it took."""
    watch = Stopwatch()
    seen: dict[str, str] = {}
    with events.install_listener("numba:compile", watch):
        for rehearsal in (FIRST, *COMMON, *ROLLING, *RARE):
            rehearsal.run()
            for signature in sorted(asked_for(watch.within)):
                seen.setdefault(signature, rehearsal.name)
    return {signature: (name, watch.seconds.get(signature, 0.0)) for signature, name in seen.items()}


def record() -> None:
    """Rehearse all in an empty cache, for the times, and once more: what is then read are functions for Python."""
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (_in_a_process(Path(folder)) for _ in range(2))
    rows = []
    for signature, (name, _) in warm.items():
        function, arguments = json.loads(signature)
        seconds = cold.get(signature, ("", 0.0))[1]
        rows.append({"function": function, "for_drags": name == FIRST.name, "seconds": round(seconds, 1),
                     "arguments": arguments})  # fmt: skip
    rows.sort(key=lambda row: (not row["for_drags"], row["function"], json.dumps(row["arguments"])))
    SIGNATURES.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


def _in_a_process(folder: Path) -> dict[str, tuple[str, float]]:
    environment = {**os.environ, "HOI_EDIT_CACHE": str(folder), "HOI_EDIT_COMPILE": "now", "PYTHONPATH": str(PROGRAM)}
    words = [sys.executable, "-m", "hoi_edit.compiling.compile_plan", "tell"]
    run = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, tuple[str, float]] = json.loads(run.stdout)
    return told


if __name__ == "__main__":
    from hoi_edit.compiling.runtime import keep_compiled_functions

    if sys.argv[1:] == ["tell"]:
        keep_compiled_functions()
        print(json.dumps(rehearsed()))
    else:
        record()
