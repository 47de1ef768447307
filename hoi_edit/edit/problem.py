"""What an edit keeps: the contacts that go on, where it began, and what a change costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hoi_edit.adjoint import node_name, time_name
from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.blend_weights import BlendWeights
from hoi_edit.constraints.closing_hand import ClosingHand
from hoi_edit.constraints.continuity import Continuity
from hoi_edit.constraints.declared import Declared
from hoi_edit.constraints.keep_contact import KeepContact, slide_name
from hoi_edit.constraints.keep_pass import KeepPass
from hoi_edit.constraints.lying import Lies, lying
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.constraints.standing_foot import EACH, SPARSELY, points_lifted, standing_feet
from hoi_edit.edit.body_violations import SHOWN, STRAY, Bounds
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.kept_handovers import kept_handover, planned_grips, with_grips
from hoi_edit.motions import Blend
from hoi_edit.qp import Freedom, Lock, Metric, Window, metric_of
from hoi_edit.qp.weights import FLIGHT, LEVER, LYING, SLIDE, TIME
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Held, Scene
from hoi_edit.scene.handovers import is_handover
from hoi_edit.simulate.past import Past
from kinematics.rotation import Floats
from rigid.body import has_faces

# how far one step may go: control points [rad, m], and everything else by its kind
FARTHEST = {
    "": 0.4,
    "position": 0.5,
    "turn": 1.0,
    "velocity": 3.0,
    "spin": 30.0,
    "release": 0.1,
    "passed": 0.1,
    "time": 0.1,
    "slide": 0.1,
}
FARTHEST |= {"alpha": 0.3, "restitution": 0.2, "friction": 0.2, "normal": 0.2}
OF_NODE = np.repeat([FARTHEST[kind] for kind in ("position", "turn", "velocity", "spin")], 3)
ALWAYS = (-np.inf, np.inf)  # [s]
ENDING = 1.5  # [s] before the end of a stretch, in which a hand goes back to where it is beyond
FOLLOWS = 0.01  # of what its mass would cost, where a thing is to lie elsewhere
EASED = 0.1  # of what hitting something elsewhere costs


@dataclass(frozen=True, eq=False)
class EditProblem:
    """What an edit starts from and keeps: where it began, the metric, the contacts that go on, blends within bounds."""

    model: Model
    origin: Iterate
    metric: Metric
    contacts: tuple[Constraint, ...]
    variables: frozenset[str]  # nodes that are variables
    led: Mapping[str, int]  # contacts that things are led to, and the surface of each
    limits: Floats  # (N,) how far one step may move each entry of u, and each extra variable
    start: Iterate  # the origin, with balls led
    freedom: Freedom  # as an animator has it
    loose: tuple[str, ...]  # contacts that may be lost, and feet that may slide
    asked: tuple[tuple[str, float | None], ...]  # of points of bodies
    stretch: tuple[float, float] | None = None  # of time, to which the edit is confined
    past: Past | None = None  # what stays as it is outside of it
    eased: bool = False  # things may be hit elsewhere, and pass as close as can be: where nothing else leads there
    things_follow: bool = False  # what lies still is light, and goes along
    elastic: bool = False  # what is asked for gives way before anything is strained
    excused: bool = True  # hands that went on into what they let go may do so

    @property
    def declared(self) -> bool:
        """Whether it is a plan that is not solved yet."""
        return _is_planned(self.model.scene, self.loose)

    @staticmethod
    def of(
        model: Model, origin: Iterate, freedom: Freedom | None = None, loose: Sequence[str] = (), eased: bool = False,
        stretch: tuple[float, float] | None = None, asked: Sequence[tuple[str, float | None]] = (),
        things_follow: bool = False, starts: bool = False, elastic: bool = False, held_on: Sequence[str] = (),
        closely: bool = False,
    ) -> "EditProblem":  # fmt: skip
        """`loose` contacts may be lost, and loose feet slide; nothing changes outside of a `stretch` of time, but for
        the `starts` of things that come to it as they began. What is `held_on` beyond it is so in the first hand; the
        second one comes along later, stretch by stretch. Second hands are looked at `closely` from the first step on,
        or but where they are fast.

        Feet that step stay where they stand, unless something is `asked` of one then. What lies still
        is dear to move, unless `things_follow`.
        """
        scene, freedom, let_go = model.scene, freedom or Freedom(), loose
        unreached = [] if stretch is None else _out_of_reach(origin.rollout, *stretch)
        loose = (*loose, *unreached)
        kept = _contacts(scene, origin, loose)
        tied = {constraint.contact for constraint in kept if isinstance(constraint, Continuity)}
        variables = {contact for contact in tied if stretch is None or origin.times[contact] < stretch[1]}
        extras = _node_weights(scene, origin, variables)
        for constraint in kept:
            if isinstance(constraint, KeepContact):
                extras[time_name(constraint.contact)] = np.array([TIME])
                extras[slide_name(constraint.contact)] = np.full(2, EASED * SLIDE if eased else SLIDE)
        timed = {constraint.contact for constraint in kept if isinstance(constraint, KeepContact)}
        grasped = [contact.id for contact in scene.contacts if contact.second is not None and contact.id not in let_go]
        holds = (*in_two_hands(scene, loose), *(name for name in grasped if name in origin.rollout.happened))
        second = [SecondHand.of(origin.rollout, hold, catch_moves=hold in timed, closely=closely) for hold in holds]
        second = [_within_reach(origin.rollout, hand, stretch, freedom, held_on) for hand in second]
        kept.extend(hand for hand in second if len(hand.shares))
        for hold in holds:
            kept.extend(ClosingHand.of(origin.rollout, hold) if _has_faces(scene, hold) else ())
        kept = list(with_grips(kept, planned_grips(origin.rollout, kept)))
        blended = [character.name for character in scene.characters if isinstance(character.motion, Blend)]
        kept.extend(BlendWeights.of(origin.rollout, name) for name in blended)
        if not elastic:
            # things are thrown far by feet that give a little: those that are light are held all along, in a plan all
            feet = standing_feet(origin.rollout, loose, *(stretch or ALWAYS), asked)
            held = feet if _is_planned(scene, loose) else [foot for foot in feet if foot.is_light(model)]
            kept.extend(even for foot in held if (even := foot.at(foot.evenly)) is not None)
        on_supports = lying(origin.rollout)
        kept.extend(on_supports)
        confines = _gripping(confined(freedom, stretch, scene), scene)
        begun = _coming(origin.rollout, stretch) if starts and freedom.window is None else ()
        resting = _resting(confines, scene, on_supports, things_follow)
        metric = metric_of(model, resting, extras, origin.u, begun=begun, lifted=points_lifted(scene, asked))
        led = {
            constraint.contact: _led_to(origin.rollout, constraint.contact)
            for constraint in kept
            if isinstance(constraint, KeepContact)
        }
        surfaces = {contact: surface for contact, surface in led.items() if surface is not None}
        start = origin.led_to(surfaces) if surfaces else origin
        past = None if stretch is None else Past(start.rollout.segments, *stretch, table=start.rollout.known_table)
        derived = tuple(kept), frozenset(variables), surfaces, _limits(model, metric), start
        return EditProblem(
            model,
            origin,
            metric,
            *derived,
            freedom,
            tuple(loose),
            tuple(asked),
            stretch,
            past,
            eased,
            things_follow,
            elastic,
        )

    def metric_with(self, freedom: Freedom) -> Metric:
        """What changes would cost, at any time, if this were free."""
        with np.errstate(divide="ignore"):
            extras = {name: 1.0 / self.metric.inverse[where] for name, where in self.metric.extras.items()}
        things = [constraint for constraint in self.contacts if isinstance(constraint, Lies)]
        resting = _resting(_gripping(freedom, self.model.scene), self.model.scene, things, self.things_follow)
        lifted = points_lifted(self.model.scene, self.asked)
        return metric_of(self.model, resting, extras, self.origin.u, lifted=lifted)

    @cached_property
    def bounds(self) -> Bounds:
        """What bodies keep to though there are no rows for it yet."""
        seen = self.origin.rollout
        each = SPARSELY if self.elastic else EACH
        feet = standing_feet(seen, self.loose, *(self.stretch or ALWAYS), self.asked, each)
        return Bounds.of(seen, feet, self.excused, self.stretch, SHOWN if self.elastic else STRAY)


def _is_planned(scene: Scene, loose: Sequence[str]) -> bool:
    """Whether any contact that is to come true is only declared yet."""
    return any(contact.declared and contact.id not in loose for contact in scene.contacts)


def _contacts(scene: Scene, origin: Iterate, loose: Sequence[str]) -> list[Constraint]:
    """What goes on happening: every contact that does, and those that are to."""
    kept: list[Constraint] = []
    for contact in scene.contacts:
        if contact.id in loose:
            continue
        if is_handover(scene, contact) and contact.id in origin.rollout.happened:
            kept.extend(kept_handover(origin.rollout, contact))
        elif contact.declared:
            kept.append(Declared(contact.id))
        elif contact.id in origin.rollout.happened and contact.passes_on:
            kept.append(KeepPass.of(origin.rollout, contact.id))
        elif contact.id in origin.rollout.happened:
            own_node = _is_variable(scene, contact.id, origin)
            if own_node:
                kept.append(Continuity(contact.id))
            if contact.bounces or not own_node or _led_to(origin.rollout, contact.id) is not None:
                kept.append(KeepContact.of(origin.rollout, contact.id))
    return kept


def confined(freedom: Freedom, stretch: tuple[float, float] | None, scene: Scene) -> Freedom:
    """The same, with nothing free outside of a stretch of time. Where that is the scene's own end there is nothing
    beyond that has to stay, though clips may go on there."""
    if stretch is None:
        return freedom
    window = freedom.window or Window(-np.inf, np.inf)
    end = np.inf if stretch[1] >= scene.end else stretch[1]
    return replace(freedom, window=replace(window, start=max(window.start, stretch[0]), end=min(window.end, end)))


def _coming(seen: Rollout, stretch: tuple[float, float] | None) -> list[str]:
    """Things that nothing intended has happened to before a stretch of time."""
    if stretch is None:
        return []
    meant = {name: [e.time for e in chain.events if e.contact] for name, chain in seen.trajectories.chains.items()}
    return [name for name, times in meant.items() if min(times, default=np.inf) > stretch[0]]


def _out_of_reach(seen: Rollout, start: float, end: float) -> list[str]:
    """Contacts that no change within a stretch of time gets to: nothing is on its way to them then."""
    unreached = []
    for contact, (name, k) in seen.happened.items():
        chain = seen.trajectories.chains[name]
        sent = chain.events[k - 1].time if k > 0 else -np.inf
        if sent >= end or chain.events[k].time <= start:
            unreached.append(contact)
    return unreached


def _within_reach(
    seen: Rollout, hand: SecondHand, stretch: tuple[float, float] | None, freedom: Freedom, held_on: Sequence[str]
) -> SecondHand:
    """A second hand, looked at where an edit gets to it. How a thing lies in the first one is decided where a hold
    begins: if that may change, all of the hold hangs on it."""
    if stretch is None or f"{hand.hold}.position" in freedom.opened:
        return hand
    start, end = stretch
    goes_on = hand.hold in held_on and end < seen.model.scene.end
    if start <= hand.start < end and not goes_on:
        return hand
    return hand.within(start, end - ENDING if goes_on else end, hand.span_in(seen).end)


def _led_to(seen: Rollout, contact: str) -> int | None:
    """The surface that a thing is led to, straight from where it was sent by something intended. That is so from its
    node on: of a contact that is let go there is none, and it would be passed by."""
    name, k = seen.happened[contact]
    chain = seen.trajectories.chains[name]
    sent = chain.events[k - 1] if k > 0 else None
    known = sent is None or (sent.intended and (sent.contact == name or sent.contact in seen.given_nodes))
    straight = chain.spans[k].flies and known
    return surface_of(seen, contact) if straight or _lies_until(seen, contact) else None


def _lies_until(seen: Rollout, contact: str) -> bool:
    """Whether a thing lies or rolls from its start to a contact. If that has a node, it must be a hold."""
    name, k = seen.happened[contact]
    chain = seen.trajectories.chains[name]
    own_node = chain.events[k].bounces and contact in seen.given_nodes
    stays = all(event.rides for event in chain.events[chain.first : k])
    return chain.spans[k].rolls and chain.first > 0 and not own_node and stays


def surface_of(seen: Rollout, contact: str) -> int | None:
    """The surface of a part that a thing touches, if it can be led there: in no air, and not to a thing in a hand. What
    is not a ball is led into hands only."""
    world, scene = seen.model.world, seen.model.scene
    name, k = seen.happened[contact]
    event = seen.trajectories.chains[name].events[k]
    able = scene.thing(name).shape.any_prescribed or event.catches
    if event.twin is not None or name in world.airs or not able:
        return None
    for surface in world.surfaces_of(scene.contact(contact).carrier):
        if world.surfaces.patch(int(surface)) is event.patch:
            return int(surface)
    return None


def in_two_hands(scene: Scene, loose: Sequence[str] = ()) -> list[str]:
    """Things that start in two hands."""
    starts = [(thing.name, thing.start) for thing in scene.things if thing.name not in loose]
    return [name for name, start in starts if isinstance(start, Held) and start.second is not None]


def _has_faces(scene: Scene, hold: str) -> bool:
    """Whether what a hold holds has sides that hands are laid on; around a handle they reach."""
    name = hold if any(thing.name == hold for thing in scene.things) else scene.contact(hold).object
    return has_faces(scene.thing(name).body)


def _gripping(freedom: Freedom, scene: Scene) -> Freedom:
    """Hands hold fast: else the cheapest way to move a thing would be to pull it out of the one that it starts in."""
    held = [thing.name for thing in scene.things if isinstance(thing.start, Held)]
    parts = [f"{name}.{part}" for name in held for part in ("position", "turn")]
    return replace(freedom, locks=(*freedom.locks, *(Lock(part) for part in parts if part not in freedom.opened)))


def _resting(freedom: Freedom, scene: Scene, things: Sequence[Lies], follow: bool) -> Freedom:
    """What lies still goes on to, by preference where it lies: people come to it, or it follows them."""
    locks = [Lock(part) for constraint in things for part in constraint.locks if part not in freedom.opened]
    scales = dict(freedom.scales)
    for constraint in things:
        place, mass = f"{constraint.thing}.position", float(np.asarray(scene.thing(constraint.thing).body.mass))
        scales[place] = scales.get(place, 1.0) * (FOLLOWS if follow else max(1.0, LYING / mass))
    return replace(freedom, locks=(*freedom.locks, *locks), scales=scales)


def _is_variable(scene: Scene, contact: str, origin: Iterate) -> bool:
    """A ball lies in the hand as it did; flights after impacts, and how other things are held, are variables."""
    node = origin.nodes.get(contact)
    shape = scene.thing(scene.contact(contact).object).shape
    return node is not None and (node.state is not None or not shape.lies_on_palm)


def _node_weights(scene: Scene, origin: Iterate, variables: set[str]) -> dict[str, Floats]:
    """Nodes cost what their thing weighs, as its start does."""
    weights = {}
    for contact in variables:
        body = scene.thing(scene.contact(contact).object).body
        hold = float(body.mass) * np.repeat([1.0, LEVER**2], 3)
        flight = np.concatenate([hold, hold * FLIGHT**2])
        weights[node_name(contact)] = hold if origin.nodes[contact].state is None else flight
    return weights


def _limits(model: Model, metric: Metric) -> Floats:
    """(N,) how far one step may move each entry of u, and each extra variable."""
    limits = np.full(metric.size, FARTHEST[""])
    for block in model.layout.blocks:
        limits[block.indices] = FARTHEST.get(block.part, FARTHEST[""])
    for name, where in metric.extras.items():
        kind = name.rpartition(".")[2]
        limits[where] = OF_NODE[: where.stop - where.start] if kind == "node" else FARTHEST[kind]
    return limits
