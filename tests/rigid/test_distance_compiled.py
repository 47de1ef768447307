"""The gap of a rounded box in machine code is that of `rigid.distance`, to round-off."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematics.rotation import Floats
from rigid.distance import RoundedBox, feature_of, gap, gap_and_normal
from rigid.distance_compiled import box_gap, core_distance
from tests.helpers import machine_code

CORES = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.5, 0.2), (1.0, 0.0, 1.0)]


@machine_code
def by_machine(core: Floats, radius: float, point: Floats) -> tuple[float, float, Floats, Floats]:
    feature, normal = np.empty(3), np.empty(3)
    signed = core_distance(core, point, feature, normal)
    return box_gap(core, radius, point[0], point[1], point[2]), signed, feature, normal


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.floats(-1.5, 1.5)] * 3), st.sampled_from(CORES), st.sampled_from([0.0, 0.15]), st.booleans())
def test_gap_feature_and_normal(x: tuple[float, ...], core: tuple[float, ...], radius: float, snap: bool) -> None:
    point = np.array(x)
    if snap:  # onto edges, corners and the middle of the core, where features change
        point = np.round(point * 2) / 2
    shape = RoundedBox(np.array(core), radius)
    feature = feature_of(shape, point)
    wanted, wanted_normal = gap_and_normal(shape, point, feature)
    at, signed, compiled_feature, normal = by_machine(np.array(core), radius, point)
    on_core = abs(signed) < 1e-12  # where the face decides: what only searches takes the distance all the same
    np.testing.assert_allclose(at, float(gap(shape, point)), rtol=0.0, atol=1e-12 if on_core else 4e-16)
    np.testing.assert_array_equal(compiled_feature, feature)
    np.testing.assert_allclose(signed - radius, float(wanted), rtol=0.0, atol=4e-16)
    np.testing.assert_allclose(normal, wanted_normal, rtol=0.0, atol=4e-16)
