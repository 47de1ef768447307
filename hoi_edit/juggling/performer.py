"""Whole bodies whose hands follow given paths: someone who stands and sways a little, with arms that reach.

Trunk, head and legs are those of the built-in juggling mime, whose feet stand still; the arms are solved for, row by
row, so that the ball's place in each hand is on its path, palms look up and elbows hang.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from hoi_edit.footwork.limb_reach import Goal, reached
from hoi_edit.juggling.hand_paths import SPACING, Paths
from hoi_edit.juggling.throws import Stand, Turned
from hoi_edit.scenes.building_blocks import on_site, performed
from kinematics.clip import Clip
from kinematics.clip_tools import place, sample
from kinematics.feet import FootPoint, point_tracks
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from kinematics.spline import Grid, design

RATE = 120.0  # [Hz]
AFTER = 0.1  # [s] that clips go on after the end
LATER = 2.3  # [s] by which each next juggler is ahead in the mime: people do not sway together
# Angles of an arm at ease, the left one's where sides differ in sign, and how much it holds to them beside the others:
# upper arms that swing inwards would have their elbows in the ribs.
ARMS = {
    "upper_arm.Xrotation": (-0.12, False, 1.0), "upper_arm.Zrotation": (0.22, True, 8.0),
    "upper_arm.Yrotation": (-0.15, True, 0.5), "forearm.Xrotation": (-1.50, False, 1.0),
    "forearm.Yrotation": (1.25, True, 1.0), "hand.Zrotation": (0.0, True, 1.0), "hand.Xrotation": (0.0, False, 1.0),
}  # fmt: skip
STEP = 0.01  # [s] over which the turning of a hand is measured
LEVER = 0.1  # [m] from the ball's place to the points that turn the hand
PALM, FINGERS = 0.06, 0.02  # what these points count beside the place itself
AHEAD = np.array([-0.4, 0.1, 1.0])  # where fingers of the left hand point, seen by the juggler


@cache
def mime() -> Clip:
    """Read and dressed once."""
    return performed("juggling_mime")


def base_clip(seconds: float, ahead: float) -> Clip:
    """Someone who stands there for so long: the mime to and fro, slower towards its ends, so that nothing jumps and
    feet stay where they are."""
    clip, times = mime(), np.arange(np.ceil((seconds + AFTER) * RATE)) / RATE
    half = 0.5 * clip.duration
    swaying = clip.start + half * (1.0 - np.cos((times + ahead) / half))
    return Clip(clip.skeleton, sample(clip, swaying), 1.0 / RATE, name=clip.name)


def juggler(number: int, stand: Stand, paths: Paths, radius: float, seconds: float) -> Clip:
    """A clip whose hands (right and left) carry balls of a radius along their paths."""
    clip = place(base_clip(seconds, number * LATER), stand.place, stand.turn, about=(0.0, 0.0, 0.0))
    drawn = clip.poses.copy()
    free, firm = [], []
    for side, sign in (("right", -1.0), ("left", 1.0)):
        for name, (angle, mirrored, holds) in ARMS.items():
            dof = clip.skeleton.dof(f"{side}_{name}")
            drawn[:, dof] = sign * angle if mirrored else angle
            free.append(dof)
            firm.append(holds)
    places = paths.at(clip.times)[2 * number : 2 * number + 2]
    goals = [goal for hand in (0, 1) for goal in _goals(clip.skeleton, hand, places[hand], stand, radius)]
    poses = reached(clip.skeleton, drawn, goals, free, firm)
    poses[:, free] = _smooth(clip.times, poses[:, free])
    return Clip(clip.skeleton, poses, clip.frame_time, clip.start, name=f"juggler{number + 1}")


def _smooth(times: Floats, values: Floats) -> Floats:
    """Close splines through (N, k) values: where an arm comes to its limits rows do not follow each other smoothly."""
    rows = design(Grid.over(float(times[0]), float(times[-1]), SPACING), times).toarray()
    return np.asarray(rows @ np.linalg.lstsq(rows, values, rcond=None)[0])


def _goals(skeleton: Skeleton, hand: int, path: Floats, stand: Stand, radius: float) -> list[Goal]:
    side, sign = (("right", -1.0), ("left", 1.0))[hand]
    site = skeleton.site(f"{side}_palm")
    centre = on_site(skeleton, site.name, radius)
    along, out = site.rotation[:, 1], site.rotation[:, 2]
    ahead = stand.along(AHEAD * np.array([sign, 1.0, 1.0]))
    up = np.array([0.0, 1.0, 0.0])
    return [
        Goal(site.segment, centre, path),
        Goal(site.segment, centre + LEVER * out, path + LEVER * up, PALM),
        Goal(site.segment, centre + LEVER * along, path + LEVER * ahead / np.linalg.norm(ahead), FINGERS),
    ]


def off_path(clip: Clip, number: int, paths: Paths, radius: float) -> Floats:
    """(2, N) how far the ball's places in both hands are from their paths [m]."""
    wanted = paths.at(clip.times)[2 * number : 2 * number + 2]
    sites = [clip.skeleton.site(f"{side}_palm") for side in ("right", "left")]
    local = [on_site(clip.skeleton, site.name, radius) for site in sites]
    points = [FootPoint(site.name, site.segment, place) for site, place in zip(sites, local, strict=True)]
    places = point_tracks(clip.skeleton, clip.poses, points)
    return np.asarray(np.linalg.norm(places.swapaxes(0, 1) - wanted, axis=2))


def as_turned(clips: Sequence[Clip], radius: float) -> Turned:
    """Where places in hands are off the middle, and how they swing about it, as bodies really turn their hands."""
    tracks = []
    for clip in clips:
        points = []
        for side in ("right", "left"):
            site, centre = clip.skeleton.site(f"{side}_palm"), on_site(clip.skeleton, f"{side}_palm", radius)
            ways = (np.zeros(3), site.rotation[:, 0], site.rotation[:, 1])
            points += [FootPoint(site.name, site.segment, centre + way) for way in ways]
        tracks.append(point_tracks(clip.skeleton, clip.poses, points))

    def told(hand: int, time: float, place: Floats) -> tuple[Floats, Floats]:
        track, times = tracks[hand // 2][:, 3 * (hand % 2) : 3 * (hand % 2) + 3], clips[hand // 2].times
        off = (track[:, 1] - track[:, 0]) * place[0] + (track[:, 2] - track[:, 0]) * place[1]
        before, now, after = (
            np.array([np.interp(time + step, times, column) for column in off.T]) for step in (-STEP, 0.0, STEP)
        )
        return now, (after - before) / (2.0 * STEP)

    return told


def names(jugglers: int) -> Sequence[str]:
    return ["juggler"] if jugglers == 1 else [f"juggler{k + 1}" for k in range(jugglers)]
