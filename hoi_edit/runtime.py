"""How JAX and numpy run in our programs: compiled functions are kept between runs, freed memory between calls."""

import os
import sys
from pathlib import Path

import jax
import numpy as np


def cache_folder() -> Path:
    """The user's cache, by the custom of the system; `HOI_EDIT_CACHE` overrides it."""
    if "HOI_EDIT_CACHE" in os.environ:
        return Path(os.environ["HOI_EDIT_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hoi-edit"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hoi-edit"


def keep_compiled_functions() -> None:
    """Turn the persistent compilation cache on; a folder that cannot be made only means compiling again."""
    folder = cache_folder() / "jax"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def keep_freed_memory() -> None:
    """Have the C library keep what numpy frees, instead of handing it back to the system and asking for it again.

    On Linux every temporary array of more than 128 KB is fresh memory, which costs more than the arithmetic on it: a
    drag step took twice as long. There, whatever large block is freed (up to 32 MB) sets the size from which that is
    done; elsewhere this does nothing.
    """
    np.empty(31 * 2**20, np.uint8)
