"""Small motion files that the tests write themselves."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kinematics.clip import Clip
from kinematics.numpy_forward import world_positions
from kinematics.rotation import Floats

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Chest
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 0.25 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.01
0 1 0 10 20 30 1 2 3
0 1 0.001 11 21 31 2 3 4
0 1 0.002 12 22 32 3 4 5
"""

# name, parent, offset in metres with Y up: a person of some 1.7 m
PERSON: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("Hips", None, (0, 0, 0)),
    ("Spine", "Hips", (0, 0.2, 0)),
    ("Neck", "Spine", (0, 0.3, 0)),
    ("Head", "Neck", (0, 0.1, 0)),
    ("LeftArm", "Spine", (0.2, 0.25, 0)),
    ("LeftForeArm", "LeftArm", (0.3, 0, 0)),
    ("LeftHand", "LeftForeArm", (0.25, 0, 0)),
    ("RightArm", "Spine", (-0.2, 0.25, 0)),
    ("RightForeArm", "RightArm", (-0.3, 0, 0)),
    ("RightHand", "RightForeArm", (-0.25, 0, 0)),
    ("LeftUpLeg", "Hips", (0.1, 0, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -0.45, 0)),
    ("LeftFoot", "LeftLeg", (0, -0.4, 0)),
    ("RightUpLeg", "Hips", (-0.1, 0, 0)),
    ("RightLeg", "RightUpLeg", (0, -0.45, 0)),
    ("RightFoot", "RightLeg", (0, -0.4, 0)),
)
HIP_HEIGHT = 0.85
ARMS = {"LeftArm": -75.0, "RightArm": 75.0}  # [deg] about the axis that points forward, to hang beside the body


def person_bvh(
    rows: Sequence[dict[str, tuple[float, float, float]]],
    *,
    metres_per_unit: float = 1.0,
    to_file: Callable[[Floats], Floats] = lambda v: v,
    root_offset: tuple[float, float, float] = (0, 0, 0),
    frame_time: float = 1 / 120,
) -> str:
    """A person as BVH text. A row holds the root's 'place' [m] and Euler angles (z, y, x) [deg] of some joints.

    `to_file` takes directions from Y-up axes to the file's.
    """
    lines = ["HIERARCHY", *_blocks(metres_per_unit, to_file, root_offset), "MOTION"]
    lines += [f"Frames: {len(rows)}", f"Frame Time: {frame_time}"]
    for row in rows:
        place = to_file(np.array(row.get("place", (0, HIP_HEIGHT, 0)), float)) / metres_per_unit
        angles = [row.get(name, (0.0, 0.0, 0.0)) for name, _, _ in PERSON]
        lines.append(" ".join(repr(float(x)) for x in [*place, *np.ravel(angles)]))
    return "\n".join(lines) + "\n"


def _blocks(metres: float, to_file: Callable[[Floats], Floats], root_offset: tuple[float, float, float]) -> list[str]:
    lines: list[str] = []
    line_of_ancestors: list[str] = []
    for name, parent, offset in PERSON:
        while line_of_ancestors and line_of_ancestors[-1] != parent:
            line_of_ancestors.pop()
            lines.append("}")
        x, y, z = to_file(np.array(root_offset if parent is None else offset, float)) / metres
        positions = "6 Xposition Yposition Zposition" if parent is None else "3"
        lines += [f"{'JOINT' if parent else 'ROOT'} {name}", "{", f"OFFSET {x} {y} {z}"]
        lines += [f"CHANNELS {positions} Zrotation Yrotation Xrotation"]
        if name.endswith(("Head", "Hand", "Foot")):
            lines += ["End Site", "{", "OFFSET 0.1 0 0", "}"]
        line_of_ancestors.append(name)
    return lines + ["}"] * len(line_of_ancestors)


def standing(n: int, speed: float = 1.0, frame_time: float = 1 / 120) -> list[dict[str, tuple[float, float, float]]]:
    """Rows of a person who glides along X with hanging, slightly swinging arms."""
    rows = []
    for k in range(n):
        swing = 5 * np.sin(2 * np.pi * k / 60)
        arms = {name: (angle, swing, 0.0) for name, angle in ARMS.items()}
        rows.append({"place": (speed * k * frame_time, HIP_HEIGHT, 0.0), **arms})
    return rows


def written(folder: Path, text: str, name: str = "clip.bvh") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def positions(clip: Clip) -> Floats:
    return world_positions(clip.skeleton, clip.poses)


ASF = """# a comment
:version 1.10
:name VICON
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  free text
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 8
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-inf inf)
  end
  begin
    id 2
    name shank
    direction 0 -1 0
    length 7
    axis 10 20 30 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
    id 3
    name stump
    direction 0 0 1
    length 2
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh
    thigh shank
    shank stump
  end
"""

AMC = """#!OML
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
thigh 5 6 7
shank 8
2
root 1 2 4 11 21 31
thigh 6 7 8
shank 9
"""
