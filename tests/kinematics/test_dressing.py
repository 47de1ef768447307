"""What a skeleton gets on its bones, by the names of its joints and by what is said of them."""

import numpy as np
import pytest

from kinematics.dressing import dress
from kinematics.errors import HoiError
from kinematics.human import human42
from kinematics.skeleton import Dof, Joint, Site, Skeleton


def test_what_names_do_not_tell_can_be_said() -> None:
    root = (Dof("y", (0.0, 1.0, 0.0), "translation"),)
    joints = [
        Joint("a", None, (0.0, 0.0, 0.0), root),
        Joint("b", "a", (0.2, 1.4, 0.0), (Dof("x", (1.0, 0.0, 0.0)),)),
        Joint("c", "b", (0.3, 0.0, 0.0), (Dof("x", (1.0, 0.0, 0.0)),)),
        Joint("d", "c", (0.25, 0.0, 0.0), (Dof("x", (1.0, 0.0, 0.0)),)),
    ]
    bare = Skeleton.build(joints)
    assert dress(bare).sites == () and dress(bare).inertias.mass.sum() == 0.0
    said = dress(bare, roles={"left_upper_arm": "b", "left_forearm": "c", "left_hand": "d"})
    assert {"left_palm", "left_hand_back"} <= {site.name for site in said.sites}
    assert said.site("left_palm").segment == 3
    hook = Site("hook", 2, np.zeros(3), np.eye(3))
    assert dress(bare, sites=[hook]).site("hook").segment == 2
    with pytest.raises(HoiError, match=r"unknown role 'tail'; choose from: pelvis"):
        dress(bare, roles={"tail": "b"})
    with pytest.raises(HoiError, match=r"unknown joint 'z'; choose from: a, b, c, d"):
        dress(bare, roles={"head": "z"})


def test_every_body_has_shoulders_and_room_under_its_arms() -> None:
    for skeleton in (human42(), trunk_of_one_joint()):
        for side, left in (("left", 1.0), ("right", -1.0)):
            shoulder, tuck = skeleton.site(f"{side}_shoulder"), skeleton.site(f"{side}_tuck")
            rest, joint = skeleton.rest_positions(), skeleton.segment(f"{side}_upper_arm")
            top, ribs = (rest[site.segment] + site.position for site in (shoulder, tuck))
            assert 0.04 < left * top[0] < left * rest[joint][0] and 0.03 < top[1] - rest[joint][1] < 0.08
            assert left * tuck.rotation[0, 2] > 0.9 and shoulder.rotation[1, 2] > 0.9
            assert 0.05 < rest[joint][1] - ribs[1] < 0.25 and abs(ribs[0] - rest[joint][0]) < 0.05


def trunk_of_one_joint() -> Skeleton:
    """A body whose arms and legs hang on one joint."""
    turns = tuple(Dof(name, tuple(np.eye(3)[k])) for k, name in enumerate("xyz"))
    joints = [Joint("hips", None, (0.0, 1.0, 0.0), turns)]
    for side, x in (("left", 1.0), ("right", -1.0)):
        for name, place in (("upper_arm", (0.18 * x, 0.45, 0.0)), ("thigh", (0.1 * x, 0.0, 0.0))):
            joints.append(Joint(f"{side}_{name}", "hips", place, turns))
        joints.append(Joint(f"{side}_forearm", f"{side}_upper_arm", (0.28 * x, 0.0, 0.0), turns))
        joints.append(Joint(f"{side}_shank", f"{side}_thigh", (0.0, -0.42, 0.0), turns))
        joints.append(Joint(f"{side}_foot", f"{side}_shank", (0.0, -0.43, 0.0), turns))
    return dress(Skeleton.build(joints))
