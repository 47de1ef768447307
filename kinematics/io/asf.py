"""Reading ASF (Acclaim skeleton) files: bones, their tilted hinge axes and their limits, and the skeleton they make."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinematics.io.text import TextFile, load_text, parse_number, quoted
from kinematics.rotation import Floats, hinge_chain
from kinematics.skeleton import Dof, Joint, Skeleton

Statement = tuple[int, list[str]]  # line number, words
_MOST_BONES = 1000
_ROOT_DOFS = ("tx", "ty", "tz", "rx", "ry", "rz")
_BONE_DOFS = ("rx", "ry", "rz")


@dataclass(frozen=True)
class AsfBone:
    """One bone, or the root, in the file's units and degrees or radians turned to radians."""

    name: str
    line: int
    tip: tuple[float, ...] = (0.0, 0.0, 0.0)  # its end in its own frame, which in the zero pose is the world's
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)  # [rad] about X, Y and Z
    axis_order: str = "xyz"  # the first is applied first
    dofs: tuple[str, ...] = ()  # in the order of the motion file's numbers; the first is applied first
    limits: tuple[tuple[float, float], ...] = ()  # [rad]; none or one for each DOF
    place: tuple[float, ...] = (0.0, 0.0, 0.0)  # the root's preset position

    @property
    def frame(self) -> Floats:
        """Columns: the directions of the bone's x, y and z hinges."""
        letters = ["xyz".index(letter) for letter in reversed(self.axis_order)]
        return hinge_chain(np.eye(3)[letters], [self.axis[k] for k in letters])


@dataclass(frozen=True)
class AsfSkeleton:
    """An ASF file: the bones depth first, the root leading."""

    path: str
    bones: tuple[AsfBone, ...]
    parents: tuple[int, ...]
    length: float  # the :units factor; 1 unit is 1/length inches
    degrees: bool

    def build(self, metres_per_unit: float, Q_up: Floats) -> Skeleton:
        """The skeleton in metres, turned upright: every bone is a joint at its parent's tip."""
        joints = []
        for bone, parent in zip(self.bones, self.parents, strict=True):
            start = np.array(bone.place if parent < 0 else self.bones[parent].tip)
            x, y, z = (Q_up @ start * metres_per_unit).tolist()
            dofs = tuple(_dof(bone, k, Q_up) for k in hinge_order(bone))
            joints.append(Joint(bone.name, None if parent < 0 else self.bones[parent].name, (x, y, z), dofs))
        return Skeleton.build(joints)

    @property
    def tips(self) -> dict[int, tuple[float, ...]]:
        """Tips of the bones that have no children, in the file's units and axes."""
        return {i: bone.tip for i, bone in enumerate(self.bones) if i not in self.parents}


def hinge_order(bone: AsfBone) -> list[int]:
    """Places of a bone's DOFs as a skeleton lists them: slides, then the hinges with the last applied one first."""
    slides = [k for k, dof in enumerate(bone.dofs) if dof[0] == "t"]
    hinges = [k for k, dof in enumerate(bone.dofs) if dof[0] == "r"]
    return slides + hinges[::-1]


def _dof(bone: AsfBone, k: int, Q_up: Floats) -> Dof:
    name = bone.dofs[k]
    letter = "xyz".index(name[1])
    limits = bone.limits[k] if bone.limits else (-np.inf, np.inf)
    if name[0] == "t":
        x, y, z = (Q_up @ np.eye(3)[letter]).tolist()
        return Dof(name, (x, y, z), "translation", limits)
    x, y, z = (Q_up @ bone.frame[:, letter]).tolist()
    return Dof(name, (x, y, z), "rotation", limits)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_asf(path: str | os.PathLike[str]) -> AsfSkeleton:
    file = load_text(path)
    sections = _sections(file)
    length, degrees = _units(file, sections.get("units", []))
    unit = np.pi / 180 if degrees else 1.0
    for needed in ("root", "bonedata", "hierarchy"):
        if needed not in sections:
            raise file.problem(len(file.lines), f"a section :{needed}", "the end of the file")
    bones = [_root(file, sections["root"], unit)]
    for block in _blocks(file, sections["bonedata"]):
        bones.append(_bone(file, block, unit))
        if len(bones) > _MOST_BONES:
            raise file.problem(block[0][0], f"at most {_MOST_BONES} bones", "more of them")
    order, parents = _hierarchy(file, sections["hierarchy"], bones)
    return AsfSkeleton(file.path, tuple(bones[i] for i in order), parents, length, degrees)


def _sections(file: TextFile) -> dict[str, list[Statement]]:
    """Statements of each section; a line that begins with a parenthesis goes on with the one before it."""
    sections: dict[str, list[Statement]] = {}
    current: list[Statement] = []
    for number, line in enumerate(file.lines, 1):
        bare = line.split("#", 1)[0].strip()
        words = bare.replace("(", " ").replace(")", " ").replace(",", " ").split()
        if bare.startswith(":"):
            title, *words = bare[1:].split()[:1] or [""]
            current = sections.setdefault(title.lower(), [])
        elif bare.startswith("(") and current:
            current[-1][1].extend(words)
        elif words:
            current.append((number, words))
    return sections


def _blocks(file: TextFile, statements: list[Statement]) -> Iterator[list[Statement]]:
    """Groups of statements between `begin` and `end`."""
    block: list[Statement] | None = None
    for number, words in statements:
        match words[0].lower(), block:
            case "begin", None:
                block = [(number, words)]
            case "end", [_, *inside]:
                yield inside or [(number, words)]
                block = None
            case "begin", _:
                raise file.problem(number, "end", quoted(words[0]))
            case _, None:
                raise file.problem(number, "begin", quoted(words[0]))
            case _, list() as opened:
                opened.append((number, words))
    if block is not None:
        raise file.problem(len(file.lines), "end", "the end of the section")


@dataclass(frozen=True)
class _Fields:
    """Keyword statements of one block, read one by one."""

    file: TextFile
    line: int
    by_key: dict[str, Statement] = field(default_factory=dict)

    def words(self, key: str, default: str | None = None) -> Statement:
        if key in self.by_key:
            return self.by_key[key]
        if default is None:
            raise self.file.problem(self.line, f"a line '{key}' in this block", "none")
        return self.line, default.split()

    def numbers(self, key: str, count: int, default: str | None = None) -> list[float]:
        line, words = self.words(key, default)
        if len(words) < count:
            raise self.file.problem(line, f"{count} numbers after {key}", str(len(words)))
        return [_number(self.file, line, word) for word in words[:count]]


def _fields(file: TextFile, block: list[Statement]) -> _Fields:
    line = block[0][0] if block else len(file.lines)
    return _Fields(file, line, {words[0].lower(): (number, words[1:]) for number, words in block})


def _number(file: TextFile, line: int, word: str) -> float:
    value = parse_number(word)
    if value is None:
        raise file.bad_number(line, word)
    return value


def _units(file: TextFile, statements: list[Statement]) -> tuple[float, bool]:
    fields = _fields(file, statements)
    (length,) = fields.numbers("length", 1, default="1")
    if not 1e-9 <= length <= 1e9:
        raise file.problem(fields.words("length")[0], "a positive length", f"{length}")
    line, words = fields.words("angle", default="deg")
    angle = words[0].lower()[:3] if words else ""
    if angle not in ("deg", "rad"):
        raise file.problem(line, "angle deg or angle rad", quoted(" ".join(words)))
    return length, angle == "deg"


def _root(file: TextFile, statements: list[Statement], unit: float) -> AsfBone:
    fields = _fields(file, statements)
    line, words = fields.words("order")
    dofs = _dofs(file, line, words, _ROOT_DOFS)
    order = _order(file, *fields.words("axis", default="XYZ"))
    place = fields.numbers("position", 3, default="0 0 0")
    turn = fields.numbers("orientation", 3, default="0 0 0")
    return AsfBone("root", line, axis=tuple(unit * a for a in turn), axis_order=order, dofs=dofs, place=tuple(place))


def _bone(file: TextFile, block: list[Statement], unit: float) -> AsfBone:
    fields = _fields(file, block)
    line, words = fields.words("name")
    if len(words) != 1:
        raise file.problem(line, "one word as a name", quoted(" ".join(words)))
    (length,) = fields.numbers("length", 1)
    tip = tuple(length * d for d in fields.numbers("direction", 3))
    axis = tuple(unit * a for a in fields.numbers("axis", 3))
    axis_line, axis_words = fields.words("axis")
    dofs = _dofs(file, *fields.words("dof", default=""), _BONE_DOFS)
    limits = _limits(file, *fields.words("limits", default=""), dofs, unit)
    return AsfBone(words[0], line, tip, axis, _order(file, axis_line, axis_words[3:] or ["XYZ"]), dofs, limits)


def _order(file: TextFile, line: int, words: list[str]) -> str:
    order = "".join(words).lower()
    if sorted(order) != ["x", "y", "z"]:
        raise file.problem(line, "an order of axes such as XYZ", quoted(" ".join(words)))
    return order


def _dofs(file: TextFile, line: int, words: list[str], choices: Sequence[str]) -> tuple[str, ...]:
    dofs = tuple(word.lower() for word in words)
    for dof, word in zip(dofs, words, strict=True):
        if dof == "l":
            raise file.problem(line, f"degrees of freedom among {' '.join(choices)}", "'l', a bone that changes length")
        if dof not in choices:
            raise file.problem(line, f"degrees of freedom among {' '.join(choices)}", quoted(word))
    if len(set(dofs)) < len(dofs):
        raise file.problem(line, "each degree of freedom once", quoted(" ".join(words)))
    return dofs


def _limits(
    file: TextFile, line: int, words: list[str], dofs: Sequence[str], unit: float
) -> tuple[tuple[float, float], ...]:
    if not words:
        return ()
    if len(words) != 2 * len(dofs):
        raise file.problem(line, f"{2 * len(dofs)} limits for {len(dofs)} degrees of freedom", str(len(words)))
    infinite = {"inf": np.inf, "+inf": np.inf, "-inf": -np.inf}
    ends = [infinite[w.lower()] if w.lower() in infinite else unit * _number(file, line, w) for w in words]
    return tuple((min(pair), max(pair)) for pair in zip(ends[::2], ends[1::2], strict=True))


# --- the tree ---------------------------------------------------------------------------------------------------------


def _hierarchy(file: TextFile, statements: list[Statement], bones: list[AsfBone]) -> tuple[list[int], tuple[int, ...]]:
    """Bones in depth-first order, and for each of these its parent's place in that order."""
    index = _indices(file, bones)
    parent: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for line, words in (statement for block in _blocks(file, statements) for statement in block):
        if words[0].lower() == "end" and len(words) == 1:  # what an empty block stands for
            continue
        above, *below = (_known(file, line, word, index) for word in words)
        for bone in below:
            if bone in parent or bone == 0:
                raise file.problem(line, f"bone {bones[bone].name!r} once below another", "it again")
            parent[bone] = above
            children.setdefault(above, []).append(bone)
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += children.get(order[-1], [])[::-1]
    reached = set(order)
    lost = next((bone for i, bone in enumerate(bones) if i not in reached), None)
    if lost is not None:
        raise file.problem(lost.line, f"bone {lost.name!r} in the hierarchy below root", "it is not there")
    place = {bone: k for k, bone in enumerate(order)}
    return order, tuple(place[parent[bone]] if bone else -1 for bone in order)


def _indices(file: TextFile, bones: list[AsfBone]) -> dict[str, int]:
    index: dict[str, int] = {}
    for i, bone in enumerate(bones):
        if bone.name in index:
            raise file.problem(bone.line, "each bone once", f"a second {bone.name!r}")
        index[bone.name] = i
    return index


def _known(file: TextFile, line: int, word: str, index: dict[str, int]) -> int:
    if word not in index:
        raise file.problem(line, "the name of a bone", quoted(word))
    return index[word]
