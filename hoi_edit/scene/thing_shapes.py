"""Kinds of shape: what a thing's body allows, and asks for, wherever it flies, lies, touches and is held.

A body is a rounded hull of points (`rigid.body`); whoever deals with things asks its shape what follows from that, and
not what it is. A new kind of shape is one more of these and a line in `shape_of`.
"""

from dataclasses import dataclass

from rigid.body import Body, is_ball


@dataclass(frozen=True)
class ThingShape:
    name: str
    turn_matters: bool  # how it is turned decides what it touches, and is solved for; else its turn is taken over
    by_centre: bool  # its surface is everywhere as far from its centre: the search takes many of them at once
    any_prescribed: bool  # any contact of it can be declared, and led to; else only grasps can
    lies_on_palm: bool  # in the one place that a palm has for it; else it is held by its sides, as it is turned
    stays_put: bool  # where it is put down flat; else it would roll, and goes its way by itself
    feels_air: bool  # it may have an `Air`


BALL = ThingShape(
    "ball", turn_matters=False, by_centre=True, any_prescribed=True, lies_on_palm=True, stays_put=False, feels_air=True
)
HULL = ThingShape(
    "hull", turn_matters=True, by_centre=False, any_prescribed=False, lies_on_palm=False, stays_put=True,
    feels_air=False,
)  # fmt: skip


def shape_of(body: Body) -> ThingShape:
    return BALL if is_ball(body) else HULL
