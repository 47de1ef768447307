"""`python -m bench [NAME ...]`: run the bench modules (all, or those whose name contains a NAME) and show one table."""

import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import bench
from bench import Row
from bench.machine import machine

os.environ["HOI_EDIT_COMPILE"] = "now"  # what is timed is machine code
RESULTS = Path("out") / "bench.json"


def module_names(wanted: Sequence[str]) -> list[str]:
    names = sorted(module.name for module in pkgutil.iter_modules(bench.__path__) if module.name.startswith("bench_"))
    return [name for name in names if not wanted or any(part in name for part in wanted)]


def run_module(name: str) -> list[Row]:
    rows: list[Row] = importlib.import_module(f"bench.{name}").run()
    return rows


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def table(rows: Sequence[Row]) -> str:
    """The rows under a heading, in columns: text to the left, numbers to the right."""
    lines = [("what", "ours [ms]", "peer", "peer [ms]", "ours/peer")]
    lines += [(row.name, number(row.ours_ms), row.peer or "-", number(row.peer_ms), number(row.ratio)) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    name, ours, peer, peer_ms, ratio = widths
    return "\n".join(
        f"{line[0]:<{name}}  {line[1]:>{ours}}  {line[2]:<{peer}}  {line[3]:>{peer_ms}}  {line[4]:>{ratio}}"
        for line in lines
    )


def save(rows: Sequence[Row], description: dict[str, str | int]) -> None:
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    results = [asdict(row) | {"ratio": row.ratio} for row in rows]
    RESULTS.write_text(json.dumps({"machine": description, "rows": results}, indent=2) + "\n")


def main(wanted: Sequence[str]) -> int:
    names = module_names(wanted)
    if not names:
        print(f"No bench module matches {', '.join(wanted) or 'bench/bench_*.py'}.", file=sys.stderr)
        return 1
    rows = [row for name in names for row in run_module(name)]
    description = machine()
    print(", ".join(f"{key} {value}" for key, value in description.items()))
    print(table(rows))
    save(rows, description)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
