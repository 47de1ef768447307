"""The QP in blocks and in row space, beside dense matrices and a general solver."""

from dataclasses import replace

import numpy as np
import pytest

from hoi_edit.adjoint import PoseBlock, Rows, Target
from hoi_edit.qp import gram as by_blocks
from hoi_edit.qp.freedom import Freedom, Lock, Window, metric_of
from hoi_edit.qp.gram import apply_transpose, gram
from hoi_edit.qp.metric import Metric
from hoi_edit.qp.smoothing import Smoothing, multiply, reach_of, roughness_bands
from hoi_edit.qp.stacked_rows import gather, stacked
from hoi_edit.qp.step import QuadraticProgram, Solution, solve
from hoi_edit.qp.weights import weights
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scenes.juggle3 import juggle3
from hoi_edit.scenes.soccer import soccer
from hoi_edit.truth.truth_scenes import sandwiched
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from tests.hoi_edit.qp.random_problems import MOTIONS, random_rows, solve_generally, stage, take


def flat(solution: Solution) -> Floats:
    return np.concatenate([solution.step, *solution.extras.values()])


def same(found: Floats, wanted: Floats, tolerance: float) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * np.abs(wanted).max(initial=1e-300))


# -- blocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("chained", [False, True])
def test_products_by_blocks_are_those_of_the_dense_matrix(locked: bool, chained: bool) -> None:
    on, rows = stage(1, locked), random_rows(2, 24, chained)
    J, dense, free = gather(rows, on.metric, MOTIONS, on.controls), on.dense(rows), on.metric.free
    inverse = np.zeros((on.metric.size, on.metric.size))
    inverse[np.ix_(free, free)] = np.linalg.inv(on.metric.dense()[np.ix_(free, free)])
    rng = np.random.default_rng(3)
    x, multipliers = rng.normal(size=on.metric.size), rng.normal(size=24)
    same(J.apply(x), dense @ x, 1e-12)
    same(gram(J, on.metric), dense @ inverse @ dense.T, 1e-12)
    same(apply_transpose(J, on.metric, multipliers), inverse @ dense.T @ multipliers, 1e-12)


def test_products_by_blocks_where_two_ways_lead_to_one_row() -> None:
    """Whether rows arrive twice at a flight, as where two balls meet twice, or come in blocks that repeat them."""
    model = Model.of(sandwiched())
    rollout = model.simulate(model.start)
    rows, motions = rollout.rows([Target("a", 0.28)]), {"rig": model.scene.characters[0].motion}
    metric = metric_of(model)
    x = np.random.default_rng(3).normal(size=metric.size)
    assert all(len(np.unique(block.rows)) == len(block.rows) for block in rows.poses)
    J = gather(rows, metric, motions, rollout.controls)
    same(J.apply(x), rollout.dense(rows) @ x, 1e-12)
    again = gather(replace(rows, poses=[_in_halves(block) for block in rows.poses]), metric, motions, rollout.controls)
    same(again.apply(x), J.apply(x), 1e-12)
    same(gram(again, metric), gram(J, metric), 1e-12)
    same(apply_transpose(again, metric, x[:6]), apply_transpose(J, metric, x[:6]), 1e-12)


def _in_halves(block: PoseBlock) -> PoseBlock:
    halves = ([0.3 * on, 0.7 * on] for on in (block.on_q, block.on_rate))
    rows = np.concatenate([block.rows, block.rows])
    return PoseBlock(block.character, block.time, rows, *(np.concatenate(half) for half in halves))


def test_both_orders_of_the_sum_agree() -> None:
    on = stage(1, locked=True)
    for stack in gather(random_rows(2, 24), on.metric, MOTIONS, on.controls).stacks:
        same(by_blocks._by_pairs(stack, 24), by_blocks._by_times(stack, 24), 1e-13)


@pytest.mark.parametrize("spacing", [0.04, 0.1, 0.3])
def test_what_is_left_out_of_the_inverse_of_a_long_clip_is_round_off(spacing: float) -> None:
    bands = roughness_bands(np.ones(1500), spacing)
    inverse = np.linalg.inv(multiply(bands, np.eye(1500)))
    smoothing = Smoothing.of(bands, reach_of(spacing))
    assert smoothing.reach < 500
    knots = np.array([0, 1, 2, 300, 301, 800, 1498, 1499])
    same(smoothing.entries(knots), inverse[np.ix_(knots, knots)], 1e-12)
    right = np.zeros((1500, 2))
    right[700:704] = np.random.default_rng(0).normal(size=(4, 2))
    lo, hi = smoothing.window(700, 703)
    found = np.zeros((1500, 2))
    found[lo:hi] = smoothing.solve(lo, hi, right[lo:hi])
    same(found, inverse @ right, 1e-12)


def test_rows_below_one_another() -> None:
    on, parts = stage(1), [random_rows(2, 4), random_rows(3, 0), random_rows(4, 7)]
    same(on.dense(stacked(parts)), np.concatenate([on.dense(part) for part in parts]), 0.0)


# -- solutions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("drifted", [False, True])
def test_equalities_against_the_general_solver(locked: bool, drifted: bool) -> None:
    on, rng = stage(5, locked), np.random.default_rng(6)
    rows, b = random_rows(7, 12), rng.normal(size=12)
    drift = rng.normal(size=on.layout.size) * drifted
    problem = on.problem(rows, b, b, drift)
    found = solve(problem)
    assert found.reached and not found.binding and found.kkt.worst < 1e-10
    same(flat(found), solve_generally(on, problem), 1e-8)
    same(on.dense(rows) @ flat(found), b, 1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_inequalities_against_the_general_solver(seed: int) -> None:
    on, rng = stage(seed, locked=seed % 2 == 1), np.random.default_rng(seed)
    rows, middle = random_rows(seed + 20, 16), rng.normal(size=16)
    lower, upper = middle - rng.uniform(0.0, 0.5, 16), middle + rng.uniform(0.0, 0.5, 16)
    lower[:6] = upper[:6] = middle[:6]
    upper[6:9], lower[9:12] = np.inf, -np.inf
    problem = on.problem(rows, lower, upper, 0.1 * rng.normal(size=on.layout.size))
    found = solve(problem)
    assert found.reached and found.binding and found.kkt.worst < 1e-9
    same(flat(found), solve_generally(on, problem), 1e-8)
    again = solve(problem, found)
    same(again.step, found.step, 1e-10)
    multipliers = [bound.multiplier for bound in found.binding]
    assert multipliers == sorted(multipliers, reverse=True)


def test_inequalities_that_ask_for_nothing_change_nothing() -> None:
    on, rows = stage(5), random_rows(7, 12)
    b = np.random.default_rng(0).normal(size=6)
    alone = solve(on.problem(take(rows, range(6)), b, b))
    wide = np.full(6, 1e3)
    found = solve(on.problem(rows, np.concatenate([b, -wide]), np.concatenate([b, wide])))
    same(found.step, alone.step, 1e-12)
    assert not found.binding and not found.multipliers[6:].any()


def test_no_rows_go_back_to_where_the_drag_began() -> None:
    on, none = stage(5), np.zeros(0)
    drift = np.random.default_rng(0).normal(size=on.layout.size)
    found = solve(on.problem(random_rows(7, 0), none, none, drift))
    np.testing.assert_array_equal(found.step[on.layout.free], drift[on.layout.free])
    assert not found.step[~on.layout.free].any()


def test_rows_that_ask_for_no_change_give_exactly_none() -> None:
    on, zero = stage(5), np.zeros(12)
    found = solve(on.problem(random_rows(7, 12), zero, zero))
    assert found.reached and not found.step.any()


def test_repeated_rows_are_no_trouble() -> None:
    on, rows = stage(5), random_rows(7, 8)
    b = np.random.default_rng(0).normal(size=8)
    order = [0, 1, 2, 3, 4, 5, 6, 7, 3, 3, 0]
    once, thrice = solve(on.problem(rows, b, b)), solve(on.problem(take(rows, order), b[order], b[order]))
    same(thrice.step, once.step, 1e-9)
    assert thrice.reached and thrice.kkt.worst < 1e-9


def test_rows_that_contradict_each_other_are_named() -> None:
    on, rows = stage(5), random_rows(7, 6)
    b = np.random.default_rng(0).normal(size=7)
    order = [0, 1, 2, 3, 4, 5, 3]
    labels = ["a", "b", "c", "pin", "d", "e", "other pin"]
    found = solve(on.problem(take(rows, order), b, b, labels=labels))
    assert sorted(found.inconsistent) == ["other pin", "pin"] and not found.reached
    at_odds = np.flatnonzero(found.residuals)
    assert set(at_odds) <= {3, 6}
    assert np.abs(found.residuals).sum() == pytest.approx(abs(b[6] - b[3]), rel=1e-6)
    assert found.kkt.worst < 1e-8


def test_round_off_is_no_contradiction() -> None:
    on, rows = stage(5), random_rows(7, 6)
    order = [0, 1, 2, 3, 4, 5, 3, 2]
    b = 1e-13 * np.random.default_rng(0).normal(size=8)
    found = solve(on.problem(take(rows, order), b, b))
    assert found.reached and not found.binding and found.kkt.worst < 1e-8


def test_inequalities_that_leave_no_room_are_named() -> None:
    on, rows = stage(5), random_rows(7, 6)
    order = [0, 1, 2, 3, 4, 5, 3]
    lower, upper = np.full(7, -1.0), np.full(7, 1.0)
    lower[3], upper[6] = 0.5, 0.2
    labels = ["a", "b", "c", "above", "d", "e", "below"]
    found = solve(on.problem(take(rows, order), lower, upper, labels=labels))
    assert sorted(found.inconsistent) == ["above", "below"]
    assert np.abs(found.residuals).sum() == pytest.approx(0.3, rel=1e-6)


def test_a_row_whose_every_entry_is_locked_is_named() -> None:
    on = stage(5, locked=True)
    blocked = np.zeros((1, 5))
    blocked[0, 1] = 1.0
    rows = stacked([random_rows(7, 3), Rows(1, [PoseBlock("ann", 0.8, np.array([0]), blocked, blocked)], [], {}, ())])
    b = np.array([0.1, 0.2, 0.3, 0.4])
    found = solve(on.problem(rows, b, b, labels=["a", "b", "c", "locked hand"]))
    assert found.inconsistent == ("locked hand",)
    same(on.dense(rows)[:3] @ flat(found), b[:3], 1e-9)
    b[3] = 0.0
    assert solve(on.problem(rows, b, b)).reached


# -- soft rows --------------------------------------------------------------------------------------------------------


def test_soft_rows_hold_exactly_when_they_can() -> None:
    on, rows = stage(5), random_rows(7, 8)
    b = np.random.default_rng(0).normal(size=8)
    soft = np.arange(8) < 3
    same(solve(on.problem(rows, b, b, soft=soft)).step, solve(on.problem(rows, b, b)).step, 0.0)


def test_a_drag_against_a_pin_gives_way_and_names_the_pin() -> None:
    on, rows = stage(5), random_rows(7, 6)
    order = [3, 0, 1, 2, 3, 4, 5]
    b = np.random.default_rng(0).normal(size=7)
    soft = np.arange(7) == 0
    labels = ["drag", "a", "b", "c", "pin", "d", "e"]
    found = solve(on.problem(take(rows, order), b, b, soft=soft, labels=labels))
    without = solve(on.problem(take(rows, order[1:]), b[1:], b[1:]))
    same(found.step, without.step, 1e-7)
    assert not found.inconsistent and not found.reached
    assert [bound.label for bound in found.binding] == ["pin"]
    assert found.residuals[0] == pytest.approx(b[4] - b[0]) and not found.residuals[1:].any()
    assert found.kkt.worst < 1e-8


def test_a_drag_beyond_a_limit_stops_at_it() -> None:
    on, rows = stage(5), random_rows(7, 5)
    order = [0, 1, 2, 3, 4, 0]
    lower, upper = np.array([2.0, 0.1, 0.2, 0.3, -9.0, -1.0]), np.array([2.0, 0.1, 0.2, 0.3, 9.0, 1.0])
    labels = ["drag", "a", "b", "c", "d", "limit"]
    found = solve(on.problem(take(rows, order), lower, upper, soft=np.arange(6) == 0, labels=labels))
    value = on.dense(take(rows, order)) @ flat(found)
    assert value[0] == pytest.approx(1.0, abs=1e-9) and value[1:4] == pytest.approx([0.1, 0.2, 0.3])
    assert found.binding[0].label == "limit" and not found.inconsistent
    assert found.kkt.worst < 1e-8


def test_of_two_soft_rows_only_the_blocked_one_is_missed() -> None:
    on, rows = stage(5), random_rows(7, 5)
    order = [0, 1, 2, 0]
    b = np.array([1.0, 0.5, 0.2, -1.0])
    found = solve(on.problem(take(rows, order), b, b, soft=np.array([True, True, False, False])))
    value = on.dense(take(rows, order)) @ flat(found)
    same(value[1:], b[1:], 1e-9)


@pytest.mark.parametrize("locked", [False, True])
def test_any_mixture_of_rows_ends_at_an_optimum(locked: bool) -> None:
    """Repeated and contradicting rows, equalities and bounds, hard and soft, of any size."""
    on, kinds = stage(3, locked), set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(2, 30))
        rows = take(random_rows(seed % 7, 25, whole=False), rng.integers(0, 25 if seed % 3 else 8, count))
        middle = rng.normal(size=count) * 10 ** rng.uniform(-9, 1)
        width = np.abs(middle) * rng.uniform(0.0, 1.0, count) * (rng.random(count) < 0.6)
        lower, upper, soft = middle - width, middle + width, rng.random(count) < 0.3
        lower[(rng.random(count) < 0.2) & (width > 0.0)] = -np.inf
        found = solve(on.problem(rows, lower, upper, 0.1 * rng.normal(size=on.layout.size), soft=soft))
        assert found.kkt.worst < 1e-8
        assert found.inconsistent or not found.residuals[~soft].any()
        kinds.add((found.reached, bool(found.inconsistent)))
    assert kinds == {(True, False), (False, False), (False, True)}


# -- locks and mistakes -----------------------------------------------------------------------------------------------


def test_locked_entries_keep_every_bit() -> None:
    on, rng = stage(5, locked=True), np.random.default_rng(1)
    u, b = rng.normal(size=on.layout.size), rng.normal(size=8)
    found = solve(on.problem(random_rows(7, 8), b, b, rng.normal(size=on.layout.size)))
    locked = ~on.metric.free[: on.layout.size]
    assert np.array_equal((u + found.step)[locked], u[locked]) and locked.sum() > 100
    assert found.extras["kick.node"][3] == 0.0 and found.extras["kick.node"][:3].all()


@pytest.mark.parametrize("where", ["q", "rate", "column", "whole"])
def test_what_is_not_a_number_is_traced_to_its_owner(where: str) -> None:
    on, rows, b = stage(5), random_rows(7, 4), np.zeros(4)
    block = next(block for block in rows.poses if 3 in block.rows)
    place = {
        "q": block.on_q[list(block.rows).index(3)],
        "rate": block.on_rate[list(block.rows).index(3)],
        "column": rows.columns["ball.spin"][3],
        "whole": rows.whole[0][2][1],
    }[where]
    place[0] = np.nan
    with pytest.raises(HoiError, match="'hand'"):
        solve(on.problem(rows, b, b, labels=["a", "b", "c", "hand"]))


def test_extra_variables_come_and_go_while_the_rest_is_kept() -> None:
    on, rows, b = stage(5), random_rows(7, 4), np.ones(4)
    wanted = solve(on.problem(rows, b, b))
    other = on.metric.with_extras({"hit.node": np.ones(2), "kick.node": np.array([0.5, 1.0, 2.0, np.inf])})
    assert other.splines is on.metric.splines
    found = solve(replace(on.problem(rows, b, b), metric=other))
    same(found.step, wanted.step, 1e-14)
    same(found.extras["kick.node"], wanted.extras["kick.node"], 1e-14)
    assert not found.extras["hit.node"].any()
    for wrong in ({"ball.spin": np.ones(3)}, {"hit.node": np.array([1.0, 0.0])}):
        with pytest.raises(HoiError, match=next(iter(wrong))):
            on.metric.with_extras(wrong)


def test_bounds_that_make_no_sense_are_told() -> None:
    on, rows = stage(5), random_rows(7, 2)
    for lower, upper in (([0.0, 1.0], [0.0, 0.0]), ([0.0, np.nan], [0.0, 1.0])):
        with pytest.raises(HoiError, match="'hand'"):
            solve(on.problem(rows, np.array(lower), np.array(upper), labels=["a", "hand"]))
    rows.columns["nobody.node"] = np.zeros((2, 1))
    with pytest.raises(HoiError, match=r"'nobody\.node'.*kick\.node"):
        solve(on.problem(rows, np.zeros(2), np.zeros(2)))


# -- a real scene -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def juggling() -> Rollout:
    model = Model.of(juggle3())
    return model.simulate(model.start)


@pytest.fixture(scope="module")
def inertia(juggling: Rollout) -> Floats:
    return weights(juggling.model)


def drag(rollout: Rollout, metric: Metric, rows: Rows, b: Floats) -> QuadraticProgram:
    motions = {character.name: character.motion for character in rollout.model.scene.characters}
    labels = ["drag"] * len(b)
    return QuadraticProgram(rows, b, b, labels, metric, motions, rollout.controls, np.zeros(metric.layout.size))


def changed_knots(rollout: Rollout, solution: Solution) -> Floats:
    block = rollout.model.layout["juggler"]
    return solution.step[block.indices].reshape(block.shape)


def test_a_drag_of_a_juggled_ball(juggling: Rollout, inertia: Floats) -> None:
    rows = juggling.rows([Target("ball1", t) for t in (0.8, 1.7, 2.6)])
    metric = metric_of(juggling.model, inertia=inertia)
    b = np.random.default_rng(0).normal(size=rows.count) * 0.01
    found = solve(drag(juggling, metric, rows, b))
    J = juggling.dense(rows)
    inverse = np.stack([metric.solve(row) for row in J], axis=1)
    same(found.step, inverse @ np.linalg.solve(J @ inverse, b), 1e-7)
    same(J @ found.step, b, 1e-8)
    assert found.reached and found.kkt.worst < 1e-8


def test_outside_a_window_nothing_moves_and_its_edges_are_dear(juggling: Rollout, inertia: Floats) -> None:
    metric = metric_of(juggling.model, Freedom(Window(2.0, 4.0, fade=0.5)), inertia=inertia)
    rows = juggling.rows([Target("juggler/right_hand", 3.0)], np.eye(12)[:3])
    found = solve(drag(juggling, metric, rows, np.array([0.05, 0.0, 0.0])))
    moved = np.flatnonzero(changed_knots(juggling, found).any(axis=1))
    assert moved[0] == 23 and moved[-1] == 39  # the control points whose four pieces lie in 2..4 s
    after = juggling.model.simulate(juggling.u + found.step)
    for t in (1.99, 4.01):
        same(after.state("juggler/right_hand", t).position, juggling.state("juggler/right_hand", t).position, 0.0)
    size = np.abs(changed_knots(juggling, found)).max(axis=1)
    assert size[23] < 0.05 * size[31] and size[39] < 0.05 * size[31]
    layout = juggling.model.layout
    assert not metric.free[layout["ball1.position"].indices].any()
    releases = {name: metric.free[layout[name].start] for name in layout._by_name if name.endswith(".release")}
    assert any(releases.values()) and not all(releases.values())


def test_locks_by_joint_and_by_while(juggling: Rollout, inertia: Floats) -> None:
    topology = juggling.model.scene.characters[0].skeleton.topology
    elbow = [d for d, name in enumerate(topology.dof_names) if name.startswith("right_forearm.")]
    pelvis = [d for d, name in enumerate(topology.dof_names) if name.startswith("pelvis.")]
    locks = [Lock("juggler/pelvis"), Lock("juggler/right_forearm", (2.5, 3.5)), Lock("ball1.turn")]
    metric = metric_of(juggling.model, Freedom(locks=locks), inertia=inertia)
    assert [len(spline.groups) for spline in metric.splines] == [2]
    rows = juggling.rows([Target("juggler/right_hand", t) for t in (2.4, 3.6)], np.eye(12)[:3])
    knots = changed_knots(juggling, solve(drag(juggling, metric, rows, np.full(6, 0.02))))
    assert elbow and pelvis and not knots[:, pelvis].any()
    held = np.flatnonzero(~knots[:, elbow].any(axis=1))
    np.testing.assert_array_equal(held, np.arange(25, 38))  # the control points that matter in 2.5..3.5 s
    assert not metric.free[juggling.model.layout["ball1.turn"].indices].any()


def test_dearer_joints_move_less(juggling: Rollout, inertia: Floats) -> None:
    rows = juggling.rows([Target("juggler/right_hand", 3.0)], np.eye(12)[:3])
    b = np.array([0.05, 0.0, 0.02])
    plain, dear = (
        changed_knots(juggling, solve(drag(juggling, metric_of(juggling.model, freedom, inertia=inertia), rows, b)))
        for freedom in (Freedom(), Freedom(scales={"juggler/right_forearm": 100.0}))
    )
    names = juggling.model.scene.characters[0].skeleton.topology.dof_names
    elbow = [d for d, name in enumerate(names) if name.startswith("right_forearm.")]
    assert np.abs(dear[:, elbow]).max() < 0.1 * np.abs(plain[:, elbow]).max()
    twice = metric_of(juggling.model, Freedom(things=2.0), inertia=inertia)
    once = metric_of(juggling.model, inertia=inertia)
    where = juggling.model.layout["ball1.position"].indices
    same(twice.inverse[where], 0.5 * once.inverse[where], 1e-15)


def test_laws_are_locked_until_opened() -> None:
    model = Model.of(soccer())
    law = next(block for block in model.layout.blocks if block.name.endswith(".restitution"))
    inertia = weights(model)
    assert not metric_of(model, inertia=inertia).free[law.start]
    opened = metric_of(model, Freedom(opened=[law.name]), inertia=inertia)
    assert opened.free[law.start] and opened.free.sum() == metric_of(model, inertia=inertia).free.sum() + 1


@pytest.mark.parametrize(
    ("freedom", "message"),
    [
        (Freedom(locks=[Lock("juggler/third_hand")]), "third_hand.*right_hand"),
        (Freedom(locks=[Lock("ball9")]), "ball9.*ball1"),
        (Freedom(locks=[Lock("ball1", (0.0, 1.0))]), "for a while"),
        (Freedom(scales={"juggler": 0.0}), "must be positive"),
        (Freedom(Window(2.0, 1.0)), "is empty"),
        (Freedom(Window(1.0, 2.0, fade=-0.1)), "fade of the window is -0.1 s"),
        (Freedom(Window(30.0, 40.0)), "outside the scene, which runs from 0 s to 10 s"),
    ],
)
def test_wishes_that_make_no_sense_are_told(juggling: Rollout, inertia: Floats, freedom: Freedom, message: str) -> None:
    with pytest.raises(HoiError, match=message):
        metric_of(juggling.model, freedom, inertia=inertia)
