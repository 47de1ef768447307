"""Where things are kept that can be made again."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache, by the custom of the system; `HOI_EDIT_CACHE` overrides it."""
    if "HOI_EDIT_CACHE" in os.environ:
        return Path(os.environ["HOI_EDIT_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hoi-edit"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hoi-edit"
