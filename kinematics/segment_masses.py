"""Masses of segments, from published anthropometry (see `anthropometry`), in the body's upright axes."""

import numpy as np

from kinematics.anthropometry import DE_LEVA, Anthropometry
from kinematics.body_measures import HEEL, BodyMeasures, Bone
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.skeleton import Inertias
from kinematics.stance import UP


def segment_masses(body: BodyMeasures, total: float) -> Inertias:
    n = len(body.skeleton.names)
    inertias = Inertias(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)))
    if not body.roles:
        return inertias
    for table, bone, start, share in _rods(body):
        data = DE_LEVA[table]
        _add_rod(inertias, bone, start, data, data.mass * share, body.forward)
    inertias.mass[:] *= total / max(inertias.mass.sum(), 1e-9)  # a body with parts missing still weighs `total`
    inertias.inertia[:] *= inertias.mass[:, None, None]
    return inertias


def _rods(body: BodyMeasures) -> list[tuple[str, Bone, Floats, float]]:
    """Every massive rod: table entry, bone, where it starts in its segment, share of the entry's mass."""
    H, rods = body.stature, []
    trunk = {"pelvis": 0.084 * H, "abdomen": 0.124 * H, "thorax": 0.139 * H}
    present = [part for part in trunk if body.has(part)]
    orphaned = sum(DE_LEVA[part].mass for part in trunk if part not in present)
    for part in present:
        share = 1.0 + orphaned / len(present) / DE_LEVA[part].mass
        rods.append((part, Bone(body.roles[part], trunk[part] * UP), np.zeros(3), share))
    if body.has("head"):
        rods.append(("head", Bone(body.roles["head"], 0.139 * H * UP), np.zeros(3), 1.0))
    for side in SIDES:
        for part, following in (
            ("upper_arm", "forearm"),
            ("forearm", "hand"),
            ("thigh", "shank"),
            ("shank", "foot"),
        ):
            bone = body.bone(f"{side}_{part}", f"{side}_{following}")
            if bone is not None:
                rods.append((part, bone, np.zeros(3), 1.0))
        hand, feet = body.hand(side), body.foot(side)
        if hand is not None:
            rods.append(("hand", hand, np.zeros(3), 1.0))
        if feet is not None:
            along = np.cross(body.across(feet[0]), UP)
            start = 0.6 * body.sole(side, feet[0]) - HEEL * H * along
            # the table's foot is one piece: the toes' part of its mass (by length, an eighth) rides on the toes
            toes = 0.125 if feet[1] is not None else 0.0
            rods.append(("foot", Bone(feet[0].segment, 0.148 * H * along), start, 1.0 - toes))
            if feet[1] is not None:
                rods.append(("foot", feet[1], np.zeros(3), toes))
    return rods


def _add_rod(inertias: Inertias, bone: Bone, start: Floats, data: Anthropometry, mass: float, forward: Floats) -> None:
    """Record mass, centre and (per unit of mass) inertia of one rod on its segment."""
    long = bone.vector / bone.length
    sagittal = forward if abs(long @ forward) < 0.7 else UP
    frame = perpendicular_frame(long, sagittal)  # columns: transverse, long, sagittal
    radii = np.array([data.gyration[1], data.gyration[2], data.gyration[0]]) * bone.length
    inertias.mass[bone.segment] = mass
    inertias.centre[bone.segment] = start + data.centre * bone.vector
    inertias.inertia[bone.segment] = frame @ np.diag(radii**2) @ frame.T
