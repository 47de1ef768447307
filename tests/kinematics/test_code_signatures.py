"""Kinds of arguments come back from their data as they were."""

import json

import numba
import numpy as np
import pytest

from kinematics.code_signatures import as_data, of_data
from tests.kinematics.records import Nested, Pair


@pytest.mark.parametrize(
    "value",
    [
        1.5, 3, True, None, np.zeros((2, 3)), np.zeros((4, 3))[:, ::2], np.asfortranarray(np.zeros((2, 3))),
        np.zeros(3, np.int64), (1.0, 2.0), (1.0, np.zeros(2)), (), Pair(1.0, 2.0), Nested(Pair(1.0, 3), np.ones(2)),
    ],
    ids=repr,
)  # fmt: skip
def test_a_kind_of_argument_comes_back(value: object) -> None:
    kind = numba.typeof(value)
    assert of_data(json.loads(json.dumps(as_data(kind)))) == kind


def test_an_array_that_may_not_be_written_to_stays_one() -> None:
    values = np.zeros(3)
    values.flags.writeable = False
    kind = numba.typeof(values)
    assert of_data(as_data(kind)) == kind != numba.typeof(np.zeros(3))


def test_what_has_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="no signature can be written of an argument of type unicode_type"):
        as_data(numba.typeof("text"))
