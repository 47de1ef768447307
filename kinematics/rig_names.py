"""How programs and studios call the joints of a body: the one table of spellings, and how a name is taken apart.

Read by the whole name, with the case and the separators that differ from house to house left aside: CMU and ASF, Poser
and DAZ, Mixamo, MotionBuilder, Biped, Rokoko, Xsens, Optitrack, Perception Neuron, Unreal, Unity, Rigify, SMPL, VRM,
Character Creator, and what studios make of them ("R_hand_jnt", "jnt_hand_R", "C_head_bind").
"""

import re
from collections import Counter
from collections.abc import Sequence

SIDES = ("left", "right")

# Spellings of each part, the best first.
LIMB_WORDS: dict[str, tuple[str, ...]] = {
    "clavicle": ("clavicle", "clav", "collar", "collarbone", "scapula", "shoulder"),
    "upper_arm": ("upperarm", "uparm", "armupper", "armup", "humerus", "shldr", "shldrbend", "uarm", "arm", "shoulder"),
    "forearm": (
        "forearm", "forearmbend", "lowerarm", "lowarm", "armlower", "armlow", "radius", "farm", "elbow",
    ),
    "hand": ("hand", "wrist", "palm"),
    "thigh": ("thigh", "thighbend", "upleg", "upperleg", "legupper", "legup", "femur", "hip"),
    "shank": ("shank", "shin", "lowleg", "lowerleg", "leglower", "leglow", "tibia", "calf", "leg", "knee"),
    "foot": ("foot", "ankle"),
    "toes": ("toebase", "ball", "toes", "toe", "forefoot"),
}  # fmt: skip
# Rigs that call their joints by the joints of anatomy have a foot below the ankle that is toes, and a hand below the
# wrist that is fingers: where there is the first word, these come before the table's.
JOINT_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "elbow": {"forearm": ("elbow",), "hand": ("wrist",)},
    "knee": {
        "foot": ("ankle",),
        "toes": (*LIMB_WORDS["toes"], "foot"),
        "shank": ("knee",),
        "thigh": (*LIMB_WORDS["thigh"], "leg"),
    },
}
MIDDLE_WORDS: dict[str, tuple[str, ...]] = {
    "head": ("head", "skull"),
    "neck": ("neck", "lowerneck", "neckbase", "necklower"),
}
# What stands in a name beside the part of the body: kinds of nodes, the middle, and houses' own marks.
BESIDE = frozenset({
    "jnt", "joint", "jt", "bone", "bn", "bip", "biped", "bind", "def", "drv", "skin", "skel", "sk", "j", "b", "c", "m",
    "ctr", "mid", "center", "centre", "cc", "base", "valvebiped", "mixamorig", "mixamo", "rig", "char", "character",
    "geo", "env", "grp",
})  # fmt: skip
_SIDES = {
    **dict.fromkeys(("l", "left", "lf", "lft", "lt"), "left"),
    **dict.fromkeys(("r", "right", "rt", "rgt", "rht"), "right"),
}
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+")
_KNOWN = {word for words in (*LIMB_WORDS.values(), *MIDDLE_WORDS.values()) for word in words}
# ASF runs the letter into the word: only words of the tables count, or "lowerback" would be a left part
_RUN_IN = re.compile(rf"^([lr])({'|'.join(sorted(_KNOWN, key=len, reverse=True))}|thumb|fingers|hipjoint)\d*$")


def side_and_stem(name: str, beside: frozenset[str] = BESIDE) -> tuple[str | None, str]:
    """Side and bare word of a joint name: 'mixamorig:LeftUpLeg', 'lfemur', 'upper_arm.L' and 'R_hand_jnt' all work."""
    bare = re.sub(r"^.*[:|]", "", name)
    chunks = [chunk for chunk in re.split(r"[^A-Za-z0-9]+", bare) if chunk]
    told = [chunk for chunk in chunks if not _is_beside(chunk, beside)] or chunks
    for place, chunk in enumerate(told):
        side, rest = _side_of(chunk)
        if side is None:
            continue
        before, after = told[:place], told[place + 1 :]
        if rest:  # "lShin", "RightHand", "handR": the rest of the name is there, or around it as well
            whole = any(is_word(rest.lower(), word) for word in _KNOWN)
            return side, _joined([rest, *after] if whole else [*before, rest, *after])
        if before or after:
            return side, _joined(after if after and not _is_counted(after) else [*before, *after])
    return None, _joined(told)


def bare_parts(names: Sequence[str]) -> list[tuple[str | None, str]]:
    """Side and bare word of every joint, without what all of them begin with ("Skeleton 001_LHand", "Hero_LeftArm")."""
    first = [re.split(r"[^A-Za-z0-9]+", re.sub(r"^.*[:|]", "", name))[0].lower() for name in names]
    common = {word for word, count in Counter(first).items() if len(names) > 3 and count > 0.6 * len(names)}
    beside = BESIDE | frozenset(word for word in common if word not in _KNOWN and word not in _SIDES)
    return [side_and_stem(name, beside) for name in names]


def is_word(stem: str, word: str) -> bool:
    """Whether a bare name is a word of the tables, with or without a number: "toe0", "upperarm01"."""
    return stem == word or (stem.startswith(word) and stem[len(word) :].isdigit())


def _side_of(chunk: str) -> tuple[str | None, str]:
    """The side that a piece of a name tells, and what else is in the piece."""
    humps = [hump for hump in _HUMPS.findall(chunk) if hump]
    lower = chunk.lower()
    if lower in _SIDES:
        return _SIDES[lower], ""
    if humps[0].lower() in _SIDES and len(humps) > 1 and not re.match(r"[A-Z]{2}", chunk):
        return _SIDES[humps[0].lower()], "".join(humps[1:])
    if humps[-1].lower() in _SIDES and humps[-1][0].isupper():
        return _SIDES[humps[-1].lower()], "".join(humps[:-1])
    if (glued := re.match(r"(left|right)(.+)", lower)) is not None:
        return glued[1], glued[2]
    if re.match(r"[LR][A-Z]", chunk) and (lower[1:] in _KNOWN or chunk != chunk.upper()):  # "LUArm", "RHAND"
        return _SIDES[lower[0]], chunk[1:]
    if (run_in := _RUN_IN.match(chunk)) is not None:
        return _SIDES[run_in[1]], chunk[1:]
    return None, chunk


def _is_beside(chunk: str, beside: frozenset[str]) -> bool:
    lower = chunk.lower()
    return lower in beside or (lower.rstrip("0123456789") in beside and lower[-1].isdigit())


def _is_counted(chunks: list[str]) -> bool:
    """Whether there is nothing in it but a number."""
    return all(chunk.isdigit() for chunk in chunks)


def _joined(chunks: list[str]) -> str:
    return re.sub(r"[^a-z0-9]", "", "".join(chunks).lower())
