"""Bodies of files are dressed as they stand in their clips, whatever their zero pose looks like."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematics.clip import Clip
from kinematics.clip_tools import mirror
from kinematics.dressing import dress
from kinematics.feet import roles_of
from kinematics.human import human42
from kinematics.io import read_clip
from kinematics.numpy_forward import world_frames
from kinematics.rotation import Floats, hinge_angles, hinge_chain
from kinematics.skeleton import Dof, Joint, Shape, Skeleton
from kinematics.soles import sole_fits
from kinematics.stance import fit_stance
from tests.kinematics.io.samples import HIP_HEIGHT, person_bvh, written

MIMES = Path(__file__).resolve().parents[2] / "data" / "clips"
AXES = {"Z": (0.0, 0.0, 1.0), "Y": (0.0, 1.0, 0.0), "X": (1.0, 0.0, 0.0)}
RECORDED = (
    "cmu_06_02_basketball_dribble.bvh", "cmu_07_01_walk.amc", "cmu_07_01_walk.bvh", "cmu_10_05_soccer_kick.bvh",
    "cmu_115_06_pick_up_box_knees.bvh", "cmu_124_01_baseball_pitch.bvh", "cmu_124_07_baseball_swing.bvh",
    "cmu_141_10_toss_and_catch.bvh", "cmu_69_20_walk_90_right_turn.bvh", "pymo_8walk.bvh", "threejs_pirouette.bvh",
)  # fmt: skip


def redrawn(clip: Clip, turned: dict[str, tuple[float, float, float]]) -> Clip:
    """The same motion of a skeleton whose zero pose has these segments turned (angles about Z, Y, X [rad])."""
    skeleton, parents = clip.skeleton, clip.skeleton.topology.parents
    axes = np.array(list(AXES.values()))
    frames = np.tile(np.eye(3), (len(skeleton.names), 1, 1))
    for name, angles in turned.items():
        frames[skeleton.segment(name)] = hinge_chain(axes, np.array(angles))
    position, rotation = world_frames(skeleton, clip.poses)
    joints, columns = [], []
    for joint, (name, parent) in enumerate(zip(skeleton.names, parents, strict=True)):
        slides = tuple(Dof(f"{a}position", AXES[a], "translation") for a in "XYZ") if parent < 0 else ()
        dofs = (*slides, *(Dof(f"{a}rotation", AXES[a]) for a in AXES))
        turn, offset = rotation[joint] @ frames[joint], (0.0, 0.0, 0.0)
        if parent < 0:
            columns.append(position[:, joint])
        else:
            x, y, z = map(float, frames[parent].T @ skeleton.offset[joint])
            offset = (x, y, z)
            turn = np.swapaxes(rotation[parent] @ frames[parent], 1, 2) @ turn
        columns.append(hinge_angles(axes, turn))
        joints.append(Joint(name, None if parent < 0 else skeleton.names[parent], offset, dofs))
    return Clip(Skeleton.build(joints), np.hstack(columns), clip.frame_time)


def dressed(clip: Clip) -> Clip:
    skeleton = clip.skeleton
    frames = world_frames(skeleton, clip.poses)
    stance = fit_stance(skeleton, dict(dress(skeleton).roles), *frames, clip.frame_time)
    return replace(clip, skeleton=dress(skeleton, stance=stance))


def in_world(clip: Clip, row: int) -> list[tuple[str, Floats, Floats]]:
    """Place and frame of all shapes in one row."""
    position, rotation = world_frames(clip.skeleton, clip.poses[row : row + 1])

    def placed(shape: Shape) -> tuple[str, Floats, Floats]:
        R = rotation[shape.segment][0]
        return shape.kind, position[0, shape.segment] + R @ shape.position, R @ shape.rotation

    return [placed(shape) for shape in clip.skeleton.shapes]


def trunk_of(clip: Clip) -> Floats:
    """(K, 3) middles of the hips, the belly and the chest, in the row in which the body stands tallest."""
    roles = roles_of(clip.skeleton)
    position, _ = world_frames(clip.skeleton, clip.poses)
    row = int(np.argmax(position[:, roles["head"], 1]))
    chain = [roles["thorax"]]
    while chain[-1] != roles["pelvis"]:
        chain.append(clip.skeleton.topology.parents[chain[-1]])
    pieces = zip(clip.skeleton.shapes, in_world(clip, row), strict=True)
    placed = [(shape.segment, place) for shape, (_, place, _) in pieces if shape.segment in chain]
    hips = next(place for segment, place in placed if segment == roles["pelvis"])  # the first shape of all
    return np.array([hips, *(np.mean([p for s, p in placed if s == j], axis=0) for j in reversed(chain[:-1]))])


def test_a_sloping_floor_is_told_and_turned_level(tmp_path: Path) -> None:
    slope, rows = np.tan(np.deg2rad(1.0)), []
    for x in np.arange(0.0, 2.5, 0.5):  # stands a while, and glides on
        rows += [(x, 0.0)] * 40 + [(x + step, 0.0) for step in np.linspace(0.03, 0.47, 20)]
    sloping = [{"place": (x, HIP_HEIGHT + 0.07 + slope * x, z), "Hips": (1.0, 0.0, 0.0)} for x, z in rows]
    path = written(tmp_path, person_bvh(sloping))
    (told,) = [notice for notice in read_clip(path).notices if "slopes" in notice]
    assert "its floor slopes by 1.0°" in told and "level=True has it turned level" in told
    assert max(abs(fit.height[1]) for fit in sole_fits(read_clip(path))) > 0.01
    level = read_clip(path, level=True)
    assert max(abs(fit.height[1]) for fit in sole_fits(level)) < 2e-3
    root, there = (world_frames(level.skeleton, level.poses)[0][row, 0] for row in (0, 250))
    assert abs(there[1] - root[1]) < 2e-3 and level.source_rows is None
    on_level = [{**row, "place": (row["place"][0], HIP_HEIGHT + 0.07, 0.0)} for row in sloping]
    flat = written(tmp_path, person_bvh(on_level))
    assert not [notice for notice in read_clip(flat).notices if "slopes" in notice]


@pytest.mark.parametrize(
    ("name", "worst"),
    [("cmu_07_01_walk.bvh", 8e-3), ("cmu_10_05_soccer_kick.bvh", 5e-3), ("pymo_8walk.bvh", 5e-3)],
)
def test_soles_of_levelled_takes_lie_on_the_ground_all_along(mocap: Path, name: str, worst: float) -> None:
    assert max(abs(fit.height[1]) for fit in sole_fits(read_clip(mocap / name))) > 0.015
    assert max(abs(fit.height[1]) for fit in sole_fits(read_clip(mocap / name, level=True))) < worst


def test_a_zero_pose_that_stands_is_taken_at_its_word() -> None:
    clip = read_clip(MIMES / "kick_mime.bvh")
    human = human42()
    for shape, same in zip(clip.skeleton.shapes, human.shapes, strict=True):
        np.testing.assert_allclose(shape.position, same.position, atol=1e-6)
        np.testing.assert_allclose(shape.rotation, same.rotation, atol=1e-9)


@pytest.mark.parametrize("lying", [False, True])
def test_a_crooked_zero_pose_is_dressed_as_the_body_stands(lying: bool) -> None:
    """Feet turned down and toes bent up, or the whole body drawn along another axis as well."""
    mime = read_clip(MIMES / "stand_mime.bvh")
    angles = {"left_foot": (0.1, 0.0, 0.4), "right_foot": (0.0, 0.2, 0.3), "right_toes": (0.0, 0.0, -0.8)}
    if lying:
        angles = dict.fromkeys(mime.skeleton.names, (1.5, 0.2, 0.1))
    clip = dressed(redrawn(mime, angles))
    for fit in sole_fits(clip):
        assert fit.rows > 300
        assert max(abs(fit.height[1]), abs(fit.tip[1])) < 1e-3 and abs(fit.tilt[1]) < 2e-3
    # the rest of the body is dressed as the mime itself, where its posture is the same
    for (kind, place, _), (same, there, _) in zip(in_world(clip, 0), in_world(mime, 0), strict=True):
        assert kind == same
        assert np.linalg.norm(place - there) < (0.04 if lying else 0.01)


def test_hips_and_chest_are_in_line_where_the_spine_is_behind_them() -> None:
    mime = read_clip(MIMES / "stand_mime.bvh")
    skeleton = mime.skeleton
    offset = skeleton.offset.copy()
    for name in ("left_thigh", "right_thigh"):
        offset[skeleton.segment(name)] += [0.0, -0.1, 0.06]
    for name in ("left_upper_arm", "right_upper_arm"):
        offset[skeleton.segment(name)] += [0.0, 0.0, -0.03]
    clip = dressed(replace(mime, skeleton=replace(skeleton, offset=offset), source_rows=None))
    hips, *_, chest = pieces = trunk_of(clip)
    along = (chest - hips) / np.linalg.norm(chest - hips)
    off = [np.linalg.norm(np.cross(piece - hips, along)) for piece in pieces]
    assert max(off) < 0.01


def test_a_mirrored_body_takes_its_feet_along() -> None:
    mime = read_clip(MIMES / "stand_mime.bvh")
    clip = dressed(redrawn(mime, {"left_toes": (0.1, 0.0, 0.4), "right_toes": (0.0, 0.0, -0.8)}))
    for fit in sole_fits(mirror(clip)):
        assert max(abs(fit.height[1]), abs(fit.tip[1])) < 1e-3 and abs(fit.tilt[1]) < 2e-3


@pytest.mark.parametrize("name", RECORDED)
def test_soles_of_recorded_bodies_lie_on_the_ground(mocap: Path, name: str) -> None:
    clip = read_clip(mocap / name)
    fits = sole_fits(clip)
    assert len(fits) == 2
    for fit in fits:
        assert abs(fit.height[0]) < 5e-3 and abs(np.degrees(fit.tilt[0])) < 1.0
        assert abs(fit.tip[0]) < 1e-2
    hips, *_, chest = pieces = trunk_of(clip)
    along = (chest - hips) / np.linalg.norm(chest - hips)
    assert max(np.linalg.norm(np.cross(piece - hips, along)) for piece in pieces) < 0.03


@pytest.mark.parametrize("path", sorted(MIMES.glob("*.bvh")), ids=lambda path: path.stem)
def test_soles_of_our_mimes_lie_on_the_ground(path: Path) -> None:
    for fit in sole_fits(read_clip(path)):
        assert abs(fit.height[0]) < 1e-4 and abs(fit.height[1]) < 5e-3 and abs(np.degrees(fit.tilt[0])) < 0.1
