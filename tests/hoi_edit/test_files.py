"""Documents come back to the bit, or with a sentence about what is wrong; and no failure costs the old one."""

import contextlib
import dataclasses
import errno
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest
import trimesh

import hoi_edit as hoi
import hoi_edit.editing.stored
from hoi_edit import files, scenes
from hoi_edit.controls import Layout, initial_controls
from hoi_edit.files import autosave, container, migrations
from hoi_edit.files.records import RECORDS
from hoi_edit.resources import clip_path
from hoi_edit.rollout import Node
from hoi_edit.scene import Scene
from kinematics.clip_tools import offset
from kinematics.errors import HoiError
from kinematics.io import read_clip
from tests.clips import swinging_human
from tests.kinematics.io.samples import AMC, ASF

REPOSITORY = Path(__file__).resolve().parents[2]
Tree = dict[str, Any]


@files.register("test wish", may_be_nan=["axes"])
@dataclasses.dataclass(frozen=True, eq=False)
class Wish:
    """A record of a program that builds on ours."""

    target: Any = None
    axes: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.target, str) and self.target == "nothing":
            raise HoiError("a wish must have a target")
        if isinstance(self.target, str) and self.target == "trouble":
            raise ZeroDivisionError("of the class's own")


class Stranger(NamedTuple):
    x: float = 0.0


def assert_same(a: Any, b: Any, place: str = "value") -> None:
    """Equal types and values all the way down, arrays and floats to the bit."""
    assert type(a) is type(b), place
    if dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{place}.{field.name}")
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), place
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), place
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{place}[{k}]")
    elif isinstance(a, dict):
        assert_same(list(a.items()), list(b.items()), place)
    elif isinstance(a, float):
        assert a.hex() == b.hex(), place
    else:
        assert a == b, place


def reread(value: Any, folder: Path) -> Any:
    files.write(folder / "value.hoi", {"value": value})
    return files.read(folder / "value.hoi")["value"]


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put(path: Path, contents: dict[str, bytes | str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def change(path: Path, how: Callable[[Tree], None]) -> None:
    """Rewrite a document with its JSON changed in place by `how`."""
    inside = members(path)
    tree = json.loads(inside["hoi.json"])
    how(tree)
    put(path, {**inside, "hoi.json": json.dumps(tree)})


def complaint(path: Path) -> str:
    """The one sentence that reading gives; it names the file."""
    with pytest.raises(HoiError) as caught:
        files.read(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    return sentence


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A small one, with a contact, a few arrays and a tuple."""
    path = tmp_path / "small.hoi"
    contact = hoi.Contact("bounce", "ball", "ground", 0.5)
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.05), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    files.write(path, {"scene": Scene((), (ball,), (hoi.ground(),), (contact,)), "title": "small"})
    return path


# --- what is written is read -----------------------------------------------------------------------------------------


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


# --- what cannot be written ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "place", "why"),
    [
        (Wish(Stranger()), "value.target", "Stranger"),
        ({"k": object()}, "value['k']", "object"),
        ((1, np.array(["text"])), "value[1]", "<U4"),
        (np.array([1j]), "value", "complex"),
        (np.array([None]), "value", "object"),
        (np.ma.masked_array([1.0]), "value", "MaskedArray"),
        ((0.0, float("nan")), "value[1]", "NaN"),
        (Wish(np.array([1.0, np.nan])), "value.target", "NaN"),
        ({1, 2}, "value", "set"),
    ],
)
def test_what_documents_cannot_hold_is_named(value: Any, place: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(HoiError) as caught:
        reread(value, tmp_path)
    assert f"value.hoi: cannot be written: {place} " in str(caught.value) and why in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_value_inside_itself_is_refused(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(HoiError, match="nested too deep"):
        reread(endless, tmp_path)


def test_some_fields_may_lack_a_number(tmp_path: Path) -> None:
    wish = Wish(1, (float("nan"), np.array([1.0, np.nan])))
    assert_same(wish, reread(wish, tmp_path))


@pytest.mark.parametrize("name", ["os.fsync", "os.replace"])
def test_a_full_disk_leaves_the_old_document(name: str, document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = document.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(name, full)
        with pytest.raises(HoiError, match=r"small\.hoi: cannot be written: no space left on device"):
            files.write(document, {"title": "other"})
    assert document.read_bytes() == before
    assert list(document.parent.iterdir()) == [document]


def test_a_write_that_stops_half_way_leaves_the_old_document(document: Path) -> None:
    before = document.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(HoiError, match=r"small\.hoi: cannot be written: file too large"):
            files.write(document, {"noise": np.random.default_rng(0).normal(size=10_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert document.read_bytes() == before
    assert list(document.parent.iterdir()) == [document]


KILLED = """
import os, signal, sys
from hoi_edit import files
files.Autosave(sys.argv[1]).write({"title": "unsaved"})
files.Autosave(None).write({"title": "untitled"})
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.write(sys.argv[1], {"title": "half written"})
"""


def test_a_program_that_is_killed_leaves_the_old_document_and_its_autosave(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(tmp_path / "cache"))
    before = document.read_bytes()
    died = subprocess.run([sys.executable, "-c", KILLED, document], cwd=REPOSITORY, capture_output=True, text=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert document.read_bytes() == before
    left = files.recoverable(document)
    assert left is not None and left.problem is None and left.read() == {"title": "unsaved"}
    (untitled,) = files.recoverable_untitled()
    assert untitled.read() == {"title": "untitled"}
    untitled.discard()
    assert files.recoverable_untitled() == []


def test_file_and_folder_are_on_the_disk_before_writing_returns(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace = os.replace

    def noted_replace(*names: str) -> None:
        done.append("replace")
        replace(*names)

    monkeypatch.setattr("os.fsync", lambda fd: done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file"))
    monkeypatch.setattr("os.replace", noted_replace)
    files.write(document, {})
    assert done == ["file", "replace", "folder"]


def test_places_that_cannot_be_written_to_are_named(document: Path) -> None:
    for path, why in (
        (document.parent / "none" / "a.hoi", "no such file"),
        (document.parent, "it is a folder"),
        (document / "a.hoi", "not a directory"),
    ):
        with pytest.raises(HoiError, match=f"{path}: cannot be written: {why}"):
            files.write(path, {})
    document.chmod(0o444)
    with pytest.raises(HoiError, match="it is read-only"):
        files.write(document, {})


def test_a_document_keeps_its_permissions(document: Path) -> None:
    document.chmod(0o600)
    files.write(document, {})
    assert document.stat().st_mode & 0o777 == 0o600


# --- what cannot be read ---------------------------------------------------------------------------------------------


def test_files_that_are_no_documents_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    assert "no such file" in complaint(path)
    assert "found a folder" in complaint(tmp_path)
    path.write_bytes(b"")
    assert "it is empty" in complaint(path)
    path.write_bytes(b"HIERARCHY\nROOT hips")
    assert "it is no .hoi document" in complaint(path)
    put(path, {"a.txt": "some other zip"})
    assert "it has no hoi.json in it" in complaint(path)


def test_a_document_without_permission_to_read_it_is_named(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: Any) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert complaint(document).endswith("cannot be read: permission denied")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "its hoi.json is not JSON"),
        ("\xff", "its hoi.json is not JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "not that of a .hoi document"),
        ('{"format": "hoi", "version": true}', "not that of a .hoi document"),
        ('{"format": "hoi", "version": 3}', "table of arrays is missing"),
        ('{"format": "hoi", "version": 3, "arrays": []}', "its hoi.json has no parts"),
        ('{"format": "hoi", "version": 0, "arrays": [], "parts": {}}', "format 0, which this program no longer reads"),
        ('{"format": "hoi", "version": 7, "program": "9.1"}', "written by a newer version of the program (9.1)"),
    ],
)
def test_a_bad_head_is_named(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    put(path, {"hoi.json": text.encode("latin-1"), "arrays.bin": b""})
    assert why in complaint(path)


def contact_in(tree: Tree) -> Tree:
    return tree["parts"]["scene"]["contacts"][0]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (lambda tree: contact_in(tree).update({"$": "bond"}), "scene.contacts[0] is of the unknown type 'bond'"),
        (lambda tree: contact_in(tree).pop("$"), "scene.contacts[0] is not written as values are"),
        (lambda tree: contact_in(tree).update(when=1), "scene.contacts[0] has a field 'when', which type 'contact'"),
        (lambda tree: contact_in(tree).pop("time"), "scene.contacts[0] lacks the field 'time', which type 'contact'"),
        (lambda tree: contact_in(tree).update(time=float("nan")), "scene.contacts[0].time is, or has in it, something"),
        (lambda tree: contact_in(tree).update(time="soon"), "scene cannot be a scene: "),
        (lambda tree: contact_in(tree).update(object="bell"), "scene cannot be a scene: unknown thing 'bell'"),
        (lambda tree: contact_in(tree).update(time={"$": "array", "index": 99}), "time is an array that is not there"),
        (lambda tree: contact_in(tree).update(time={"$": "scalar", "index": 0}), "time is a scalar of shape"),
        (lambda tree: contact_in(tree).update(time={"$": "float", "value": "1"}), "time is not written as values are"),
        (lambda tree: tree["parts"].update(x={"$": "dict", "items": [[1, 2, 3]]}), "x has an entry that is no pair"),
        (lambda tree: tree["parts"].update(x={"$": "dict", "items": [[1, 2], [1, 3]]}), "x has the key 1 twice"),
        (
            lambda tree: tree["parts"].update(x={"$": "dict", "items": [[{"$": "list", "items": []}, 3]]}),
            "x has a key that cannot be one: []",
        ),
        (
            lambda tree: tree["parts"].update(x={"$": "test wish", "target": "nothing", "axes": None}),
            "x cannot be a test wish: a wish must have a target",
        ),
        (
            lambda tree: tree["parts"].update(x={"$": "test wish", "target": "trouble", "axes": None}),
            "x cannot be a test wish: of the class's own",
        ),
        (lambda tree: tree["arrays"][0].update(dtype="|O"), "array 0 is of an unknown type; known are"),
        (lambda tree: tree["arrays"][0].update(shape=[-1]), "array 0 has a shape that is none"),
        (lambda tree: tree["arrays"][0].update(shape=[1 << 70]), "array 0 is too large"),
        (lambda tree: tree["arrays"][0].update(shape=[0, 1 << 70]), "array 0 is too large"),
        (lambda tree: tree["arrays"][0].update(shape=[1 << 20]), "its arrays.bin has "),
        (lambda tree: tree["arrays"][0].pop("shape"), "array 0 has no proper entry"),
        (lambda tree: tree["arrays"][0].update(blake2b="0"), "array 0 is damaged: its checksum does not match"),
    ],
)
def test_bad_content_is_named(how: Callable[[Tree], None], why: str, document: Path) -> None:
    change(document, how)
    assert why in complaint(document)


def test_numbers_that_are_none_are_found_in_arrays(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:  # a writer that lets them pass
        patched.setattr("hoi_edit.files.codec._check_array", lambda *_: None)
        files.write(document, {"u": np.array([1.0, np.nan])})
    assert "u is, or has in it, something that is not a number" in complaint(document)


def test_a_member_that_claims_to_be_huge_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.hoi"
    put(path, {"hoi.json": b" " * (container.MOST_TEXT + 1), "arrays.bin": b""})
    assert path.stat().st_size < 200_000
    assert "its hoi.json has 67108865 bytes, where at most 67108864 are expected" in complaint(path)


def test_a_huge_file_is_not_even_loaded(tmp_path: Path) -> None:
    path = tmp_path / "huge.hoi"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # takes no space
    assert "expected at most" in complaint(path)


def test_a_document_cut_short_anywhere_is_named(document: Path) -> None:
    whole = document.read_bytes()
    for length in range(2, len(whole), 37):
        document.write_bytes(whole[:length])
        assert "it is cut short or damaged" in complaint(document)


def test_a_damaged_document_is_named_or_whole(document: Path) -> None:
    """Bytes that no one reads may change; what is read is then what was written."""
    whole, parts = document.read_bytes(), files.read(document)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= int(rng.integers(1, 256))
        document.write_bytes(damaged)
        try:
            assert_same(parts, files.read(document))
        except HoiError:
            refused += 1
    assert refused > 300


def test_any_junk_in_the_tree_is_named(document: Path) -> None:
    """Whatever stands where something else should: a sentence, or a value that the classes accept."""
    good = json.loads(members(document)["hoi.json"])
    rng = np.random.default_rng(1)
    junks: list[Any] = [None, -1, 1e300, "junk", [], {}, {"$": []}, {"$": "array"}, {"$": "scene"}, [[0]]]
    for junk in junks:
        for _ in range(20):
            tree = json.loads(json.dumps(good))
            nodes = list(holders(tree))
            holder, key = nodes[int(rng.integers(len(nodes)))]
            holder[key] = junk
            put(document, {**members(document), "hoi.json": json.dumps(tree)})
            with contextlib.suppress(HoiError):
                files.read(document)


def holders(tree: Any) -> Any:
    """Every (container, key) of a tree of JSON."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, item in pairs:
        yield tree, key
        yield from holders(item)


# --- the format ------------------------------------------------------------------------------------------------------

# Files of format 3. Whoever changes one of these classes raises `migrations.FORMAT`, writes the migration, and only
# then this table.
FIELDS = {
    "scene": "characters things fixtures contacts gravity start end name",
    "character": "name skeleton motion material recording",
    "thing": "name body start material air",
    "fixture": "name shape position rotation material",
    "flying": "position velocity rotation angular_velocity",
    "held": "by release position rotation",
    "contact": "id object other time kind release restitution friction declared",
    "body": "vertices radius mass moments mesh_centre mesh_rotation",
    "material": "restitution friction",
    "air": "drag magnus wind",
    "rounded box": "core radius",
    "skeleton": "topology offset axis limits inertias shapes sites roles",
    "topology": "names parents dof_names dof_joints dof_kinds",
    "inertias": "mass centre inertia",
    "shape": "kind segment position rotation size",
    "site": "name segment position rotation shape",
    "layer": "source_grid source grid opening start end",
    "fitted spline": "grid fitted start end",
    "blend": "motions warps alpha ramps corners stations start end",
    "grid": "start spacing count",
    "warp": "outer inner speed",
    "controls": "motions starts contacts",
    "start controls": "position turn velocity spin",
    "contact controls": "release restitution friction normal",
    "blend parameters": "clips alpha",
    "node": "time state position rotation",
    "clip": "skeleton poses frame_time start name source source_rows notices",
    "recording": "name frame_time start rows source source_rows",
    "bvh source": "path hierarchy frame_time metres_per_unit up offsets reference_rows declared_frames",
    "bvh node": "keyword name parent offset channels written",
    "bvh offset rules": "root joints",
    "asf source": "path asf metres_per_unit up columns frame_numbers",
    "asf skeleton": "path bones parents length degrees",
    "asf bone": "name line tip axis axis_order dofs limits place",
    "autosave owner": "process mark machine",
    "step": "label method arguments scene u nodes constraints freedom loose",
    "pin": "name t position rotation velocity after",
    "keep contact": "contact place time normal approach fixed_time",
    "keep clear": "thing other time distance after ends",
    "second hand": "hold thing site place turn shares start turned catch_moves",
    "joint limits": "character low high",
    "foot plant": "character point times places",
    "hand acceleration": "name most start end",
    "soft catch": "contact fastest",
    "open hands": "holds",
    "freedom": "window locks opened scales things",
    "window": "start end fade",
    "lock": "name span",
}


def test_the_stored_classes_are_those_of_this_format() -> None:
    assert migrations.FORMAT == 3
    ours = {name: " ".join(record.fields) for name, record in RECORDS.items() if record.cls is not Wish}
    assert ours == FIELDS


def test_older_formats_are_brought_up_to_date(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def contacts_said_when(tree: Tree) -> Tree:
        for contact in migrations.records_in(tree["parts"], "contact"):
            contact["time"] = contact.pop("when")
        return tree

    def as_of_old(tree: Tree) -> None:
        tree["version"] = 0
        contact_in(tree)["when"] = contact_in(tree).pop("time")

    parts = files.read(document)
    change(document, as_of_old)
    monkeypatch.setitem(migrations.MIGRATIONS, 0, contacts_said_when)
    assert_same(parts, files.read(document))
    change(document, lambda tree: contact_in(tree).pop("when"))
    assert "it cannot be brought from format 0 to 1: KeyError('when')" in complaint(document)


def test_air_comes_back(tmp_path: Path) -> None:
    air = hoi.air_for(0.1, 0.05, wind=(1.0, 0.0, 0.5))
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.05), hoi.Flying(np.array([0.0, 1.0, 0.0])), air=air)
    files.write(tmp_path / "windy.hoi", {"scene": Scene((), (ball,))})
    assert_same(air, files.read(tmp_path / "windy.hoi")["scene"].things[0].air)


def test_things_of_format_1_feel_no_air() -> None:
    tree = {"parts": {"scene": {"$": "scene", "things": [{"$": "thing", "name": "ball"}]}}}
    (thing,) = migrations.records_in(migrations.up_to_date(tree, 1), "thing")
    assert thing["air"] is None


def test_characters_of_format_2_know_no_recording() -> None:
    tree = {"parts": {"scene": {"$": "scene", "characters": [{"$": "character", "name": "ann"}]}}}
    (character,) = migrations.records_in(migrations.up_to_date(tree, 2), "character")
    assert character["recording"] is None


def test_every_older_format_has_its_migration() -> None:
    assert sorted(migrations.MIGRATIONS) == list(range(1, migrations.FORMAT))


def test_names_stand_for_one_class_each() -> None:
    assert files.register("test wish", Wish, may_be_nan=["axes"]) is Wish
    for name, cls, why in (
        ("scene", Wish, "cannot be called 'scene'"),
        ("another wish", Wish, "cannot be called 'another wish'"),
        ("array", Stranger, "cannot be called 'array'"),
        ("int", int, "no frozen dataclass"),
        ("loose", dataclasses.make_dataclass("Loose", ["x"]), "no frozen dataclass"),
    ):
        with pytest.raises(HoiError, match=why):
            files.register(name, cls)
    with pytest.raises(HoiError, match="no field 'y'"):
        files.register("stranger", Stranger, may_be_nan=["y"])


# --- autosaves -------------------------------------------------------------------------------------------------------


def left_by_the_dead(path: Path, parts: Tree, monkeypatch: pytest.MonkeyPatch) -> files.Autosave:
    """An autosave whose owner has the number of a running process, but started at another time."""
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")
        kept = files.Autosave(path)
        kept.write(parts)
    os.utime(kept.file, (2e9, 2e9))
    return kept


def test_an_autosave_lies_beside_its_document_until_it_is_cleared(document: Path) -> None:
    kept = files.Autosave(document)
    kept.write({"title": "unsaved"})
    assert kept.file == document.parent / ".small.hoi.autosave"
    kept.clear()
    kept.clear()
    assert list(document.parent.iterdir()) == [document]


def test_what_the_dead_left_is_offered_if_it_is_newer(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files.recoverable(document) is None
    kept = left_by_the_dead(document, {"title": "unsaved"}, monkeypatch)
    left = files.recoverable(document)
    assert left is not None and left.problem is None and left.owner is not None
    assert left.owner.process == os.getpid()
    assert left.read() == {"title": "unsaved"}
    os.utime(kept.file, (1e9, 1e9))
    assert files.recoverable(document) is None
    document.unlink()
    assert files.recoverable(document) is not None


def test_what_a_running_program_keeps_is_not_offered(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(document.parent / "cache"))
    for kept in (files.Autosave(document), files.Autosave(None)):
        kept.write({"title": "unsaved"})
        os.utime(kept.file, (2e9, 2e9))
    assert files.recoverable(document) is None
    assert files.recoverable_untitled() == []


def test_an_autosave_that_cannot_be_read_is_reported(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = left_by_the_dead(document, {"title": "unsaved"}, monkeypatch)
    kept.file.write_bytes(kept.file.read_bytes()[:50])
    os.utime(kept.file, (2e9, 2e9))
    left = files.recoverable(document)
    assert left is not None and left.problem == f"{kept.file}: cannot be read: it is cut short or damaged"
    left.discard()
    assert files.recoverable(document) is None


def test_processes_are_told_apart_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    if not any((Path(folder) / "ps").exists() for folder in os.get_exec_path()):
        pytest.skip("there is no ps here")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    assert autosave.Owner.myself().runs
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert autosave._mark(child.pid) is None


def test_a_cache_that_cannot_be_made_is_named(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(document))
    with pytest.raises(HoiError, match="cannot be made: not a directory"):
        files.Autosave(None).write({})
