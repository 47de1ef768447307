"""Makes the clips in `data/clips`: run `python data/make_clips.py` to make them again, digit for digit.

They are mimes, as of an untrained person pretending: imprecise in timing and height, shifting weight from foot to foot,
with nothing in the hands. Joint angles are drawn as curves; the feet are then planted by the program's own tool.
"""

from pathlib import Path

import numpy as np

from hoi_edit.motions import Layer, bake
from hoi_edit.plant_feet import plant_feet
from kinematics.clip import Clip
from kinematics.feet import FootContact, foot_points, point_tracks
from kinematics.human import human42, standing
from kinematics.io import write_bvh
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

RATE = 60.0
FOLDER = Path(__file__).parent / "clips"


def wander(rng: np.random.Generator, times: Floats, period: float, size: float) -> Floats:
    """A slow random curve: a few sines around `period` with random phases, `size` in standard deviation."""
    total = np.zeros_like(times)
    for stretch in (0.6, 1.0, 1.7, 2.3):
        total += np.sin(2 * np.pi * times / (stretch * period) + rng.uniform(0, 2 * np.pi))
    return np.asarray(size * total / np.sqrt(2.0))


def uneven_phase(rng: np.random.Generator, times: Floats, period: float) -> Floats:
    """The phase of a rhythm that nobody keeps exactly."""
    return np.asarray(2 * np.pi * times / period + wander(rng, times, 6 * period, 0.25))


def stand(skeleton: Skeleton, rng: np.random.Generator, times: Floats) -> dict[str, Floats]:
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


def juggling_arm(rng: np.random.Generator, times: Floats, side: str, period: float, lag: float) -> dict[str, Floats]:
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
    curves = stand(skeleton, rng, times)
    for side, lag in (("left", 0.0), ("right", np.pi)):
        curves |= juggling_arm(rng, times, side, period=0.72, lag=lag)
    poses = np.zeros((len(times), skeleton.n_dofs))
    for name, curve in curves.items():
        poses[:, skeleton.dof(name)] = curve
    clip = Clip(skeleton, poses, 1.0 / RATE, name="juggling_mime")
    return with_still_feet(clip)


def with_still_feet(clip: Clip) -> Clip:
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


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for clip in (juggling_mime(),):
        path = FOLDER / f"{clip.name}.bvh"
        write_bvh(clip, path, own_channels=True)
        print(f"{path.name}: {clip.n_frames} rows, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
