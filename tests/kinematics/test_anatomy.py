import pytest

from kinematics.anatomy import ROLES, find_roles, mirror_joints
from kinematics.errors import HoiError
from kinematics.human import human42
from kinematics.rig_names import side_and_stem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LeftUpLeg", ("left", "upleg")),
        ("mixamorig:RightForeArm", ("right", "forearm")),
        ("lfemur", ("left", "femur")),
        ("rShin", ("right", "shin")),
        ("upper_arm.L", ("left", "upperarm")),
        ("Bip01 R Thigh", ("right", "thigh")),
        ("hand_r", ("right", "hand")),
        ("LThumb", ("left", "thumb")),
        ("lowerback", (None, "lowerback")),
        ("Root", (None, "root")),
        ("lHipJoint", ("left", "hipjoint")),
        ("R_hand_jnt", ("right", "hand")),
        ("jnt_hand_R", ("right", "hand")),
        ("L_arm_upper_bind", ("left", "armupper")),
        ("upperarm_twist_01_l", ("left", "upperarmtwist01")),
        ("J_Bip_R_UpperArm", ("right", "upperarm")),
        ("CC_Base_L_ToeBase", ("left", "toebase")),
        ("ValveBiped.Bip01_L_Hand", ("left", "hand")),
        ("DEF-upper_arm.L.001", ("left", "upperarm001")),
        ("LUArm", ("left", "uarm")),
        ("LEFTARM", ("left", "arm")),
        ("RHAND", ("right", "hand")),
        ("ROOT", (None, "root")),
        ("C_head_jnt", (None, "head")),
        ("root|char:LeftHand", ("left", "hand")),
    ],
)
def test_sides_in_the_spellings_of_the_trade(name: str, expected: tuple[str | None, str]) -> None:
    assert side_and_stem(name) == expected


def test_human42_plays_every_part_it_has() -> None:
    human = human42()
    roles = find_roles(human.names, human.topology.parents)
    assert {role: human.names[joint] for role, joint in roles.items()} == {name: name for name in human.names}
    assert set(human.names) <= set(ROLES)


def test_shoulder_is_the_clavicle_only_beside_an_arm() -> None:
    chain = (-1, 0, 1, 2, 3)
    with_arm = find_roles(["Chest", "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"], chain)
    assert with_arm["left_clavicle"] == 1 and with_arm["left_upper_arm"] == 2
    without = find_roles(["Chest", "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"], chain)
    assert without["left_clavicle"] == 1 and without["left_upper_arm"] == 2 and without["left_hand"] == 4


def test_one_joint_cannot_play_two_parts() -> None:
    with pytest.raises(HoiError, match="given two roles"):
        find_roles(["hips", "Head"], (-1, 0), {"neck": "Head", "head": "Head"})


def test_what_is_said_overrules_the_name() -> None:
    assert find_roles(["hips", "Head"], (-1, 0), {"neck": "Head"}) == {"neck": 1}


def test_none_takes_a_role_away() -> None:
    assert "head" not in find_roles(["hips", "Head"], (-1, 0), {"head": None})


def test_mirror_pairs() -> None:
    assert mirror_joints(["Hips", "LeftLeg", "RightLeg", "LThumb", "RThumb", "Tail", "LeftEar"]) == [
        0,
        2,
        1,
        4,
        3,
        5,
        6,
    ]
