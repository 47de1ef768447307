"""A `.glb` read again: what its nodes do over time, worked out from the file alone, against the scene."""

from pathlib import Path

import numpy as np
import pygltflib as gltf
from scipy.spatial.transform import Rotation, Slerp

from hoi_edit.export.base import Take, require
from hoi_edit.export.sampling import joint_frames
from hoi_edit.reporting.words import count_of
from kinematics.rotation import Floats

ALLOWED = 1e-5  # [m] and of rotation matrices: single precision, along chains of joints
_COMPONENTS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Played:
    """A file that can be asked where its nodes are at any time."""

    def __init__(self, path: Path) -> None:
        self.file = gltf.GLTF2().load_binary(str(path))
        self._blob = self.file.binary_blob()
        self.parent = {child: k for k, node in enumerate(self.file.nodes) for child in node.children or []}
        self._channels: dict[tuple[int, str], tuple[Floats, Floats]] = {}
        for animation in self.file.animations:
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                keys = self.array(sampler.input)[:, 0], self.array(sampler.output)
                self._channels[channel.target.node, channel.target.path] = keys

    def array(self, accessor: int) -> Floats:
        """(N, width) of an accessor."""
        header = self.file.accessors[accessor]
        view = self.file.bufferViews[header.bufferView]
        width, start = _WIDTHS[header.type], view.byteOffset + (header.byteOffset or 0)
        flat = np.frombuffer(self._blob, _COMPONENTS[header.componentType], header.count * width, start)
        return flat.reshape(-1, width).astype(float)

    def node(self, name: str, below: int | None = None) -> int:
        """The node of a name; `below` which other one it hangs, if several have it."""
        indices = [
            k for k, gltf_node in enumerate(self.file.nodes) if gltf_node.name == name and below in (None, self._top(k))
        ]
        return indices[0]

    def _top(self, node: int) -> int:
        while node in self.parent:
            node = self.parent[node]
        return node

    def keys(self, node: int) -> Floats:
        """Times at which a node has keys."""
        return np.unique(
            np.concatenate([keys for (animated, _), (keys, _) in self._channels.items() if animated == node])
        )

    def frames(self, node: int, times: Floats) -> tuple[Floats, Floats]:
        """Positions (T, 3) and rotations (T, 3, 3) of a node in the world."""
        place, turn = self._local(node, times)
        if node in self.parent:
            above, turned = self.frames(self.parent[node], times)
            place, turn = above + (turned @ place[..., None])[..., 0], turned @ turn
        return place, turn

    def _local(self, node: int, times: Floats) -> tuple[Floats, Floats]:
        gltf_node = self.file.nodes[node]
        place = np.tile(gltf_node.translation or [0.0, 0.0, 0.0], (len(times), 1))
        turn = np.tile(Rotation.from_quat(gltf_node.rotation or [0.0, 0.0, 0.0, 1.0]).as_matrix(), (len(times), 1, 1))
        if (node, "translation") in self._channels:
            keys, values = self._channels[node, "translation"]
            place = np.stack([np.interp(times, keys, values[:, k]) for k in range(3)], axis=1)
        if (node, "rotation") in self._channels:
            keys, values = self._channels[node, "rotation"]
            turns = Rotation.from_quat(values)
            # a single key, of a very short stretch, leaves nothing to go between
            within = Slerp(keys, turns)(np.clip(times, keys[0], keys[-1])) if len(keys) > 1 else turns
            turn = np.broadcast_to(within.as_matrix(), (len(times), 3, 3))
        return place, turn


def check(take: Take, path: Path, written: Path) -> str:
    """At every key each joint and each thing is where the scene has it, and skins fit their joints at rest."""
    played = Played(written)
    file, scene = played.file, take.scene
    names = [file.nodes[k].name for k in file.scenes[0].nodes]
    worst, keys = 0.0, 0
    for character in scene.characters:
        top = file.scenes[0].nodes[names.index(character.name)]
        times = played.keys(played.node(character.skeleton.names[0], top)) if file.animations else np.zeros(1)
        places, turns = joint_frames(take.rollout, character, times)
        keys = max(keys, len(times))
        for joint, name in enumerate(character.skeleton.names):
            place, turned = played.frames(played.node(name, top), times)
            worst = max(worst, _off(place, places[:, joint]), _off(turned, turns[:, joint]))
    for thing in scene.things:
        node = file.scenes[0].nodes[names.index(thing.name)]
        times = played.keys(node) if file.animations else np.array([take.start])
        keys = max(keys, len(times))
        states = [take.rollout.state(thing.name, float(t)) for t in times]
        place, turned = played.frames(node, times)
        worst = max(worst, _off(place, np.array([state.position for state in states])))
        worst = max(worst, _off(turned, np.array([state.rotation for state in states])))
    require(worst <= ALLOWED, path, f"a joint or a thing is elsewhere, by up to {worst:.1e} m")
    _check_skins(played, path)
    parts = [count_of(len(scene.characters), "character"), count_of(len(scene.things), "thing")]
    return f"{', '.join(parts)}, {count_of(keys, 'key')}, within {worst:.0e} m of the scene"


def _check_skins(played: Played, path: Path) -> None:
    for skin in played.file.skins:
        inverse = played.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
        rest = np.zeros((len(skin.joints), 3))
        for k, joint in enumerate(skin.joints):
            node: int | None = joint
            while node is not None:
                rest[k] += played.file.nodes[node].translation or [0.0, 0.0, 0.0]
                node = played.parent.get(node)
        off = float(np.abs(inverse[:, :3, 3] + rest).max())
        require(off <= ALLOWED, path, f"the skin {skin.name!r} does not fit its joints at rest, by {off:.1e} m")


def _off(a: Floats, b: Floats) -> float:
    return float(np.abs(a - b).max(initial=0.0))
