"""The command line: `hoi-edit` alone opens the editor, or shows what it does; `hoi-edit --help` lists the rest.

Every mistake of a user ends in one sentence on standard error and exit status 2.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hoi_edit import __version__
from hoi_edit.commands import FAMILIES
from hoi_edit.commands import open_editor as editing
from hoi_edit.commands.command_parser import CommandParser
from hoi_edit.commands.doubt_notes import doubts_as_notes
from hoi_edit.compiling.runtime import keep_compiled_functions
from hoi_edit.scenes import SCENES
from hoi_edit.scenes.resources import built_in_clips
from kinematics.errors import HoiError, unknown


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser, names = _parser()
    try:
        options = parser.read(_with_command(arguments, names))
        keep_compiled_functions()
        with doubts_as_notes():
            status = options.run(options)
        sys.stdout.flush()
    except HoiError as error:
        print(f"hoi-edit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        sys.last_value = interrupt  # as if nobody had caught it: what was not saved is kept
        print("hoi-edit: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has seen enough
        _forget_output()
        return 0
    except OSError as error:
        _forget_output()
        print(f"hoi-edit: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return status or 0


def _forget_output() -> None:
    """What Python has not written yet goes nowhere, or it would complain about it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_command(arguments: list[str], names: Sequence[str]) -> list[str]:
    """`hoi-edit SCENE` means `hoi-edit edit SCENE`, and so for a document or a clip; alone it is the editor where there
    is a screen, and else `hoi-edit demo`. And `--up -z` is an axis, not two options."""
    if editing.is_meant(arguments):
        return ["edit", *arguments]
    if "--up" in arguments[:-1]:
        k = arguments.index("--up")
        arguments = [*arguments[:k], f"--up={arguments[k + 1]}", *arguments[k + 2 :]]
    if not arguments or (arguments[0] not in names and arguments[0] not in ("-h", "--help", "--version")):
        _check_first(arguments, names)
        return ["demo", *arguments]
    return arguments


def _check_first(arguments: list[str], names: Sequence[str]) -> None:
    """A word that is no command has to be a clip; else whoever mistyped a command would be told about clips."""
    first = next((word for word in arguments[:1] if not word.startswith("-")), None)
    clips = built_in_clips()
    if first is None or first in clips or Path(first).suffix or os.path.exists(first) or os.sep in first:
        return
    raise unknown("command, scene or clip", first, [*names, *SCENES, *clips])


def _parser() -> tuple[CommandParser, Sequence[str]]:
    """The parser, and the names of all commands."""
    parser = CommandParser(
        prog="hoi-edit",
        description="Edit people and the things they throw, catch, kick and carry.",
        epilog="A CLIP is a .bvh file, an .amc file with its .asf, or the name of a built-in clip, such as pitch_mime. "
        "A DOC is a .hoi file, a clip's file or a built-in scene, such as juggle3.",
    )
    parser.add_argument("--version", action="version", version=f"hoi-edit {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for family in FAMILIES:
        family.add_commands(commands)
    return parser, tuple(commands.choices)


if __name__ == "__main__":
    sys.exit(main())
