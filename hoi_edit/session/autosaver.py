"""The file of a session: where it is saved, and what is written beside it in case the program dies.

Writing is done in a thread of its own, at most every few seconds and for at most a fifth of the time, however long
the history has become. Documents are immutable, so a list of references is all that the thread needs.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from hoi_edit.edit.document import Step
from hoi_edit.files import Autosave, Recoverable
from hoi_edit.session.stored_history import parts_of, save
from kinematics.errors import HoiError

EVERY = 2.0  # [s] between two autosaves, at least
SHARE = 0.2  # of the time that may go into them
NO_FILE = "this session has no file yet; give one a name: session.save('a.hoi')"


class Unsaved(HoiError):
    """A file was asked for beside which a program that died has left newer edits; somebody has to choose."""

    def __init__(self, path: str | os.PathLike[str], left: Recoverable) -> None:
        self.left, self.path = left, Path(path).absolute()  # of the document
        if left.problem is None:
            why = "recover=True opens them, recover=False gives them up and opens the file as it was saved"
        else:
            why = (
                f"they cannot be read ({left.problem}); recover=False gives them up and opens the file as it was saved"
            )
        where = f"in {left.file.parent}" if left.in_cache else "beside it"
        super().__init__(f"{os.fspath(path)}: a program that died has left newer edits {where}; {why}")


def ends_by_an_error() -> bool:
    """Whether the program that ends now was ended by an error that nobody caught, or by an interrupt. At a prompt,
    errors come and go."""
    return getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1")


class Keeper:
    """Of one session: beside its file, or, where that cannot be written and as long as it has none (`path` is None), in
    the user's cache. The file is the same wherever the program goes (`os.chdir`)."""

    def __init__(self, path: str | os.PathLike[str] | None, recovered: Recoverable | None = None) -> None:
        """`recovered`: the autosave that the session was, if it was one."""
        self.path = None if path is None else Path(path).absolute()
        self._stamp = self._stamped()
        self._process, self._recovered = os.getpid(), recovered is not None
        self.problem: str | None = None  # why the last autosave failed
        self._autosave = Autosave(self.path)
        if recovered is not None:
            self._autosave.take_over(recovered)
        self._pending: tuple[list[Step], int] | None = None
        self._timer: threading.Timer | None = None  # that will write, or is writing
        self._next = -float("inf")  # when writing is allowed again
        self._lock = threading.Lock()  # of the three above; never held for long, so no edit waits for the disk
        self._writing = threading.Lock()

    def edited(self, steps: Sequence[Step], now: int) -> None:
        """The history has changed: it will be written soon."""
        with self._lock:
            self._pending = list(steps), now
            if self._timer is None:
                self._wait()

    def _wait(self) -> None:
        self._timer = threading.Timer(max(self._next - time.monotonic(), 0.0), self.write)
        self._timer.daemon = True  # a program that ends does not wait for it
        self._timer.start()

    def write(self) -> None:
        """Write what is pending, now."""
        with self._writing:
            pending = self._taken()
            began = time.monotonic()
            try:
                if pending is not None:
                    self._autosave.write(parts_of(*pending))
                    self.problem = None
            except HoiError as error:
                self.problem = str(error)  # nobody waits for this thread: it is told when somebody asks
            except BaseException as error:
                self.problem = f"{type(error).__name__}: {error}"
                raise
            finally:  # whatever happened, the next edit is written again
                took = time.monotonic() - began
                with self._lock:
                    self._next = began + max(EVERY, took / SHARE)
                    self._timer = None
                    if self._pending is not None:  # edited meanwhile
                        self._wait()

    def _taken(self) -> tuple[list[Step], int] | None:
        with self._lock:
            pending, self._pending = self._pending, None
            return pending

    def _stamped(self) -> tuple[int, int] | None:
        """What tells one state of the file from another; None if there is no file."""
        if self.path is None or not self.path.exists():
            return None
        about = self.path.stat()
        return about.st_mtime_ns, about.st_size

    def save(self, steps: Sequence[Step], now: int, over_others: bool = False) -> None:
        """The document itself; its autosave has become needless. What somebody else has saved there since is not
        overwritten unawares."""
        if self.path is None:
            raise HoiError(NO_FILE)
        if not over_others and self._stamped() not in (None, self._stamp):
            raise HoiError(
                f"{self.path}: it was saved by somebody else since it was opened here; save under another name, or "
                "give this one to replace it: session.save(path)"
            )
        save(self.path, list(steps), now)
        self._stamp = self._stamped()
        self._recovered = False
        self.close()

    def leave(self) -> None:
        """Leave what was not saved for the next start."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
        self.write()

    def forgotten(self) -> None:
        """Nobody has the session any more, or the program ends. Where it ends as it should nothing died, and nothing is
        left behind but what was recovered and never saved: that is somebody's work, not of this program."""
        if os.getpid() != self._process:  # a child that was forked has a copy of this, but no part in the file
            return
        try:
            if self._recovered or ends_by_an_error():
                self.leave()
            else:
                self.close()
        except HoiError:
            pass  # a file that cannot be removed is offered at the next start; there is nobody left to tell

    def close(self) -> None:
        """Leave nothing behind."""
        with self._lock:
            self._pending = None
            if self._timer is not None:
                self._timer.cancel()
        with self._writing:  # what is being written is removed once it is there
            self._autosave.clear()
            with self._lock:
                self._timer = None
