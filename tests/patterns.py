"""Juggling patterns that must be solved and verified: `make patterns`, or `python -m tests.patterns [PATTERN ...]`.

Prints a line for each as it is done, and the table of docs/JUGGLING.md at the end; exit status 1 if one fails.
With `--random [HOW MANY [SEED]]` chance makes them up; there one may be refused, in a sentence.
"""

import sys
import time
from itertools import islice
from pathlib import Path

from hoi_edit.commands.juggle import file_name
from hoi_edit.compiling.runtime import keep_compiled_functions
from hoi_edit.juggling import parse, performance, schedule
from hoi_edit.verify import verify
from kinematics.errors import HoiError
from tests.random_patterns import random_patterns

PATTERNS = (
    "3", "441", "531", "51", "(4,4)", "5", "7", "<3p 3|3p 3>", "744", "(6x,4)*", "(4x,2x)",
    "24[54]", "[33]33", "[43]1", "(2x,[44x])", "([44],2)",
)  # fmt: skip
OUT = Path("out/patterns")
HEAD = (
    "| pattern | balls | beat [s] | highest [m] | catches | residual [m] | hands [m/s²] | joints within limits [°] "
    "| foot slide [mm] | collisions | verified | time [s] |"
)


def row(text: str, may_be_refused: bool = False) -> tuple[str, bool]:
    """One line of the table, and whether all is well."""
    since = time.monotonic()
    try:
        done = performance(schedule(parse(text)))
    except HoiError as error:
        return f"| `{text.replace('|', chr(92) + '|')}` | {error} |", may_be_refused
    took = time.monotonic() - since
    true = verify(done.session, print)
    OUT.mkdir(parents=True, exist_ok=True)
    done.session.save(OUT / f"{file_name(text)}.hoi")
    done.session.close()
    own = done.figures
    good = true and not own.missed and not own.collisions
    cells = [
        f"`{text.replace('|', chr(92) + '|')}`", str(own.balls), f"{own.beat:.3f}", f"{own.heights[-1][1]:.2f}",
        str(own.catches), f"{own.residual:.0e}", f"{own.acceleration:.0f}", f"{-57.29578 * own.beyond_limits:.1f}",
        f"{1e3 * own.foot_slide:.1f}", str(own.collisions), "yes" if true else "NO", f"{took:.0f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |", good


def main(texts: list[str]) -> int:
    keep_compiled_functions()
    rows, by_chance = [], texts[:1] == ["--random"]
    if by_chance:
        numbers = [int(own) for own in texts[1:3]]
        many, seed = (*numbers, *(25, 0)[len(numbers) :])
        texts = list(islice(random_patterns(seed), many))
    for text in texts or list(PATTERNS):
        rows.append(row(text, by_chance))
        print(rows[-1][0], flush=True)
    print("\n".join([HEAD, "|---" * HEAD.count(" | ") + "|---|", *(line for line, _ in rows)]))
    return 0 if all(good for _, good in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
