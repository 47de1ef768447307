"""What JAX and numba compile, watched."""

from collections.abc import Iterator
from contextlib import contextmanager

import jax
from numba.core.event import install_recorder


@contextmanager
def compilations() -> Iterator[list[str]]:
    """Names of whatever JAX or numba compiles meanwhile."""
    seen: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        del duration_secs
        if "compile" in event and "backend" in event:
            seen.append(f"{event} {kwargs.get('fun_name', '')}".strip())

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        with install_recorder("numba:compile") as machine_code:
            yield seen
    finally:
        jax.monitoring.unregister_event_duration_listener(note)
        seen += [str(event.data["dispatcher"]) for _, event in machine_code.buffer if event.is_start]
