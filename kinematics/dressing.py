"""Flesh on bones: shapes, contact sites and masses for a skeleton, from its proportions and the roles of its joints.

Masses are de Leva's (see `anthropometry`). A file's skeleton and the built-in human go through the same code, so both
have palms, insteps and knees in the same places. What a name did not tell can be said:
dress(…, roles={"left_hand": "Wrist_L"}).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinematics.anatomy import SIDES, find_roles
from kinematics.anthropometry import DE_LEVA, Anthropometry
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.skeleton import Inertias, Shape, Site, Skeleton, box, capsule

UP = np.array([0.0, 1.0, 0.0])


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


def dress(
    skeleton: Skeleton,
    *,
    mass: float = 73.0,
    roles: Mapping[str, str | None] | None = None,
    tips: Mapping[int, Floats] | None = None,
    shapes: Iterable[Shape] = (),
    sites: Iterable[Site] = (),
) -> Skeleton:
    """The skeleton with shapes, sites and masses by its joint names.

    `roles` says which joint is which part where the names do not; `tips` are ends of leaf segments in their own frames;
    `shapes` and `sites` are added, a site replacing one of the same name. A tree that is no body gets only those.
    """
    body = _Body(skeleton, find_roles(skeleton.names, skeleton.topology.parents, roles), dict(tips or {}))
    made = [*body.shapes(), *shapes]
    by_name = {site.name: site for site in body.sites(made)}
    by_name.update({site.name: site for site in sites})
    return skeleton.with_body(body.inertias(mass), made, by_name.values(), body.roles)


class _Body:
    """The geometry that shapes, sites and masses share: bones, stature, and which way is left and forward."""

    def __init__(self, skeleton: Skeleton, roles: dict[str, int], tips: dict[int, Floats]) -> None:
        self.skeleton, self.roles, self.tips = skeleton, roles, tips
        self.rest = skeleton.rest_positions()
        self.left = self._left()
        self.forward = np.cross(self.left, UP)
        self.stature = self._stature()

    def _left(self) -> Floats:
        for part in ("thigh", "upper_arm", "foot", "hand"):
            if f"left_{part}" in self.roles and f"right_{part}" in self.roles:
                across = self.rest[self.roles[f"left_{part}"]] - self.rest[self.roles[f"right_{part}"]]
                across[1] = 0.0
                if np.linalg.norm(across) > 1e-6:
                    return np.asarray(across / np.linalg.norm(across))
        return np.array([1.0, 0.0, 0.0])

    def _stature(self) -> float:
        """Standing height: legs and trunk as bone lengths, so that a crouched rest pose does not matter."""
        reach = {
            role: float(np.linalg.norm(self._to(role, nxt))) for role, nxt in _NEXT_ALONG_HEIGHT if self._has(role, nxt)
        }
        known = sum(_SHARE_OF_HEIGHT[role] for role in reach)
        return sum(reach.values()) / known if known > 0.2 else 1.741

    def _has(self, *roles: str) -> bool:
        return all(role in self.roles for role in roles)

    def _to(self, role: str, other: str) -> Floats:
        return np.asarray(self.rest[self.roles[other]] - self.rest[self.roles[role]])

    def bone(self, role: str, following: str | None = None, fallback: Floats | None = None) -> Bone | None:
        """The rod of a role's segment: to the following role, else its tip, else its farthest child, else fallback."""
        if role not in self.roles:
            return None
        segment = self.roles[role]
        if following is not None and self._has(following):
            vector = self._to(role, following)
        elif segment in self.tips:
            vector = np.asarray(self.tips[segment], float)
        else:
            ends = [self.skeleton.offset[c] for c in self.skeleton.children(segment)]
            vector = max(ends, key=lambda v: float(np.linalg.norm(v)), default=np.zeros(3))
        if np.linalg.norm(vector) < 0.02 * self.stature and fallback is not None:
            vector = fallback
        return Bone(segment, np.asarray(vector, float)) if np.linalg.norm(vector) > 1e-9 else None

    # -- bones ------------------------------------------------------------------------------------------------------

    def hand(self, side: str) -> Bone | None:
        if not self._has(f"{side}_hand"):
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
        return _across_to(along, down)

    def _thumb(self, child: int, hand: int) -> Floats:
        tip = self.rest[child] - self.rest[hand] + self.tips.get(child, np.zeros(3))
        return np.asarray(tip / max(float(np.linalg.norm(tip)), 1e-9))

    def foot(self, side: str) -> tuple[Bone, Bone | None] | None:
        """Foot from ankle to ball, and toes from ball to tip (None where the file has no toe joint)."""
        ahead = 0.09 * self.stature * self.forward - 0.03 * self.stature * UP
        foot = self.bone(f"{side}_foot", f"{side}_toes", ahead)
        if foot is None:
            return None
        level = foot.vector - UP * (foot.vector @ UP)
        along = level / max(float(np.linalg.norm(level)), 1e-9) if np.linalg.norm(level) > 1e-6 else self.forward
        if not self._has(f"{side}_toes"):
            return foot, None
        return foot, Bone(self.roles[f"{side}_toes"], along * 0.04 * self.stature)

    # -- shapes -----------------------------------------------------------------------------------------------------

    def shapes(self) -> list[Shape]:
        shapes = [*self._trunk(), *self._head()]
        for side in SIDES:
            shapes += [*self._limbs(side), *self._hand_shape(side), *self._foot_shapes(side)]
        return shapes

    def _trunk(self) -> list[Shape]:
        """Hips lie across the body, the belly stands, the chest is two upright halves under a bar of shoulders."""
        H, shapes = self.stature, []
        if self._has("pelvis"):
            half, centre = 0.044 * H * self.left, self._middle("pelvis", "thigh", 0.016 * H)
            shapes.append(capsule(self.roles["pelvis"], centre - half, centre + half, 0.062 * H))
        # each vertebra that a file has carries its own piece of belly, or a bent back would bulge
        for joint, following in pairwise(self._chain("pelvis", "thorax")):
            up = self.skeleton.offset[following]
            bottom = 0.25 * up if joint == self.roles["pelvis"] else -0.1 * up
            for side in (-1.0, 1.0):
                aside = side * 0.022 * H * self.left
                shapes.append(capsule(joint, aside + bottom, aside + up, 0.054 * H))
        chest = (self._ribs("right"), self._ribs("left"), self._shoulder_bar())
        return [*shapes, *(shape for shape in chest if shape is not None)]

    def _chest(self) -> str | None:
        """Who carries the arms; where a file has no joint in the trunk, the pelvis does."""
        if self._has("thorax"):
            return "thorax"
        return "pelvis" if self._has("pelvis", "left_upper_arm", "right_upper_arm") else None

    def _ribs(self, side: str) -> Shape | None:
        """One half of the chest, from below the shoulders downwards."""
        role, H = self._chest(), self.stature
        if role is None:
            return None
        shoulders, aside = self._middle(role, "upper_arm", 0.0), self.left * H * (1.0 if side == "left" else -1.0)
        low, high = shoulders - 0.135 * H * UP, shoulders - 0.046 * H * UP
        return capsule(self.roles[role], low + 0.03 * aside, high + 0.043 * aside, 0.058 * H)

    def _shoulder_bar(self) -> Shape | None:
        role, H = self._chest(), self.stature
        if role is None:
            return None
        shoulders, half = self._middle(role, "upper_arm", 0.0), 0.07 * H * self.left
        return capsule(self.roles[role], shoulders - half, shoulders + half, 0.034 * H)

    def _middle(self, role: str, pair: str, rise: float) -> Floats:
        """Midpoint of a left-right pair of joints, in the frame of `role`."""
        if not self._has(f"left_{pair}", f"right_{pair}"):
            return rise * UP
        return np.asarray((self._to(role, f"left_{pair}") + self._to(role, f"right_{pair}")) / 2 + rise * UP)

    def _head(self) -> list[Shape]:
        H, shapes = self.stature, []
        # a head that turns at the cervicale has its neck inside its own segment; one with a neck joint starts higher
        neck = self._chain("neck", "head")
        for joint, following in pairwise(neck):
            shapes.append(capsule(joint, np.zeros(3), self.skeleton.offset[following], RADIUS["neck"] * H))
        if self._has("head"):
            rise = (0.045 if neck else 0.065) * H
            low, high = rise * UP - 0.02 * H * UP, rise * UP + 0.018 * H * UP
            lean = 0.012 * H * self.forward
            if not neck:
                shapes.append(capsule(self.roles["head"], np.zeros(3), low, RADIUS["neck"] * H))
            shapes.append(capsule(self.roles["head"], low + lean, high + lean, HEAD_RADIUS * H))
        return shapes

    def _chain(self, role: str, below: str) -> list[int]:
        """The joints from one role down to another, both included; none if the second does not hang on the first."""
        if not self._has(role, below) or not self.skeleton.descends_from(self.roles[below], self.roles[role]):
            return []
        chain = [self.roles[below]]
        while chain[-1] != self.roles[role]:
            chain.append(self.skeleton.topology.parents[chain[-1]])
        return chain[::-1]

    def _limbs(self, side: str) -> list[Shape]:
        shapes = []
        for part, following in (("clavicle", "upper_arm"), ("upper_arm", "forearm"), ("forearm", "hand")):
            shapes += self._rod(side, part, following)
        for part, following in (("thigh", "shank"), ("shank", "foot")):
            shapes += self._rod(side, part, following)
        return shapes

    def _rod(self, side: str, part: str, following: str) -> list[Shape]:
        bone = self.bone(f"{side}_{part}", f"{side}_{following}")
        return [] if bone is None else [capsule(bone.segment, np.zeros(3), bone.vector, RADIUS[part] * self.stature)]

    def _hand_shape(self, side: str) -> list[Shape]:
        hand = self.hand(side)
        if hand is None:
            return []
        frame = perpendicular_frame(hand.vector, self.palm_normal(side, hand.vector / hand.length))
        half = self.stature * np.array([HAND_WIDTH / 2, HAND_LENGTH / 2, HAND_THICKNESS / 2])
        return [box(hand.segment, 0.5 * hand.vector, frame, half)]

    def _foot_shapes(self, side: str) -> list[Shape]:
        bones = self.foot(side)
        if bones is None:
            return []
        foot, toes = bones
        H, sole = self.stature, self._sole(foot)
        along = np.cross(self._across(foot), UP)
        heel, ball = -HEEL * H * along, along * float(foot.vector @ along)
        if toes is None:
            ball = ball + 0.03 * H * along
        # a box whose top slopes would be nicer; two levels, a low sole and the instep capsule, collide well enough
        low = sole + TOES_HEIGHT * H * UP
        frame = perpendicular_frame(along, UP)
        half = np.array([FOOT_WIDTH / 2 * H, float(np.linalg.norm(ball - heel)) / 2, TOES_HEIGHT * H])
        instep = capsule(foot.segment, -0.01 * H * UP, 0.8 * ball + low + 0.004 * H * UP, 0.022 * H)
        shapes = [box(foot.segment, (heel + ball) / 2 + low, frame, half), instep]
        if toes is not None:
            half_toes = np.array([FOOT_WIDTH / 2 * H, toes.length / 2, TOES_HEIGHT * 0.7 * H])
            level = UP * (float((sole - foot.vector) @ UP) + 0.7 * TOES_HEIGHT * H)
            shapes.append(box(toes.segment, toes.vector / 2 + level, frame, half_toes))
        return shapes

    def _across(self, foot: Bone) -> Floats:
        """Sideways axis of a foot (towards the left), from the level direction in which it points."""
        level = foot.vector - UP * (foot.vector @ UP)
        along = level / np.linalg.norm(level) if np.linalg.norm(level) > 1e-6 else self.forward
        return np.asarray(np.cross(UP, along))

    def _sole(self, foot: Bone) -> Floats:
        """Straight below the ankle, on the sole; a toe joint lies some way above the ground itself."""
        depth = max(-float(foot.vector @ UP), 0.0) + 0.012 * self.stature
        return np.asarray(-max(depth, 0.035 * self.stature) * UP)

    # -- sites ------------------------------------------------------------------------------------------------------

    def sites(self, shapes: list[Shape]) -> list[Site]:
        sites = []
        H = self.stature
        if self._has("head"):
            skull = _last(shapes, self.roles["head"])
            if skull is not None:
                top = shapes[skull].position + (shapes[skull].size[0] + shapes[skull].size[1]) * UP
                sites.append(_site("head", self.roles["head"], top, UP, self.forward, skull))
        chest = self._ribs("right")
        if chest is not None:
            front = chest.position + chest.size[0] * self.forward
            front -= self.left * (self.left @ front)  # between the halves
            sites.append(_site("chest", chest.segment, front, self.forward, UP, _like(shapes, chest)))
        for side in SIDES:
            sites += [
                *self._hand_sites(side, shapes),
                *self._trunk_sites(side, shapes),
                *self._leg_sites(side, shapes, H),
            ]
        return sites

    def _trunk_sites(self, side: str, shapes: list[Shape]) -> list[Site]:
        """Where a strap lies on the shoulder, and where something is clamped between the arm and the ribs."""
        ribs, bar = self._ribs(side), self._shoulder_bar()
        if ribs is None or bar is None:
            return []
        outward = self.left * (1.0 if side == "left" else -1.0)
        top = bar.position + ON_SHOULDER * self.stature * outward + bar.size[0] * UP
        upright = ribs.rotation[:, 1]  # the axis of a capsule
        out = _across_to(upright, outward)
        return [
            _site(f"{side}_shoulder", bar.segment, top, UP, self.forward, _like(shapes, bar)),
            _site(f"{side}_tuck", ribs.segment, ribs.position + ribs.size[0] * out, out, UP, _like(shapes, ribs)),
        ]

    def _hand_sites(self, side: str, shapes: list[Shape]) -> list[Site]:
        hand = self.hand(side)
        shape = None if hand is None else _first(shapes, hand.segment)
        if hand is None or shape is None:
            return []
        along = hand.vector / hand.length
        normal = self.palm_normal(side, along)
        middle, thick = 0.45 * hand.vector, HAND_THICKNESS / 2 * self.stature
        return [
            _site(f"{side}_palm", hand.segment, middle + thick * normal, normal, along, shape),
            _site(f"{side}_hand_back", hand.segment, middle - thick * normal, -normal, along, shape),
        ]

    def _leg_sites(self, side: str, shapes: list[Shape], H: float) -> list[Site]:
        sites = []
        thigh, shank = self.bone(f"{side}_thigh", f"{side}_shank"), self.bone(f"{side}_shank", f"{side}_foot")
        for name, bone, at, part in (("thigh", thigh, 0.6, "thigh"), ("knee", shank, 0.0, "shank")):
            shape = None if bone is None else _first(shapes, bone.segment)
            if bone is not None and shape is not None:
                along = bone.vector / bone.length
                out = _across_to(along, self.forward)
                spot = at * bone.vector + RADIUS[part] * H * out
                sites.append(_site(f"{side}_{name}", bone.segment, spot, out, along, shape))
        bones = self.foot(side)
        if bones is not None and (sole := _first(shapes, bones[0].segment)) is not None:
            foot, shape_of_sole = bones[0], shapes[sole]
            along = np.cross(self._across(foot), UP)
            below = shape_of_sole.position - shape_of_sole.size[2] * UP
            sites.append(_site(f"{side}_sole", foot.segment, below, -UP, along, sole))
            instep = shapes[sole + 1]
            out = instep.rotation @ np.array([0.0, 0.0, 1.0])
            out = out if out @ UP > 0 else -out
            spot = instep.position + instep.size[0] * out
            sites.append(_site(f"{side}_instep", foot.segment, spot, out, along, sole + 1))
        return sites

    # -- masses -----------------------------------------------------------------------------------------------------

    def inertias(self, total: float) -> Inertias:
        n = len(self.skeleton.names)
        inertias = Inertias(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)))
        if not self.roles:
            return inertias
        for table, bone, start, share in self._rods():
            data = DE_LEVA[table]
            _add_rod(inertias, bone, start, data, data.mass * share, self.forward, self.left)
        inertias.mass[:] *= total / max(inertias.mass.sum(), 1e-9)  # a body with parts missing still weighs `total`
        inertias.inertia[:] *= inertias.mass[:, None, None]
        return inertias

    def _rods(self) -> list[tuple[str, Bone, Floats, float]]:
        """Every massive rod: table entry, bone, where it starts in its segment, share of the entry's mass."""
        H, rods = self.stature, []
        trunk = {"pelvis": 0.084 * H, "abdomen": 0.124 * H, "thorax": 0.139 * H}
        present = [part for part in trunk if self._has(part)]
        orphaned = sum(DE_LEVA[part].mass for part in trunk if part not in present)
        for part in present:
            share = 1.0 + orphaned / len(present) / DE_LEVA[part].mass
            rods.append((part, Bone(self.roles[part], trunk[part] * UP), np.zeros(3), share))
        if self._has("head"):
            rods.append(("head", Bone(self.roles["head"], 0.139 * H * UP), np.zeros(3), 1.0))
        for side in SIDES:
            for part, following in (
                ("upper_arm", "forearm"),
                ("forearm", "hand"),
                ("thigh", "shank"),
                ("shank", "foot"),
            ):
                bone = self.bone(f"{side}_{part}", f"{side}_{following}")
                if bone is not None:
                    rods.append((part, bone, np.zeros(3), 1.0))
            hand, feet = self.hand(side), self.foot(side)
            if hand is not None:
                rods.append(("hand", hand, np.zeros(3), 1.0))
            if feet is not None:
                along = np.cross(self._across(feet[0]), UP)
                start = 0.6 * self._sole(feet[0]) - HEEL * H * along
                # the table's foot is one piece: the toes' part of its mass (by length, an eighth) rides on the toes
                toes = 0.125 if feet[1] is not None else 0.0
                rods.append(("foot", Bone(feet[0].segment, 0.148 * H * along), start, 1.0 - toes))
                if feet[1] is not None:
                    rods.append(("foot", feet[1], np.zeros(3), toes))
        return rods


_NEXT_ALONG_HEIGHT = (
    ("left_thigh", "left_shank"),
    ("left_shank", "left_foot"),
    ("pelvis", "head"),
)
# of the built-in human: how much of its height each of those distances is
_SHARE_OF_HEIGHT = {"left_thigh": 0.2425, "left_shank": 0.2493, "pelvis": 0.3303}


def _add_rod(
    inertias: Inertias, bone: Bone, start: Floats, data: Anthropometry, mass: float, forward: Floats, left: Floats
) -> None:
    """Record mass, centre and (per unit of mass) inertia of one rod on its segment."""
    long = bone.vector / bone.length
    sagittal = forward if abs(long @ forward) < 0.7 else UP
    frame = perpendicular_frame(long, sagittal)  # columns: transverse, long, sagittal
    radii = np.array([data.gyration[1], data.gyration[2], data.gyration[0]]) * bone.length
    inertias.mass[bone.segment] = mass
    inertias.centre[bone.segment] = start + data.centre * bone.vector
    inertias.inertia[bone.segment] = frame @ np.diag(radii**2) @ frame.T


def _site(name: str, segment: int, position: Floats, outward: Floats, along: Floats, shape: int) -> Site:
    """A site whose Z points out of the body and whose Y runs along the limb as well as it can."""
    z = outward / np.linalg.norm(outward)
    y = _across_to(z, along)
    return Site(name, segment, position, np.stack([np.cross(y, z), y, z], axis=-1), shape)


def _across_to(axis: Floats, wanted: Floats) -> Floats:
    """The unit vector across `axis` closest to `wanted`; any across it if a strange rest pose makes those parallel."""
    return perpendicular_frame(axis, wanted)[:, 2]


def _first(shapes: list[Shape], segment: int) -> int | None:
    return next((i for i, shape in enumerate(shapes) if shape.segment == segment), None)


def _like(shapes: list[Shape], shape: Shape) -> int:
    """Which of the shapes this one is."""
    same = (i for i, other in enumerate(shapes) if other.segment == shape.segment and other.kind == shape.kind)
    return next(i for i in same if np.array_equal(shapes[i].position, shape.position))


def _last(shapes: list[Shape], segment: int) -> int | None:
    return next((i for i in reversed(range(len(shapes))) if shapes[i].segment == segment), None)
