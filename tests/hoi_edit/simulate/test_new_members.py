"""A new kind of event and a new kind of span are a class and a line in a table each: nothing else knows of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.rollout import Model
from hoi_edit.scene import Scene
from hoi_edit.simulate.accumulator import Accumulator, StateCovectors
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.families import Families
from hoi_edit.simulate.kind_words import EventWord, SpanWord
from hoi_edit.simulate.prescribed import close
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.spans.base import SpanKind
from hoi_edit.simulate.tables import EVENTS, MEETINGS, SPANS
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.world import Ints
from hoi_edit.truth.truth_scenes import flying
from kinematics.rotation import Floats

GUST, LOOK = 0.3, 0.8  # [s]
PUSH = np.array([0.5, 2.0, -0.25])  # [m/s]
END = 1.0
GUSTS, HOVERS = EventWord("gust"), SpanWord("hovering")


class Gust(EventKind):
    """At a time a push of air, and from then on the thing hovers."""

    is_timed = True

    def __init__(self, word: EventWord) -> None:
        self.word = word

    def due(self, run: Run, cursor: Cursor) -> float:
        return GUST if cursor.span.kind == "flight" and cursor.time < GUST else np.inf

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor in cursors:
            name, after = cursor.thing.name, run.context.state_in(cursor.span, GUST)
            after[12:15] += PUSH
            run.append(cursor, cursor.span, Event(self.word, name, GUST, after=after, mechanism="gust"))
            cursor.span = Span(HOVERS, name, GUST, cursor.limit, after)

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        accumulator.state_back(name, k, GUST, rows, accumulator.after_back(name, k, rows, on)[:, :12])


class Hovering(SpanKind):
    """Steadily on, as if there were no gravity. Named by the state when it starts."""

    touches = False

    def advance(self, run: Run, cursors: list[Cursor]) -> None:
        for cursor in cursors:
            close(run, cursor)

    def state(self, context: Context, span: Span, t: float) -> Floats:
        state = np.array(span.state)
        state[:3] += (t - span.start) * state[12:15]
        return state

    def state_and_rates(self, context: Context, span: Span, t: float) -> tuple[Floats, Floats]:
        return self.state(context, span, t), np.zeros(6)

    def fastest(self, context: Context, span: Span) -> float:
        return float(np.linalg.norm(np.asarray(span.state)[12:15]))

    def back(self, accumulator: Accumulator, asked: Sequence[StateCovectors]) -> None:
        for name, k, time, rows, on in asked:
            flight = np.eye(12)
            flight[:3, 6:9] = (time - accumulator.span(name, k).start) * np.eye(3)
            accumulator.leave_at(name, k, rows, on @ flight)

    def onto(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> Floats:
        after = np.asarray(accumulator.chain(name).events[k].after)
        return np.asarray(on @ np.column_stack([np.eye(12), -np.concatenate([after[12:18], np.zeros(6)])]))


def model(word: EventWord = GUSTS) -> Model:
    scene = Scene(things=[flying((0.1, 1.0, 0.2), (0.4, 1.0, 0.3), name="ball")], end=END)
    families = Families({**SPANS, HOVERS: Hovering()}, {**EVENTS, "gust": Gust(word)}, MEETINGS)
    return Model.of(scene, families)


def test_it_happens_and_is_shown() -> None:
    rollout = model().simulate(model().start)
    assert [event.kind for event in rollout.events] == ["gust"]
    assert [span.kind for span in rollout.spans("ball")] == ["flight", "hovering"]
    before, after = rollout.state("ball", GUST - 1e-9), rollout.state("ball", GUST)
    np.testing.assert_allclose(after.velocity - before.velocity, PUSH, atol=1e-7)
    np.testing.assert_allclose(
        rollout.positions("ball", np.array([LOOK]))[0], after.position + (LOOK - GUST) * after.velocity
    )


def test_what_its_word_says_is_what_others_go_by() -> None:
    plain, seam, leap = (
        made.simulate(made.start)
        for made in (model(), model(EventWord("gust", is_seam=True)), model(EventWord("gust", leaps=True)))
    )
    assert [event.doubt for event in plain.events] == [None] and not seam.events
    assert [event.doubt and event.doubt.kind for event in leap.events] == ["jump"]
    # only a flight is what something was sent on: after a leap it would count, if hovering were one
    assert [seen.flight_before("ball", LOOK) for seen in (plain, leap)] == [0, 0]
    chain = leap.trajectories.chains["ball"]
    flying = replace(chain, spans=[chain.spans[0], chain.spans[1]._replace(kind=SpanWord("gliding", flies=True))])
    sent = replace(leap, trajectories=replace(leap.trajectories, chains={"ball": flying}))
    assert sent.flight_before("ball", LOOK) == 1


def test_its_derivative_is_that_of_the_simulation() -> None:
    made = model()
    rollout, h = made.simulate(made.start), 1e-6
    J = rollout.dense(rollout.rows([Target("ball", LOOK)]))
    for k in range(made.layout.size):
        ahead, behind = (made.simulate(made.start + step * np.eye(made.layout.size)[k]) for step in (h, -h))
        one, other = ahead.state("ball", LOOK), behind.state("ball", LOOK)
        quotient = np.concatenate([one.position - other.position, one.velocity - other.velocity]) / (2.0 * h)
        np.testing.assert_allclose(J[:, k], quotient, atol=1e-7)
