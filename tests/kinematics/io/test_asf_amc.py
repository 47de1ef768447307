"""ASF/AMC: the same walk as in BVH, tilted hinges, and every order of everything."""

from pathlib import Path

import numpy as np
import pytest

from kinematics.errors import HoiError
from kinematics.io import AsfSource, BvhSource, read_amc, read_bvh, read_clip, write_bvh
from kinematics.rotation import hinge_chain
from tests.kinematics.io.samples import AMC, ASF, positions

LEGS = {
    "root": "Hips",
    **{
        f"{s}{bone}": side + joint
        for s, side in (("l", "Left"), ("r", "Right"))
        for bone, joint in (("femur", "UpLeg"), ("tibia", "Leg"), ("foot", "Foot"), ("toes", "ToeBase"))
    },
    "lowerback": "LowerBack",
    "upperback": "Spine",
    "thorax": "Spine1",
}
UPPER = {
    "lowerneck": "Neck",
    "head": "Head",
    **{
        f"{s}{bone}": side + joint
        for s, side in (("l", "Left"), ("r", "Right"))
        for bone, joint in (("clavicle", "Shoulder"), ("humerus", "Arm"), ("radius", "ForeArm"), ("wrist", "Hand"))
    },
}


def pair(folder: Path, asf: str = ASF, amc: str = AMC) -> Path:
    (folder / "actor.asf").write_text(asf)
    (folder / "actor_walk.amc").write_text(amc)
    return folder / "actor_walk.amc"


def test_the_walk_is_the_one_in_bvh(mocap: Path) -> None:
    """Row for row, below the thorax; above it the BVH lost a bone of 12.5 cm."""
    amc, bvh = read_clip(mocap / "cmu_07_01_walk.amc"), read_clip(mocap / "cmu_07_01_walk.bvh")
    assert amc.n_frames == bvh.n_frames == 316
    a, b = positions(amc), positions(bvh)
    apart = {
        bone: a[:, amc.skeleton.segment(bone)] - b[:, bvh.skeleton.segment(joint)]
        for bone, joint in {**LEGS, **UPPER}.items()
    }
    legs = max(np.linalg.norm(apart[bone], axis=-1).max() for bone in LEGS)
    upper = np.stack([apart[bone] for bone in UPPER])
    lift = np.linalg.norm(upper, axis=-1)
    print(f"legs and hips agree to {legs * 1e6:.1f} µm; upper body is {lift.mean() * 100:.2f} cm higher")
    assert legs < 1e-5  # the BVH's four decimals are worth 6 µm
    assert upper[..., 1].mean() == pytest.approx(0.1246, abs=2e-4)
    np.testing.assert_allclose(lift, 0.12492, atol=1e-5)


def test_the_walk_survives_as_bvh(mocap: Path, tmp_path: Path) -> None:
    amc = read_amc(mocap / "cmu_07_01_walk.amc")
    write_bvh(amc, tmp_path / "walk.bvh")
    again = read_bvh(tmp_path / "walk.bvh", units="m")
    assert again.skeleton.names == amc.skeleton.names
    np.testing.assert_allclose(positions(again), positions(amc), atol=1e-7)
    assert isinstance(again.source, BvhSource)
    assert again.source.end_sites[again.skeleton.segment("ltoes")][2] > 0.05


def test_limits_and_units_of_the_walk(mocap: Path) -> None:
    clip = read_amc(mocap / "cmu_07_01_walk.amc", mocap / "cmu_07.asf")
    assert isinstance(clip.source, AsfSource)
    assert clip.source.metres_per_unit == 0.0254 / 0.45
    assert clip.frame_time == 1 / 120 and clip.skeleton.n_dofs == 62
    np.testing.assert_allclose(np.degrees(clip.skeleton.limits[clip.skeleton.dof("ltibia.rx")]), [-10, 170])
    assert set(clip.source.tips) == {
        clip.skeleton.segment(n) for n in ("ltoes", "rtoes", "head", "lfingers", "rfingers", "lthumb", "rthumb")
    }


def test_a_bone_turns_about_its_tilted_axes(tmp_path: Path) -> None:
    """The formula of the format, written out: C·Rz·Ry·Rx·C⁻¹ down the chain."""
    X, Y, Z = np.eye(3)
    clip = read_amc(pair(tmp_path), raw=True)
    deg = np.radians
    root = hinge_chain([Z, Y, X], deg([30, 20, 10]))
    C = hinge_chain([Z], deg([20]))
    thigh = C @ hinge_chain([Z, Y, X], deg([7, 6, 5])) @ C.T
    C = hinge_chain([Z, Y, X], deg([30, 20, 10]))
    shank = C @ hinge_chain([X], deg([8])) @ C.T
    hip = np.array([1.0, 2, 3])
    knee = hip + root @ thigh @ [0, -8, 0]
    ankle = knee + root @ thigh @ shank @ [0, -7, 0]
    np.testing.assert_allclose(positions(clip)[0], [hip, hip, knee, ankle], atol=1e-12)
    assert clip.skeleton.topology.dof_names[:6] == ("root.tx", "root.ty", "root.tz", "root.rz", "root.ry", "root.rx")
    limits = clip.skeleton.limits[clip.skeleton.dof("thigh.rz")]
    np.testing.assert_array_equal(limits, [-np.inf, np.inf])
    np.testing.assert_array_equal(clip.source_rows[0], [1, 2, 3, 10, 20, 30, 5, 6, 7, 8])  # type: ignore[index]
    assert isinstance(clip.source, AsfSource)
    assert clip.source.tips == {3: (0.0, 0.0, 2.0)}
    np.testing.assert_array_equal(clip.source_rows[:, clip.source.columns][0, 3:6], [30, 20, 10])  # type: ignore[index]


def test_orders_are_the_files_own(tmp_path: Path) -> None:
    asf = ASF.replace("order TX TY TZ RX RY RZ", "order RZ TY TX RX TZ RY").replace("dof rx ry rz", "dof rz rx ry")
    asf = asf.replace("axis 10 20 30 XYZ", "axis 10 20 30 ZYX")
    amc = AMC.replace("root 1 2 3 10 20 30", "root 30 2 1 10 3 20")
    X, Y, Z = np.eye(3)
    clip = read_amc(pair(tmp_path, asf, amc), raw=True)
    root = hinge_chain([Y, X, Z], np.radians([20, 10, 30]))  # RZ first, RY last
    C = hinge_chain([Z], np.radians([20]))
    thigh = C @ hinge_chain([Y, X, Z], np.radians([7, 6, 5])) @ C.T
    C = hinge_chain([X, Y, Z], np.radians([10, 20, 30]))
    shank = C @ hinge_chain([X], np.radians([8])) @ C.T
    knee = np.array([1.0, 2, 3]) + root @ thigh @ [0, -8, 0]
    np.testing.assert_allclose(positions(clip)[0, 2:], [knee, knee + root @ thigh @ shank @ [0, -7, 0]], atol=1e-12)


def test_radians_and_quirks(tmp_path: Path) -> None:
    plain = read_amc(pair(tmp_path), raw=True)
    lines = AMC.replace(":DEGREES", ":radians").splitlines()
    amc = "\r\n".join(
        " ".join(
            [
                w[0],
                *w[1 : 4 * (w[0] == "root")],
                *(repr(float(np.radians(float(x)))) for x in w[4 if w[0] == "root" else 1 :]),
            ]
        )
        if (w := line.split()) and w[0] in ("root", "thigh", "shank")
        else line
        for line in lines
    )
    odd = read_amc(pair(tmp_path, ASF.replace("\n", "\r\n").replace("  ", "\t"), amc), raw=True)
    np.testing.assert_allclose(odd.poses, plain.poses, atol=1e-12)
    rad = ASF.replace("angle deg", "angle rad").replace("axis 0 0 20", f"axis 0 0 {np.radians(20)}")
    rad = rad.replace("axis 10 20 30", "axis " + " ".join(map(str, np.radians([10, 20, 30]))))
    also = read_amc(pair(tmp_path, rad), raw=True)
    np.testing.assert_allclose(also.skeleton.axis, plain.skeleton.axis, atol=1e-12)
    np.testing.assert_allclose(also.poses, plain.poses, atol=1e-12)  # the motion says degrees itself


def test_the_skeleton_is_found_beside_the_motion(tmp_path: Path) -> None:
    amc = pair(tmp_path)
    assert read_amc(amc).n_frames == 2
    (tmp_path / "act.asf").write_text(ASF)
    with pytest.raises(HoiError, match=r"expected its skeleton actor_walk.asf .* several \(act.asf, actor.asf\)"):
        read_amc(amc)
    (tmp_path / "actor_walk.asf").write_text(ASF)
    assert read_amc(amc).n_frames == 2
    for entry in tmp_path.glob("*.asf"):
        entry.unlink()
    with pytest.raises(HoiError, match="found none; say which: asf= in Python, --asf on the command line"):
        read_amc(amc)
    (tmp_path / "other.ASF").write_text(ASF)
    with pytest.raises(HoiError, match="found none"):
        read_amc(amc)
    assert read_amc(amc, tmp_path / "other.ASF").n_frames == 2


def test_options(tmp_path: Path) -> None:
    amc = pair(tmp_path)
    assert read_amc(amc, rate=60, name="mine").frame_time == 1 / 60
    assert read_amc(amc, name="mine").name == "mine"
    assert read_amc(amc, units="cm").skeleton.offset[2, 1] == pytest.approx(-0.08)
    np.testing.assert_allclose(read_amc(amc, units="cm", up="z").skeleton.offset[2], [0, 0, 0.08], atol=1e-15)
    for rate in (0, -1, float("nan")):
        with pytest.raises(HoiError, match="must be positive"):
            read_amc(amc, rate=rate)


def test_a_unit_that_makes_no_person_is_not_believed(mocap: Path, tmp_path: Path) -> None:
    asf = (mocap / "cmu_07.asf").read_text().replace("length 0.45", "length 1.0")
    (tmp_path / "liar.asf").write_text(asf)
    clip = read_amc(mocap / "cmu_07_01_walk.amc", tmp_path / "liar.asf")
    assert isinstance(clip.source, AsfSource) and clip.source.metres_per_unit == 0.0254 / 0.45
    assert any("cmu is taken instead" in notice for notice in clip.notices)


def test_missing_frames_are_noticed(tmp_path: Path) -> None:
    clip = read_amc(pair(tmp_path, amc=AMC.replace("\n2\n", "\n5\n")))
    assert any("frame 1 is followed by frame 5" in notice for notice in clip.notices)
