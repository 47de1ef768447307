"""A parser that answers what it cannot read in one sentence, which names what would be right."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from kinematics.errors import HoiError, unknown


class CommandParser(argparse.ArgumentParser):
    """Of `hoi-edit`, and of each of its commands. What is wrong is a `HoiError`: nothing is printed, nothing exits."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"exit_on_error": False, **settings})

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options of a whole command line, of which the first word may be a command."""
        asked = self._asked(arguments)
        try:
            options, left = self.parse_known_args(arguments)
        except argparse.ArgumentError as error:
            raise asked.misread(error) from None
        if left:
            raise asked.unwanted(left[0])
        return options

    def _asked(self, arguments: Sequence[str]) -> "CommandParser":
        commands = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        found = [choices[word] for choices in commands for word in arguments[:1] if word in choices]
        return found[0] if found else self

    @property
    def called(self) -> str:
        """As whoever types it says: "render"."""
        return self.prog.partition(" ")[2] or self.prog

    def error(self, message: str) -> NoReturn:
        """What no one argument is to blame for, such as that one is missing."""
        raise self._wrong(message)

    def _wrong(self, message: str) -> HoiError:
        return HoiError(f"{self.called}: {message}; {self.prog} --help says what it takes")

    def unwanted(self, word: str) -> HoiError:
        """Of a word that nobody waits for."""
        if not word.startswith("-"):
            return self._wrong(f"{word!r} is one word too many")
        options = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        return HoiError(f"{self.called}: {unknown('option', word.partition('=')[0], options)}")

    def misread(self, error: argparse.ArgumentError) -> HoiError:
        """Of an argument whose values are none of its kind, or too few."""
        named = [action for action in self._actions if error.argument_name in (_name(action), action.metavar)]
        if not named:
            return self._wrong(error.message)
        action = named[0]
        meaning = f", {action.help}" if action.help else ""
        return HoiError(f"{self.called}: {_name(action)}: {error.message}; give {_values(action)}{meaning}")


def _name(action: argparse.Action) -> str:
    return "/".join(action.option_strings) or str(action.metavar or action.dest)


def _values(action: argparse.Action) -> str:
    """What follows the name: "PX", "X Z"."""
    wanted = action.metavar or action.dest.upper()
    return wanted if isinstance(wanted, str) else " ".join(wanted)
