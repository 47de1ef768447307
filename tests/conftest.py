"""Strict settings for every test, and the motion capture that some of them read.

Settings that a library reads only once, when it is first imported, go into the environment; this file is imported
before any test module is.
"""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["HOI_EDIT_COMPILE"] = "now"  # what is tested is machine code
# Test processes times BLAS threads must not exceed the cores: threads that wait for each other spin.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import jax  # noqa: E402
import pytest  # noqa: E402

from kinematics.cache import cache_folder  # noqa: E402

jax.config.update("jax_enable_x64", True)
# (3,) + (5, 3) is usually a forgotten axis: say which axes are meant.
jax.config.update("jax_numpy_rank_promotion", "raise")
# Compiled functions are kept between runs and shared by all test processes, however small they are, and with sessions:
# what was compiled when this was set up is not compiled again.
JAX_CACHE = Path(os.environ.get("HOI_TEST_JAX_CACHE", cache_folder() / "jax"))
jax.config.update("jax_compilation_cache_dir", str(JAX_CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of recorded clips, which lives beside the repository and not in it."""
    from tests.clips import recordings  # which imports what the settings above are for

    folder = recordings()
    if folder is None:
        pytest.skip("there is no motion capture beside the repository; HOI_MOCAP=folder tells where it is")
    return folder
