"""Races against other libraries: `python -m bench` runs every `bench_*.py` here and prints one table.

A bench module has a function `run() -> list[Row]`. Times are milliseconds, medians (`bench.timing.median_ms`).
"""

from dataclasses import dataclass

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """One race: our time and that of a peer doing the same work. No peer: `peer_ms` is None."""

    name: str
    ours_ms: float
    peer: str = ""
    peer_ms: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's: below one, we are faster."""
        return None if self.peer_ms is None else self.ours_ms / self.peer_ms
