"""What a file dialog lists and means, without a window."""

from pathlib import Path

import pytest

from ui.panels.file_listing import Item, inside, matching, new_folder, ordered, resolved, shortcuts, went_to


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Zoo").mkdir()
    (tmp_path / "ant").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name, size in (("b.hoi", 3000), ("A.hoi", 10), ("notes.txt", 5), (".c.hoi.autosave", 1)):
        (tmp_path / name).write_bytes(size * b"x")
    (tmp_path / "gone.hoi").symlink_to(tmp_path / "nowhere")
    return tmp_path


def names(items: list[Item]) -> list[str]:
    return [own.name for own in items]


def test_folders_come_first_and_columns_sort(folder: Path) -> None:
    found = inside(folder)
    assert names(ordered(found)) == ["ant", "Zoo", "A.hoi", "b.hoi"]
    assert names(ordered(found, "name", True)) == ["Zoo", "ant", "b.hoi", "A.hoi"]
    assert names(ordered(found, "size", True))[2:] == ["b.hoi", "A.hoi"]
    assert {own.name: own.size_words for own in found if not own.is_folder} == {"A.hoi": "1 kB", "b.hoi": "3 kB"}
    assert all(own.modified_words for own in found)
    assert names(matching(ordered(found), "a")) == ["ant", "A.hoi"]
    assert names(inside(folder, ())) in (["Zoo", "ant"], ["ant", "Zoo"])  # where a folder is chosen
    assert inside(folder / "nowhere") == []


def test_a_path_that_is_typed_leads_there_or_says_why_not(folder: Path) -> None:
    assert went_to(folder, "Zoo") == (folder / "Zoo", None) and went_to(folder, str(folder)) == (folder, None)
    assert went_to(folder / "Zoo", "../b.hoi")[0] == folder / "Zoo" / ".."
    assert went_to(folder, "~")[0] == Path.home().resolve()
    where, problem = went_to(folder, "moon")
    assert where is None and problem is not None and "moon" in problem


def test_a_new_folder_is_made_or_it_is_said_why_not(folder: Path) -> None:
    assert new_folder(folder, " mine ") == (folder / "mine", None) and (folder / "mine").is_dir()
    for name, words in (("mine", "already"), ("", "name"), ("a/b", "slash")):
        made, problem = new_folder(folder, name)
        assert made is None and problem is not None and words in problem
    assert "cannot" in str(new_folder(folder / "b.hoi", "x")[1])


def test_shortcuts_are_named_as_people_know_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "Documents").mkdir()
    monkeypatch.setattr(Path, "home", lambda: folder)
    monkeypatch.chdir(folder / "ant")
    found = shortcuts([folder / "Zoo", folder / "nowhere", folder / "ant"])
    assert [label for label, _ in found] == ["Home", "Documents", "ant", "Zoo"]


def test_names_get_their_ending_and_what_is_not_there_is_said(folder: Path) -> None:
    assert resolved(folder, "new", saving=True) == (folder / "new.hoi", None)
    assert resolved(folder, "b", saving=False) == (folder / "b.hoi", None)
    assert "no c.hoi" in str(resolved(folder, "c", saving=False)[1])
    assert "no folder" in str(resolved(folder, "x/y", saving=True)[1])
    assert resolved(folder, " ", saving=True)[1] and resolved(folder, "", saving=False)[1]
