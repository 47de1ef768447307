"""The HIERARCHY of a BVH file: its joints and end sites, and the skeleton they make."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from kinematics.io.text import TextCursor, parse_whole, quoted
from kinematics.rotation import Floats
from kinematics.skeleton import Dof, Joint, Kind, Skeleton

Triple = tuple[float, float, float]
OffsetRule = Literal["replace", "add"]
Keyword = Literal["ROOT", "JOINT", "End"]

# A body with hands, face and clothes has some hundreds; far more is a damaged file, and trees cost their square.
MOST_JOINTS = 1000
DEEPEST = 100  # the compiled kinematics are as long as the longest chain
CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
_CHANNEL_OF = {channel.lower(): channel for channel in CHANNELS}


class OffsetRules(NamedTuple):
    """Whether position channels take the place of OFFSET or are added to it."""

    root: OffsetRule = "replace"
    joints: OffsetRule = "replace"


@dataclass(frozen=True)
class BvhNode:
    """One block of the hierarchy in the file's own names, units and axes."""

    keyword: Keyword
    name: str
    parent: int  # index among the nodes; -1 at a root
    offset: Triple
    channels: tuple[str, ...] = ()
    written: tuple[str, ...] = ()  # the offset as the file spells it


def read_hierarchy(cursor: TextCursor) -> tuple[BvhNode, ...]:
    """All nodes in the file's order, up to and including the word MOTION."""
    cursor.expect("HIERARCHY")
    reader = _HierarchyReader(cursor)
    while not reader.done:
        reader.step()
    return tuple(reader.nodes)


class _HierarchyReader:
    """The open blocks are a list, not recursive calls: a damaged file may nest a hundred thousand of them."""

    def __init__(self, cursor: TextCursor) -> None:
        self.cursor = cursor
        self.nodes: list[BvhNode] = []
        self.open: list[int] = []
        self.seen: list[set[str]] = []  # statements that each open block has had
        self.n_joints = 0
        self.done = False

    def step(self) -> None:
        choices = self._choices()
        expected = " or ".join(choices)
        word = self.cursor.take(expected)
        key = word.upper()
        if key not in choices:
            raise self.cursor.file.problem(self.cursor.line, expected, quoted(word))
        match key:
            case "ROOT" | "JOINT" | "END":
                self._begin(key)
            case "OFFSET":
                self._offset()
            case "CHANNELS":
                self._channels()
            case "}":
                self._end()
            case "MOTION":
                self.done = True

    def _choices(self) -> list[str]:
        """The keywords that may come next."""
        if not self.open:
            return ["ROOT", "MOTION"] if self.nodes else ["ROOT"]
        missing = [keyword for keyword in ("OFFSET", "CHANNELS") if keyword not in self.seen[-1]]
        if "OFFSET" in missing:
            return missing
        return [*missing, "}"] if self._in_end_site() else [*missing, "JOINT", "END", "}"]

    def _in_end_site(self) -> bool:
        return self.nodes[self.open[-1]].keyword == "End"

    def _begin(self, key: str) -> None:
        keyword: Keyword = "ROOT" if key == "ROOT" else "JOINT" if key == "JOINT" else "End"
        name = self.cursor.name("Site" if keyword == "End" else f"a name after {key}")
        self.n_joints += keyword != "End"
        if self.n_joints > MOST_JOINTS or len(self.nodes) > 2 * MOST_JOINTS:
            raise self.cursor.file.problem(self.cursor.line, f"at most {MOST_JOINTS} joints", "more of them")
        if len(self.open) > DEEPEST:
            raise self.cursor.file.problem(self.cursor.line, f"at most {DEEPEST} joints in a chain", "a longer one")
        self.nodes.append(BvhNode(keyword, name, self.open[-1] if self.open else -1, (0.0, 0.0, 0.0)))
        self.open.append(len(self.nodes) - 1)
        self.seen.append(set())
        self.cursor.expect("{")

    def _end(self) -> None:
        self.open.pop()
        self.seen.pop()

    def _offset(self) -> None:
        (x, a), (y, b), (z, c) = (self.cursor.number() for _ in range(3))
        self.seen[-1].add("OFFSET")
        self.nodes[self.open[-1]] = replace(self.nodes[self.open[-1]], offset=(x, y, z), written=(a, b, c))

    def _channels(self) -> None:
        most = 0 if self._in_end_site() else len(CHANNELS)
        word = self.cursor.take("a number of channels")
        count = parse_whole(word)
        if count is None or count > most:
            raise self.cursor.file.problem(self.cursor.line, f"a number of channels from 0 to {most}", quoted(word))
        channels: list[str] = []
        for _ in range(count):
            channels.append(self._channel(taken=channels))
        self.seen[-1].add("CHANNELS")
        self.nodes[self.open[-1]] = replace(self.nodes[self.open[-1]], channels=tuple(channels))

    def _channel(self, taken: list[str]) -> str:
        word = self.cursor.take("a channel")
        channel = _CHANNEL_OF.get(word.lower())
        if channel is None:
            raise self.cursor.file.problem(self.cursor.line, f"one of {', '.join(CHANNELS)}", quoted(word))
        if channel in taken:
            raise self.cursor.file.problem(self.cursor.line, "each channel once", f"{channel} twice")
        return channel


def joint_nodes(nodes: Sequence[BvhNode]) -> list[int]:
    """Indices of the nodes that are joints; their order is the skeleton's."""
    return [i for i, node in enumerate(nodes) if node.keyword != "End"]


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, repeated ones with a number behind them."""
    taken = set(names)
    used: set[str] = set()
    count: dict[str, int] = {}
    result = []
    for name in names:
        fresh = name
        while fresh in used:
            count[name] = count.get(name, 1) + 1
            candidate = f"{name}_{count[name]}"
            fresh = candidate if candidate not in taken else fresh
        used.add(fresh)
        result.append(fresh)
    return result


def build_skeleton(nodes: Sequence[BvhNode], rules: OffsetRules, metres_per_unit: float, Q_up: Floats) -> Skeleton:
    """The skeleton in metres, with offsets and axes turned by `Q_up`; its DOFs are the channels in the file's order."""
    chosen = joint_nodes(nodes)
    names = unique_names([nodes[i].name for i in chosen])
    name_of = dict(zip(chosen, names, strict=True))
    joints = []
    for i in chosen:
        node = nodes[i]
        offset = Q_up @ kept_offset(node, rules) * metres_per_unit
        dofs = tuple(
            Dof(channel, _triple(Q_up @ channel_axis(channel)), channel_kind(channel)) for channel in node.channels
        )
        joints.append(Joint(name_of[i], name_of.get(node.parent), _triple(offset), dofs))
    return Skeleton.build(joints)


def kept_offset(node: BvhNode, rules: OffsetRules) -> Floats:
    """The part of a joint's OFFSET that its position channels do not replace."""
    offset = np.array(node.offset)
    if (rules.root if node.keyword == "ROOT" else rules.joints) == "replace":
        offset[[CHANNELS.index(channel) for channel in node.channels if channel_kind(channel) == "translation"]] = 0.0
    return offset


def channel_axis(channel: str) -> Floats:
    return np.eye(3)["XYZ".index(channel[0])]


def channel_kind(channel: str) -> Kind:
    return "rotation" if channel.endswith("rotation") else "translation"


def _triple(vector: Floats) -> Triple:
    return float(vector[0]), float(vector[1]), float(vector[2])
