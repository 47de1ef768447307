"""Edits that cannot be simulated are answered, as all others that do not get there: by what is in the way."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import numpy as np

from hoi_edit.edit.outcome import tossed_about
from hoi_edit.edit.report import Report
from hoi_edit.simulate.run import Overwhelmed

Asked = ParamSpec("Asked")


def answered(edit: Callable[Asked, Report]) -> Callable[Asked, Report]:
    """The same edit; where things would be tossed about without end it changes nothing, and says so."""

    @wraps(edit)
    def tried(*args: Asked.args, **kwargs: Asked.kwargs) -> Report:
        try:
            return edit(*args, **kwargs)
        except Overwhelmed as overwhelmed:
            why = tossed_about(overwhelmed)
            return Report(False, np.inf, 0, (why,), missed={why: np.inf}).refused

    return tried
