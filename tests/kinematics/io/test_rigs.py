"""Skeletons with the names that programs and studios give them are bodies at once."""

from pathlib import Path

import pytest

from kinematics.anatomy import LIMB_ROLES, ROLES, mirror_joints
from kinematics.io import read_clip
from kinematics.rig_names import SIDES
from kinematics.soles import sole_fits
from tests.kinematics.io.rigs import RIGS, Rig, rig_bvh
from tests.kinematics.io.samples import written

SITES = ("palm", "instep", "sole", "knee", "shoulder", "tuck")


@pytest.mark.parametrize("rig", RIGS, ids=lambda rig: rig.house)
def test_every_part_of_a_rig_is_recognised(tmp_path: Path, rig: Rig) -> None:
    skeleton = read_clip(written(tmp_path, rig_bvh(rig))).skeleton
    found = {role: skeleton.names[joint] for role, joint in skeleton.roles}
    assert set(found) == set(ROLES) and found == rig.parts
    expected = {"head", "chest", *(f"{side}_{site}" for side in SIDES for site in SITES)}
    assert {site.name for site in skeleton.sites} >= expected
    partners = {skeleton.names[a]: skeleton.names[b] for a, b in enumerate(mirror_joints(skeleton.names))}
    for part in LIMB_ROLES:
        assert partners[rig.parts[f"left_{part}"]] == rig.parts[f"right_{part}"]


def test_a_rig_that_stands_has_its_soles_on_the_ground(tmp_path: Path) -> None:
    fits = sole_fits(read_clip(written(tmp_path, rig_bvh(RIGS[0]))))
    assert [fit.side for fit in fits] == ["left", "right"]
    assert all(abs(fit.height[1]) < 2e-3 and abs(fit.tilt[1]) < 1e-9 for fit in fits)
