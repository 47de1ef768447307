"""Documents on disk. In: named parts, each a tree of plain values, arrays and registered records. Out: the same, to
the bit, from a `.hoi` file that is written whole or not at all; or one sentence about what is wrong with the file."""

from hoi_edit.files import built_in_records  # noqa: F401  (what a scene is made of can be stored from the start)
from hoi_edit.files.autosave import Autosave, Recoverable, newer_edits, recoverable, recoverable_untitled
from hoi_edit.files.container import read, write
from hoi_edit.files.records import register

__all__ = ["Autosave", "Recoverable", "newer_edits", "read", "recoverable", "recoverable_untitled", "register", "write"]
