"""How a time is taken."""

import time
from collections.abc import Callable
from statistics import median

import jax


def median_ms(fn: Callable[[], object], repeats: int = 50, warmup: int = 3) -> float:
    """Median time of one call in milliseconds, after `warmup` untimed calls that compile and fill caches.

    JAX returns before it has computed; the clock stops when the numbers are there.
    """
    for _ in range(warmup):
        jax.block_until_ready(fn())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(fn())
        times.append(time.perf_counter() - start)
    return 1e3 * median(times)
