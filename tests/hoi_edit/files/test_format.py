"""What is stored is what this format says, and older ones are brought up to date."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
import hoi_edit.session.stored_history
from hoi_edit import files
from hoi_edit.files import migrations
from hoi_edit.files.records import RECORDS
from hoi_edit.scene import Scene
from kinematics.errors import HoiError
from tests.hoi_edit.files.documents import Stranger, Tree, Wish, assert_same, change, complaint, contact_in

# Files of format 6. Whoever changes one of these classes raises `migrations.FORMAT`, writes the migration, and only
# then this table.
FIELDS = {
    "scene": "characters things fixtures contacts gravity start end name",
    "character": "name skeleton motion material recording",
    "thing": "name body start material air",
    "fixture": "name shape position rotation material",
    "flying": "position velocity rotation angular_velocity",
    "held": "by release position rotation",
    "contact": "id object other time kind release restitution friction declared taken",
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
    "blend": "motions warps alpha ramps corners stations start end names",
    "grid": "start spacing count",
    "warp": "outer inner speed",
    "controls": "motions starts contacts",
    "start controls": "position turn velocity spin",
    "contact controls": "release restitution friction normal passed",
    "blend parameters": "clips alpha",
    "node": "time state position rotation",
    "clip": "skeleton poses frame_time start name source source_rows notices doubts",
    "recording": "name frame_time start rows source source_rows",
    "bvh source": "path hierarchy frame_time metres_per_unit up offsets reference_rows declared_frames",
    "bvh node": "keyword name parent offset channels written",
    "bvh offset rules": "root joints",
    "asf source": "path asf metres_per_unit up columns frame_numbers",
    "asf skeleton": "path bones parents length degrees",
    "asf bone": "name line tip axis axis_order dofs limits place",
    "autosave owner": "process mark machine",
    "step": "label method arguments scene u nodes constraints freedom loose switched_off",
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
    assert migrations.FORMAT == 6
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


def test_contacts_of_format_5_are_neither_taken_nor_passed_on() -> None:
    parts = {"scene": {"$": "scene", "contacts": [{"$": "contact", "id": "catch"}]}, "of": {"$": "contact controls"}}
    newer = migrations.up_to_date({"parts": parts}, 5)
    (contact,), (controls,) = (list(migrations.records_in(newer, name)) for name in ("contact", "contact controls"))
    assert contact["taken"] is False
    assert controls["passed"] is None


def test_steps_of_format_3_have_nothing_switched_off() -> None:
    tree = {"parts": {"steps": [{"$": "step", "label": "open"}]}}
    (step,) = migrations.records_in(migrations.up_to_date(tree, 3), "step")
    assert step["switched_off"] == []


def test_clips_of_blends_of_format_4_have_no_names() -> None:
    tree = {"parts": {"scene": {"$": "scene", "characters": [{"$": "character", "motion": {"$": "blend"}}]}}}
    (blend,) = migrations.records_in(migrations.up_to_date(tree, 4), "blend")
    assert blend["names"] == []


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
