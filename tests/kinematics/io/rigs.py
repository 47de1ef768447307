"""Whole skeletons as programs and studios name them, as BVH text: a person of 1.7 m in a T-pose."""

from dataclasses import dataclass
from functools import cached_property

# part: where it hangs, and its offset [m], of the left side where there are two
FRAME: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "pelvis": (None, (0, 0, 0)),
    "abdomen": ("pelvis", (0, 0.12, 0)),
    "thorax": ("abdomen", (0, 0.18, 0)),
    "neck": ("thorax", (0, 0.22, 0)),
    "head": ("neck", (0, 0.1, 0.02)),
    "clavicle": ("thorax", (0.04, 0.18, 0)),
    "upper_arm": ("clavicle", (0.14, 0, 0)),
    "forearm": ("upper_arm", (0.28, 0, 0)),
    "hand": ("forearm", (0.25, 0, 0)),
    "thigh": ("pelvis", (0.09, -0.05, 0)),
    "shank": ("thigh", (0, -0.42, 0)),
    "foot": ("shank", (0, -0.41, 0)),
    "toes": ("foot", (0, -0.06, 0.13)),
}
LIMBS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
MIDDLE = ("pelvis", "abdomen", "thorax", "neck", "head")
HIP_HEIGHT = 0.96


@dataclass(frozen=True)
class Rig:
    """Names of the middle and of the limbs, in the order of `MIDDLE` and `LIMBS`, with "@" where the side is told; and
    what else hangs on which part ("name < part") and must not be mistaken for one."""

    house: str
    left: str
    right: str
    middle: str
    limbs: str
    others: str = ""

    @cached_property
    def parts(self) -> dict[str, str]:
        """Name of each part."""
        names = dict(zip(MIDDLE, self.middle.split(", "), strict=True))
        for side, word in (("left", self.left), ("right", self.right)):
            for part, name in zip(LIMBS, self.limbs.split(", "), strict=True):
                names[f"{side}_{part}"] = name.replace("@", word)
        return names

    @cached_property
    def decoys(self) -> dict[str, str]:
        """The part on which each of the others hangs."""
        return dict(pair.split(" < ") for pair in self.others.split(", ") if pair)


RIGS = (
    Rig(
        "Mixamo", "mixamorig:Left", "mixamorig:Right",
        "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine2, mixamorig:Neck, mixamorig:Head",
        "@Shoulder, @Arm, @ForeArm, @Hand, @UpLeg, @Leg, @Foot, @ToeBase",
        "mixamorig:HeadTop_End < head, mixamorig:LeftHandThumb1 < left_hand, "
        "mixamorig:LeftHandIndex1 < left_hand, mixamorig:LeftToe_End < left_toes",
    ),
    Rig(
        "Rokoko", "Left", "Right",
        "Hips, Spine1, Spine4, Neck, Head",
        "@Shoulder, @Arm, @Forearm, @Hand, @Thigh, @Shin, @Foot, @Toe",
        "LeftHandTip < left_hand, LeftToeTip < left_toes, HeadTip < head",
    ),
    Rig(
        "Xsens", "Left", "Right",
        "Pelvis, L5, T8, Neck, Head",
        "@Shoulder, @UpperArm, @ForeArm, @Hand, @UpperLeg, @LowerLeg, @Foot, @Toe",
        "",
    ),
    Rig(
        "Xsens BVH", "Left", "Right",
        "Hips, Chest, Chest4, Neck, Head",
        "@Collar, @Shoulder, @Elbow, @Wrist, @Hip, @Knee, @Ankle, @Toe",
        "",
    ),
    Rig(
        "MotionBuilder", "Actor:Left", "Actor:Right",
        "Actor:Hips, Actor:Spine, Actor:Spine3, Actor:Neck, Actor:Head",
        "@Shoulder, @Arm, @ForeArm, @Hand, @UpLeg, @Leg, @Foot, @ToeBase",
        "Actor:LeftForeArmRoll < left_forearm, Actor:LeftArmRoll < left_upper_arm, "
        "Actor:LeftUpLegRoll < left_thigh",
    ),
    Rig(
        "SMPL", "L", "R",
        "Pelvis, Spine1, Spine3, Neck, Head",
        "@_Collar, @_Shoulder, @_Elbow, @_Wrist, @_Hip, @_Knee, @_Ankle, @_Foot",
        "L_Hand < left_hand, R_Hand < right_hand",
    ),
    Rig(
        "SMPL-X", "left", "right",
        "pelvis, spine1, spine3, neck, head",
        "@_collar, @_shoulder, @_elbow, @_wrist, @_hip, @_knee, @_ankle, @_foot",
        "left_index1 < left_hand, left_thumb1 < left_hand, jaw < head",
    ),
    Rig(
        "VRM", "J_Bip_L", "J_Bip_R",
        "J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head",
        "@_Shoulder, @_UpperArm, @_LowerArm, @_Hand, @_UpperLeg, @_LowerLeg, @_Foot, @_ToeBase",
        "J_Sec_L_Bust1 < thorax, J_Sec_Hair1_01 < head, J_Bip_L_Thumb1 < left_hand, J_Adj_L_FaceEye < head",
    ),
    Rig(
        "a studio", "L", "R",
        "C_pelvis_jnt, C_spine_01_jnt, C_spine_03_jnt, C_neck_01_jnt, C_head_jnt",
        "@_clavicle_jnt, @_upperArm_jnt, @_foreArm_jnt, @_hand_jnt, @_upLeg_jnt, @_lowLeg_jnt, @_foot_jnt, "
        "@_ball_jnt",
        "L_upperArm_twist_jnt < left_upper_arm, L_thumb_01_jnt < left_hand, C_jaw_jnt < head, "
        "L_toe_end_jnt < left_toes",
    ),
    Rig(
        "another studio", "L", "R",
        "root_jnt, spine_a_jnt, spine_c_jnt, neck_jnt, head_jnt",
        "@_clav_jnt, @_shoulder_jnt, @_elbow_jnt, @_wrist_jnt, @_leg_jnt, @_knee_jnt, @_ankle_jnt, @_ball_jnt",
        "L_toe_jnt < left_toes, L_hand_jnt < left_hand",
    ),
    Rig(
        "suffixes", "lf", "rt",
        "hips_bind, spine_bind, chest_bind, neck_bind, head_bind",
        "jnt_clavicle_@, jnt_arm_upper_@, jnt_arm_lower_@, jnt_hand_@, jnt_leg_upper_@, jnt_leg_lower_@, "
        "jnt_foot_@, jnt_toe_@",
        "",
    ),
    Rig(
        "Biped", "Bip01 L", "Bip01 R",
        "Bip01 Pelvis, Bip01 Spine, Bip01 Spine2, Bip01 Neck, Bip01 Head",
        "@ Clavicle, @ UpperArm, @ Forearm, @ Hand, @ Thigh, @ Calf, @ Foot, @ Toe0",
        "Bip01 L Finger0 < left_hand, Bip01 HeadNub < head, Bip01 L Toe0Nub < left_toes",
    ),
    Rig(
        "Unreal", "l", "r",
        "pelvis, spine_01, spine_03, neck_01, head",
        "clavicle_@, upperarm_@, lowerarm_@, hand_@, thigh_@, calf_@, foot_@, ball_@",
        "upperarm_twist_01_l < left_upper_arm, thigh_twist_01_l < left_thigh, ik_hand_l < pelvis, "
        "ik_foot_l < pelvis, thumb_01_l < left_hand",
    ),
    Rig(
        "Rigify", "L", "R",
        "DEF-hips, DEF-spine, DEF-chest, DEF-neck, DEF-head",
        "DEF-shoulder.@, DEF-upper_arm.@, DEF-forearm.@, DEF-hand.@, DEF-thigh.@, DEF-shin.@, DEF-foot.@, "
        "DEF-toe.@",
        "DEF-upper_arm.L.001 < left_upper_arm, DEF-thigh.R.001 < right_thigh, DEF-f_index.01.L < left_hand",
    ),
    Rig(
        "Motive", "Ann_L", "Ann_R",
        "Ann_Hip, Ann_Ab, Ann_Chest, Ann_Neck, Ann_Head",
        "@Shoulder, @UArm, @FArm, @Hand, @Thigh, @Shin, @Foot, @Toe",
        "",
    ),
    Rig(
        "DAZ", "l", "r",
        "hip, abdomen, chest, neck, head",
        "@Collar, @Shldr, @ForeArm, @Hand, @Thigh, @Shin, @Foot, @Toe",
        "lThumb1 < left_hand, lButtock < pelvis",
    ),
    Rig(
        "Character Creator", "CC_Base_L", "CC_Base_R",
        "CC_Base_Hip, CC_Base_Waist, CC_Base_Spine02, CC_Base_Neck, CC_Base_Head",
        "@_Clavicle, @_Upperarm, @_Forearm, @_Hand, @_Thigh, @_Calf, @_Foot, @_ToeBase",
        "CC_Base_L_ThighTwist01 < left_thigh, CC_Base_L_UpperarmTwist01 < left_upper_arm, "
        "CC_Base_L_BigToe1 < left_toes",
    ),
    Rig(
        "MakeHuman", "L", "R",
        "root, spine05, spine01, neck01, head",
        "clavicle.@, upperarm01.@, lowerarm01.@, wrist.@, upperleg01.@, lowerleg01.@, foot.@, toe1-1.@",
        "upperarm02.L < left_upper_arm, lowerarm02.L < left_forearm, finger1-1.L < left_hand",
    ),
)  # fmt: skip


def rig_bvh(rig: Rig, rows: int = 30) -> str:
    """A person who stands, in centimetres, with joints of these names."""
    children: dict[str | None, list[str]] = {}
    offsets: dict[str, tuple[float, float, float]] = {}
    for part, (parent, (x, y, z)) in FRAME.items():
        for side, sign in ((None, 1.0),) if part in MIDDLE else (("left", 1.0), ("right", -1.0)):
            own = part if side is None else f"{side}_{part}"
            above = parent if parent is None or parent in MIDDLE else f"{side}_{parent}"
            children.setdefault(above, []).append(own)
            offsets[own] = (100 * sign * x, 100 * y, 100 * z)
    said = dict(rig.parts)
    for k, (name, part) in enumerate(rig.decoys.items()):
        children.setdefault(part, []).insert(0, name)  # first, as a decoy is most tempting
        offsets[name], said[name] = (1.0 + k, 1.0, 2.0), name

    def block(part: str) -> list[str]:
        root = part == "pelvis"
        channels = "6 Xposition Yposition Zposition" if root else "3"
        inside = [line for child in children.get(part, []) for line in block(child)]
        inside = inside or ["End Site", "{", "OFFSET 0 0 5", "}"]
        head = [f"{'ROOT' if root else 'JOINT'} {said[part]}", "{", " ".join(["OFFSET", *map(str, offsets[part])])]
        return [*head, f"CHANNELS {channels} Zrotation Xrotation Yrotation", *inside, "}"]

    numbers = " ".join(["0", str(100 * HIP_HEIGHT), "0", *["0"] * (3 * len(said))])
    motion = ["MOTION", f"Frames: {rows}", "Frame Time: 0.01", *[numbers] * rows]
    return "\n".join(["HIERARCHY", *block("pelvis"), *motion]) + "\n"
