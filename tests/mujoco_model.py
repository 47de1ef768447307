"""A skeleton as a MuJoCo model: the independent engine that forward kinematics is compared with and raced against."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from kinematics.skeleton import Skeleton


def mujoco_model(skeleton: Skeleton) -> Any:
    """The same tree with the same hinges and slides, one MuJoCo joint each, in the same order."""
    import mujoco

    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false")
    bodies = {-1: ElementTree.SubElement(root, "worldbody")}
    for i, parent in enumerate(skeleton.topology.parents):
        body = ElementTree.SubElement(bodies[parent], "body", name=skeleton.names[i], pos=_text(skeleton.offset[i]))
        ElementTree.SubElement(body, "inertial", pos="0 0 0", mass="1", diaginertia="1 1 1")
        for dof in skeleton.dofs_of(i):
            kind = "hinge" if skeleton.topology.dof_kinds[dof] == "rotation" else "slide"
            name = skeleton.topology.dof_names[dof]
            ElementTree.SubElement(body, "joint", name=name, type=kind, axis=_text(skeleton.axis[dof]))
        bodies[i] = body
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def _text(vector: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in vector)
