"""A short piece of the table of any clips with things: see tests/own_scenes.py."""

from pathlib import Path

from hoi_edit.scene import Scene
from hoi_edit.session import EditSession
from kinematics.errors import HoiError
from tests.own_scenes import Cell, Edit, cell, line, path_of, row


def test_a_clip_with_a_ball_is_a_row_of_edits_that_are_solved_and_true() -> None:
    cells = row(path_of("catch_mime"), ("throw", "catch", "pass"))
    assert all(made.solved and made.off == 0 and not made.reason for made in cells.values()), cells
    assert line("catch_mime", cells).count("check passes") == 3


def test_a_hand_that_hangs_beside_the_thigh_catches_too(mocap: Path) -> None:
    (caught,) = row(mocap / "cmu_07_01_walk.bvh", ("catch",)).values()
    assert caught.solved and caught.off == 0, caught


def test_what_is_raised_is_a_cell_with_its_sentence() -> None:
    scene = Scene(end=1.0)

    def refuses(_: Scene) -> tuple[EditSession, Edit]:
        raise HoiError("no")

    def breaks(_: Scene) -> tuple[EditSession, Edit]:
        raise IndexError("list index out of range")

    refused, broken = cell(refuses, scene), cell(breaks, scene)
    assert (refused.solved, refused.wrong, refused.reason) == (False, False, "HoiError: no")
    assert (broken.solved, broken.wrong, broken.reason) == (False, True, "IndexError: list index out of range")
    assert "ERROR" in str(broken) and Cell(True, 1.0, off=2).wrong
