"""What makes a step of a long clip as cheap as one of a short clip, and must give the same as looking at everything."""

import jax
import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import begins, nearest_first
from hoi_edit.scene.controls import Layout, initial_controls
from hoi_edit.scenes.juggle3 import juggle3
from hoi_edit.session import EditSession
from hoi_edit.simulate.trajectory import Chain


@pytest.fixture(scope="module")
def session() -> EditSession:
    return hoi.open("juggle3")


def overlapping(chain: Chain, start: float, end: float) -> list[int]:
    return [k for k, span in enumerate(chain.spans) if span.start < end and span.end > start]


@pytest.mark.parametrize("stretch", [(2.0, 4.0), (-np.inf, 1.0), (9.9, np.inf), (-np.inf, np.inf), (3.0, 3.0)])
def test_spans_within_a_stretch_are_those_that_overlap_it(session: EditSession, stretch: tuple[float, float]) -> None:
    for chain in session.rollout.trajectories.chains.values():
        found = list(chain.within(*stretch))
        assert set(overlapping(chain, *stretch)) <= set(found)
        # what only touches an end may be among them, nothing farther away
        assert all(chain.spans[k].start <= stretch[1] and chain.spans[k].end >= stretch[0] for k in found)


def test_a_span_is_found_by_what_begins_it_from_any_time(session: EditSession) -> None:
    chain = session.rollout.trajectories.chains["ball2"]
    for k, event in enumerate(chain.events):
        for t in (0.0, event.time, 10.0):
            assert session.rollout.span_index("ball2", t, begins(event)) == k + 1
    assert session.rollout.span_index("ball2", 5.0, "nothing:grasp") == chain.index_at(5.0)


@pytest.mark.parametrize(("here", "count"), [(0, 5), (2, 5), (4, 5), (0, 1)])
def test_all_are_looked_at_once_and_the_nearest_first(here: int, count: int) -> None:
    found = list(nearest_first(here, count))
    assert sorted(found) == list(range(count))
    assert [abs(k - here) for k in found] == sorted(abs(k - here) for k in found)


def test_controls_of_contacts_are_those_that_were_flattened() -> None:
    for scene in (juggle3(), hoi.open("soccer").scene):
        controls = initial_controls(scene)
        layout = Layout.of(controls)
        u = layout.flatten(controls) + np.arange(layout.size)
        again = layout.unflatten(u)
        assert set(again.contacts) == set(controls.contacts) and len(again.contacts) == len(controls.contacts)
        assert np.array_equal(layout.flatten(again), u)
        twice = jax.tree.map(lambda a, b: a + b, again, layout.unflatten(u))
        assert np.array_equal(layout.flatten(twice), 2.0 * u) and set(twice.contacts) == set(controls.contacts)
        for name, own in again.contacts.items():
            for part in ("release", "restitution", "friction", "normal"):
                value, was = getattr(own, part), getattr(controls.contacts[name], part)
                assert (value is None) == (was is None)
                if value is not None:
                    assert np.array_equal(value, u[layout[f"{name}.{part}"].indices].reshape(np.shape(was)))
        with pytest.raises(KeyError):
            again.contacts["nothing"]
