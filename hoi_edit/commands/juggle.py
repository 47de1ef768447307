"""`hoi-edit juggle PATTERN`: a pattern, performed."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hoi_edit.commands.common import finite, results_folder, whole

if TYPE_CHECKING:
    from hoi_edit.edit.progress import Progress


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    juggle = commands.add_parser(
        "juggle",
        help="people who juggle a pattern: 531, (4,4), 24[54], '<3p 3|3p 3>'",
        description="Solve a juggling pattern in siteswap notation and write it as a document to edit.",
    )
    juggle.add_argument("pattern", metavar="PATTERN", help="siteswap, such as 531; quote what has brackets or spaces")
    juggle.add_argument("--jugglers", type=whole, metavar="N", help="how many juggle it (as many as the pattern says)")
    juggle.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="where the document goes (out)")
    juggle.add_argument("--beat", type=finite, metavar="S", help="seconds from throw to throw (chosen by height)")
    juggle.add_argument("--dwell", type=finite, metavar="BEATS", help="how long a ball stays in a hand (1 to 1.2)")
    juggle.add_argument("--rounds", type=whole, metavar="N", help="how often the pattern is repeated")
    juggle.add_argument("--seconds", type=finite, metavar="S", help="how long it goes on")
    juggle.add_argument("--apart", type=finite, default=2.2, metavar="M", help="between jugglers (2.2)")
    juggle.add_argument("--acceleration", type=finite, metavar="A", help="the most of a hand, in m/s² (60, or 90)")
    juggle.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from hoi_edit.juggling.pattern_solver import performance
    from hoi_edit.juggling.siteswap import parse
    from hoi_edit.juggling.timing import schedule

    pattern = parse(options.pattern, options.jugglers)
    plan = schedule(pattern, options.beat, options.dwell, options.rounds, options.seconds)
    target = options.out / f"{file_name(options.pattern)}.hoi"
    with results_folder(options.out):
        print(pattern, flush=True)
        done = performance(plan, options.apart, options.acceleration, _tell)
        done.session.save(target)
    done.session.close()
    print(done.figures)
    print(f"wrote {target}")
    return 0 if done.figures.missed == done.figures.collisions == 0 else 1


def _tell(progress: "Progress") -> bool:
    print(f"  {progress.what}, step {progress.step}: off by {progress.residual:.1e}", flush=True)
    return True


def file_name(pattern: str) -> str:
    """A pattern as the name of a file on any system."""
    words = {"<": "", ">": "", "|": "_", "*": "m", ",": "-", " ": ""}
    return re.sub(r"[^\w\[\]()-]", "", "".join(words.get(letter, letter) for letter in pattern.strip()))
