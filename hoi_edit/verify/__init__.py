"""An independent verifier of documents. In: a session. Out: every claim that its scene makes, measured again.

Nothing here is shared with the solver, the search for touches or the derivatives: poses, frames, flights, impulses and
distances are written once more, slowly and plainly, from the paper's and the textbook's formulas. What a session says
happened (events, and the states between them) is taken as testimony and checked.
"""

from hoi_edit.verify.measure import Measure
from hoi_edit.verify.verdict import measures, verify

__all__ = ["Measure", "measures", "verify"]
