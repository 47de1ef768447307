"""The scene as `.glb`: skinned bodies, things, and one animation of all of it. Metres, Y up, as glTF has them.

Each character is a node with its joints below, and a mesh of its shapes that hangs rigidly on them; each thing is a
node with its mesh. Bodies have a key per sample; a thing also has one at each of its events, so that no corner of a
bounce is cut off. Between keys readers go straight, which is within a millimetre of a flight at 60 Hz.
"""

from pathlib import Path

import numpy as np
import pygltflib as gltf

from hoi_edit.export.base import Draft, Take
from hoi_edit.export.glb_check import check
from hoi_edit.export.gltf_buffer import INDICES, VERTICES, Buffer
from hoi_edit.export.sampling import joint_frames, quaternions
from hoi_edit.export.solid_meshes import Mesh, body_mesh, hull_mesh, joined, shape_mesh
from hoi_edit.export.swept_balls import linear
from hoi_edit.rollout import Rollout
from hoi_edit.scene import PLANE, Character, Fixture, Thing
from hoi_edit.scene.colours import FIXTURE, Colour, body_colour, thing_colours
from hoi_edit.version import __version__
from kinematics.rotation import Floats

RATE = 60.0  # [Hz]
NEAR = 1e-4  # [s]: events closer to a sample than this get no key of their own
LEAP = 1e-4  # [m]: a thing that moves so far at once, as a plan that is not solved has it, gets a key before it
GROUND = 5.0  # [m] half extent of the plane that stands for the ground


def glb_drafts(take: Take, path: Path, *, ground: bool = False) -> list[Draft]:
    maker = _Maker(take)
    for k, character in enumerate(take.scene.characters):
        maker.add_character(character, body_colour(k))
    colours = thing_colours([thing.name for thing in take.scene.things])
    for thing in take.scene.things:
        maker.add_thing(thing, colours[thing.name])
    for fixture in take.scene.fixtures:
        maker.add_fixture(fixture, ground)
    return [Draft(path, maker.finished(), lambda written: check(take, path, written))]


def key_times(rollout: Rollout, thing: str, times: Floats) -> Floats:
    """The samples, and the events of a thing in between; what leaps has a key just before."""
    keys = list(times)
    for event in rollout.trajectories.chains[thing].events:
        if times[0] < event.time < times[-1] and np.abs(times - event.time).min() > NEAR:
            keys.append(event.time)
        before = event.time - NEAR
        if before > times[0] and event.time <= times[-1]:
            places = rollout.positions(thing, np.array([before, event.time]))
            if np.linalg.norm(places[1] - places[0]) > LEAP + NEAR * 100.0:
                keys.append(before)
    return np.unique(keys)


class _Maker:
    """Collects nodes, meshes and channels of one file."""

    def __init__(self, take: Take) -> None:
        self.take = take
        self.buffer = Buffer()
        self.file = gltf.GLTF2(
            asset=gltf.Asset(version="2.0", generator=_generator()),
            scene=0,
            scenes=[gltf.Scene(name=take.scene.name, nodes=[])],
        )
        self.animation = gltf.Animation(name=take.scene.name)
        # what a reader plays at a time is what the scene is at that very time, rounded as the file has it
        self.times = _rounded(take.times(take.rate or RATE))
        self.done = 0

    def finished(self) -> bytes:
        file, buffer = self.file, self.buffer
        if self.animation.channels:
            file.animations = [self.animation]
        file.accessors, file.bufferViews = buffer.accessors, buffer.views
        file.buffers = [gltf.Buffer(byteLength=len(buffer.data))]
        file.set_binary_blob(buffer.data)
        return b"".join(file.save_to_bytes())

    def add_character(self, character: Character, colour: Colour) -> None:
        skeleton, file = character.skeleton, self.file
        top = self._node(gltf.Node(name=character.name, children=[]), root=True)
        first = len(file.nodes)
        for joint, name in enumerate(skeleton.names):
            self._node(gltf.Node(name=name, children=[]))
            parent = skeleton.topology.parents[joint]
            file.nodes[top if parent < 0 else first + parent].children.append(first + joint)
        self._animate_joints(character, first)
        if skeleton.shapes:
            self._skin(character, top, first, colour)
        self._step()

    def _animate_joints(self, character: Character, first: int) -> None:
        skeleton = character.skeleton
        place, turn = joint_frames(self.take.rollout, character, self.times)
        for joint, parent in enumerate(skeleton.topology.parents):
            p, R = place[:, joint], turn[:, joint]
            if parent >= 0:
                above = turn[:, parent]
                p = np.einsum("tji,tj->ti", above, p - place[:, parent])
                R = np.einsum("tji,tjk->tik", above, R)
            slides = parent < 0 or bool(skeleton.dofs_of(joint, "translation"))
            self._animate(first + joint, self.times, p if slides else None, R, skeleton.offset[joint])

    def _skin(self, character: Character, top: int, first: int, colour: Colour) -> None:
        skeleton, rest = character.skeleton, character.skeleton.rest_positions()
        parts = [shape_mesh(shape).moved(np.eye(3), rest[shape.segment]) for shape in skeleton.shapes]
        counts = [len(part.points) for part in parts]
        joints = np.zeros((sum(counts), 4), np.uint8 if len(rest) <= 256 else np.uint16)
        joints[:, 0] = np.repeat([shape.segment for shape in skeleton.shapes], counts)
        weights = np.zeros((sum(counts), 4), np.float32)
        weights[:, 0] = 1.0
        mesh = self._mesh(character.name, joined(parts), colour, joints, weights)
        # by columns; at rest joints are not turned, so the way back is a move
        inverse = np.tile(np.eye(4, dtype=np.float32), (len(rest), 1, 1))
        inverse[:, 3, :3] = -rest
        skin = gltf.Skin(
            name=character.name,
            inverseBindMatrices=self.buffer.add(inverse.reshape(-1, 16)),
            skeleton=top,
            joints=list(range(first, first + len(rest))),
        )
        self.file.skins.append(skin)
        # the format wants skinned meshes at the root: what moves them is their joints alone
        self._node(gltf.Node(name=f"{character.name} body", mesh=mesh, skin=len(self.file.skins) - 1), root=True)

    def add_thing(self, thing: Thing, colour: Colour) -> None:
        mesh = self._mesh(thing.name, body_mesh(thing.body), colour)
        node = self._node(gltf.Node(name=thing.name, mesh=mesh), root=True)
        times = _rounded(key_times(self.take.rollout, thing.name, self.times))
        states = [self.take.rollout.state(thing.name, float(t)) for t in times]
        places, turns = (np.array([getattr(s, part) for s in states]) for part in ("position", "rotation"))
        self._animate(node, times, places, turns, places[0])
        self._step()

    def add_fixture(self, fixture: Fixture, ground: bool) -> None:
        """What stands still; planes only if asked for, and then as far as one looks."""
        core, radius = np.asarray(fixture.shape.core, float), float(np.asarray(fixture.shape.radius))
        plane = bool(core.max() >= PLANE / 2)
        if plane and not ground:
            return
        half = np.minimum(core, GROUND) + radius
        corners = half * np.stack(np.meshgrid(*3 * [[-1.0, 1.0]], indexing="ij"), axis=-1).reshape(8, 3)
        mesh = self._mesh(fixture.name, hull_mesh(corners), FIXTURE)
        R = np.asarray(fixture.rotation, float)
        node = gltf.Node(
            name=fixture.name,
            mesh=mesh,
            translation=np.asarray(fixture.position, float).tolist(),
            rotation=_xyzw(quaternions(R[None]))[0].tolist(),
        )
        self._node(node, root=True)

    def _animate(self, node: int, times: Floats, places: Floats | None, turns: Floats, rest: Floats) -> None:
        """Keys of a node, and where it rests: a joint at its offset, as the skin has it."""
        gltf_node, channels = self.file.nodes[node], []
        gltf_node.translation = np.asarray(rest, float).tolist()
        if places is not None:
            channels.append(("translation", places.astype(np.float32)))
        channels.append(("rotation", _xyzw(quaternions(turns)).astype(np.float32)))
        for path, values in channels:
            sampler = gltf.AnimationSampler(
                input=self.buffer.add(times.astype(np.float32)), output=self.buffer.add(values), interpolation="LINEAR"
            )
            self.animation.samplers.append(sampler)
            target = gltf.AnimationChannelTarget(node=node, path=path)
            self.animation.channels.append(
                gltf.AnimationChannel(sampler=len(self.animation.samplers) - 1, target=target)
            )

    def _mesh(
        self, name: str, mesh: Mesh, colour: Colour, joints: np.ndarray | None = None, weights: np.ndarray | None = None
    ) -> int:
        self.file.materials.append(
            gltf.Material(
                name=name,
                pbrMetallicRoughness=gltf.PbrMetallicRoughness(
                    baseColorFactor=[*linear(colour).tolist(), 1.0], metallicFactor=0.0, roughnessFactor=0.65
                ),
                alphaCutoff=None,
            )
        )
        add = self.buffer.add
        attributes = gltf.Attributes(
            POSITION=add(mesh.points.astype(np.float32), VERTICES), NORMAL=add(_units(mesh.normals), VERTICES)
        )
        if joints is not None and weights is not None:
            attributes.JOINTS_0, attributes.WEIGHTS_0 = add(joints, VERTICES), add(weights, VERTICES)
        small = len(mesh.points) < 65_535
        indices = add(mesh.triangles.ravel().astype(np.uint16 if small else np.uint32), INDICES)
        primitive = gltf.Primitive(attributes=attributes, indices=indices, material=len(self.file.materials) - 1)
        self.file.meshes.append(gltf.Mesh(name=name, primitives=[primitive]))
        return len(self.file.meshes) - 1

    def _node(self, node: gltf.Node, root: bool = False) -> int:
        self.file.nodes.append(node)
        if root:
            self.file.scenes[0].nodes.append(len(self.file.nodes) - 1)
        return len(self.file.nodes) - 1

    def _step(self) -> None:
        self.done += 1
        self.take.tell(self.done, len(self.take.scene.characters) + len(self.take.scene.things))


def _rounded(times: Floats) -> Floats:
    """As single precision has them, none before the first or after the last, without two that are one there."""
    single = times.astype(np.float32)
    single = np.where(single > times[-1], np.nextafter(single, np.float32(-np.inf)), single)
    single = np.where(single < times[0], np.nextafter(single, np.float32(np.inf)), single)
    return np.unique(single).astype(float)


def _units(vectors: Floats) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _xyzw(q: Floats) -> Floats:
    return q[:, [1, 2, 3, 0]]


def _generator() -> str:
    return f"hoi-edit {__version__}"
