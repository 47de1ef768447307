"""Where an edit stands: the control vector, the nodes, and what they give."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hoi_edit.rollout import Model, Rollout
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.past import Past
from hoi_edit.simulate.trajectory import Node
from hoi_edit.simulate.variations import PLACE, SPIN, TURN, VELOCITY
from kinematics.rotation import Floats, rotation_exp


@dataclass(frozen=True, eq=False)
class Iterate:
    u: Floats
    nodes: Mapping[str, Node]
    times: Mapping[str, float]  # of intended contacts, as an edit has them; where it is done these are the events' own
    rollout: Rollout
    led: Mapping[str, int] = field(default_factory=dict)  # contacts that happen at those times, and on which surface

    @staticmethod
    def at(
        model: Model, u: Floats, nodes: Mapping[str, Node], times: Mapping[str, float],
        led: Mapping[str, int] | None = None, past: Past | None = None,
    ) -> "Iterate":  # fmt: skip
        led = led or {}
        guide = {contact: (times[contact], surface) for contact, surface in led.items()}
        return Iterate(u, nodes, times, model.simulate(u, nodes, guide=guide, past=past), led)

    def led_to(self, led: Mapping[str, int]) -> "Iterate":
        """The same with these contacts by decree; without any, as it really is."""
        return Iterate.at(self.rollout.model, self.u, self.nodes, self.times, led)

    @staticmethod
    def fresh(model: Model, u: Floats) -> "Iterate":
        """From the start of the scene, with a node after each intended contact that happens."""
        rollout = model.simulate(u)
        return Iterate.at(model, u, rollout.nodes, {}).timed()

    def timed(self) -> "Iterate":
        """With the times at which contacts really are."""
        chains = self.rollout.trajectories.chains
        times = {contact: chains[name].events[k].time for contact, (name, k) in self.rollout.happened.items()}
        return replace(self, times={**self.times, **times})

    def moved(self, step: Floats, nodes: Mapping[str, Floats], share: float, past: Past | None = None) -> "Iterate":
        """A share of a step of u, and of nodes and times, away."""
        moved_nodes, times = dict(self.nodes), dict(self.times)
        for name, way in nodes.items():
            contact, _, kind = name.rpartition(".")
            if kind == "node":
                moved_nodes[contact] = moved_node(moved_nodes[contact], share * way)
            elif kind == "time":
                times[contact] += share * float(way[0])
                if contact in moved_nodes:
                    moved_nodes[contact] = held_since(moved_nodes[contact], times[contact])
        return Iterate.at(self.rollout.model, self.u + share * step, moved_nodes, times, self.led, past)

    def reshot(self, contacts: Iterable[str], past: Past | None = None) -> "Iterate":
        """The same with flights after these contacts as the contacts give them."""
        outcomes = self.rollout.nodes_given
        reshot_nodes = {contact: outcomes[contact] for contact in contacts if contact in outcomes}
        return Iterate.at(self.rollout.model, self.u, {**self.nodes, **reshot_nodes}, self.times, self.led, past)

    def with_turns(self, loose: Collection[str] = ()) -> "Iterate":
        """The same with what matters to nothing else taken over: how balls are turned after contacts.

        Everything turns a ball from the left, so a ball that starts a stretch turned by C (from the right) ends it so.
        Contacts that have come to happen get a node, as all others have; not those that edits need not keep (`loose`),
        after which things go on as the contact gives it.
        """
        seen, nodes = self.rollout, dict(self.nodes)
        outcomes = seen.nodes_given
        for thing in seen.model.scene.things:
            if thing.shape.turn_matters:
                continue
            C = np.eye(3)
            for event in seen.trajectories.chains[thing.name].events:
                contact = event.contact
                if contact in outcomes and not event.lets_go:
                    was = turn_of(nodes[contact])
                    nodes[contact] = with_turn(nodes[contact], turn_of(outcomes[contact]) @ C)
                    C = was.T @ turn_of(nodes[contact])
        end = Iterate.at(seen.model, self.u, nodes, self.times)
        without = {contact.id for contact in seen.model.scene.contacts if contact.declared}.union(loose)
        new = {name: node for name, node in end.rollout.nodes.items() if name not in nodes and name not in without}
        return Iterate.at(seen.model, self.u, {**nodes, **new}, self.times) if new else end


def moved_node(node: Node, step: Floats) -> Node:
    """A node varied by twelve numbers of a flight (place, turn, velocity, spin), or six of a hold (place, turn)."""
    turn = rotation_exp(np.asarray(step[TURN], float))
    if node.state is None:
        return replace(
            node, position=np.asarray(node.position) + step[PLACE], rotation=turn @ np.asarray(node.rotation)
        )
    s = STATE.unpack(np.asarray(node.state))
    rotation = turn @ s.rotation.reshape(3, 3)
    moved = [s.position + step[PLACE], rotation.ravel(), s.velocity + step[VELOCITY], s.spin + step[SPIN]]
    return replace(node, state=np.concatenate(moved))


def held_since(node: Node, time: float) -> Node:
    """A hold begins when its contact is; a flight is named by a time that stays."""
    return node if node.state is not None or node.time == time else replace(node, time=time)


def turn_of(node: Node) -> Floats:
    """Its rotation (3, 3)."""
    if node.state is None:
        return np.asarray(node.rotation)
    return np.asarray(STATE.unpack(np.asarray(node.state)).rotation.reshape(3, 3))


def with_turn(node: Node, rotation: Floats) -> Node:
    if node.state is None:
        return replace(node, rotation=rotation)
    state = np.array(node.state)
    state[STATE.slices["rotation"]] = rotation.ravel()
    return replace(node, state=state)
