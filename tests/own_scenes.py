"""Anybody's clips with things: what is thrown, caught, kicked, picked up and passed on, clip by clip, as a table.

python -m tests.own_scenes [CLIP ...]      files, names in the folder of recordings, or built-in clips

Each cell is a scene of its own: the clip, one thing, one edit. Who, where and when is chosen by one rule for all clips,
from what the body does, and nothing is tuned to one of them. Of each edit: whether it was solved, CPU seconds of it
alone, and what `hoi-edit check` finds in the document once it is saved. Reasons of those that were not solved follow.
"""

import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting.words import some_of
from hoi_edit.scene import Scene
from hoi_edit.scenes.resources import built_in_clips
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.distance import RoundedBox
from tests.clips import recordings

RECORDED = (
    "cmu_06_02_basketball_dribble", "cmu_07_01_walk", "cmu_10_05_soccer_kick", "cmu_115_06_pick_up_box_knees",
    "cmu_124_01_baseball_pitch", "cmu_141_10_toss_and_catch",
)  # fmt: skip
MIMES = ("box_mime", "catch_mime", "juggling_mime", "kick_mime", "stand_mime")
ANN = "ann"  # whoever is in the clip
PATIENCE = 60.0  # [CPU s] of one edit
LOOKS = 30.0  # [Hz] at which a clip is looked at
INNER = 0.2, 0.8  # of a clip: what is looked for is not at its ends
UP, GRAVITY = np.array([0.0, 1.0, 0.0]), np.array([0.0, -9.81, 0.0])

THROWN, FLIGHT = 0.4, 0.5  # of the clip, [s]
COMES, SPEED, BESIDE = 0.8, 4.0, 0.10  # [s] after the start, [m/s] over the ground, [m] above the palm
LOW, SLOW = 0.25, 0.3  # [m], [m/s] below which a foot is near the ground, and stands
BEFORE = 0.22  # [m] from the instep to the middle of a football: half a foot, and its radius
FARTHER = tuple(0.05 * k for k in range(11))  # [m] that what lies is moved off, until it is inside nobody
EDGE, AHEAD = 0.3, 0.4  # [m] of the box; of its middle before the hips, at least
MATERIAL = hoi.Material(restitution=0.6, friction=0.5)


# -- what a body does --------------------------------------------------------------------------------------------------


def _times(scene: Scene) -> Floats:
    first, last = (scene.start + share * (scene.end - scene.start) for share in INNER)
    return np.linspace(first, last, max(2, round((last - first) * LOOKS)))


def _way(session: EditSession, point: str, times: Floats) -> Floats:
    return np.array([session.state(f"{ANN}/{point}", float(t)).position for t in times])


def _at(session: EditSession, point: str, t: float) -> Floats:
    return np.asarray(_way(session, point, np.array([t]))[0])


def _ahead(session: EditSession, t: float) -> Floats:
    """Where somebody faces, level."""
    across = _at(session, "left_shoulder", t) - _at(session, "right_shoulder", t)
    ahead = np.cross(across, UP)
    return np.asarray(ahead / np.linalg.norm(ahead))


# -- the edits ---------------------------------------------------------------------------------------------------------

Stop = Callable[[hoi.Progress], bool]
Edit = Callable[[EditSession, Stop], Report]  # called in a scene that has its thing


def _hand_ball(start: hoi.Held | hoi.Flying) -> hoi.Thing:
    return hoi.Thing("ball", hoi.ball(mass=0.15, radius=0.035), start, MATERIAL)


def _laid(laid: Callable[[float], tuple[Scene, hoi.Thing]]) -> EditSession:
    """A scene with a thing that lies in it; farther off, by steps, where it would start inside somebody."""
    for aside in FARTHER:
        scene, thing = laid(aside)
        session = hoi.open(scene)
        try:
            session.add_thing(thing)
        except HoiError:
            if aside == FARTHER[-1]:
                raise
        else:
            return session
    raise AssertionError("there are steps")


def throw(scene: Scene) -> tuple[EditSession, Edit]:
    """From the right hand at 40 % of the clip, to the left one half a second later."""
    session = hoi.open(scene)
    t = scene.start + THROWN * (scene.end - scene.start)
    session.add_thing(_hand_ball(hoi.Held(f"{ANN}/right_palm")))
    return session, lambda on, stop: on.throw("ball", t + FLIGHT, to=f"{ANN}/left_palm", release=t, progress=stop)


def catch(scene: Scene) -> tuple[EditSession, Edit]:
    """Of a ball that comes from ahead, 10 cm above the hand that is farther ahead, 0.8 s after the start."""
    session, t = hoi.open(scene), scene.start + COMES
    ahead = _ahead(session, t)
    hand = max(("right_palm", "left_palm"), key=lambda palm: float(_at(session, palm, t) @ ahead))
    met = _at(session, hand, t) + BESIDE * UP
    velocity = -SPEED * ahead - 0.5 * COMES * GRAVITY  # so it is as high as when it set out
    session.add_thing(_hand_ball(hoi.Flying(met + SPEED * COMES * ahead, velocity)))
    return session, lambda on, stop: on.grasp("ball", f"{ANN}/{hand}", t, progress=stop)


def kick(scene: Scene) -> tuple[EditSession, Edit]:
    """With the foot that is fastest within 25 cm of the ground, then, of a football that lies before its toes: where it
    goes, or, of one that stands, where the body faces."""
    session, times = hoi.open(scene), _times(scene)
    best: tuple[float, str, float, Floats, Floats] | None = None
    for foot in ("right_instep", "left_instep"):
        way = _way(session, foot, times)
        velocities = np.gradient(way, times, axis=0)
        speeds = np.where(way[:, 1] < LOW, np.linalg.norm(velocities, axis=1), -1.0)
        k = int(np.argmax(speeds))
        if best is None or speeds[k] > best[0]:
            best = float(speeds[k]), foot, float(times[k]), way[k], velocities[k]
    assert best is not None
    _, foot, t, place, velocity = best
    way = velocity * [1.0, 0.0, 1.0] + SLOW * _ahead(session, t)
    way /= np.linalg.norm(way)

    def laid(aside: float) -> tuple[Scene, hoi.Thing]:
        start = place + (BEFORE + aside) * way
        lies = hoi.Flying(np.array([start[0], 0.11, start[2]]))
        return scene, hoi.Thing("ball", hoi.ball(mass=0.43, radius=0.11), lies, MATERIAL)

    session = _laid(laid)
    return session, lambda on, stop: on.hit("ball", f"{ANN}/{foot}", t, progress=stop)


def hands_lowest(session: EditSession) -> tuple[float, Floats]:
    """When both palms are lowest, and where the middle between them is then."""
    times = _times(session.scene)
    middles = 0.5 * (_way(session, "right_palm", times) + _way(session, "left_palm", times))
    k = int(np.argmin(middles[:, 1]))
    return float(times[k]), np.asarray(middles[k])


def pick_up(scene: Scene) -> tuple[EditSession, Edit]:
    """Of a 30 cm box with both hands when they are lowest: it lies before the hips, as far as they are and
    at least 40 cm, and as high as they are, on a stand or the ground."""
    session = hoi.open(scene)
    t, middle = hands_lowest(session)
    ahead, hips = _ahead(session, t), _at(session, scene.characters[0].skeleton.names[0], t)
    far = max(AHEAD, float((middle - hips) @ ahead))
    turn = np.column_stack([np.cross(UP, ahead), UP, ahead])
    top, half = max(0.0, float(middle[1]) - 0.5 * EDGE), 0.5 * EDGE

    def laid(aside: float) -> tuple[Scene, hoi.Thing]:
        x, _, z = hips + (far + aside) * ahead
        lies = hoi.Flying(np.array([x, top + half, z]), rotation=turn)
        box = hoi.Thing("box", hoi.box(mass=2.0, half_extents=[half] * 3), lies, hoi.Material(0.3, 0.6))
        if top == 0.0:
            return scene, box
        stand = RoundedBox(np.array([half, 0.5 * top, half]), 0.0)
        fixtures = [*scene.fixtures, hoi.Fixture("stand", stand, np.array([x, 0.5 * top, z]), turn)]
        return replace(scene, fixtures=fixtures), box

    session = _laid(laid)
    hands = (f"{ANN}/right_palm", f"{ANN}/left_palm")
    return session, lambda on, stop: on.pick_up("box", hands, t, progress=stop)


def pass_on(scene: Scene) -> tuple[EditSession, Edit]:
    """From the right hand to the left one when they are nearest."""
    session, times = hoi.open(scene), _times(scene)
    apart = np.linalg.norm(_way(session, "right_palm", times) - _way(session, "left_palm", times), axis=1)
    t = float(times[int(np.argmin(apart))])
    session.add_thing(_hand_ball(hoi.Held(f"{ANN}/right_palm")))
    return session, lambda on, stop: on.pass_to("ball", f"{ANN}/left_palm", t, progress=stop)


EDITS: dict[str, Callable[[Scene], tuple[EditSession, Edit]]] = {
    "throw": throw, "catch": catch, "kick": kick, "pick up": pick_up, "pass": pass_on,
}  # fmt: skip


# -- cells and rows ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What became of an edit."""

    solved: bool
    seconds: float  # CPU
    off: int | None = None  # claims of `check` that do not hold; None of what was not checked
    reason: str = ""
    broken: bool = False  # an error that is no answer

    @property
    def wrong(self) -> bool:
        return self.broken or bool(self.off)

    def __str__(self) -> str:
        checked = "" if self.off is None else ", check passes" if not self.off else f", CHECK: {self.off} OFF"
        state = "ERROR" if self.broken else "solved" if self.solved else "**no**"
        return f"{state}, {self.seconds:.2g} s{checked}"


def cell(begin: Callable[[Scene], tuple[EditSession, Edit]], scene: Scene) -> Cell:
    """One edit, guarded: whatever is raised is an answer or an error, with its sentence."""
    began = time.process_time()

    def goes_on(_: hoi.Progress) -> bool:
        return time.process_time() - began < PATIENCE

    def took() -> float:
        return time.process_time() - began

    try:
        session, edit = begin(scene)
        began = time.process_time()
        report = edit(session, goes_on)
        seconds = took()
        happens = session.scene.contacts and session.scene.contacts[-1].id in session.rollout.happened
    except HoiError as error:
        return Cell(False, took(), reason=f"{type(error).__name__}: {error}")
    except Exception as error:  # the table goes on
        traceback.print_exc()
        return Cell(False, took(), reason=f"{type(error).__name__}: {error}", broken=True)
    off = _off(session)
    solved = bool(report.converged and happens)
    return Cell(solved, seconds, len(off), "; ".join([*([] if solved else [report.in_words]), *off]))


def _off(session: EditSession) -> list[str]:
    """What `hoi-edit check` says is not so of the document once it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.hoi"
        session.save(path)
        session.close()
        return [str(measure) for measure in measures(EditSession.saved(path)) if measure.is_off]


def path_of(clip: str) -> Path:
    """A file by its name, that of a built-in clip, or that of a recording."""
    if Path(clip).is_file():
        return Path(clip)
    if clip in built_in_clips():
        return built_in_clips()[clip]
    folder = recordings()
    found = [] if folder is None else sorted(folder.glob(f"{clip}.bvh"))
    if not found:
        known = some_of(list(built_in_clips()))
        raise HoiError(f"there is no clip {clip!r}; give a file, a built-in clip ({known}) or the name of a recording")
    return found[0]


def scene_of(path: Path) -> Scene:
    """Whoever is in a clip, alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hoi.DoubtfulClip)
        session = hoi.open(path)
    session.rename(session.scene.characters[0].name, ANN)
    return session.scene


def row(path: Path, edits: Sequence[str] = tuple(EDITS)) -> dict[str, Cell]:
    scene = scene_of(path)
    return {name: cell(EDITS[name], scene) for name in edits}


def line(clip: str, cells: dict[str, Cell]) -> str:
    return f"| {clip} | {' | '.join(map(str, cells.values()))} |"


def main(clips: Sequence[str]) -> int:
    if not clips:
        clips = [*(RECORDED if recordings() else ()), *MIMES]
    print(f"| clip | {' | '.join(EDITS)} |\n{'|---' * (len(EDITS) + 1)}|", flush=True)
    rows: dict[str, dict[str, Cell]] = {}
    for clip in clips:
        rows[clip] = row(path_of(clip))
        print(line(clip, rows[clip]), flush=True)
    print()
    for clip, cells in rows.items():
        for name, own in cells.items():
            if own.reason:
                print(f"- {clip}, {name}: {own.reason}")
    every = [own for cells in rows.values() for own in cells.values()]
    print(f"\n{sum(own.solved for own in every)} of {len(every)} solved, {sum(own.wrong for own in every)} wrong")
    return 1 if any(own.wrong for own in every) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
