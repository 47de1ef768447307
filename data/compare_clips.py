"""Compares the clips in `data/clips` with what people do: `python data/compare_clips.py` prints a table.

The wanted ranges of joints and speeds are those of captured motions of the same kind (CMU 124_01 a pitch, 124_07 bat
swings, 10_05 a soccer kick, 141_10 tosses and catches), widened by 10 degrees; the others are what the clips are for.

The 8 to 16 m/s of toes in a kick in earnest are asked of `kick_mime`. Somebody who keeps a ball up would send it ten
metres up with them: what counts there is how fast the feet rise when they touch it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.clip_making import measure
from data.clip_making.box import CATCHES, RELEASES
from data.clip_making.keepup import TOUCHES
from data.clip_making.kick import KICK
from data.clip_making.pitch import RELEASE
from hoi_edit.motions import Layer
from hoi_edit.motions.point_tracks import point_tracks
from hoi_edit.scenes.resources import built_in_clips
from kinematics.clip import Clip
from kinematics.feet import foot_contacts
from kinematics.human import human42
from kinematics.io import read_bvh, read_clip
from kinematics.rotation import Floats

Tracks = dict[str, Floats]


@dataclass(frozen=True)
class Finding:
    """The least and the largest value of a measured quantity, and the range that it should stay in."""

    clip: str
    quantity: str
    ours: tuple[float, float]
    wanted: tuple[float, float]

    @property
    def good(self) -> bool:
        return self.wanted[0] <= self.ours[0] and self.ours[1] <= self.wanted[1]

    def __str__(self) -> str:
        least, most = (f"{value:.2f}" for value in self.ours)
        ours = least if least == most else f"{least} .. {most}"
        mark = "" if self.good else "  <-- outside"
        return f"{self.clip:19} {self.quantity:35} {ours:>17}   {self.wanted[0]:g} .. {self.wanted[1]:g}{mark}"


def compare(path: Path) -> list[Finding]:
    """All findings about one of our clips."""
    clip = read_clip(path)
    tracks = measure.joint_tracks(clip)
    found = [*_joints(path), *_feet(clip), *OWN.get(clip.name, _nothing)(clip, tracks)]
    return [
        Finding(clip.name, name, (float(np.min(ours)), float(np.max(ours))), (low, high))
        for name, ours, low, high in found
    ]


Entries = Iterator[tuple[str, float | Floats, float, float]]


def _joints(path: Path) -> Entries:
    """A file knows no limits: they are the built-in body's, for its own channels, before any other order of angles."""
    clip, body = read_bvh(path), human42()
    low, high = body.limits[[body.dof(name) for name in clip.skeleton.topology.dof_names]].T
    beyond = np.maximum(low - clip.poses, clip.poses - high).max()
    yield "joints beyond their limits [deg]", float(np.rad2deg(max(beyond, 0.0))), 0.0, 0.01


def _feet(clip: Clip) -> Entries:
    # slow and low enough to stand, with room to be seen sliding
    stances = foot_contacts(clip, speed=0.06, height=0.012, stray=0.05)
    yield "feet stray while they stand [mm]", 1e3 * max(stance.slide for stance in stances), 0.0, 5.0
    yield "lower foot above the ground [mm]", 1e3 * float(_height_of_lower_ball(clip).max()), 0.0, 5.0


def _height_of_lower_ball(clip: Clip) -> Floats:
    tracks = measure.joint_tracks(clip)
    lower = np.minimum(tracks["left_toes"][:, 1], tracks["right_toes"][:, 1])
    return np.asarray(lower - lower.min())


def _ranges(tracks: Tracks, wanted: dict[str, tuple[float, float]]) -> Entries:
    """Angles of each joint against a recorded range, which may be left by ten degrees."""
    angles: dict[str, Callable[[], Floats]] = {
        "left elbow": lambda: measure.elbow(tracks, "left"),
        "right elbow": lambda: measure.elbow(tracks, "right"),
        "left knee": lambda: measure.knee(tracks, "left"),
        "right knee": lambda: measure.knee(tracks, "right"),
        "left arm raised": lambda: measure.arm_elevation(tracks, "left"),
        "right arm raised": lambda: measure.arm_elevation(tracks, "right"),
        "left hip": lambda: measure.hip_elevation(tracks, "left"),
        "right hip": lambda: measure.hip_elevation(tracks, "right"),
        "trunk leaning": lambda: measure.lean(tracks),
        "shoulders against hips": lambda: measure.separation(tracks),
    }
    for name, (low, high) in wanted.items():
        room = 10.0 if low < 0.0 else min(10.0, low)  # most of these angles cannot be negative
        yield f"{name} [deg]", angles[name](), low - room, high + 10.0


def _peak(track: Floats, clip: Clip) -> float:
    return float(measure.speed(track, clip.frame_time).max())


def _pitch(clip: Clip, tracks: Tracks) -> Entries:
    speed = measure.speed(tracks["right_hand"], clip.frame_time)
    if clip.name == "pitch_mime":
        yield "right wrist, peak [m/s]", float(speed.max()), 9.0, 13.0
    else:
        yield "right wrist, peak [m/s]", float(speed.max()), 4.0, 8.0
    yield "wrist fastest, after release [s]", float(clip.times[speed.argmax()]) - RELEASE, -0.04, 0.04
    yield "step of the left foot [m]", float(np.ptp(tracks["left_toes"][:, 2])), 0.3, 1.2
    recorded = {
        "left elbow": (18.4, 118.1),
        "right elbow": (14.4, 119.2),
        "left knee": (21.3, 113.1),
        "right arm raised": (3.4, 104.8),
        "left arm raised": (2.5, 106.2),
        "left hip": (2.4, 93.1),
        "trunk leaning": (0.5, 48.9),
        "shoulders against hips": (-16.0, 16.6),
    }
    yield from _ranges(tracks, recorded)


def _swing(clip: Clip, tracks: Tracks) -> Entries:
    layer = Layer.over(clip)
    palms = point_tracks(clip.skeleton, layer, layer.parameters(), clip.times, ["left_palm", "right_palm"]).position
    apart = 100.0 * np.linalg.norm(palms[:, 0] - palms[:, 1], axis=1)
    yield "palms apart [cm]", apart, 10.0, 15.0
    yield "right wrist, peak [m/s]", _peak(tracks["right_hand"], clip), 3.5, 8.0
    recorded = {
        "left elbow": (11.5, 139.6),
        "right elbow": (17.3, 136.8),
        "left knee": (17.9, 85.6),
        "right knee": (0.0, 61.0),
        "left arm raised": (4.1, 68.7),
        "right arm raised": (1.9, 86.2),
        "trunk leaning": (0.3, 30.5),
        "shoulders against hips": (-28.4, 57.3),
    }
    yield from _ranges(tracks, recorded)


def _keepup(clip: Clip, tracks: Tracks) -> Entries:
    layer = Layer.over(clip)
    sites = [touch.site for touch in TOUCHES]
    times = [touch.t for touch in TOUCHES]
    velocity = point_tracks(clip.skeleton, layer, layer.parameters(), times, sites).velocity
    for k, touch in enumerate(TOUCHES):
        yield f"{touch.site} up at {touch.t:.2f} s [m/s]", float(velocity[k, k, 1]), 1.0, 2.5
    yield "time between touches [s]", np.diff(times), 0.55, 0.9
    for side in ("left", "right"):
        yield f"{side} toes, peak [m/s]", _peak(tracks[f"{side}_toes"], clip), 1.0, 8.0
    # knees from straight, as in the recorded catches, to the kicker's most; thighs are raised higher than in any kick
    recorded = {"left knee": (0.0, 100.5), "right knee": (0.0, 100.5), "trunk leaning": (1.6, 19.1)}
    yield from _ranges(tracks, recorded)


def _kick(clip: Clip, tracks: Tracks) -> Entries:
    speed = measure.speed(tracks["right_toes"], clip.frame_time)
    yield "right toes, peak [m/s]", float(speed.max()), 8.0, 16.0
    yield "toes fastest, after the kick [s]", float(clip.times[speed.argmax()]) - KICK, -0.04, 0.04
    yield "step of the left foot [m]", float(np.ptp(tracks["left_toes"][:, 2])), 0.3, 1.2
    # one foot carries while the other swings: who does not shift the pelvis over it falls to the side
    swinging = tracks["right_toes"][:, 1] - tracks["right_toes"][0, 1] > 0.03
    aside = 100.0 * np.abs(tracks["pelvis"] - tracks["left_foot"])[swinging, 0]
    yield "pelvis beside standing foot [cm]", aside, 0.0, 8.0
    recorded = {
        "left elbow": (20.3, 87.9),
        "right elbow": (17.0, 93.3),
        "left knee": (31.4, 100.5),
        "right knee": (27.2, 83.7),
        "left arm raised": (5.2, 67.2),
        "right arm raised": (8.0, 41.4),
        "left hip": (0.4, 64.2),
        "right hip": (1.2, 66.9),
        "trunk leaning": (1.6, 19.1),
        "shoulders against hips": (-44.1, 3.7),
    }
    yield from _ranges(tracks, recorded)


def _catch(clip: Clip, tracks: Tracks) -> Entries:
    yield "right wrist, peak [m/s]", _peak(tracks["right_hand"], clip), 0.5, 7.3
    recorded = {"right elbow": (23.5, 130.6), "right arm raised": (13.6, 79.1), "left knee": (0.0, 65.8)}
    if clip.name == "catch_mime":
        recorded["trunk leaning"] = (2.9, 13.0)
    else:
        yield "trunk leaning, most [deg]", float(measure.lean(tracks).max()), 25.0, 50.0
    yield from _ranges(tracks, recorded)


def _box(clip: Clip, tracks: Tracks) -> Entries:
    layer = Layer.over(clip)
    palms = point_tracks(clip.skeleton, layer, layer.parameters(), clip.times, ["left_palm", "right_palm"])
    held = [k for k, t in enumerate(clip.times) if t < RELEASES[0] or CATCHES[0] < t < RELEASES[1] or t > CATCHES[1]]
    apart = 100.0 * np.linalg.norm(palms.position[:, 0] - palms.position[:, 1], axis=1)
    yield "palms apart while they hold [cm]", apart[held], 27.0, 33.0
    yield "palms apart, most [cm]", float(apart.max()), 38.0, 46.0
    rows = [int(np.argmin(np.abs(clip.times - t))) for t in RELEASES]
    yield "palms up at a throw [m/s]", palms.velocity[rows, :, 1].ravel(), 1.8, 3.2
    # wrists as fast as in the recorded tosses at most, knees and trunk within those
    yield "right wrist, peak [m/s]", _peak(tracks["right_hand"], clip), 0.5, 7.3
    recorded = {"right elbow": (23.5, 130.6), "right arm raised": (13.6, 79.1), "left knee": (0.0, 65.8)}
    yield from _ranges(tracks, recorded)


def _stand(clip: Clip, tracks: Tracks) -> Entries:
    sway = tracks["pelvis"][:, [0, 2]] - tracks["pelvis"][:, [0, 2]].mean(axis=0)
    yield "pelvis from side to side [cm]", 100.0 * float(np.ptp(sway[:, 0])), 1.0, 4.0
    yield "pelvis back and forth [cm]", 100.0 * float(np.ptp(sway[:, 1])), 0.3, 4.0


def _nothing(clip: Clip, tracks: Tracks) -> Entries:
    yield from ()


OWN: dict[str, Callable[[Clip, Tracks], Entries]] = {
    "keepup_mime": _keepup,
    "kick_mime": _kick,
    "pitch_mime": _pitch,
    "pitch_low_mime": _pitch,
    "swing_mime": _swing,
    "catch_mime": _catch,
    "catch_forward_mime": _catch,
    "box_mime": _box,
    "stand_mime": _stand,
}


def main() -> int:
    findings = [finding for path in built_in_clips().values() for finding in compare(path)]
    print(f"{'clip':19} {'quantity':35} {'ours':>17}   wanted")
    print("\n".join(str(finding) for finding in findings))
    return 0 if all(finding.good for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
