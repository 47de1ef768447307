"""What is compiled ahead of time is what is then called: no more and no less."""

import json
import os
import subprocess
import sys

from hoi_edit.compiling.compile_plan import plan, recorded
from kinematics.compiled import PROGRAM


def test_functions_are_compiled_for_what_they_are_called_with() -> None:
    """In a process of its own, since others have called more.

    Out of date? `python -m hoi_edit.compiling.compile_plan`.
    """
    environment = {**os.environ, "PYTHONPATH": str(PROGRAM)}
    words = [sys.executable, "-m", "hoi_edit.compiling.compile_plan", "tell"]
    run = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    asked = json.loads(run.stdout)
    known = {json.dumps([row["function"], row["arguments"]]): row["for_drags"] for row in recorded()}
    assert set(asked) - set(known) == set(), "not compiled ahead of time"
    assert set(known) - set(asked) == set(), "compiled for nothing"
    assert {signature: name == "the first drag" for signature, (name, _) in asked.items()} == known


def test_nothing_of_the_list_is_passed_over() -> None:
    jobs = plan().functions
    assert len(jobs) == len(recorded())
    first = [job.for_drags for job in jobs]
    assert first == sorted(first, reverse=True)
    assert [place for stage in plan().stages for place in stage] == list(range(len(plan().jobs)))
