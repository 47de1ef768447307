"""Documents come back to the bit."""

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
import trimesh

import hoi_edit as hoi
from hoi_edit import files, scenes
from hoi_edit.scene.controls import Layout, initial_controls
from hoi_edit.scenes.resources import clip_path
from hoi_edit.simulate.trajectory import Node
from kinematics.clip_tools import offset
from kinematics.io import read_clip
from tests.clips import swinging_human
from tests.hoi_edit.files.documents import assert_same, members, reread
from tests.kinematics.io.samples import AMC, ASF


@pytest.mark.parametrize("name", scenes.SCENES)
def test_built_in_scenes_come_back_to_the_bit(name: str, tmp_path: Path) -> None:
    scene, path = scenes.build(name), tmp_path / "scene.hoi"
    files.write(path, {"scene": scene})
    again = files.read(path)["scene"]
    assert_same(scene, again, "scene")
    controls, controls_again = initial_controls(scene), initial_controls(again)
    layout, layout_again = Layout.of(controls), Layout.of(controls_again)
    assert layout.blocks == layout_again.blocks and layout.treedef == layout_again.treedef
    assert_same(layout.flatten(controls), layout_again.flatten(controls_again), "u")
    assert 10_000 < path.stat().st_size < 3_000_000


def test_meshes_come_back(tmp_path: Path) -> None:
    body = hoi.mesh(0.4, trimesh.creation.icosphere(subdivisions=2, radius=0.1).apply_scale([1.0, 2.0, 3.0]))
    again = reread(body, tmp_path)
    assert_same(body, again)
    assert np.array_equal(body.from_mesh(np.eye(3)), again.from_mesh(np.eye(3)))


def test_blends_and_fits_come_back(tmp_path: Path) -> None:
    clip, other = swinging_human(1.0), offset(swinging_human(1.2, seed=1, lean=0.3), 0.5)
    blend = hoi.Blend.of([clip, other], [[0.2, 0.8], [0.7, 1.5]], alpha=0.3, ramp=0.15, method=hoi.FittedSpline.to)
    assert_same(blend, reread(blend, tmp_path))


def test_clips_come_back_with_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.asf").write_text(ASF)
    (tmp_path / "a.amc").write_text(AMC)
    for clip in (read_clip(clip_path("stand_mime")), read_clip(tmp_path / "a.amc")):
        assert clip.source is not None
        assert_same(clip, reread(clip, tmp_path))


def test_nodes_and_controls_come_back(tmp_path: Path) -> None:
    nodes = {"catch1": Node(0.1, np.arange(18.0)), "hold": Node(0.2, None, np.ones(3), np.eye(3))}
    assert_same(nodes, reread(nodes, tmp_path))
    controls = initial_controls(scenes.build("soccer"))
    layout = Layout.of(controls)
    assert_same(layout.flatten(controls), layout.flatten(reread(controls, tmp_path)))


@pytest.mark.parametrize(
    "value",
    [
        None, True, 0, -(2**63), 10**30, "", "Ünïcode α \0 \ud800", 0.1, -0.0, 5e-324, 1e308, np.inf, -np.inf, (), [],
        {}, (1, (2.0, [3, "x"]), None), {"b": 1, "a": (2,), (1, "k"): None, 3: {}}, {"$": "array", "index": 0},
    ],
)  # fmt: skip
def test_plain_values_come_back(value: Any, tmp_path: Path) -> None:
    assert_same(value, reread(value, tmp_path))


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (2, 3, 4)])
def test_arrays_come_back(dtype: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = np.array(np.random.default_rng(0).normal(size=shape) * 10).astype(dtype)
    assert_same(array, reread(array, tmp_path))


def test_odd_layouts_come_back(tmp_path: Path) -> None:
    square = np.arange(12.0).reshape(3, 4)
    odd = [square.T, square[::2, ::-1], np.asfortranarray(square), np.array([-0.0, np.inf, 5e-324])]
    for array, again in zip(odd, reread(odd, tmp_path), strict=True):
        assert_same(np.ascontiguousarray(array), again)
    swapped = square.astype(">f8")
    assert_same(square, reread(swapped, tmp_path))


def test_scalars_of_numpy_come_back(tmp_path: Path) -> None:
    scalars = (np.float64(0.1), np.float32(0.1), np.int32(7), np.bool_(True), np.float64(np.inf))
    assert_same(scalars, reread(scalars, tmp_path))
    assert_same("text", reread(np.str_("text"), tmp_path))


def test_arrays_of_jax_come_back_as_those_of_numpy(tmp_path: Path) -> None:
    assert_same((np.arange(3.0), np.array(2.0)), reread((jnp.arange(3.0), jnp.asarray(2.0)), tmp_path))


def test_equal_arrays_are_stored_once_and_cannot_be_written_to(tmp_path: Path) -> None:
    many = [np.arange(1000.0) for _ in range(20)]
    again = reread(many, tmp_path)
    assert len(members(tmp_path / "value.hoi")["arrays.bin"]) == 8000
    with pytest.raises(ValueError):
        again[0][0] = 1.0


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.hoi", tmp_path / "b.hoi"
    scene = scenes.build("baseball")
    files.write(first, {"scene": scene, "u": np.arange(3.0)})
    files.write(second, {"u": np.arange(3.0), "scene": files.read(first)["scene"]})
    assert first.read_bytes() == second.read_bytes()
