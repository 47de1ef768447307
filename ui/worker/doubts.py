"""What the session warns of in Python, as sentences for the line below."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import hoi_edit as hoi
from ui.words.names import capital, sentence, without_code

TOLD = (hoi.DoubtfulClip, hoi.FloatingPerson)
_OF_FILE = re.compile(r"^.*\.(?:bvh|amc|asf): ")  # whose name is said already


@contextmanager
def doubts_heard() -> Iterator[list[str]]:
    """While something is opened or edited: a sentence for each doubt, once it is done."""
    doubts = list[str]()
    with warnings.catch_warnings(record=True) as heard:
        for kind in TOLD:
            warnings.simplefilter("always", kind)
        yield doubts
    for warning in heard:
        if issubclass(warning.category, TOLD):
            doubts.append(capital(sentence(without_code(_OF_FILE.sub("", str(warning.message))))))
        else:
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
