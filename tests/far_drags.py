"""Far drags, with and without steps, as a table.

python -m tests.far_drags [SCENE ...]      built-in scenes, files of clips, or names in the folder of recordings

In every scene a ball and a hand are dragged half a metre to two metres, aside and ahead in turn: in clips it is a ball
that goes from hand to hand. Of each: how far it is from where it was to be, by how much a foot slides while it stands
(over half a second, what it did before the edit taken off), how far a joint is beyond its limits, how far the pelvis
goes down, CPU seconds, and what `hoi-edit check` finds.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import hoi_edit as hoi
from hoi_edit.constraints import JointLimits
from hoi_edit.constraints.standing_foot import foot_tracks
from hoi_edit.footwork.stepped_poses import standing_of
from hoi_edit.rollout import Rollout
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError
from tests.clips import recordings
from tests.own_scenes import path_of, scene_of, throw

SCENES = ("juggle3", "passing6")
RECORDED = ("cmu_141_10_toss_and_catch", "cmu_115_06_pick_up_box_knees")
FAR = (0.5, 1.0, 1.5, 2.0)  # [m]
WHEN = 0.45  # of the scene
WHILE = 0.5  # [s] in which a foot must not slide
ENDS = 0.05  # [s] of a stance, while it is set down or lifted


@dataclass(frozen=True)
class Outcome:
    off: float  # [m]
    slide: float  # [m]
    beyond: float  # [rad]
    down: float  # [m]
    seconds: float
    wrong: int  # claims that do not hold

    def __str__(self) -> str:
        reached = "yes" if self.off < 1e-6 else f"{100 * self.off:.0f} cm off"
        numbers = f"{1e3 * self.slide:.1f} mm | {np.rad2deg(self.beyond):.1f}° | {100 * self.down:.0f} cm"
        return f"{reached} | {numbers} | {self.seconds:.1f} s | {'passes' if not self.wrong else f'{self.wrong} OFF'}"


def slides(seen: Rollout, before: Rollout, who: str) -> float:
    """The farthest [m] that a foot goes within half a second while it stands, but for what it did before an edit."""
    worst = 0.0
    tracks = (foot_tracks(rollout, rollout.model.scene.character(who)) for rollout in (seen, before))
    for now, was in zip(*tracks, strict=True):
        step = float(now.times[1] - now.times[0])
        span, ends = max(1, round(WHILE / step)), round(ENDS / step)
        for point in range(len(now.points)):
            away = (now.places - was.places)[:, point][:, [0, 2]]
            rows = np.flatnonzero(now.stands[:, point] & was.stands[:, point])
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                inner = away[run[ends:-ends]]
                for k in range(0, len(inner), span):
                    worst = max(worst, float(np.linalg.norm(np.ptp(inner[k : k + span], axis=0))))
    return worst


def outcome(session: EditSession, who: str, name: str, t: float, to: np.ndarray, steps: bool) -> Outcome:
    trial, began = session.copy(), time.process_time()
    trial.drag(name, t, to, steps=steps)
    seconds, before, after = time.process_time() - began, session.rollout, trial.rollout
    limits, poses = JointLimits.of(before, who), after.poses(who)
    beyond = float(np.maximum(poses - limits.high, limits.low - poses).max())
    root = scene_root(session, who)
    times = np.asarray(before.model.world.table_times)
    sunk = (before.positions(root, times) - after.positions(root, times))[:, 1].max()
    wrong = sum(measure.is_off for measure in measures(trial))
    off = float(np.linalg.norm(trial.state(name, t).position - to))
    return Outcome(off, slides(after, before, who), max(0.0, beyond), float(sunk), seconds, wrong)


def scene_root(session: EditSession, who: str) -> str:
    return f"{who}/{session.scene.character(who).skeleton.names[0]}"


def opened(name: str) -> EditSession:
    """A built-in scene, or a clip with a ball that goes from hand to hand."""
    if name in SCENES:
        return hoi.open(name)
    session, edit = throw(scene_of(path_of(name)))
    report = edit(session, lambda _: True)
    if not report.converged:
        raise HoiError(f"no ball is thrown in {name}: {report}")
    return session


def drags(session: EditSession) -> Iterator[tuple[str, str, float]]:
    """Who, what and when: a ball half way through a flight from hand to hand, and a right palm half a second later."""
    scene, seen = session.scene, session.rollout
    wanted = scene.start + WHEN * (scene.end - scene.start)
    flights = [
        (abs(0.5 * (span.start + span.end) - wanted), thing.name, 0.5 * (span.start + span.end), k)
        for thing in scene.things
        for k, span in enumerate(seen.spans(thing.name))
        if span.kind == "flight" and 0 < k < len(seen.trajectories.chains[thing.name].events)
    ]
    _, thing, t, k = min(flights)
    who = str(seen.trajectories.chains[thing].events[k].other).partition("/")[0]
    yield who, thing, t
    yield who, f"{who}/right_palm", t + 0.5


def main(names: Sequence[str]) -> int:
    names = names or [*SCENES, *(RECORDED if recordings() else ())]
    columns = ("reached", "slide", "limits", "pelvis down", "CPU", "check")
    print(f"| scene | dragged | feet | {' | '.join(columns)} |\n{'|---' * (3 + len(columns))}|", flush=True)
    for name in names:
        session = opened(name)
        for who, what, t in drags(session):
            left = standing_of(session.rollout, session.scene.character(who)).at(t)[1]
            for far, way in zip(FAR, (left, np.cross(left, [0.0, 1.0, 0.0])) * 2, strict=True):
                to = session.state(what, t).position + far * way
                for steps in (False, True):
                    found = outcome(session, who, what, t, to, steps)
                    feet = "step" if steps else "stand"
                    print(
                        f"| {name} | {what} {far} m {'aside' if way is left else 'ahead'} | {feet} | {found} |",
                        flush=True,
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
