"""The scenes of the truth table. Times of events keep away from the knots of the rig's spline: its third derivative
jumps there, which no difference quotient likes."""

import numpy as np

from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing, ground
from hoi_edit.truth.paddle_rig import REACH, rig, still
from rigid.air import Air, air_for
from rigid.body import ball
from rigid.distance import RoundedBox
from rigid.impact import Material

RADIUS = 0.05  # [m]
MASS = 0.15  # [kg]
BALL = ball(MASS, RADIUS)


def flying(
    position: tuple[float, float, float],
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    name: str = "ball",
    restitution: float = 1.0,
    friction: float = 1.0,
    mass: float = MASS,
    air: Air | None = None,
) -> Thing:
    """A ball of the usual size in flight."""
    start = Flying(np.array(position), np.array(velocity), angular_velocity=np.array(spin))
    return Thing(name, ball(mass, RADIUS), start, Material(restitution, friction), air)


# -- on the floor -----------------------------------------------------------------------------------------------------


def drop() -> Scene:
    """From 1 m, elastic: the row that engines with time steps miss."""
    return Scene(things=[flying((0.0, 1.0, 0.0))], fixtures=[ground()], end=1.0)


THROW = (0.1, 1.1, -0.2), (2.0, 0.5, -1.0), (4.0, -3.0, 12.0)  # position, velocity, spin


def floor_bounce(restitution: float, friction: float) -> Scene:
    """Thrown up and sideways with spin, bouncing once, on purpose: so its law is in u."""
    thing = flying(*THROW)
    touch = Contact("floor", "ball", "ground", 0.5, restitution=restitution, friction=friction)
    return Scene(things=[thing], fixtures=[ground()], contacts=[touch], end=1.0)


# -- ball and ball ----------------------------------------------------------------------------------------------------


def head_on() -> Scene:
    """Equal, elastic, without friction: they exchange velocities."""
    a = flying((0.0, 2.0, 0.0), (1.5, 0.0, 0.0), name="a", friction=0.0)
    b = flying((0.6, 2.0, 0.0), (-0.5, 0.0, 0.0), name="b", friction=0.0)
    return Scene(things=[a, b], end=1.0)


def glancing() -> Scene:
    """Of unequal mass, off centre, with friction, spin and loss."""
    a = flying((0.0, 1.0, 0.0), (2.0, 1.0, 0.0), (0.0, 3.0, 5.0), "a", 0.95, 0.5)
    b = flying((0.5, 1.03, 0.02), (-1.0, 1.2, 0.1), (6.0, 0.0, -2.0), "b", 0.95, 0.6, mass=0.4)
    return Scene(things=[a, b], end=1.0)


# -- on a paddle ------------------------------------------------------------------------------------------------------

END = 1.4  # [s] of the rig's scenes: knots each 0.2 s


def paddle(tilting: float, friction: float) -> Scene:
    """Dropped off centre on a paddle that rises, and tilts if it is asked to; they touch at about 0.28 s."""
    character = rig(
        still(0.02),
        lambda t: 0.5 + 0.15 * np.sin(4.0 * t - 0.5),
        lambda t: tilting * np.sin(5.0 * t - 0.9),
        still(0.0),
        END,
    )
    touch = Contact("hit", "ball", "rig/paddle", 0.3, restitution=0.85, friction=friction)
    thing = flying((0.08, 1.05, 0.03), (0.2, 0.0, -0.1), (3.0, 2.0, 30.0))
    return Scene(characters=[character], things=[thing], contacts=[touch], end=END)


def sandwiched() -> Scene:
    """Thrown up, a ball meets another, falls on the paddle and meets the other again: two ways lead to the throw."""
    character = rig(
        lambda t: 0.24 * np.sin(5.0 * t), lambda t: 0.8 + 0.3 * np.sin(7.0 * t), lambda t: 0.4 * np.sin(4.0 * t),
        still(0.0), END,
    )  # fmt: skip
    thrown = Thing("a", ball(0.1, RADIUS), Held("rig/palm", release=0.1), Material(0.8, 0.4))
    falling = flying((0.3, 1.6, 0.02), (-0.3, 0.0, 0.0), name="b", restitution=0.9)
    return Scene(characters=[character], things=[thrown, falling], fixtures=[ground()], end=END)


# -- in a hand --------------------------------------------------------------------------------------------------------

SWING = 2.0 * np.pi / 0.9  # [rad/s]


def caught_and_thrown() -> Scene:
    """Caught on the way up, thrown forward when the hand slows down faster than gravity, and off the floor."""
    character = rig(
        lambda t: -0.24 * np.cos(SWING * t),
        lambda t: 1.0 - 0.3 * np.cos(SWING * t),
        lambda t: 0.2 * np.sin(3.0 * t),
        still(0.0),
        END,
    )
    catch = Contact("catch", "ball", "rig/palm", 0.15, "grasp", release=0.347)
    floor = Contact("floor", "ball", "ground", 1.0, restitution=0.8, friction=0.3)
    thing = flying((-0.18, 0.98, 0.04), (0.3, 0.0, 0.1), (1.0, 2.0, -3.0))
    return Scene(characters=[character], things=[thing], fixtures=[ground()], contacts=[catch, floor], end=END)


def _tossing(tilt: float) -> Character:
    """A palm that swings up and down and sways, and tilts by so much [rad]."""
    return rig(
        lambda t: 0.05 * np.sin(3.0 * t),
        lambda t: 1.0 - 0.3 * np.cos(SWING * t),
        lambda t: tilt * np.sin(4.0 * t),
        still(0.0),
        END,
    )


def thrown_and_caught() -> Scene:
    """Thrown up, caught with the same hand, held for a while and thrown again."""
    character = _tossing(0.1)
    thing = Thing("ball", BALL, Held("rig/palm", release=0.353))
    catch = Contact("catch", "ball", "rig/palm", 0.84, "grasp", release=1.253)
    return Scene(characters=[character], things=[thing], contacts=[catch], end=END)


# -- convex things ----------------------------------------------------------------------------------------------------


def pinball() -> Scene:
    """On a moving head, then twice on a bar with a round back. Each touch multiplies what came before."""
    character = rig(
        still(-REACH), lambda t: 0.55 + 0.1 * np.sin(4.0 * t), lambda t: 0.1 * np.sin(3.0 * t), still(0.0), END
    )
    lying = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # its axis along Z
    bar = Fixture("bar", RoundedBox(np.array([0.0, 0.3, 0.0]), 0.08), np.array([0.78, 1.22, 0.1]), lying)
    thing = flying((0.03, 1.5, 0.01), (0.0, 0.0, 0.0), (2.0, 0.0, 1.0), restitution=0.9, friction=0.1)
    return Scene(characters=[character], things=[thing], fixtures=[bar], end=END)


# -- over an edge -----------------------------------------------------------------------------------------------------

TOP = 0.8  # [m] of the table
EDGE = 0.3  # [m] where it ends
FROM = 0.1  # [m] where the ball is put down
FALL = 0.01  # [m] from how high


def table_edge(speed: float, end: float) -> Scene:
    """Put down on a table, rolling along it and over its edge to the floor."""
    table = Fixture("table", RoundedBox(np.array([EDGE, 0.02, 0.3]), 0.0), np.array([0.0, TOP - 0.02, 0.0]))
    thing = flying(
        (FROM, TOP + RADIUS + FALL, 0.0), (speed, 0.0, 0.1), (2.0, 0.0, -speed / RADIUS), restitution=0.1, friction=0.5
    )
    return Scene(things=[thing], fixtures=[table, ground()], end=end)


# -- through air ------------------------------------------------------------------------------------------------------

WINDY = air_for(MASS, RADIUS, drag=0.35, lift=1.0, wind=(0.5, 0.0, 2.0))


def pitched() -> Scene:
    """Fast, with a spin that bends its way, through a cross wind; off the floor once, on purpose, and on."""
    thing = flying((0.0, 1.6, 0.0), (38.0, -2.0, 0.5), (20.0, 60.0, -120.0), restitution=0.9, friction=0.9, air=WINDY)
    touch = Contact("floor", "ball", "ground", 0.4, restitution=0.6, friction=0.4)
    return Scene(things=[thing], fixtures=[ground()], contacts=[touch], end=1.0)


def thrown_in_air() -> Scene:
    """Out of a moving hand, up through air, and back onto the same hand, which tilts and is a paddle by then."""
    character = _tossing(0.15)
    thing = Thing("ball", BALL, Held("rig/palm", release=0.353), Material(0.8, 0.3), WINDY)
    return Scene(characters=[character], things=[thing], fixtures=[ground()], end=END)


def glancing_in_air() -> Scene:
    """One of two that meet feels the air."""
    a = flying((0.0, 1.0, 0.0), (12.0, 1.0, 0.0), (0.0, 30.0, 50.0), "a", 0.95, 0.5, air=WINDY)
    b = flying((3.0, 1.0, 0.05), (-1.0, 1.2, 0.1), (6.0, 0.0, -2.0), "b", 0.95, 0.6, mass=0.4)
    return Scene(things=[a, b], end=1.0)
