"""Scenes that the tests of exports share."""

import numpy as np

import hoi_edit as hoi
from hoi_edit.scenes.resources import clip_path
from kinematics.clip import Clip
from kinematics.clip_tools import trim
from kinematics.io import read_clip
from rigid.distance import RoundedBox


def mime() -> Clip:
    """The built-in clip as its file has it: nothing was cut, looped or placed."""
    return read_clip(clip_path("juggling_mime"))


def falling() -> hoi.EditSession:
    """Without anybody: a ball that bounces, a bat and a box that tumble, a wall."""
    spin = np.array([1.0, 2.0, 3.0])
    flying = hoi.Flying(np.array([0.0, 0.5, 0.0]), np.array([1.0, 0.0, 0.0]), angular_velocity=spin)
    things = [
        hoi.Thing("ball", hoi.ball(0.4, 0.1), flying, hoi.Material(0.8, 0.3)),
        hoi.Thing("bat", hoi.capsule(0.9, 0.03, 0.4), hoi.Flying(np.array([0.0, 3.0, 1.0]), angular_velocity=spin)),
        hoi.Thing("box", hoi.box(1.0, (0.1, 0.2, 0.3)), hoi.Flying(np.array([2.0, 3.0, 0.0]), angular_velocity=spin)),
    ]
    wall = hoi.Fixture("wall", RoundedBox(np.array([0.1, 1.0, 1.0]), 0.0), np.array([-3.0, 1.0, 0.0]))
    return hoi.EditSession(hoi.Scene(things=things, fixtures=[hoi.ground(), wall], end=0.6, name="falling"))


def holding() -> hoi.EditSession:
    """A second of somebody who has a ball in the hand and lets it go."""
    clip = trim(mime(), 0.0, 1.0)
    held = hoi.Thing("ball", hoi.ball(0.13, 0.037), hoi.Held("ann/right_palm", 0.5))
    return hoi.EditSession(hoi.Scene([hoi.Character.of("ann", clip)], [held], [hoi.ground()], end=1.0, name="holding"))
