"""Parameters of blends with other weights."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp

from hoi_edit.motions import Blend


def with_alpha(motion: Blend, alpha: list[list[float]]) -> Any:
    return replace(motion.parameters(), alpha=jnp.asarray(alpha))
