"""Flesh on bones: shapes, contact sites and masses for a skeleton, from its proportions and the roles of its joints.

Masses are de Leva's (see `segment_masses`). A file's skeleton and the built-in human go through the same code, so both
have palms, insteps and knees in the same places. What a name did not tell can be said:
dress(…, roles={"left_hand": "Wrist_L"}).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from kinematics.anatomy import find_roles
from kinematics.body_measures import (
    FOOT_WIDTH,
    HAND_LENGTH,
    HAND_THICKNESS,
    HAND_WIDTH,
    HEAD_RADIUS,
    HEEL,
    ON_SHOULDER,
    RADIUS,
    TOES_HEIGHT,
    BodyMeasures,
    across_to,
)
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.segment_masses import segment_masses
from kinematics.skeleton import Inertias, Shape, Site, Skeleton, box, capsule
from kinematics.stance import UP, Stance

Part = TypeVar("Part", Shape, Site)


def dress(
    skeleton: Skeleton,
    *,
    mass: float = 73.0,
    roles: Mapping[str, str | None] | None = None,
    tips: Mapping[int, Floats] | None = None,
    stance: Stance | None = None,
    shapes: Iterable[Shape] = (),
    sites: Iterable[Site] = (),
) -> Skeleton:
    """The skeleton with shapes, sites and masses by its joint names.

    `roles` says which joint is which part where the names do not; `tips` are ends of leaf segments in their own frames;
    `stance` is how the body stands if not in its zero pose; `shapes` and `sites` are added, a site replacing one of the
    same name. A tree that is no body gets only those.
    """
    found = find_roles(skeleton.names, skeleton.topology.parents, roles)
    stance = Stance.of_zero_pose(skeleton) if stance is None else stance
    body = _Body(skeleton, found, tips or {}, stance)
    made = body.shapes()
    by_name = {site.name: _turned(site, stance) for site in body.sites(made)}
    by_name.update({site.name: site for site in sites})
    masses = _turned_masses(segment_masses(body, mass), stance)
    return skeleton.with_body(masses, [*(_turned(shape, stance) for shape in made), *shapes], by_name.values(), found)


def _turned(part: Part, stance: Stance) -> Part:
    """What was made in upright axes, in the frame of its segment."""
    back = stance.upright[part.segment].T
    return replace(part, position=back @ part.position, rotation=back @ part.rotation)


def _turned_masses(inertias: Inertias, stance: Stance) -> Inertias:
    back = np.swapaxes(stance.upright, 1, 2)
    centre = np.einsum("jik,jk->ji", back, inertias.centre)
    return Inertias(inertias.mass, centre, back @ inertias.inertia @ stance.upright)


class _Body(BodyMeasures):
    """Shapes and sites, all in upright axes."""

    # -- shapes -----------------------------------------------------------------------------------------------------

    def shapes(self) -> list[Shape]:
        shapes = [*self._trunk(), *self._head()]
        for side in SIDES:
            shapes += [*self._limbs(side), *self._hand_shape(side), *self._foot_shapes(side)]
        return shapes

    def _trunk(self) -> list[Shape]:
        """Hips lie across the body, the belly stands, the chest is two upright halves under a bar of shoulders."""
        H, shapes = self.stature, []
        if self.has("pelvis"):
            half, centre = 0.044 * H * self.left, self.middle("pelvis", "thigh", 0.016 * H)
            shapes.append(capsule(self.roles["pelvis"], centre - half, centre + half, 0.062 * H))
        # each vertebra that a file has carries its own piece of belly, or a bent back would bulge
        belly = [(joint, float(self.offset(above) @ UP)) for joint, above in pairwise(self.chain("pelvis", "thorax"))]
        if self._chest() == "pelvis":  # a trunk of one joint
            belly = [(self.roles["pelvis"], float(self.middle("pelvis", "upper_arm", -0.135 * H) @ UP))]
        for joint, rise in belly:
            ends = (0.25 if joint == self.roles["pelvis"] else -0.1) * rise, rise
            low, high = (height * UP + self.trunk_line(joint, height) for height in ends)
            for side in (-1.0, 1.0):
                aside = side * 0.022 * H * self.left
                shapes.append(capsule(joint, aside + low, aside + high, 0.054 * H))
        chest = (self._ribs("right"), self._ribs("left"), self._shoulder_bar())
        return [*shapes, *(shape for shape in chest if shape is not None)]

    def _chest(self) -> str | None:
        """Who carries the arms; where a file has no joint in the trunk, the pelvis does."""
        if self.has("thorax"):
            return "thorax"
        return "pelvis" if self.has("pelvis", "left_upper_arm", "right_upper_arm") else None

    def _ribs(self, side: str) -> Shape | None:
        """One half of the chest, from below the shoulders downwards."""
        role, H = self._chest(), self.stature
        if role is None:
            return None
        joint, shoulders = self.roles[role], self.middle(role, "upper_arm", 0.0)
        aside, height = self.left * H * (1.0 if side == "left" else -1.0), float(shoulders @ UP)
        low, high = (
            shoulders - below * UP + self.trunk_line(joint, height - below) - self.trunk_line(joint, height)
            for below in (0.135 * H, 0.046 * H)
        )
        return capsule(joint, low + 0.03 * aside, high + 0.043 * aside, 0.058 * H)

    def _shoulder_bar(self) -> Shape | None:
        role, H = self._chest(), self.stature
        if role is None:
            return None
        shoulders, half = self.middle(role, "upper_arm", 0.0), 0.07 * H * self.left
        return capsule(self.roles[role], shoulders - half, shoulders + half, 0.034 * H)

    def _head(self) -> list[Shape]:
        H, shapes = self.stature, []
        # a head that turns at the cervicale has its neck inside its own segment; one with a neck joint starts higher
        neck = self.chain("neck", "head")
        for joint, following in pairwise(neck):
            shapes.append(capsule(joint, np.zeros(3), self.offset(following), RADIUS["neck"] * H))
        if self.has("head"):
            rise = (0.045 if neck else 0.065) * H
            low, high = rise * UP - 0.02 * H * UP, rise * UP + 0.018 * H * UP
            lean = 0.012 * H * self.forward
            if not neck:
                shapes.append(capsule(self.roles["head"], np.zeros(3), low, RADIUS["neck"] * H))
            shapes.append(capsule(self.roles["head"], low + lean, high + lean, HEAD_RADIUS * H))
        return shapes

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
        H, sole = self.stature, self.sole(side, foot)
        along = np.cross(self.across(foot), UP)
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

    # -- sites ------------------------------------------------------------------------------------------------------

    def sites(self, shapes: list[Shape]) -> list[Site]:
        sites = []
        H = self.stature
        if self.has("head"):
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
        out = across_to(upright, outward)
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
                out = across_to(along, self.forward)
                spot = at * bone.vector + RADIUS[part] * H * out
                sites.append(_site(f"{side}_{name}", bone.segment, spot, out, along, shape))
        bones = self.foot(side)
        if bones is not None and (sole := _first(shapes, bones[0].segment)) is not None:
            foot, shape_of_sole = bones[0], shapes[sole]
            along = np.cross(self.across(foot), UP)
            below = shape_of_sole.position - shape_of_sole.size[2] * UP
            sites.append(_site(f"{side}_sole", foot.segment, below, -UP, along, sole))
            instep = shapes[sole + 1]
            out = instep.rotation @ np.array([0.0, 0.0, 1.0])
            out = out if out @ UP > 0 else -out
            spot = instep.position + instep.size[0] * out
            sites.append(_site(f"{side}_instep", foot.segment, spot, out, along, sole + 1))
        return sites


def _site(name: str, segment: int, position: Floats, outward: Floats, along: Floats, shape: int) -> Site:
    """A site whose Z points out of the body and whose Y runs along the limb as well as it can."""
    z = outward / np.linalg.norm(outward)
    y = across_to(z, along)
    return Site(name, segment, position, np.stack([np.cross(y, z), y, z], axis=-1), shape)


def _first(shapes: list[Shape], segment: int) -> int | None:
    return next((i for i, shape in enumerate(shapes) if shape.segment == segment), None)


def _like(shapes: list[Shape], shape: Shape) -> int:
    """Which of the shapes this one is."""
    same = (i for i, other in enumerate(shapes) if other.segment == shape.segment and other.kind == shape.kind)
    return next(i for i in same if np.array_equal(shapes[i].position, shape.position))


def _last(shapes: list[Shape], segment: int) -> int | None:
    return next((i for i in reversed(range(len(shapes))) if shapes[i].segment == segment), None)
