"""What edits cost in clips of 10 s, 90 s and 5 minutes: CPU seconds and the most memory of each, and how they grow.

python -m tests.long_clips                 each in a process of its own, whose memory is limited
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from kinematics.clip_tools import repeat

LENGTHS = (10.0, 90.0, 300.0)  # [s]
MOST = 10 * 2**30  # [bytes] of address space
PATIENCE = 600.0  # [s]
CLIP, CATCHES = "kick_mime", "ann/left_palm"


def session_of(seconds: float) -> EditSession:
    """Somebody who goes on doing the same, with a ball in a hand, and one that comes within reach at half a second."""
    clip = performed(CLIP)
    clip = repeat(clip, max(1, round(seconds / clip.duration)))
    ann = hoi.Character.of("ann", clip)
    alone = hoi.open(hoi.Scene([ann], [], [hoi.ground()], start=clip.start, end=clip.end))
    velocity, fall = np.array([0.2, 2.3, 0.1]), np.array([0.0, -9.81, 0.0])
    met = alone.state(CATCHES, clip.start + 0.5).position + [0.0, 0.15, 0.05]
    coming = hoi.Flying(met - 0.5 * velocity - 0.125 * fall, velocity)
    held = hoi.Held("ann/right_palm", release=0.5 * (clip.start + clip.end))
    things = [hoi.Thing("comes", hoi.ball(0.15, 0.04), coming), hoi.Thing("held", hoi.ball(0.15, 0.04), held)]
    return hoi.open(hoi.Scene([ann], things, [hoi.ground()], start=clip.start, end=clip.end))


def grasp(session: EditSession) -> Report:
    start = session.scene.start
    return session.grasp("comes", CATCHES, start + 0.5, release=start + 1.1)


def throw(session: EditSession) -> Report:
    t = 0.5 * (session.scene.start + session.scene.end) + 0.3
    return session.throw("held", t, session.state("held", t).position + [0.1, 0.1, 0.0])


def drag(session: EditSession) -> Report:
    t = session.scene.start + 0.7 * (session.scene.end - session.scene.start)
    return session.drag(CATCHES, t, session.state(CATCHES, t).position + [0.06, 0.08, 0.0])


EDITS: dict[str, Callable[[EditSession], Report]] = {"grasp": grasp, "throw": throw, "drag": drag}


def measured(edit: str, seconds: float) -> str:
    """A line about one edit, the second of its kind: the first compiles what is not kept yet."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    session = session_of(seconds)
    EDITS[edit](session_of(LENGTHS[0]))
    began = time.process_time()
    report = EDITS[edit](session)
    took = time.process_time() - began
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return f"{edit:6s} {session.scene.end:5.0f} s {took:7.2f} CPU s {used:6.0f} MB  {report!r}"[:150]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit", choices=[*EDITS])
    parser.add_argument("--seconds", type=float, default=LENGTHS[0])
    options = parser.parse_args()
    if options.edit is not None:
        print(measured(options.edit, options.seconds))
        return 0
    failed = 0
    for edit in EDITS:
        for seconds in LENGTHS:
            child = [sys.executable, "-m", "tests.long_clips", "--edit", edit, "--seconds", str(seconds)]
            failed += subprocess.run(child, timeout=PATIENCE, check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
