"""Commands about the program itself: check, warm-up."""

import argparse
from collections.abc import Callable
from typing import Any

from hoi_edit.commands.common import document, say_that_it_compiles
from hoi_edit.session import EditSession
from hoi_edit.truth import CASES, check_gradients
from hoi_edit.verify import verify
from hoi_edit.warm_up import alone, warm_up
from hoi_edit.words import unsolved
from kinematics.errors import HoiError


def add_commands(commands: Any) -> None:
    ahead = commands.add_parser("warm-up", help="compile for this machine now, so that the first edit need not wait")
    ahead.set_defaults(run=_warm_up)

    check = commands.add_parser("check", help="whether what this program computes is true; exit status 1 if not")
    check.add_argument("document", nargs="?", metavar="DOC",
                       help="a .hoi file, a clip or a built-in scene, measured again by code of its own")  # fmt: skip
    check.add_argument("--gradients", action="store_true",
                       help="derivatives of small scenes against closed forms and difference quotients")  # fmt: skip
    check.set_defaults(run=_check)


def _warm_up(_: argparse.Namespace) -> None:
    print("Compiling for this machine; this is done once.", flush=True)
    alone()  # what a session has had begun is waited for, not made twice
    warm_up()
    print("Ready.")


def _verified(session: EditSession, say: Callable[[str], None]) -> bool:
    """What follows from a plan that is not solved reads as if much were wrong, so that is said first."""
    for note in unsolved(session.scene):
        say(note)
    return verify(session, say)


def _check(options: argparse.Namespace) -> int:
    if options.document is None and not options.gradients:
        raise HoiError("check wants a .hoi file or a built-in scene, such as juggle3, or --gradients")

    def say(line: str) -> None:
        print(line, flush=True)

    true = options.document is None or _verified(document(options.document), say)
    if options.gradients:
        say_that_it_compiles()
        true = check_gradients(CASES, say) and true
    return 0 if true else 1
