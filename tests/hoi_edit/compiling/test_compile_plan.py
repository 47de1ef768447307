"""What is compiled ahead of time is what is then called: no more and no less."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from hoi_edit.compiling.compile_plan import plan, recorded
from kinematics.compiled import PROGRAM


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """By a process of its own, since others have called more."""
    environment = {**os.environ, "HOI_EDIT_COMPILE": "now", "PYTHONPATH": str(PROGRAM)}
    words = [sys.executable, "-m", "tests.hoi_edit.compiling.first_times"]
    run = subprocess.run(words, env=environment, cwd=PROGRAM, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_functions_are_compiled_for_what_they_are_called_with(told: dict[str, Any]) -> None:
    """Out of date? `python -m hoi_edit.compiling.compile_plan`."""
    asked = told["asked"]
    known = {json.dumps([row["function"], row["arguments"]]): row["for_drags"] for row in recorded()}
    assert set(asked) - set(known) == set(), "not compiled ahead of time"
    assert set(known) - set(asked) == set(), "compiled for nothing"
    assert {signature: name == "the first drag" for signature, (name, _) in asked.items()} == known


def test_what_is_done_for_the_first_time_waits_for_no_compiler(told: dict[str, Any]) -> None:
    """A clip and bodies that nobody has seen before; rides, pushes, clubs and hulls in scenes of their own."""
    assert len(told["compiled"]) == 4
    assert {name: seen for name, seen in told["compiled"].items() if seen} == {}


def test_nothing_of_the_list_is_passed_over() -> None:
    lanes = plan().functions
    assert sum(map(len, lanes)) == len(recorded()) and all(lanes)
    for lane in lanes:
        first = [job.for_drags for job in lane]
        assert first == sorted(first, reverse=True)
    places = [place for stage in plan().stages for lane in stage for place in lane]
    assert places == list(range(len(plan().jobs)))
    jobs = [plan().jobs[place].name for lane in plan().stages[0] for place in lane]
    assert jobs == [job.name for lane in lanes for job in lane]
