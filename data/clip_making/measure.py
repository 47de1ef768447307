"""Numbers that say whether a motion is plausible, read off joint positions, so that any skeleton can be measured."""

import jax
import jax.numpy as jnp
import numpy as np

from kinematics.clip import Clip
from kinematics.feet import roles_of
from kinematics.forward import forward
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@jax.jit
def _positions(skeleton: Skeleton, poses: jax.Array) -> jax.Array:
    return jax.vmap(lambda q: forward(skeleton, q).position)(poses)


def joint_tracks(clip: Clip) -> dict[str, Floats]:
    """World positions (N, 3) of the joints that play a part in a human body, by the part's name."""
    tracks = np.asarray(_positions(clip.skeleton, jnp.asarray(clip.poses)))
    return {role: tracks[:, joint] for role, joint in roles_of(clip.skeleton).items()}


def speed(track: Floats, frame_time: float) -> Floats:
    """Speed (N,) [m/s] by central differences."""
    return np.asarray(np.linalg.norm(np.gradient(track, frame_time, axis=0), axis=1))


def angle(a: Floats, b: Floats) -> Floats:
    """Angles (N,) [deg] between vectors (N, 3)."""
    cross = np.linalg.norm(np.cross(a, b), axis=1)
    return np.rad2deg(np.arctan2(cross, np.sum(a * b, axis=1)))


def elbow(tracks: dict[str, Floats], side: str) -> Floats:
    """Flexion of the elbow [deg]: 0 when straight."""
    upper, fore, hand = (tracks[f"{side}_{part}"] for part in ("upper_arm", "forearm", "hand"))
    return angle(fore - upper, hand - fore)


def knee(tracks: dict[str, Floats], side: str) -> Floats:
    """Flexion of the knee [deg]: 0 when straight."""
    thigh, shank, foot = (tracks[f"{side}_{part}"] for part in ("thigh", "shank", "foot"))
    return angle(shank - thigh, foot - shank)


def trunk(tracks: dict[str, Floats]) -> Floats:
    """The vector (N, 3) from between the hips to between the shoulders."""
    hips, shoulders = (0.5 * (tracks[f"left_{part}"] + tracks[f"right_{part}"]) for part in ("thigh", "upper_arm"))
    return np.asarray(shoulders - hips)


def lean(tracks: dict[str, Floats]) -> Floats:
    """How far the trunk is from upright [deg]."""
    up = trunk(tracks)
    return angle(up, np.broadcast_to([0.0, 1.0, 0.0], up.shape))


def arm_elevation(tracks: dict[str, Floats], side: str) -> Floats:
    """Angle of the upper arm with the trunk [deg]: 0 when it hangs."""
    return angle(tracks[f"{side}_forearm"] - tracks[f"{side}_upper_arm"], -trunk(tracks))


def hip_elevation(tracks: dict[str, Floats], side: str) -> Floats:
    """Angle of the thigh with the trunk's axis [deg]: 0 when upright."""
    return angle(tracks[f"{side}_shank"] - tracks[f"{side}_thigh"], -trunk(tracks))


def separation(tracks: dict[str, Floats]) -> Floats:
    """Turn of the shoulders against the hips, seen from above [deg]."""
    heading = []
    for part in ("upper_arm", "thigh"):
        across = tracks[f"left_{part}"] - tracks[f"right_{part}"]
        heading.append(np.unwrap(np.arctan2(-across[:, 2], across[:, 0])))
    return np.asarray(np.rad2deg(heading[0] - heading[1]))
