"""What is compiled on a new machine, and for what: every function and program, in seconds of one core.

All of it is done by one process with an empty cache, so what is first needed by what is beyond doubt.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any

import jax
import numba.core.event as events

from bench import Row
from hoi_edit.compiling.compile_plan import Stopwatch
from hoi_edit.compiling.rehearsals import COMMON, FIRST, RARE, ROLLING
from hoi_edit.compiling.runtime import keep_compiled_functions
from kinematics.compiled import PROGRAM

BEFORE, AFTER = "/jax/core/compile/jaxpr_to_mlir_module_duration", "/jax/core/compile/backend_compile_duration"
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


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOI_EDIT_CACHE": folder, "HOI_EDIT_COMPILE": "now", "PYTHONPATH": str(PROGRAM)}
        words = [sys.executable, "-m", "bench.bench_compiling"]
        told: list[Told] = json.loads(subprocess.run(words, env=environment, stdout=-1, text=True, check=True).stdout)
    rows = [Row(f"{what}, for {why}", 1e3 * seconds) for what, why, seconds in told if seconds >= LEAST]
    rows.append(Row("all that is smaller", 1e3 * sum(seconds for *_, seconds in told if seconds < LEAST)))
    sums: dict[str, float] = defaultdict(float)
    for what, why, seconds in told:
        sums[what.split()[0] if what.startswith(("numba", "XLA")) else what] += seconds
        if why == FIRST.name:
            sums[FIRST.name] += seconds
    return [*rows, *(Row(f"{what}, in all", 1e3 * seconds) for what, seconds in sums.items()),
            Row("everything", 1e3 * sum(seconds for *_, seconds in told))]  # fmt: skip


if __name__ == "__main__":
    keep_compiled_functions()
    print(json.dumps(compiled_now()))
