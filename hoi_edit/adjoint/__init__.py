"""dS/du: rows of any targets, assembled backwards along each thing's events, never as a dense matrix.

A row asks how one number of the scene changes with u. It starts at its target, a state of a thing or a point of a body,
and is carried back through flights and events by the local Jacobians of `hoi_edit.simulate`. On its way it leaves a
covector on (q, q̇) of every frame that took part: these, through four control points each, are the row's entries for the
character; and what reaches a start, a release or an open law are its entries for those. `Rows` keeps exactly that;
`Rows.dense` expands it for a user.
"""

from hoi_edit.adjoint.linearisation import Linearisation
from hoi_edit.adjoint.rows import Functional, PoseBlock, Rows, Target
from hoi_edit.simulate.accumulator import node_name, time_name

__all__ = ["Functional", "Linearisation", "PoseBlock", "Rows", "Target", "node_name", "time_name"]
