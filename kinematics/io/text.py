"""Text files as people's programs really write them, a cursor over their words, and errors that name the line."""

import contextlib
import math
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from kinematics.errors import HoiError

# Far beyond any coordinate, and small enough that no product of a few of them overflows.
LARGEST = 1e12
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class TextFile:
    """A file's lines, whatever its line ends and encoding were."""

    path: str
    lines: list[str]

    def problem(self, line: int, expected: str, found: str) -> HoiError:
        """The error at a line (counted from 1); `found` is a description or an already quoted word."""
        return HoiError(f"{self.path}:{max(1, line)}: expected {expected}, found {found}")

    def bad_number(self, line: int, word: str) -> HoiError:
        if "," in word:
            return self.problem(line, "numbers with a decimal point, separated by blanks", f"a comma in {quoted(word)}")
        return self.problem(line, "a number", quoted(word))


def load_text(path: str | os.PathLike[str]) -> TextFile:
    """Read a text file: any of LF, CR and CRLF, mixed or not, with or without byte-order mark."""
    shown = os.fspath(path)
    text = _decoded(load_bytes(path))
    if "\0" in text:
        raise HoiError(f"{shown}:1: expected text, found binary data")
    if not text.strip():
        raise HoiError(f"{shown}:1: expected text, found an empty file")
    return TextFile(shown, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def load_bytes(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """All of a file that has at most `most` bytes."""
    shown = os.fspath(path)
    try:
        about = os.stat(path)
        # a pipe or a device could keep us waiting for ever
        if not stat.S_ISREG(about.st_mode):
            raise HoiError(f"{shown}: expected a file, found a folder or a device")
        if most is not None and about.st_size > most:
            raise HoiError(f"{shown}: expected at most {most} bytes, found {about.st_size}")
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise HoiError(f"{shown}: cannot be read: {_reason(error)}") from None


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # never fails; only names can hold such letters


def save_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all."""
    save_bytes(path, text.encode("utf-8"))


def save_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all: an existing one stays as it was until its successor is complete."""
    staged = stage_bytes(path, data)
    try:
        staged.publish()
    except BaseException:
        staged.discard()
        raise


@dataclass(frozen=True)
class Staged:
    """A file that is complete on disk, beside the one whose place it may take."""

    shown: str  # the name a user gave
    temporary: str
    target: str

    def publish(self) -> None:
        """Let it take its place."""
        try:
            os.replace(self.temporary, self.target)
            _keep_name(self.target)
        except OSError as error:
            raise HoiError(f"{self.shown}: cannot be written: {_reason(error)}") from None

    def discard(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.temporary)


def stage_bytes(path: str | os.PathLike[str], data: bytes) -> Staged:
    """Write a file beside the place where it shall be, so that it can be read again before the old one is given up."""
    shown = os.fspath(path)
    try:
        target = os.path.realpath(path)  # through a link, not over it
        mode = _mode_to_replace(shown, target)
        # short, because the folder's limit on names holds for this one too
        staged = Staged(shown, os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp"), target)
        try:
            with open(staged.temporary, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(staged.temporary, mode)
        except BaseException:
            staged.discard()
            raise
        return staged
    except (OSError, ValueError) as error:
        raise HoiError(f"{shown}: cannot be written: {_reason(error)}") from None


def _keep_name(target: str) -> None:
    """Have the folder's new entry survive a power cut; where the file system cannot promise that, the file is there."""
    with contextlib.suppress(OSError):
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _mode_to_replace(shown: str, target: str) -> int | None:
    """Permissions of the file that would be replaced, None if there is none; only plain files may be, and writable."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise HoiError(f"{shown}: cannot be written: it is a folder or a device")
    if not mode & 0o222:  # root may write everywhere; who made a file read-only meant it all the same
        raise HoiError(f"{shown}: cannot be written: it is read-only")
    return stat.S_IMODE(mode)


def _reason(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return (reason or "the system does not say why").lower()


def quoted(word: str) -> str:
    """A word of a file as an error message can show it: one line, not too long."""
    return repr(word if len(word) <= 40 else word[:37] + "...")


def parse_number(word: str) -> float | None:
    """The value of a plain decimal number; None for anything else, also for NaN, infinity and `1_000`."""
    if len(word) > 400 or not _NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if math.isfinite(value) and abs(value) <= LARGEST else None


def parse_whole(word: str) -> int | None:
    """The value of an unsigned whole number of at most 18 digits."""
    return int(word) if re.fullmatch(r"[0-9]{1,18}", word) else None


class TextCursor:
    """A place in a file's words; braces are words of their own wherever they stand."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self._next_line = 0
        self._words: list[str] = []
        self._place = 0

    @property
    def line(self) -> int:
        """Number of the line that was read last, counted from 1."""
        return self._next_line

    def peek(self) -> str | None:
        """The next word, or None at the end of the file."""
        while self._place == len(self._words):
            if self._next_line == len(self.file.lines):
                return None
            self._words = self.file.lines[self._next_line].replace("{", " { ").replace("}", " } ").split()
            self._place = 0
            self._next_line += 1
        return self._words[self._place]

    def take(self, expected: str) -> str:
        """The next word, which is consumed; `expected` describes it if the file ends here."""
        word = self.peek()
        if word is None:
            raise self.file.problem(self.line, expected, "the end of the file")
        self._place += 1
        return word

    def expect(self, keyword: str) -> None:
        """Consume a keyword, in any case."""
        word = self.take(keyword)
        if word.upper() != keyword:
            raise self.file.problem(self.line, keyword, quoted(word))

    def name(self, expected: str) -> str:
        """The rest of the line up to a brace, blanks included."""
        rest = self._words[self._place :]
        length = next((i for i, word in enumerate(rest) if word in "{}"), len(rest))
        if not length:
            raise self.file.problem(self.line, expected, quoted(rest[0]) if rest else "the end of the line")
        self._place += length
        return " ".join(rest[:length])

    def number(self) -> tuple[float, str]:
        """The next number, and how it was written."""
        word = self.take("a number")
        value = parse_number(word)
        if value is None:
            raise self.file.bad_number(self.line, word)
        return value, word

    def rest(self) -> int:
        """Leave the words: index of the first line not yet read. What is left of the current line must be nothing."""
        if self._place < len(self._words):
            raise self.file.problem(self.line, "the end of the line", quoted(self._words[self._place]))
        return self._next_line
