"""What a session warns of in Python, as notes of the command line: without the line of our code that came upon it."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kinematics.errors import DoubtfulClip, DoubtfulDerivative, FloatingPerson, TouchesByHull

NOTED = (DoubtfulClip, DoubtfulDerivative, FloatingPerson, TouchesByHull)
OPTIONS = {"level=True": "hoi-edit import --level", "cut=True": "hoi-edit import --cut"}  # of Python, of the terminal


@contextmanager
def doubts_as_notes() -> Iterator[None]:
    with warnings.catch_warnings():
        show = warnings.showwarning

        def noted(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, NOTED):
                print(f"note: {for_terminal(str(message))}", file=sys.stderr)
            else:
                show(message, category, *place, **more)

        warnings.showwarning = noted
        yield


def for_terminal(sentence: str) -> str:
    """The same with options as they are typed there."""
    for written, typed in OPTIONS.items():
        sentence = sentence.replace(written, typed)
    return sentence
