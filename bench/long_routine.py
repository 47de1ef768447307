"""The cascade of `juggle3` for as long as one likes: one round of it, looped, and the seams solved."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import hoi_edit as hoi
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Scene
from hoi_edit.scenes.juggle3 import CYCLE, OVERLAP, juggle3
from hoi_edit.session import EditSession
from kinematics.clip import Clip
from kinematics.clip_tools import repeat, trim

OPENING = 1.2  # [s] until the first balls are on their way
ROUND, PERIOD = 20, CYCLE + 1.0 / 60.0  # catches and seconds in a round: a loop is a row longer than its cycle
MARGIN = 0.1  # [s] before the end in which nothing is caught or thrown


def long_routine(seconds: float) -> EditSession:
    """A session of it in which every catch happens."""
    motion = looped(hoi.open("juggle3").bake("juggler"), seconds)
    short = juggle3()
    scene = Scene(
        characters=[Character("juggler", motion.skeleton, Layer.over(motion))],
        things=short.things,
        fixtures=short.fixtures,
        contacts=planned(short.contacts, seconds),
        end=seconds,
        name=f"juggle3 for {seconds:.0f} s",
    )
    session = hoi.open(scene)
    report = session.solve()
    if not report.converged:
        raise RuntimeError(f"the seams of the long routine do not close: {report}")
    return session


def looped(clip: Clip, seconds: float) -> Clip:
    """The opening once, then round after round."""
    steady = trim(clip, OPENING, OPENING + CYCLE + OVERLAP)
    rounds = repeat(steady, int(np.ceil((seconds - OPENING) / PERIOD)) + 1, OVERLAP)
    before = clip.poses[: round((steady.start - clip.start) / clip.frame_time)]
    return trim(replace(clip, poses=np.vstack([before, rounds.poses]), source_rows=None), 0.0, seconds)


def planned(catches: Sequence[Contact], seconds: float) -> list[Contact]:
    """The catches of one round again and again. The ball caught at a beat is caught again three beats later."""
    balls = [contact.object for contact in catches[:3]]
    repeated: list[Contact] = []
    for k in range(ROUND * (int(seconds / PERIOD) + 1)):
        first, later = catches[k % ROUND], PERIOD * (k // ROUND)
        assert first.release is not None
        time, release = first.time + later, first.release + later
        if time < seconds - MARGIN:
            held = None if release > seconds - MARGIN else release
            named = replace(first, id=f"catch{k + 1}", object=balls[k % 3], time=time, release=held, declared=True)
            repeated.append(named)
    return repeated
