"""The scene under given controls, computed once more: frames of bodies, surfaces to touch, laws of touches."""

from dataclasses import dataclass, field

import numpy as np

from hoi_edit.scene import Character, Fixture, Held, Scene, Thing
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.trajectory import Event
from hoi_edit.verify.independent_flight import ThingState
from hoi_edit.verify.independent_frames import MeasuredMotion, segments, turn_by
from hoi_edit.verify.independent_poses import coordinates
from hoi_edit.verify.independent_solids import FrameSolid
from kinematics.rotation import Floats
from rigid.air import Air


@dataclass(frozen=True, eq=False)
class Law:
    """By which numbers two bodies touch."""

    restitution: float
    friction: float
    tilt: Floats  # (3,) by which an intended impact's normal is turned


@dataclass(frozen=True, eq=False)
class MeasuredScene:
    scene: Scene
    controls: Controls
    _first: dict[str, int] = field(default_factory=dict)  # global number of each character's first segment

    def __post_init__(self) -> None:
        first = 0
        for character in self.scene.characters:
            self._first[character.name] = first
            first += len(character.skeleton.names)

    @property
    def gravity(self) -> Floats:
        return np.asarray(self.scene.gravity, float)

    def owner(self, frame: int) -> tuple[Character, int]:
        """Character and segment of a frame; frames are all characters' segments in one row."""
        character = [c for c in self.scene.characters if self._first[c.name] <= frame][-1]
        return character, frame - self._first[character.name]

    def frame(self, name: str) -> int:
        """The frame of "character/point"; -1, the world, of anything else."""
        if "/" not in name:
            return -1
        character, segment, _ = self.scene.place(name)
        return self._first[character.name] + segment

    def first_frame(self, character: Character) -> int:
        return self._first[character.name]

    def frame_name(self, frame: int) -> str:
        character, segment = self.owner(frame)
        return f"{character.name}/{character.skeleton.names[segment]}"

    def poses(self, character: Character, times: Floats) -> tuple[Floats, Floats]:
        return coordinates(character.motion, self.controls.motions[character.name], np.asarray(times, float))

    def motion(self, frame: int, times: Floats) -> MeasuredMotion:
        """Of a frame at times (N,)."""
        if frame < 0:
            return MeasuredMotion.still(len(times))
        character, segment = self.owner(frame)
        return segments(character.skeleton, *self.poses(character, times), [segment])[segment]

    def point(self, name: str, times: Floats) -> MeasuredMotion:
        """Of "character/point"."""
        return self.motion(self.frame(name), times).carried(self.scene.place(name)[2], np.eye(3))

    def air(self, thing: Thing) -> Air | None:
        return thing.air if thing.air is not None and thing.air.matters else None

    def solids(self, frame: int) -> list[FrameSolid]:
        """The shapes of a segment."""
        character, segment = self.owner(frame)
        return [FrameSolid.of_shape(shape) for shape in character.skeleton.shapes if shape.segment == segment]

    def fixture(self, name: str) -> Fixture | None:
        return next((fixture for fixture in self.scene.fixtures if fixture.name == name), None)

    def is_thing(self, name: str | None) -> bool:
        return any(thing.name == name for thing in self.scene.things)

    def start(self, thing: Thing) -> ThingState:
        """Of a thing that starts in flight; of one in a hand, its pose there."""
        start_controls = self.controls.starts[thing.name]
        rotation = turn_by(np.asarray(start_controls.turn, float)) @ np.asarray(thing.start.rotation, float)
        if isinstance(thing.start, Held):
            return ThingState(np.asarray(start_controls.position, float), rotation, np.zeros(3), np.zeros(3))
        return ThingState(
            *(
                np.asarray(x, float)
                for x in (start_controls.position, rotation, start_controls.velocity, start_controls.spin)
            )
        )

    def law(self, event: Event, contact: str | None) -> Law:
        """That of the intended contact, or the product of two materials."""
        if contact is not None:
            contact_controls = self.controls.contacts[contact]
            e, mu, tilt = (
                float(contact_controls.restitution),
                float(contact_controls.friction),
                np.asarray(contact_controls.normal, float),
            )
        else:
            materials = {item.name: item.material for item in self.scene.owners}
            a, b = materials[event.object], materials[str(event.other).partition("/")[0]]
            e = float(np.asarray(a.restitution) * np.asarray(b.restitution))
            mu = float(np.asarray(a.friction) * np.asarray(b.friction))
            tilt = np.zeros(3)
        # a hop stands for contact that lasts, and says its own restitution
        return Law(e if event.restitution is None else event.restitution, mu, tilt)
