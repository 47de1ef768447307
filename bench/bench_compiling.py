"""What is compiled on a new machine, and for what: every function and program, in seconds of one core.

All of it is done by one process with an empty cache, so what is first needed by what is beyond doubt. Then as it is
really done, by two processes at once: what they take together, and when somebody who drags meanwhile has fast drags.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import count
from typing import Any

import jax
import numba.core.event as events
import numpy as np

from bench import Row
from hoi_edit.compiling import runtime
from hoi_edit.compiling.compile_plan import Stopwatch
from hoi_edit.compiling.rehearsals import COMMON, FIRST, RARE, ROLLING
from kinematics.compiled import PROGRAM

BEFORE, AFTER = "/jax/core/compile/jaxpr_to_mlir_module_duration", "/jax/core/compile/backend_compile_duration"
FAST = 0.1  # [s] that a move takes
LEAST = 0.1  # [s]: what takes less is counted together

Told = tuple[str, str, float]  # what, first needed by what, seconds of one core


class Programs:
    """Seconds of this process for each program that XLA compiles."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._began = 0.0

    def __call__(self, event: str, duration_secs: float, **about: Any) -> None:
        del duration_secs  # of the wall's clock
        if event == BEFORE:
            self._began = time.process_time()
        elif event == AFTER:
            self.seconds[str(about.get("fun_name", "a program"))] += time.process_time() - self._began


def compiled_now() -> list[Told]:
    """Of this process."""
    watch, programs = Stopwatch(), Programs()
    told: list[Told] = []
    jax.monitoring.register_event_duration_secs_listener(programs)
    before: dict[str, float] = {}
    with events.install_listener("numba:compile", watch):
        for rehearsal in (FIRST, *COMMON, *ROLLING, *RARE):
            began = time.process_time()
            rehearsal.run()
            whole = time.process_time() - began
            now = _by_name(watch) | {f"XLA {name}": seconds for name, seconds in programs.seconds.items()}
            new = [
                (what, rehearsal.name, more)
                for what, sum_ in now.items()
                if (more := sum_ - before.get(what, 0.0)) > 0.0
            ]
            before = now
            told += sorted(new, key=lambda row: -row[2])
            told.append(("tracing and running", rehearsal.name, whole - sum(seconds for *_, seconds in new)))
    return told


def _by_name(watch: Stopwatch) -> dict[str, float]:
    by_name: dict[str, float] = defaultdict(float)
    for signature, seconds in watch.seconds.items():
        by_name[f"numba {json.loads(signature)[0].rpartition('.')[2]}"] += seconds
    return by_name


def until_fast() -> float:
    """Seconds until a drag of this process first moves fast; its compilers go on until they are done."""
    import hoi_edit as hoi

    began = time.monotonic()
    session = hoi.open("juggle3")
    gesture = session.begin("ball2", 2.3)
    for k in count():
        moved = time.monotonic()
        gesture.move(gesture.start.position + np.array([0.0, 0.01 * (k % 5), 0.0]))
        if time.monotonic() - moved < FAST:
            break
    seconds = time.monotonic() - began
    gesture.abort()
    if runtime._compiler is not None:
        runtime._compiler.wait()
    return seconds


def in_an_empty_cache(*words: str, **settings: str) -> tuple[str, float]:
    """What a process with such words prints, and the seconds of processors that it and its own processes take."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOI_EDIT_CACHE": folder, "PYTHONPATH": str(PROGRAM), **settings}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([sys.executable, "-m", *words], env=environment, stdout=-1, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run() -> list[Row]:
    out, _ = in_an_empty_cache("bench.bench_compiling", HOI_EDIT_COMPILE="now")
    told: list[Told] = json.loads(out)
    _, in_all = in_an_empty_cache("hoi_edit", "warm-up")
    fast, _ = in_an_empty_cache("bench.bench_compiling", "drag")
    rows = [Row(f"{what}, for {why}", 1e3 * seconds) for what, why, seconds in told if seconds >= LEAST]
    rows.append(Row("all that is smaller", 1e3 * sum(seconds for *_, seconds in told if seconds < LEAST)))
    sums: dict[str, float] = defaultdict(float)
    for what, why, seconds in told:
        sums[what.split()[0] if what.startswith(("numba", "XLA")) else what] += seconds
        if why == FIRST.name:
            sums[FIRST.name] += seconds
    return [*rows, *(Row(f"{what}, in all", 1e3 * seconds) for what, seconds in sums.items()),
            Row("everything", 1e3 * sum(seconds for *_, seconds in told)),
            Row("everything, by all processes of hoi-edit warm-up", 1e3 * in_all),
            Row("until the first fast drag, of the wall's clock", 1e3 * json.loads(fast))]  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] == ["drag"]:
        print(json.dumps(until_fast()))
    else:
        runtime.keep_compiled_functions()
        print(json.dumps(compiled_now()))
