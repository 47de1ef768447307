"""Juggling three balls by hand, without the balls: hands that go round and round, feet that stay."""

import numpy as np

from data.clip_making.curves import uneven_phase, wander
from data.clip_making.perform import RATE
from hoi_edit.motions import Layer, bake
from hoi_edit.motions.plant_feet import plant_feet
from kinematics.clip import Clip
from kinematics.feet import FootContact, foot_points, point_tracks
from kinematics.human import human42, standing
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


def _standing(skeleton: Skeleton, rng: np.random.Generator, times: Floats) -> dict[str, Floats]:
    """Standing with feet apart: weight goes from side to side, the trunk follows a little, the head looks up."""
    sway = wander(rng, times, 3.1, 0.012)
    zero = standing(skeleton)
    return {
        "pelvis.Xposition": sway,
        "pelvis.Yposition": zero[skeleton.dof("pelvis.Yposition")] - 0.025 + wander(rng, times, 1.3, 0.002),
        "pelvis.Zposition": wander(rng, times, 2.7, 0.006),
        "pelvis.Yrotation": wander(rng, times, 3.7, 0.03),
        "pelvis.Zrotation": 0.6 * sway,
        "abdomen.Xrotation": 0.05 + wander(rng, times, 2.3, 0.015),
        "abdomen.Zrotation": -0.8 * sway,
        "thorax.Yrotation": wander(rng, times, 1.9, 0.04),
        "thorax.Xrotation": 0.04 + wander(rng, times, 2.9, 0.012),
        "head.Xrotation": -0.18 + wander(rng, times, 1.7, 0.03),
        "head.Yrotation": wander(rng, times, 1.3, 0.08),
        "left_thigh.Zrotation": 0.11 + 0 * times,
        "right_thigh.Zrotation": -0.11 + 0 * times,
        "left_thigh.Xrotation": -0.16 + 0 * times,
        "right_thigh.Xrotation": -0.16 + 0 * times,
        "left_shank.Xrotation": 0.3 + 0 * times,
        "right_shank.Xrotation": 0.3 + 0 * times,
        "left_foot.Xrotation": -0.14 + 0 * times,
        "right_foot.Xrotation": -0.14 + 0 * times,
        "left_foot.Zrotation": -0.11 + 0 * times,
        "right_foot.Zrotation": 0.11 + 0 * times,
    }


def _arm(rng: np.random.Generator, times: Floats, side: str, period: float, lag: float) -> dict[str, Floats]:
    """One hand going round: up and in to throw, out and down to catch, palm up."""
    sign = 1.0 if side == "left" else -1.0
    phase = uneven_phase(rng, times, period) + lag
    height = 1.0 + wander(rng, times, 2.5, 0.15)
    lift, reach = height * np.sin(phase), height * np.cos(phase)
    return {
        f"{side}_upper_arm.Xrotation": -0.10 - 0.12 * lift + wander(rng, times, 1.9, 0.03),
        f"{side}_upper_arm.Zrotation": sign * (0.16 + 0.10 * reach + wander(rng, times, 2.1, 0.02)),
        f"{side}_upper_arm.Yrotation": sign * (0.05 + 0.14 * reach),
        f"{side}_forearm.Xrotation": -1.50 - 0.30 * lift + wander(rng, times, 1.1, 0.04),
        f"{side}_forearm.Yrotation": sign * (1.25 + 0.1 * reach),
        f"{side}_hand.Zrotation": sign * -0.12 * np.sin(phase + 0.5),
        f"{side}_hand.Xrotation": 0.05 * np.cos(phase),
    }


def juggling_mime(seconds: float = 8.0, seed: int = 3) -> Clip:
    """A person who pretends to juggle three balls by hand."""
    rng = np.random.default_rng(seed)
    skeleton = human42()
    times = np.arange(round(seconds * RATE) + 1) / RATE
    curves = _standing(skeleton, rng, times)
    for side, lag in (("left", 0.0), ("right", np.pi)):
        curves |= _arm(rng, times, side, period=0.72, lag=lag)
    poses = np.zeros((len(times), skeleton.n_dofs))
    for name, curve in curves.items():
        poses[:, skeleton.dof(name)] = curve
    clip = Clip(skeleton, poses, 1.0 / RATE, name="juggling_mime")
    return _with_still_feet(clip)


def _with_still_feet(clip: Clip) -> Clip:
    """The clip with both feet flat on the ground throughout, the legs following the pelvis."""
    points = foot_points(clip.skeleton)
    tracks = point_tracks(clip.skeleton, clip.poses, points)
    flat = point_tracks(clip.skeleton, standing(clip.skeleton)[None], points)[0]
    contacts = []
    for index, point in enumerate(points):
        anchor = np.median(tracks[:, index], axis=0)
        anchor[1] = flat[index, 1]
        contacts.append(FootContact(point, 0, clip.n_frames - 1, anchor, 0.0))
    layer = Layer.over(clip, spacing=0.05)
    controls, _ = plant_feet(clip, layer, layer.parameters(), contacts)
    return bake(layer, controls, clip)
