"""Juggling: from siteswap notation to people who juggle it.

In: a pattern as jugglers write it ("531", "(4,4)", "<3p 3|3p 3>"). Out: a scene with whole bodies in which every catch
happens, as a session that can be edited like any other.
"""

from hoi_edit.juggling.pattern_scene import scene
from hoi_edit.juggling.pattern_solver import Performance, juggle, performance
from hoi_edit.juggling.siteswap import Pattern, Toss, parse
from hoi_edit.juggling.timing import Schedule, schedule

__all__ = ["Pattern", "Performance", "Schedule", "Toss", "juggle", "parse", "performance", "scene", "schedule"]
