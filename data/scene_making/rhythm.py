"""The rhythm of a juggling mime, read off its palms: a hand throws where it is fastest on its way up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.motions.point_tracks import point_tracks
from kinematics.clip import Clip
from kinematics.rotation import Floats

STEP = 0.005  # [s]
LIVELY = 0.3  # [m/s]: slower turning points are no throws


@dataclass(frozen=True)
class Beat:
    """A hand that may throw: when it is fastest upwards, and when it was fastest downwards before."""

    site: str
    release: float
    down: float


def beats(clip: Clip, sites: Sequence[str] = ("left_palm", "right_palm")) -> list[Beat]:
    """All beats of both hands in order of time, to the hundredth of a second."""
    layer, times = Layer.over(clip), np.arange(clip.start, clip.end, STEP)
    speed = point_tracks(clip.skeleton, layer, layer.parameters(), times, sites).velocity[:, :, 1]
    found = []
    for k, site in enumerate(sites):
        up, down = times[_peaks(speed[:, k])], times[_peaks(-speed[:, k])]
        for release in up:
            before = down[down < release]
            if len(before):
                found.append(Beat(site, round(float(release), 2), round(float(before[-1]), 2)))
    return sorted(found, key=lambda beat: beat.release)


def _peaks(x: Floats) -> np.ndarray:
    return np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > LIVELY)) + 1
