"""Editing people and the things they throw, catch, kick and carry.

In: clips, objects and an animator's wishes. Out: motions that fulfil them. `kinematics` moves the bodies, `rigid` the
things; this package couples the two, and `ui` shows them.

    import hoi_edit as hoi
    session = hoi.open("juggle3")
    session.rollout.events
    x, J = session.linearise("ball1", t=1.2)
    session.drag("ball1", t=1.2, to=[0.3, 1.9, 0.4])
"""

from collections.abc import Mapping
from os import PathLike

from hoi_edit.compiling.runtime import prepare
from hoi_edit.constraints import (
    FootPlant,
    HandAcceleration,
    JointLimits,
    KeepClear,
    KeepContact,
    OpenHands,
    Pin,
    SecondHand,
    SoftCatch,
)
from hoi_edit.edit.additions import CLIPS, reading, scene_of
from hoi_edit.edit.progress import Cancelled, Listener, Progress
from hoi_edit.juggling import juggle
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.qp import Freedom, Lock, Window
from hoi_edit.reporting.findings import Finding
from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing, ground
from hoi_edit.session import EditSession
from hoi_edit.session.autosaver import Unsaved
from hoi_edit.version import __version__ as __version__
from kinematics.errors import DoubtfulClip, DoubtfulDerivative, FloatingPerson, HoiError, TouchesByHull
from rigid.air import Air, air_for
from rigid.body import Body, ball, box, capsule, mesh
from rigid.distance import RoundedBox
from rigid.impact import Material

__all__ = [
    "Air", "Blend", "Body", "Cancelled", "Character", "Contact", "DoubtfulClip", "DoubtfulDerivative", "EditSession",
    "Finding", "FittedSpline", "Fixture", "FloatingPerson", "Flying", "FootPlant", "Freedom", "HandAcceleration",
    "Held", "HoiError", "JointLimits", "KeepClear", "KeepContact", "Layer", "Listener", "Lock", "Material",
    "OpenHands", "Pin", "Progress", "RoundedBox", "Scene", "SecondHand", "SoftCatch", "Thing", "TouchesByHull",
    "Unsaved", "Window", "air_for", "ball", "box", "capsule", "ground", "juggle", "mesh", "open",
]  # fmt: skip


def open(  # noqa: A001  (the contract's own name)
    scene: str | PathLike[str] | Scene,
    recover: bool | None = None,
    progress: Listener | None = None,
    *,
    units: str | float | None = None,
    up: str | None = None,
    roles: Mapping[str, str | None] | None = None,
    cut: bool | None = None,
    level: bool | None = None,
) -> EditSession:
    """A session on a built-in scene ("juggle3", "soccer", …), on a `.hoi` file, on a clip (.bvh, or .amc with its .asf)
    in a scene of its own, or on a scene of yours.

    Of a clip can be said what reading it could not know: `units` ("cm", or metres per unit), which axis points `up`
    ("z"), which joint is which part (`roles={"right_hand": "Grip_R"}`), that a take with leaps is to be `cut`, and one
    whose floor slopes to be turned `level`.

    Where a program that died has left edits beside a file, `recover` says whether to open them; without it such a file
    is not opened, and the error tells of them.
    """
    from hoi_edit import scenes

    prepare()
    said = reading(units, up, roles, cut, level)
    if said and (isinstance(scene, Scene) or not str(scene).lower().endswith(CLIPS)):
        raise HoiError(f"{', '.join(f'{name}=' for name in said)} is about reading a clip, and {scene!s} is none")
    if isinstance(scene, Scene):
        return EditSession(scene)
    if str(scene).endswith(".hoi"):
        return EditSession.load(scene, recover, progress)
    if str(scene).lower().endswith(CLIPS):
        return EditSession(scene_of(scene, **said), str(scene), said)
    return EditSession(scenes.build(str(scene)), str(scene))
