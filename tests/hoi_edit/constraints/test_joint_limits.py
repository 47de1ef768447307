"""Joints that are kept within limits."""

from dataclasses import replace

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.scenes.building_blocks import performed

JOINT = "right_forearm.Yrotation"
HIGHEST, WAVE = 1.0, 0.02  # [rad]: less than from where on a limit has rows


def test_a_joint_that_is_beyond_its_limit_again_and_again_is_brought_back_everywhere() -> None:
    """All this time it is near its limit, and all peaks are equally high: to lower one of them alone is no way."""
    clip = performed("stand_mime")
    dof = clip.skeleton.topology.dof_names.index(JOINT)
    poses = np.array(clip.poses)
    poses[:, dof] = HIGHEST - WAVE * (1.0 - np.cos(2.0 * np.pi * (clip.times - clip.start)))
    clip = replace(clip, poses=poses)
    session = hoi.open(
        hoi.Scene([hoi.Character("she", clip.skeleton, hoi.Layer.over(clip, 0.1))], fixtures=[hoi.ground()], end=4.0)
    )
    limits = JointLimits.of(session.rollout, "she")
    high = np.array(limits.high)
    high[dof] = HIGHEST - 0.5 * WAVE
    lower = replace(limits, high=high)
    beyond = [row.owner for row in lower.rows(session.rollout) if np.any(row.miss > 0.0)]
    assert [(owner.name, round(owner.time or 0.0, 1)) for owner in beyond] == [(f"she/{JOINT}", t) for t in range(5)]
    assert session.add(lower).converged
    assert session.rollout.poses("she")[:, dof].max() == pytest.approx(high[dof], abs=1e-6)
