"""Which joint of a skeleton is which part of a human body, told by its name and its place in the tree.

Roles are the segment names of the built-in body: pelvis, abdomen, thorax, neck, head, and for each side clavicle,
upper_arm, forearm, hand, thigh, shank, foot, toes. Names are matched for the limbs and the head, in the spellings of
CMU, Poser/DAZ, Mixamo, Biped, Rokoko, ASF and human42; the trunk follows from the tree.
"""

import re
from collections.abc import Mapping, Sequence

from kinematics.errors import HoiError, unknown

SIDES = ("left", "right")
LIMB_ROLES = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
TRUNK_ROLES = ("pelvis", "abdomen", "thorax", "neck", "head")
ROLES = (*TRUNK_ROLES, *(f"{side}_{role}" for side in SIDES for role in LIMB_ROLES))

# Spellings per role, best first. A joint takes a role only if no joint above it in the tree took it by the same word.
_LIMB_WORDS: dict[str, tuple[str, ...]] = {
    "clavicle": ("clavicle", "collar", "collarbone", "shoulder"),
    "upper_arm": ("upperarm", "uparm", "humerus", "shldr", "arm", "shoulder"),
    "forearm": ("forearm", "lowerarm", "lowarm", "radius", "elbow"),
    "hand": ("hand", "wrist"),
    "thigh": ("thigh", "upleg", "upperleg", "femur", "hip"),
    "shank": ("shank", "shin", "lowleg", "lowerleg", "tibia", "calf", "leg", "knee"),
    "foot": ("foot", "ankle"),
    "toes": ("toes", "toebase", "toe", "ball"),
}
_MIDDLE_WORDS: dict[str, tuple[str, ...]] = {
    "head": ("head",),
    "neck": ("neck", "lowerneck", "neck1"),
}


def side_and_stem(name: str) -> tuple[str | None, str]:
    """Side and bare word of a joint name: 'mixamorig:LeftUpLeg', 'lfemur', 'upper_arm.L' and 'rShin' all work."""
    bare = re.sub(r"^.*[:|]", "", name)
    for pattern, side in _SIDE_PATTERNS:
        match = re.match(pattern, bare)
        if match:
            return side, re.sub(r"[^a-z0-9]", "", match["stem"].lower())
    return None, re.sub(r"[^a-z0-9]", "", bare.lower())


_SIDE_PATTERNS = [
    pattern
    for side in SIDES
    for letter in (side[0], side[0].upper())
    for pattern in (
        (rf"^(?i:{side})[_.\- ]?(?P<stem>.+)$", side),
        (rf"^(?P<stem>.+?)[_.\- ]?(?i:{side})$", side),
        (rf"^(?:.*[_ ])?{letter}[_.\- ](?P<stem>.+)$", side),
        (rf"^(?P<stem>.+)[_.\- ]{letter}$", side),
        (rf"^{letter}(?P<stem>[A-Z].*)$", side),
        # ASF runs the letter into the word: only words of the tables count, or 'lowerback' would be a left part
        (
            rf"^{letter}(?P<stem>(?:{'|'.join(w for ws in _LIMB_WORDS.values() for w in ws)}|thumb|fingers|hipjoint))$",
            side,
        ),
    )
]


def find_roles(
    names: Sequence[str], parents: Sequence[int], said: Mapping[str, str | None] | None = None
) -> dict[str, int]:
    """Joint index of each role that the names tell; `said` (role -> joint name, or None for none) overrules them."""
    roles = _named_roles(names, parents)
    for role, name in (said or {}).items():
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        if name is not None and name not in names:
            raise unknown("joint", name, names)
        roles.pop(role, None)
        if name is not None:
            joint = names.index(name)
            roles = {r: j for r, j in roles.items() if j != joint or r in (said or {})}
            roles[role] = joint
    _add_trunk(roles, parents, said or {})
    owner: dict[int, str] = {}
    for role, joint in roles.items():
        if joint in owner:
            raise HoiError(f"joint {names[joint]!r} is given two roles, {owner[joint]!r} and {role!r}; say which")
        owner[joint] = role
    return roles


def _named_roles(names: Sequence[str], parents: Sequence[int]) -> dict[str, int]:
    parts = [side_and_stem(name) for name in names]
    roles: dict[str, int] = {}
    for side in SIDES:
        for role in reversed(LIMB_ROLES):  # hands before arms, arms before clavicles: 'shoulder' may be either
            joint = _first(parts, side, _LIMB_WORDS[role], taken=set(roles.values()))
            if joint is not None:
                roles[f"{side}_{role}"] = joint
    for role, words in _MIDDLE_WORDS.items():
        joint = _first(parts, None, words, taken=set(roles.values()))
        if joint is not None:
            roles[role] = joint
    return roles


def _first(
    parts: list[tuple[str | None, str]], side: str | None, words: tuple[str, ...], taken: set[int]
) -> int | None:
    for word in words:
        for joint, part in enumerate(parts):
            if part == (side, word) and joint not in taken:
                return joint
    return None


def _add_trunk(roles: dict[str, int], parents: Sequence[int], said: Mapping[str, str | None]) -> None:
    """Pelvis carries the legs, thorax the arms; the abdomen is the joint below the thorax if it is not the pelvis."""

    def line(joint: int) -> list[int]:
        chain = []
        while joint >= 0:
            chain.append(joint)
            joint = parents[joint]
        return chain

    def meeting(members: list[str]) -> int | None:
        lines = [line(roles[m]) for m in members if m in roles]
        if len(lines) < 2:
            return None
        shared = set(lines[0]).intersection(*lines[1:])
        return next((joint for joint in lines[0] if joint in shared), None)

    taken = set(roles.values())
    for role, members in (("pelvis", ["left_thigh", "right_thigh"]), ("thorax", ["left_upper_arm", "right_upper_arm"])):
        joint = meeting(members)
        if role not in said and joint is not None and joint not in taken:
            roles[role] = joint
            taken.add(joint)
    if "abdomen" not in said and "thorax" in roles and "pelvis" in roles:
        between = [joint for joint in line(roles["thorax"])[1:] if joint not in line(roles["pelvis"])]
        if between:
            roles["abdomen"] = between[-1]


def mirror_joints(names: Sequence[str]) -> list[int]:
    """For each joint the index of its partner on the other side; itself where it has none."""
    parts = [side_and_stem(name) for name in names]
    place = {part: joint for joint, part in enumerate(parts)}
    other = {"left": "right", "right": "left"}
    return [
        joint if side is None else place.get((other[side], stem), joint) for joint, (side, stem) in enumerate(parts)
    ]
