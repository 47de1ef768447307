"""The measures of a body: which way its bones run, how tall it is, and which way is left and forward.

Everything is said in the upright axes of each segment (see `stance`): there a body stands, whatever its file's zero
pose looks like.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.skeleton import Skeleton
from kinematics.stance import UP, Stance, leftwards

# Thickness of the body as fractions of stature: half widths of the shapes drawn and collided with.
RADIUS = {
    "neck": 0.032,
    "upper_arm": 0.027,
    "forearm": 0.022,
    "thigh": 0.045,
    "shank": 0.031,
    "clavicle": 0.025,
}
HEAD_RADIUS, HAND_LENGTH, HAND_WIDTH, HAND_THICKNESS = 0.052, 0.108, 0.048, 0.016
THINNEST, THICKEST = 0.02, 0.085  # of what lies below an ankle: a clip whose floor is elsewhere is not believed
ANKLE = 0.045  # height of an ankle
FITS = 2e-3  # [m] of which nobody sees that a sole hovers
FOOT_WIDTH, TOES_HEIGHT, HEEL = 0.052, 0.018, 0.035
ON_SHOULDER = 0.06  # of a strap, from the middle of the body: between the neck and the shoulder's end


@dataclass(frozen=True)
class Bone:
    """A segment as a rod in its own frame: from the joint to the next one."""

    segment: int
    vector: Floats

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.vector))


class BodyMeasures:
    """The geometry that shapes, sites and masses share."""

    def __init__(self, skeleton: Skeleton, roles: dict[str, int], tips: Mapping[int, Floats], stance: Stance) -> None:
        self.skeleton, self.roles, self.stance = skeleton, roles, stance
        self.tips = {segment: stance.upright[segment] @ np.asarray(tip, float) for segment, tip in tips.items()}
        left = leftwards(roles, stance.position)
        self.left = np.array([1.0, 0.0, 0.0]) if left is None else left
        self.forward = np.cross(self.left, UP)
        self.stature = self._stature()

    def _stature(self) -> float:
        """Standing height: legs and trunk as bone lengths, so that a crouched rest pose does not matter."""
        reach = {
            role: float(np.linalg.norm(self._to(role, nxt))) for role, nxt in _NEXT_ALONG_HEIGHT if self.has(role, nxt)
        }
        known = sum(_SHARE_OF_HEIGHT[role] for role in reach)
        return sum(reach.values()) / known if known > 0.2 else 1.741

    def has(self, *roles: str) -> bool:
        return all(role in self.roles for role in roles)

    def _to(self, role: str, other: str) -> Floats:
        return self.stance.vector(self.roles[role], self.roles[other])

    def offset(self, segment: int) -> Floats:
        """Where a joint is, from the one that it hangs on."""
        parent = self.skeleton.topology.parents[segment]
        turn = np.eye(3) if parent < 0 else self.stance.upright[parent]
        return np.asarray(turn @ self.skeleton.offset[segment])

    def bone(self, role: str, following: str | None = None, fallback: Floats | None = None) -> Bone | None:
        """The rod of a role's segment: to the following role, else its tip, else its farthest child, else fallback."""
        if role not in self.roles:
            return None
        segment = self.roles[role]
        if following is not None and self.has(following):
            vector = self._to(role, following)
        elif segment in self.tips:
            vector = np.asarray(self.tips[segment], float)
        else:
            ends = [self.offset(child) for child in self.skeleton.children(segment)]
            vector = max(ends, key=lambda v: float(np.linalg.norm(v)), default=np.zeros(3))
        if np.linalg.norm(vector) < 0.02 * self.stature and fallback is not None:
            vector = fallback
        return Bone(segment, np.asarray(vector, float)) if np.linalg.norm(vector) > 1e-9 else None

    # -- bones ------------------------------------------------------------------------------------------------------

    def hand(self, side: str) -> Bone | None:
        if not self.has(f"{side}_hand"):
            return None
        arm = self.bone(f"{side}_forearm", f"{side}_hand")
        along = arm.vector / arm.length if arm else -UP
        # fingers, where a file has them, only tell the direction: capture rigs end anywhere between knuckle and tip
        bone = self.bone(f"{side}_hand")
        if bone is not None and bone.length > 0.02 * self.stature:
            along = bone.vector / bone.length
        return Bone(self.roles[f"{side}_hand"], along * HAND_LENGTH * self.stature)

    def palm_normal(self, side: str, along: Floats) -> Floats:
        """Out of the palm: the thumb decides; without one palms face down in a T-pose and each other when hanging."""
        sign = 1.0 if side == "left" else -1.0
        hand = self.roles[f"{side}_hand"]
        for child, name in enumerate(self.skeleton.names):
            if "thumb" in name.lower() and self.skeleton.descends_from(child, hand):
                normal = sign * np.cross(along, self._thumb(child, hand))
                if np.linalg.norm(normal) > 0.3:
                    return np.asarray(normal / np.linalg.norm(normal))
        down = -UP if abs(along @ UP) < 0.7 else -sign * self.left
        return across_to(along, down)

    def _thumb(self, child: int, hand: int) -> Floats:
        tip = self.stance.vector(hand, child) + self.tips.get(child, np.zeros(3))
        return np.asarray(tip / max(float(np.linalg.norm(tip)), 1e-9))

    def foot(self, side: str) -> tuple[Bone, Bone | None] | None:
        """Foot from ankle to ball, and toes from ball to tip (None where the file has no toe joint)."""
        ahead = 0.09 * self.stature * self.forward - 0.03 * self.stature * UP
        foot = self.bone(f"{side}_foot", f"{side}_toes", ahead)
        if foot is None:
            return None
        level = foot.vector - UP * (foot.vector @ UP)
        along = level / max(float(np.linalg.norm(level)), 1e-9) if np.linalg.norm(level) > 1e-6 else self.forward
        if not self.has(f"{side}_toes"):
            return foot, None
        return foot, Bone(self.roles[f"{side}_toes"], along * 0.04 * self.stature)

    def middle(self, role: str, pair: str, rise: float) -> Floats:
        """Midpoint of a left-right pair of joints, in the frame of `role`."""
        if not self.has(f"left_{pair}", f"right_{pair}"):
            return rise * UP
        return np.asarray((self._to(role, f"left_{pair}") + self._to(role, f"right_{pair}")) / 2 + rise * UP)

    def chain(self, role: str, below: str) -> list[int]:
        """The joints from one role down to another, both included; none if the second does not hang on the first."""
        if not self.has(role, below) or not self.skeleton.descends_from(self.roles[below], self.roles[role]):
            return []
        chain = [self.roles[below]]
        while chain[-1] != self.roles[role]:
            chain.append(self.skeleton.topology.parents[chain[-1]])
        return chain[::-1]

    def across(self, foot: Bone) -> Floats:
        """Sideways axis of a foot (towards the left), from the level direction in which it points."""
        level = foot.vector - UP * (foot.vector @ UP)
        along = level / np.linalg.norm(level) if np.linalg.norm(level) > 1e-6 else self.forward
        return np.asarray(np.cross(UP, along))

    def sole(self, side: str, foot: Bone) -> Floats:
        """Straight below the ankle, on the sole: as deep as the ankle is above the ground where the clip stands, else a
        little below the ball, because a toe joint lies some way above the ground itself."""
        H = self.stature
        depth = max(max(-float(foot.vector @ UP), 0.0) + 0.012 * H, 0.035 * H)
        stands = float(np.clip(self.stance.ankle.get(side, depth), THINNEST * H, THICKEST * H))
        return np.asarray(-(stands if abs(stands - depth) > FITS else depth) * UP)

    def trunk_line(self, segment: int, height: float) -> Floats:
        """How far, level, the line from the middle of the hips to that of the shoulders is from what is straight above
        a joint at some height: the trunk is dressed along it, whatever way the joints of the spine go."""
        here = self.stance.position[segment]
        ends = []
        for part in ("thigh", "upper_arm"):
            if not self.has(f"left_{part}", f"right_{part}"):
                return np.zeros(3)
            ends.append(sum(self.stance.position[self.roles[f"{side}_{part}"]] for side in SIDES) / 2 - here)
        hips, shoulders = ends
        rise = float((shoulders - hips) @ UP)
        if rise < 0.1 * self.stature:
            return np.zeros(3)
        share = float(np.clip((height - hips @ UP) / rise, 0.0, 1.0))
        place = (1.0 - share) * hips + share * shoulders
        return np.asarray(place - UP * (place @ UP))


_NEXT_ALONG_HEIGHT = (
    ("left_thigh", "left_shank"),
    ("left_shank", "left_foot"),
    ("pelvis", "head"),
)
# of the built-in human: how much of its height each of those distances is
_SHARE_OF_HEIGHT = {"left_thigh": 0.2425, "left_shank": 0.2493, "pelvis": 0.3303}


def across_to(axis: Floats, wanted: Floats) -> Floats:
    """The unit vector across `axis` closest to `wanted`; any across it if a strange rest pose makes those parallel."""
    return perpendicular_frame(axis, wanted)[:, 2]


def stature(skeleton: Skeleton) -> float | None:
    """How tall a body is [m], by its legs and its trunk; None of a tree that has neither."""
    roles = dict(skeleton.roles)
    if not any(role in roles and following in roles for role, following in _NEXT_ALONG_HEIGHT):
        return None
    return BodyMeasures(skeleton, roles, {}, Stance.of_zero_pose(skeleton)).stature
