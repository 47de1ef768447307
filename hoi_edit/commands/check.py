"""Commands about the program itself: check, warm-up."""

import argparse
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hoi_edit.commands.common import document, progress_line, say_that_it_compiles
from hoi_edit.compiling.compile_jobs import how_far
from hoi_edit.compiling.runtime import progress_file
from hoi_edit.compiling.warm_up import alone, warm_up
from hoi_edit.edit.progress import Listener, Progress
from hoi_edit.reporting.words import unsolved
from hoi_edit.session import EditSession
from hoi_edit.truth import CASES, check_gradients
from hoi_edit.verify import verify
from kinematics.errors import HoiError

TELL = 0.2  # [s] between looks at how far it is


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
    began = time.monotonic()
    with how_far_it_is():
        alone()  # what a session has had begun is waited for, not made twice
        warm_up()
    print(f"Ready: compiled for this machine in {time.monotonic() - began:.0f} s.")


@contextmanager
def how_far_it_is() -> Iterator[None]:
    """On a terminal, one line that is written over and over, and gone in the end."""
    over = threading.Event()
    with progress_line() as listener:
        told = threading.Thread(target=_tell, args=(listener, over), daemon=True)
        if listener is not None:
            told.start()
        try:
            yield
        finally:
            over.set()
            if listener is not None:
                told.join()


def _tell(listener: Listener, over: threading.Event) -> None:
    while not over.wait(TELL):
        at = how_far(progress_file(), time.time())
        if at is not None:
            what = "what drags need" if at.drags_wait else "what is rarer"
            listener(Progress(f"compiling {what}, about {at.seconds_left:.0f} s left", at.done, at.of, math.nan))


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
