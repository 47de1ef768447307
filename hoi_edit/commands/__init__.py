"""The commands of `hoi-edit`, one small file per family. Each adds its own to the parser, with a function to run."""

from types import ModuleType

from hoi_edit.commands import checks, clips, editing, leaving
from hoi_edit.juggling import command as juggling

FAMILIES: tuple[ModuleType, ...] = (editing, clips, leaving, juggling, checks)
