"""Editing people and the things they throw, catch, kick and carry.

In: clips, objects and an animator's wishes. Out: motions that fulfil them. `kinematics` moves the bodies, `rigid` the
things; this package couples the two, and `ui` shows them.

    import hoi_edit as hoi
    session = hoi.open("juggle3")
    session.rollout.events
    x, J = session.linearise("ball1", t=1.2)
"""

from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing, ground
from hoi_edit.session import EditSession
from rigid.air import Air, air_for
from rigid.body import ball, box, capsule, mesh
from rigid.impact import Material

__version__ = "0.1.0"

__all__ = [
    "Air", "Blend", "Character", "Contact", "EditSession", "FittedSpline", "Fixture", "Flying", "Held", "Layer",
    "Material", "Scene", "Thing", "air_for", "ball", "box", "capsule", "ground", "mesh", "open",
]  # fmt: skip


def open(scene: str | Scene) -> EditSession:  # noqa: A001  (the contract's own name)
    """A session on a built-in scene ("juggle3", "soccer", …) or on a scene of your own."""
    from hoi_edit import scenes

    return EditSession(scenes.build(scene) if isinstance(scene, str) else scene)
