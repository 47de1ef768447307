"""What a skeleton gets on its bones, by the names of its joints and by what is said of them."""

import numpy as np
import pytest

from kinematics.dressing import dress
from kinematics.errors import HoiError
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
