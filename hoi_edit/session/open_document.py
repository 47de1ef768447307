"""`OpenDocument`: a document that comes from files and goes into them, autosaved while it is open."""

import weakref
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hoi_edit.edit.document import Document
from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.reporting import notebook_html as html
from hoi_edit.session.history import History
from hoi_edit.session.shown_document import ShownDocument
from kinematics.errors import HoiError

if TYPE_CHECKING:
    from hoi_edit.export import Exported
    from hoi_edit.files import Recoverable
    from hoi_edit.session.autosaver import Keeper


class OpenDocument(ShownDocument):
    """A document and the file that it has, or has not yet."""

    def _begin(self, history: History, missed: tuple[str, ...] = ()) -> None:
        super()._begin(history, missed)
        self._keeper: Keeper | None = None
        self._ending: weakref.finalize[[], Any] | None = None
        self._saved: Document | None = history.document

    def _repr_html_(self) -> str:
        return html.session_table(self)

    def _autosave(self) -> None:
        if self._keeper is not None:
            self._keeper.edited(self.history, self.now)

    def script(self) -> str:
        """The edits so far, as Python that runs by itself once the session has a file, or began with a name."""
        return self._history.script(self.file)

    def save(self, path: str | PathLike[str] | None = None) -> None:
        """Write the document with its whole history, to its own file if no other is given; the old file stays as it is
        if anything goes wrong, or if somebody else has saved there since. A path that is given is replaced whatever is
        there. From then on edits are autosaved beside it."""
        from hoi_edit.session.autosaver import NO_FILE, Keeper

        if path is None and self.file is None:
            raise HoiError(NO_FILE)
        if path is not None and not str(path).endswith(".hoi"):
            raise HoiError(f"{path}: expected a name ending in .hoi; what is to be read by others is exported")
        keeper = self._keeper
        if keeper is None or (path is not None and Path(path).absolute() != keeper.path):
            keeper = Keeper(str(path))
        keeper.save(self.history, self.now, over_others=path is not None)
        if self._keeper is not None and self._keeper is not keeper:
            self._keeper.close()
        self._keep_with(keeper)
        self._saved = self.document

    def _keep_with(self, keeper: "Keeper | None") -> None:
        if self._ending is not None:
            self._ending.detach()
        self._keeper = keeper
        self._ending = None if keeper is None else weakref.finalize(self, keeper.forgotten)

    def keep(self) -> None:
        """Autosave the edits of a session without a file, in the user's cache: `hoi_edit.files.recoverable_untitled`
        finds what a program that died has left there. A session with a file does so by itself."""
        from hoi_edit.session.autosaver import Keeper

        if self._keeper is None:
            self._keeper = Keeper(None)

    @property
    def unsaved(self) -> bool:
        """Whether the document is another than the one that was opened, or last saved."""
        return self.document is not self._saved

    def export(
        self, path: str | PathLike[str], progress: Listener | None = None, **options: Any
    ) -> "tuple[Exported, ...]":
        """Write the scene as .bvh, .csv, .npz, .json, .glb, .png, .gif or .mp4, edits included, muted or not.

        Options: `rate`, `start`, `end`, `edited=False` for the scene before the edits, and the format's own
        (docs/EXPORT.md). Each file is read again and compared with the scene before it takes its place.
        """
        from hoi_edit.export import export

        return export(self, path, progress, **options)

    @property
    def file(self) -> Path | None:
        """Where the session was saved to, or opened from."""
        return None if self._keeper is None else self._keeper.path

    @property
    def autosave_problem(self) -> str | None:
        """Why edits could be written neither beside the file nor in the user's cache; None if all is well."""
        return None if self._keeper is None else self._keeper.problem

    def close(self, keep: bool = False) -> None:
        """Give up what was not saved, or `keep` it for the next start: later edits are not written any more.

        A session that nobody has any more, and one that is left open when its program ends as it should, is closed by
        itself; so is one that was opened in a `with`.
        """
        if self._keeper is not None:
            if keep:
                self._keeper.leave()
            else:
                self._keeper.close()
            self._keep_with(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:  # else whether the program dies of it is seen when it ends
            self.close()

    @classmethod
    def load(cls, path: str | PathLike[str], recover: bool | None = None, progress: Listener | None = None) -> Self:
        """The session in a file; one that is listened to is simulated at once, else when it is first asked.

        If a program that died has left newer edits beside it, `recover` says whether to open these (True) or to give
        them up (False); None raises `Unsaved`, which tells of them.
        """
        from hoi_edit.files import recoverable
        from hoi_edit.session.autosaver import Keeper, Unsaved
        from hoi_edit.session.stored_history import load, steps_of

        left = recoverable(path)
        if left is not None and (recover is None or (recover and left.problem is not None)):
            raise Unsaved(path, left)
        steps, now = steps_of(left.read(), left.file) if left is not None and recover else load(path)
        session = cls._of(History(tuple(steps), now))
        if left is not None and recover:
            session._saved = None  # what was recovered is in no file yet
        if progress is not None:
            stages = (lambda: None, lambda: session.model, lambda: session.iterate)
            for k, stage in enumerate(stages, start=1):  # read, packed, simulated
                stage()
                tell(progress, Progress(f"open {path}", k, len(stages), float("nan")))
        if left is not None and not recover:
            left.discard()
        session._keep_with(Keeper(path, recovered=left if recover else None))
        return session

    @classmethod
    def recovered(cls, left: "Recoverable") -> Self:
        """The session that a program that died has left in the user's cache; it is kept there again at once."""
        from hoi_edit.session.stored_history import steps_of

        steps, now = steps_of(left.read(), left.file)
        session = cls._of(History(tuple(steps), now))
        session._saved = None  # it is in no file yet
        session.keep()
        session._autosave()
        if session._keeper is not None:
            session._keeper.write()
            if session._keeper.problem is None:
                left.discard()
        return session

    @classmethod
    def saved(cls, path: str | PathLike[str]) -> Self:
        """The session in a file as it was saved, whatever lies beside it, to look at: it is not autosaved."""
        from hoi_edit.session.stored_history import load

        steps, now = load(path)
        return cls._of(History(tuple(steps), now))
