"""What edits cost in clips of 10 s, 90 s and 5 minutes: CPU seconds and the most memory of each, and how they grow.

python -m tests.long_clips                 each in a process of its own, whose memory is limited
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from kinematics.clip_tools import place, repeat
from rigid.distance import RoundedBox

LENGTHS = (10.0, 90.0, 300.0)  # [s]
PEOPLE = (2.0, 6.0)  # of a crowd
HIT = 0.6  # [s] after the start
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


def standing(seconds: float) -> EditSession:
    """Somebody who stands before a table with a box on it."""
    clip = performed("stand_mime")
    ann = hoi.Character.of("ann", repeat(clip, int(np.ceil(seconds / clip.duration))))
    table = hoi.Fixture("table", RoundedBox(np.array([0.5, 0.3, 0.2]), 0.0), np.array([0.0, 0.3, 0.6]))
    box = hoi.box(2.0, np.array([0.16, 0.1, 0.12]))
    things = [hoi.Thing("box", box, hoi.Flying(np.array([0.0, 0.7, 0.55])), hoi.Material(0.3, 0.6))]
    return hoi.open(hoi.Scene([ann], things, [hoi.ground(), table], start=clip.start, end=clip.start + seconds))


def carrying(seconds: float) -> EditSession:
    """The same, with the box taken up by one hand."""
    session = standing(seconds)
    report = session.pick_up("box", "ann/right_palm", session.scene.start + 1.0)
    assert report.converged, report
    return session


def batting(seconds: float) -> EditSession:
    """Somebody with a bat in the right hand, and a ball that comes to it."""
    clip = performed("stand_mime")
    ann = hoi.Character.of("ann", repeat(clip, int(np.ceil(seconds / clip.duration))))
    palm = ann.skeleton.site("right_palm")
    X, Y, Z = palm.rotation.T
    grip = hoi.Held("ann/right_palm", None, palm.position + 0.03 * Z + 0.28 * X, np.column_stack([Z, X, Y]))
    bat = hoi.Thing("bat", hoi.capsule(0.9, 0.03, 0.35), grip, hoi.Material(0.7, 0.5))
    scene = hoi.Scene([ann], [bat], [hoi.ground()], start=clip.start, end=clip.start + seconds)
    held, t = hoi.open(scene).state("bat", clip.start + HIT), HIT
    met, velocity = held.position + held.rotation @ [0.0, 0.2, 0.0] + [0.0, 0.1, 0.0], np.array([0.0, 2.0, -3.0])
    fall = np.array([0.0, -9.81, 0.0])
    coming = hoi.Flying(met - t * velocity - 0.5 * t**2 * fall, velocity)
    ball = hoi.Thing("ball", hoi.ball(0.145, 0.037), coming, hoi.Material(0.7, 0.5))
    return hoi.open(replace(scene, things=[bat, ball]))


def crowd(people: float) -> EditSession:
    """So many people in a row with three balls each, two in their hands and one in the air, and two that lie."""
    clip = performed("juggling_mime")
    row = [hoi.Character.of(f"p{k}", place(clip, (1.2 * k, 0.0, 0.0))) for k in range(int(people))]
    things = []
    for k, person in enumerate(row):
        for j, side in enumerate(("right", "left")):
            held = hoi.Held(f"{person.name}/{side}_palm", clip.start + 0.6 + 0.2 * j)
            things.append(hoi.Thing(f"ball{k}{j}", hoi.ball(0.15, 0.035), held, hoi.Material(0.6, 0.5)))
        flies = hoi.Flying(np.array([1.2 * k + 0.4, 1.5, 0.6]), np.array([0.0, 2.0, 0.0]))
        things.append(hoi.Thing(f"ball{k}2", hoi.ball(0.15, 0.035), flies, hoi.Material(0.6, 0.5)))
    for k in range(2):
        lies = hoi.Flying(np.array([1.2 * k, 0.035, 1.0]))
        things.append(hoi.Thing(f"lies{k}", hoi.ball(0.15, 0.035), lies, hoi.Material(0.6, 0.5)))
    return hoi.open(hoi.Scene(row, things, [hoi.ground()], start=clip.start, end=clip.end))


def pick_up(session: EditSession) -> Report:
    return session.pick_up("box", ("ann/right_palm", "ann/left_palm"), session.scene.start + 1.0)


def put_down(session: EditSession) -> Report:
    return session.put_down("box", "table", session.scene.start + 3.0)


def hit(session: EditSession) -> Report:
    return session.hit("ball", "bat", session.scene.start + HIT)


def far(session: EditSession) -> Report:
    """In a crowd: a ball is dragged to where nobody can throw it."""
    t = session.scene.start + 1.2
    return session.drag("ball01", t, session.state("ball01", t).position + [0.0, 6.0, 0.0])


def near(session: EditSession) -> Report:
    """In a crowd: a ball is dragged a little."""
    t = session.scene.start + 1.2
    return session.drag("ball01", t, session.state("ball01", t).position + [0.1, 0.1, 0.0])


def grasp(session: EditSession) -> Report:
    start = session.scene.start
    return session.grasp("comes", CATCHES, start + 0.5, release=start + 1.1)


def throw(session: EditSession) -> Report:
    t = 0.5 * (session.scene.start + session.scene.end) + 0.3
    return session.throw("held", t, session.state("held", t).position + [0.1, 0.1, 0.0])


def drag(session: EditSession) -> Report:
    t = session.scene.start + 0.7 * (session.scene.end - session.scene.start)
    return session.drag(CATCHES, t, session.state(CATCHES, t).position + [0.06, 0.08, 0.0])


Begin = Callable[[float], EditSession]
EDITS: dict[str, tuple[Begin, Callable[[EditSession], Report], tuple[float, ...]]] = {
    "grasp": (session_of, grasp, LENGTHS),
    "throw": (session_of, throw, LENGTHS),
    "drag": (session_of, drag, LENGTHS),
    "pick up": (standing, pick_up, LENGTHS),
    "put down": (carrying, put_down, LENGTHS),
    "hit": (batting, hit, LENGTHS),
    "crowd, near": (crowd, near, PEOPLE),
    "crowd, far": (crowd, far, PEOPLE),
}


def measured(edit: str, seconds: float) -> str:
    """A line about one edit, the second of its kind: the first compiles what is not kept yet."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    begin, make, lengths = EDITS[edit]
    make(begin(lengths[0]))
    session = begin(seconds)
    began = time.process_time()
    report = make(session)
    took = time.process_time() - began
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    scene = session.scene
    size = f"{scene.end - scene.start:5.0f} s {len(scene.characters)} people {len(scene.things):2d} things"
    return f"{edit:11s} {size} {took:7.2f} CPU s {used:6.0f} MB  {report!r}"[:170]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit", choices=[*EDITS])
    parser.add_argument("--seconds", type=float, default=LENGTHS[0], help="of crowds: how many people")
    parser.add_argument("--only", choices=[*EDITS], help="this edit in all lengths")
    options = parser.parse_args()
    if options.edit is not None:
        print(measured(options.edit, options.seconds))
        return 0
    failed = 0
    for edit in [options.only] if options.only else EDITS:
        for seconds in EDITS[edit][2]:
            child = [sys.executable, "-m", "tests.long_clips", "--edit", edit, "--seconds", str(seconds)]
            failed += subprocess.run(child, timeout=PATIENCE, check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
