"""The commands of `hoi-edit`, one small file per family. Each adds its own to the parser, with a function to run."""

from types import ModuleType

from hoi_edit.commands import check as checks
from hoi_edit.commands import clips
from hoi_edit.commands import demo as demonstrating
from hoi_edit.commands import juggle as juggling
from hoi_edit.commands import open_editor as editing
from hoi_edit.commands import output as leaving

FAMILIES: tuple[ModuleType, ...] = (editing, demonstrating, clips, leaving, juggling, checks)
