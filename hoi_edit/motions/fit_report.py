"""How well a fitted spline follows a clip, in millimetres at the joints rather than in angles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.motions import FittedSpline, Layer, Motion
from hoi_edit.motions.base import Parameters
from hoi_edit.motions.point_tracks import point_tracks
from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True)
class FitError:
    """Distance between the joints of a fitted spline and those of the clip, over all joints and rows."""

    spacing: float  # [s] between control points
    rms: float  # [m]
    worst: float  # [m]
    worst_joint: str
    worst_time: float  # [s]
    velocity: float  # worst difference of a joint's velocity [m/s]
    times: Floats  # (N,)
    rms_over_time: Floats  # (N,) over the joints [m]


def fit_errors(clip: Clip, spacings: Sequence[float]) -> list[FitError]:
    """One entry per knot spacing; the recorded motion is the spline through all rows."""
    layer = Layer.over(clip)
    p_clip, v_clip = joint_tracks(clip.skeleton, layer, layer.parameters(), clip.times)
    errors = []
    for spacing in spacings:
        fitted = FittedSpline.to(clip, spacing)
        p, v = joint_tracks(clip.skeleton, fitted, fitted.parameters(), clip.times)
        distance = np.linalg.norm(p - p_clip, axis=-1)
        row, joint = np.unravel_index(np.argmax(distance), distance.shape)
        errors.append(
            FitError(
                spacing=float(fitted.grid.spacing),
                rms=float(np.sqrt(np.mean(distance**2))),
                worst=float(distance[row, joint]),
                worst_joint=clip.skeleton.names[joint],
                worst_time=float(clip.times[row]),
                velocity=float(np.linalg.norm(v - v_clip, axis=-1).max()),
                times=clip.times,
                rms_over_time=np.sqrt(np.mean(distance**2, axis=1)),
            )
        )
    return errors


def peak_speed(clip: Clip) -> tuple[float, str]:
    """The largest joint speed of a clip [m/s] and the joint that has it."""
    layer = Layer.over(clip)
    _, velocity = joint_tracks(clip.skeleton, layer, layer.parameters(), clip.times)
    speed = np.linalg.norm(velocity, axis=-1).max(axis=0)
    return float(speed.max()), clip.skeleton.names[int(np.argmax(speed))]


def joint_tracks(skeleton: Skeleton, motion: Motion, parameters: Parameters, times: Floats) -> tuple[Floats, Floats]:
    """World positions and velocities (N, J, 3) of all joints."""
    tracks = point_tracks(skeleton, motion, parameters, times, skeleton.names)
    return tracks.position, tracks.velocity


def table(errors: Sequence[FitError], title: str) -> str:
    """The errors as a text table."""
    lines = [title, f"{'knots [s]':>10} {'RMS [mm]':>9} {'worst [mm]':>11} {'velocity [m/s]':>15}   worst at"]
    lines += [
        f"{error.spacing:10.3f} {1e3 * error.rms:9.2f} {1e3 * error.worst:11.1f} {error.velocity:15.2f}   "
        f"{error.worst_joint}, {error.worst_time:.2f} s"
        for error in errors
    ]
    return "\n".join(lines)
