"""Somebody who takes steps: poses in which feet go where they fall, the pelvis follows, and legs reach.

Where a foot stands it stands as it did, only elsewhere, so that it rolls over heel and toes as it used to. The body
follows as an inverted pendulum over the feet: to shift what they press on, and when, shifts a balanced body by the
pendulum's answer to that shift (`balance.pendulum`), whatever else it does. Where legs would have to be longer than
they are, the pelvis sinks. All above the hips goes along as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from hoi_edit.constraints.standing_foot import FootTrack, StandingFoot, foot_tracks
from hoi_edit.constraints.swinging_foot import SwingingFoot
from hoi_edit.footwork.balance import pendulum
from hoi_edit.footwork.footfalls import Footfall, TwoFeet
from hoi_edit.footwork.limb_reach import Goal, reached
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character
from kinematics.errors import HoiError
from kinematics.feet import roles_of
from kinematics.numpy_forward import world_frames
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, cross
from kinematics.skeleton import Skeleton
from kinematics.stance import UP, leftwards

AROUND = 1.0  # [s] before the first and after the last step in which the body leans towards it, or comes to rest
CLOSED, SHORTEST = 0.06, 0.1  # [s]: gaps in a stance that do not end it, and what is no stance
SHIFTED = 0.05  # [s] over which the load goes from foot to foot
LIFT, LIFT_PER_STEP = 0.035, 0.09  # [m] of a step on the spot, and more for each metre
HIGHEST = 0.12  # [m]
CLEAR, AT_LEAST = np.array([0.12, 0.3, 0.5, 0.7, 0.88]), 0.6  # of a swing, where it is at least so much of that
TOE_OFF = np.deg2rad(35.0)  # by which the heel comes up first in a step of half a metre ahead
OVER = 0.5  # of that, in a step aside
STRAIGHT = 0.985  # of a leg's length that it reaches at most, if it did not before
SINKS = 0.15  # [s] over which a pelvis does
POLE = 0.03  # [m] that a knee is off the line from hip to ankle, at least, so that it is known which way it bends
ASIDE, TIP = 0.06, 0.07  # [m] to the side of an ankle, ahead of the ball of a foot: points that say how it is turned
LIMBER = np.deg2rad(10.0)  # that a recorded joint is off its limit, where it counts as free


@dataclass(frozen=True, eq=False)
class Stepping:
    """Somebody's steps along a level way (3,); each footfall says by which share of it that foot is away afterwards."""

    character: Character
    way: Floats
    falls: tuple[Footfall, ...]

    def part(self, share: float) -> "Stepping":
        return replace(self, way=share * self.way)

    @property
    def first(self) -> float:
        return min(fall.swing.lift for fall in self.falls)

    @property
    def last(self) -> float:
        return max(fall.swing.land for fall in self.falls)

    @property
    def stays(self) -> bool:
        """Whether it does not lead back."""
        return any(fall.after != 0.0 for fall in self.falls[-2:])


def tracks_of(seen: Rollout, character: Character) -> list[FootTrack]:
    """Of the left and the right foot, if there are just these, and all that legs have."""
    roles = roles_of(character.skeleton)
    parts = {f"{side}_{part}" for side in SIDES for part in ("thigh", "shank", "foot")}
    tracks = foot_tracks(seen, character)
    if len(tracks) != 2 or not parts <= set(roles) or len(character.skeleton.dofs_of(0, "translation")) != 3:
        raise HoiError(
            f"{character.name!r} cannot step: that takes two legs with thigh, shank and foot, and a free root"
        )
    by_side = {track.points[0].segment: track for track in tracks}
    return [by_side[roles[f"{side}_foot"]] for side in SIDES]


def lean(seen: Rollout, character: Character, time: float) -> Floats:
    """(3,) the unit vector from pelvis to head, or to the highest part of the trunk that there is."""
    roles = roles_of(character.skeleton)
    positions, _ = world_frames(character.skeleton, seen.poses(character.name, np.array([time])))
    top = next((roles[role] for role in ("head", "neck", "thorax") if role in roles), 0)
    return _unit(positions[0, top] - positions[0, roles.get("pelvis", 0)])


def standing_of(seen: Rollout, character: Character) -> TwoFeet:
    """Both feet as they are."""
    tracks = tracks_of(seen, character)
    times = tracks[0].times
    step = float(times[1] - times[0])
    down = np.stack([_settled(np.any(track.stands, axis=1), step) for track in tracks])
    places = np.stack([track.places.mean(axis=1) for track in tracks])
    positions, _ = world_frames(character.skeleton, seen.poses(character.name))
    left = leftwards(roles_of(character.skeleton), positions)
    assert left is not None  # there are thighs
    return TwoFeet(times, places, down, left)


def _settled(stands: np.ndarray, step: float) -> np.ndarray:
    """Without gaps and stances that are too short to be any."""
    for value, least in ((False, CLOSED), (True, SHORTEST)):
        edges = np.flatnonzero(np.diff(stands.astype(int))) + 1
        for run in np.split(np.arange(len(stands)), edges):
            inside = run[0] > 0 and run[-1] < len(stands) - 1
            if inside and stands[run[0]] == value and len(run) * step < least:
                stands = stands.copy()
                stands[run] = not value
    return stands


def shares(falls: Sequence[Footfall], foot: int, times: Floats) -> Floats:
    """(N,) by which share of the way a foot is away from where it was."""
    share = np.zeros(len(times))
    for fall in falls:
        if fall.swing.foot == foot:
            share += (fall.after - fall.before) * _eased(
                (times - fall.swing.lift) / (fall.swing.land - fall.swing.lift)
            )
    return share


def stepping_feet(seen: Rollout, stepping: Stepping, start: float, end: float) -> list[StandingFoot]:
    """Both feet where they stand when they step, between two times."""
    feet = []
    for foot, track in enumerate(tracks_of(seen, stepping.character)):
        times, stands = track.times, track.stands.copy()
        stands[(times < start) | (times > end)] = False
        swings = [fall.swing for fall in stepping.falls if fall.swing.foot == foot]
        for swing in swings:
            stands[(times > swing.lift) & (times < swing.land)] = False
        away = shares(stepping.falls, foot, times)[:, None, None] * stepping.way
        steps = [time for swing in swings if swing.new for time in (swing.lift, swing.land)]
        held = replace(track, places=track.places + away, stands=stands).held(steps=steps)
        chosen = None if held is None else held.at(held.evenly)
        feet += [] if chosen is None else [chosen]
    return feet


def swinging_feet(seen: Rollout, stepping: Stepping) -> list[SwingingFoot]:
    """Both feet where they are to be off the ground."""
    feet = []
    for foot, track in enumerate(tracks_of(seen, stepping.character)):
        falls = [fall for fall in stepping.falls if fall.swing.foot == foot and fall.swing.new]
        if falls:
            times = np.concatenate([fall.swing.lift + CLEAR * (fall.swing.land - fall.swing.lift) for fall in falls])
            least = np.concatenate([AT_LEAST * _lifted(stepping, fall, CLEAR) for fall in falls])
            rows = np.clip(np.searchsorted(track.times, times), 0, len(track.times) - 1)
            least = track.places[rows, :, 1] + least[:, None]
            feet.append(SwingingFoot(track.character, track.name, track.points, times, least))
    return feet


def _lifted(stepping: Stepping, fall: Footfall, s: Floats) -> Floats:
    """(N,) how high a foot is in a new step, by the share of the swing's time."""
    far = (fall.after - fall.before) * float(np.linalg.norm(stepping.way))
    return min(LIFT + LIFT_PER_STEP * abs(far), HIGHEST) * 64.0 * (s * (1.0 - s)) ** 3


def stepped(seen: Rollout, stepping: Stepping) -> tuple[Floats, Floats, Floats]:
    """Times (N,), how the poses (N, D) of somebody who steps differ from those in a rollout, and how far the pelvis is
    away (N, 3) by then; to either side nothing differs, unless they stay."""
    body, scene = stepping.character, seen.model.scene
    begin = max(stepping.first - AROUND, scene.start)
    end = scene.end if stepping.stays else min(stepping.last + AROUND, scene.end)
    step = float(seen.model.world.table_times[1] - seen.model.world.table_times[0])
    times = np.linspace(begin, end, max(8, round((end - begin) / step) + 1))
    drawn = seen.poses(body.name, times)
    legs = _Legs.of(body.skeleton, drawn)
    standing = standing_of(seen, body)
    away = np.stack([shares(stepping.falls, foot, times)[:, None] * stepping.way for foot in (0, 1)])
    pelvis = _carried(standing, stepping, times, away)
    pelvis *= _faded(times, begin > scene.start, end < scene.end and not stepping.stays)[:, None]
    feet = [legs.goals(foot, away[foot], stepping, times) for foot in (0, 1)]
    pelvis = pelvis - _sunk(legs, feet, pelvis, float(times[1] - times[0]))[:, None] * UP
    slides = body.skeleton.dofs_of(0, "translation")
    moved = drawn.copy()
    moved[:, slides] += pelvis @ np.asarray(body.skeleton.axis)[slides].T
    goals = [goal for foot, at in enumerate(feet) for goal in (*at, legs.knee(foot, at[0].wanted, pelvis))]
    differs = np.any(np.concatenate([away[0], away[1], pelvis], axis=1) != 0.0, axis=1)
    rows = np.flatnonzero(differs)
    if len(rows):
        at = [replace(goal, wanted=goal.wanted[rows]) for goal in goals]
        limber = replace(body.skeleton, limits=_widened(body.skeleton, drawn))
        moved[rows] = reached(limber, moved[rows], at, legs.free, np.ones(len(legs.free)).tolist())
    return times, moved - drawn, pelvis


def _widened(skeleton: Skeleton, drawn: Floats) -> Floats:
    """(D, 2) limits that what was recorded is well within, so that it is no reason to bend otherwise."""
    low, high = np.asarray(skeleton.limits, float).T
    return np.stack([np.minimum(low, drawn.min(axis=0) - LIMBER), np.maximum(high, drawn.max(axis=0) + LIMBER)], axis=1)


def _eased(s: Floats) -> Floats:
    """From 0 to 1, at rest and without acceleration at both ends."""
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def _faded(times: Floats, rises: bool, falls: bool) -> Floats:
    """(N,) 1, but for a while at an end at which nothing is to differ."""
    up, down = (_eased(2.0 * t / AROUND) for t in (times - times[0], times[-1] - times))
    return (up if rises else 1.0) * (down if falls else 1.0) * np.ones(len(times))


def _carried(standing: TwoFeet, stepping: Stepping, times: Floats, away: Floats) -> Floats:
    """How far the body is away (N, 3), so that it stays as balanced as it was."""
    step = float(times[1] - times[0])
    rows = np.clip(np.searchsorted(standing.times, times), 0, len(standing.times) - 1)
    places, down = standing.places[:, rows], standing.down[:, rows]
    lifted = down.copy()
    for fall in stepping.falls:
        lifted[fall.swing.foot, (times > fall.swing.lift) & (times < fall.swing.land)] = False
    before, after = (_load(on, step) for on in (down, lifted))
    shift = np.einsum("fn,fnx->nx", after, places + away) - np.einsum("fn,fnx->nx", before, places)
    settled = np.concatenate([shift, np.repeat(shift[-1:], round(AROUND / step), axis=0)])
    result = np.zeros((len(times), 3))
    result[:, [0, 2]] = pendulum(settled[:, [0, 2]], step)[: len(times)]
    return result


def _load(down: np.ndarray, step: float) -> Floats:
    """(2, N) how much of the weight each foot carries."""
    right = np.where(down[0] == down[1], 0.5, down[1].astype(float))
    right = gaussian_filter1d(right, SHIFTED / step, mode="nearest")
    return np.stack([1.0 - right, right])


def _sunk(legs: "_Legs", feet: Sequence[Sequence[Goal]], pelvis: Floats, step: float) -> Floats:
    """(N,) how far down the pelvis has to come for both legs to reach."""
    needed = np.zeros(len(pelvis))
    for foot in (0, 1):
        hip, ankle = legs.hips[foot] + pelvis, feet[foot][0].wanted
        before = np.linalg.norm(legs.hips[foot] - legs.ankles[foot], axis=1)
        most = np.maximum(STRAIGHT * legs.length[foot], before)
        off = np.linalg.norm((hip - ankle)[:, [0, 2]], axis=1)
        high = np.sqrt(np.maximum(most**2 - np.minimum(off, 0.8 * most) ** 2, 0.0))
        needed = np.maximum(needed, hip[:, 1] - ankle[:, 1] - high)
    width = max(1, round(2.0 * SINKS / step))
    return np.asarray(gaussian_filter1d(maximum_filter1d(needed, width, mode="nearest"), 0.5 * SINKS / step))


@dataclass(frozen=True, eq=False)
class _Legs:
    """Two legs, left and right, all along some poses (N, D)."""

    skeleton: Skeleton
    segments: Sequence[Sequence[int]]  # of each leg: thigh, shank, foot, and toes if there are any
    position: Floats  # (N, J, 3)
    rotation: Floats  # (J, N, 3, 3)
    balls: Sequence[tuple[int, Floats]]  # of each foot: where its ball is, as a point of a segment
    left: Floats  # (N, 3)
    free: list[int]  # degrees of freedom

    @staticmethod
    def of(skeleton: Skeleton, drawn: Floats) -> "_Legs":
        roles = roles_of(skeleton)
        position, rotation = world_frames(skeleton, drawn)
        names = [[f"{side}_{part}" for part in ("thigh", "shank", "foot", "toes")] for side in SIDES]
        segments = [[roles[name] for name in leg if name in roles] for leg in names]
        balls = [_ball(skeleton, leg, side) for leg, side in zip(segments, SIDES, strict=True)]
        left = leftwards(roles, position)
        assert left is not None
        joints = enumerate(skeleton.topology.dof_joints)
        free = [dof for dof, joint in joints if any(skeleton.descends_from(joint, leg[0]) for leg in segments)]
        return _Legs(skeleton, segments, position, rotation, balls, left, free)

    @property
    def hips(self) -> list[Floats]:
        return [self.position[:, leg[0]] for leg in self.segments]

    @property
    def ankles(self) -> list[Floats]:
        return [self.position[:, leg[2]] for leg in self.segments]

    @property
    def length(self) -> list[float]:
        offsets = np.asarray(self.skeleton.offset)
        return [float(np.linalg.norm(offsets[leg[1]]) + np.linalg.norm(offsets[leg[2]])) for leg in self.segments]

    def goals(self, foot: int, away: Floats, stepping: Stepping, times: Floats) -> list[Goal]:
        """Where a foot is: its ankle first, its ball, a point to its side, and the tip of its toes."""
        leg = self.segments[foot]
        segment, local = self.balls[foot]
        ankle, R = self.position[:, leg[2]], self.rotation[leg[2]]
        ball = self.position[:, segment] + self.rotation[segment] @ local
        lift, pitch = np.zeros(len(times)), np.zeros(len(times))
        along = _unit((ball - ankle) * (1.0 - UP))
        for fall in stepping.falls:
            if fall.swing.foot == foot and fall.swing.new:
                s = np.clip((times - fall.swing.lift) / (fall.swing.land - fall.swing.lift), 0.0, 1.0)
                way = (fall.after - fall.before) * stepping.way
                far, ahead = float(np.linalg.norm(way)), along @ way
                lift += _lifted(stepping, fall, s)
                tilt = np.clip((ahead + OVER * (far - np.abs(ahead))) / 0.5, -OVER, 1.0)
                pitch += TOE_OFF * tilt * s**3 * (1.0 - s) ** 4 * 136.0
        over = _turned(cross(np.broadcast_to(UP, along.shape), along), pitch)
        new_ball = ball + away + lift[:, None] * UP
        new_ankle = new_ball + (over @ (ankle - ball)[..., None])[..., 0]
        aside = self._fixed(leg[2], ASIDE * self.left)
        side = new_ankle + (over @ R @ aside)
        goals = [Goal(leg[2], np.zeros(3), new_ankle), Goal(segment, local, new_ball), Goal(leg[2], aside, side, 0.3)]
        if len(leg) == 4:
            tip = self._fixed(leg[3], TIP * along)
            goals.append(Goal(leg[3], tip, new_ball + self.rotation[leg[3]] @ tip, 0.3))
        return goals

    def _fixed(self, segment: int, world: Floats) -> Floats:
        """A vector of the world (N, 3) as one fixed in a segment: as it lies in it half way through the rows."""
        k = len(world) // 2
        return np.asarray(self.rotation[segment][k].T @ world[k])

    def knee(self, foot: int, ankle: Floats, pelvis: Floats) -> Goal:
        """Where the knee is between hip and ankle: bent the way it was, forwards if it was straight."""
        hip_joint, knee_joint, ankle_joint, *_ = self.segments[foot]
        offsets = np.asarray(self.skeleton.offset)
        thigh, shank = (float(np.linalg.norm(offsets[joint])) for joint in (knee_joint, ankle_joint))
        was = _unit(self.position[:, ankle_joint] - self.position[:, hip_joint])
        knee = self.position[:, knee_joint] - self.position[:, hip_joint]
        pole = knee - _along(knee, was)
        ahead = cross(self.left, np.broadcast_to(UP, self.left.shape))
        pole = pole + np.maximum(POLE - np.linalg.norm(pole, axis=1), 0.0)[:, None] * ahead
        hip = self.position[:, hip_joint] + pelvis
        line = ankle - hip
        length = np.clip(np.linalg.norm(line, axis=1), abs(thigh - shank) + 1e-6, thigh + shank - 1e-9)[:, None]
        line, pole = _unit(line), pole - _along(pole, _unit(line))
        down = (thigh**2 - shank**2 + length**2) / (2.0 * length)
        out = np.sqrt(np.maximum(thigh**2 - down**2, 0.0))
        return Goal(knee_joint, np.zeros(3), hip + down * line + out * _unit(pole), 0.1)


def _ball(skeleton: Skeleton, leg: Sequence[int], side: str) -> tuple[int, Floats]:
    """The ball of a foot: where its toes begin, or its sole."""
    if len(leg) == 4:
        return leg[3], np.zeros(3)
    soles = [np.asarray(site.position) for site in skeleton.sites if site.name == f"{side}_sole"]
    return leg[2], soles[0] if soles else np.array([0.0, 0.0, 0.1])


def _turned(axis: Floats, angle: Floats) -> Floats:
    """Rotations (N, 3, 3) about unit axes (N, 3)."""
    K = np.zeros((len(axis), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    K -= K.transpose(0, 2, 1)
    return np.eye(3) + np.sin(angle)[:, None, None] * K + (1.0 - np.cos(angle))[:, None, None] * (K @ K)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def _along(vectors: Floats, units: Floats) -> Floats:
    return np.asarray(np.sum(vectors * units, axis=1)[:, None] * units)
