"""Of what cannot be read, one sentence says what is wrong with it."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoi_edit import files
from hoi_edit.files import container
from kinematics.errors import HoiError
from tests.hoi_edit.files.documents import Tree, assert_same, change, complaint, contact_in, members, put


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
        ('{"format": "hoi", "version": 6}', "table of arrays is missing"),
        ('{"format": "hoi", "version": 6, "arrays": []}', "its hoi.json has no parts"),
        ('{"format": "hoi", "version": 0, "arrays": [], "parts": {}}', "format 0, which this program no longer reads"),
        ('{"format": "hoi", "version": 7, "program": "9.1"}', "written by a newer version of the program (9.1)"),
    ],
)
def test_a_bad_head_is_named(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    put(path, {"hoi.json": text.encode("latin-1"), "arrays.bin": b""})
    assert why in complaint(path)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (lambda tree: contact_in(tree).update({"$": "bond"}), "scene.contacts[0] is of the unknown type 'bond'"),
        (lambda tree: contact_in(tree).pop("$"), "scene.contacts[0] is not written as values are"),
        (lambda tree: contact_in(tree).update(when=1), "scene.contacts[0] has a field 'when', which type 'contact'"),
        (lambda tree: contact_in(tree).pop("time"), "scene.contacts[0] lacks the field 'time', which type 'contact'"),
        (lambda tree: contact_in(tree).update(time=float("nan")), "scene.contacts[0].time is, or has in it, something"),
        (lambda tree: contact_in(tree).update(time="soon"), "scene.contacts[0].time is 'soon', which cannot be"),
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
    refusals, junks = list[str](), list[Any]()
    junks += [None, -1, 1e300, "junk", [], {}, {"$": []}, {"$": "array"}, {"$": "scene"}, [[0]]]
    for junk in junks:
        for _ in range(20):
            tree = json.loads(json.dumps(good))
            nodes = list(holders(tree))
            holder, key = nodes[int(rng.integers(len(nodes)))]
            holder[key] = junk
            put(document, {**members(document), "hoi.json": json.dumps(tree)})
            try:
                files.read(document)
            except HoiError as error:
                refusals.append(str(error))
    assert len(refusals) > 100 and all(document.name in refusal for refusal in refusals)


def holders(tree: Any) -> Any:
    """Every (container, key) of a tree of JSON."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, item in pairs:
        yield tree, key
        yield from holders(item)
