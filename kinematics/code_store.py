"""Where machine code is kept: one file for each function and kinds of its arguments, named by what it was made of.

Numba's own store looks only at the file that a function stands in, and would go on using what it had inlined from
others after they have changed; and two processes that write to its index at once lose code. Here a name says it all:
a file is written once, is right for ever, and is shared by all who have the same sources, wherever they lie.
"""

import os
import pickle
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import compiler
from numba.core.caching import NullCache
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from kinematics.code_keys import content_of_type, key_of

MOST_KEPT = 100 * 2**20  # [bytes] of machine code, some fifteen states of the sources
FORGOTTEN = (".code", ".ready", ".unfinished", ".progress", ".claims")


class CodeStore(NullCache):
    """What numba asks for the code of one function before it compiles, and gives it to when it has.

    The key is made when it is first needed: what a function calls may be defined after it.
    """

    def __init__(self, folder: Path, name: str, key: Callable[[], str]) -> None:
        self.folder, self.name, self.key = folder, name, key

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def path(self, signature: Any, codegen: Any) -> Path:
        arguments, _ = normalize_signature(signature)
        kinds = tuple(content_of_type(kind) for kind in arguments)
        return self.folder / f"{self.name}-{key_of(self.key(), kinds, codegen.magic_tuple())}.code"

    def has(self, signature: Any, target_context: Any) -> bool:
        target_context.refresh()
        return self.path(signature, target_context.codegen()).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        path = self.path(sig, target_context.codegen())
        try:
            result = compiler.CompileResult._rebuild(target_context, *pickle.loads(path.read_bytes()))
        except Exception:  # not there, or cut off by a full disk: it is made again
            return None
        _note_use(path)
        return result

    def save_overload(self, sig: Any, cres: Any) -> None:
        if cres.library.has_dynamic_globals or cres.lifted:  # holds addresses of this process
            return
        path = self.path(sig, cres.codegen)
        with suppress(OSError):  # what cannot be kept is made again
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, dumps(cres._reduce()))


def write_whole(path: Path, data: bytes) -> None:
    """Nobody ever reads half a file."""
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.unfinished")
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _note_use(path: Path) -> None:
    with suppress(OSError):  # where nothing can be written, nothing is forgotten either
        path.touch()


def forget_old_code(folder: Path, most: int = MOST_KEPT) -> None:
    """Whatever was not used for longest goes, until no more than so many bytes are kept."""
    seen = []
    with suppress(OSError):  # there is no folder yet
        for path in folder.iterdir():
            with suppress(OSError):  # another process may forget at the same time
                if path.suffix in FORGOTTEN:
                    seen.append((path.stat().st_mtime, path.stat().st_size, path))
    kept = 0
    for _, size, path in sorted(seen, reverse=True):
        kept += size
        if kept > most:
            with suppress(OSError):  # another process forgot it first
                path.unlink()
