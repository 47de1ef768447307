"""Which joint of a skeleton is which part of a human body, told by its name and its place in the tree.

Roles are the segment names of the built-in body: pelvis, abdomen, thorax, neck, head, and for each side clavicle,
upper_arm, forearm, hand, thigh, shank, foot, toes. Names are matched for the limbs and the head, in the spellings of
`rig_names`; the trunk follows from the tree.
"""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from kinematics.errors import HoiError, unknown
from kinematics.rig_names import JOINT_WORDS, LIMB_WORDS, MIDDLE_WORDS, SIDES, bare_parts, is_word

LIMB_ROLES = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
TRUNK_ROLES = ("pelvis", "abdomen", "thorax", "neck", "head")
ROLES = (*TRUNK_ROLES, *(f"{side}_{role}" for side in SIDES for role in LIMB_ROLES))


def find_roles(
    names: Sequence[str], parents: Sequence[int], said: Mapping[str, str | None] | None = None
) -> dict[str, int]:
    """Joint index of each role that the names tell; `said` (role -> joint name, or None for none) overrules them."""
    roles = _named_roles(names)
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


def _named_roles(names: Sequence[str]) -> dict[str, int]:
    parts = bare_parts(names)
    roles: dict[str, int] = {}
    for side in SIDES:
        words = dict(LIMB_WORDS)
        for sign, first in JOINT_WORDS.items():
            if any(own == side and is_word(stem, sign) for own, stem in parts):
                words |= {role: (*spellings, *LIMB_WORDS[role]) for role, spellings in first.items()}
        for role in _ORDER:
            joint = _first(parts, side, words[role], taken=set(roles.values()))
            if joint is not None:
                roles[f"{side}_{role}"] = joint
    for role, spellings in MIDDLE_WORDS.items():
        joint = _first(parts, None, spellings, taken=set(roles.values()))
        if joint is not None:
            roles[role] = joint
    return roles


# hands before arms, arms before clavicles: "shoulder" may be either; ankles before toes: "foot" may be either, too
_ORDER = ("foot", "toes", "shank", "thigh", "hand", "forearm", "upper_arm", "clavicle")


def _first(
    parts: list[tuple[str | None, str]], side: str | None, words: tuple[str, ...], taken: set[int]
) -> int | None:
    """The topmost joint with the best word; one with a number only where none is without."""
    for word in words:
        for fits in (str.__eq__, is_word):
            for joint, (own, stem) in enumerate(parts):
                if own == side and fits(stem, word) and joint not in taken:
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
    parts = bare_parts(names)
    place = {part: joint for joint, part in enumerate(parts)}
    other = {"left": "right", "right": "left"}
    return [
        joint if side is None else place.get((other[side], stem), joint) for joint, (side, stem) in enumerate(parts)
    ]


# Which part has to be known for a site; those of the trunk are where the arms meet.
_SITES = {
    "palm": "hand", "hand_back": "hand", "instep": "foot", "sole": "foot", "knee": "shank", "thigh": "thigh",
    "shoulder": "upper_arm", "tuck": "upper_arm",
}  # fmt: skip


def role_of_site(site: str) -> str | None:
    """The part of the body that a site is on, if it is a site that bodies have."""
    if site == "head":
        return "head"
    side, _, point = site.partition("_")
    return f"{side}_{_SITES[point]}" if side in SIDES and point in _SITES else None


_ABOVE = {
    "hand": "forearm", "forearm": "upper_arm", "upper_arm": "clavicle", "foot": "shank", "shank": "thigh",
    "toes": "foot", "head": "neck",
}  # fmt: skip


def how_to_say(role: str, names: Sequence[str], parents: Sequence[int]) -> str:
    """What to write for a part that no name tells, with the joints that come nearest to it by name and place."""
    known = find_roles(names, parents)
    side, _, part = role.partition("_") if role.startswith(SIDES) else (None, "", role)
    words = {**LIMB_WORDS, **MIDDLE_WORDS}.get(part, (part,))
    above = known.get(f"{side}_{_ABOVE.get(part)}" if side else str(_ABOVE.get(part)))
    parts, taken = bare_parts(names), set(known.values())

    def likeness(joint: int) -> float:
        own, stem = parts[joint]
        on_side = 0.0 if own is None or side is None else 0.3 if own == side else -0.3
        hangs_there = 0.5 if above is not None and parents[joint] == above else 0.0
        return on_side + hangs_there + max(SequenceMatcher(None, stem, word).ratio() for word in words)

    free = [joint for joint in range(len(names)) if joint not in taken] or list(range(len(names)))
    nearest = [repr(names[joint]) for joint in sorted(free, key=likeness, reverse=True)[:3]]
    perhaps = f" (or {', '.join(nearest[1:])})" if len(nearest) > 1 else ""
    return f"say which joint it is, for instance roles={{{role!r}: {nearest[0]}}}{perhaps}"
