"""The truth table of gradients: small scenes whose derivative is known from outside of this program.

In: nothing. Out: one row per scene with our derivative, the true one, how that was found, and how far they are apart.
`hoi-edit check --gradients` prints it.
"""

from hoi_edit.truth.cases import CASES, Case
from hoi_edit.truth.truth_table import TruthRow, check_gradients, judge

__all__ = ["CASES", "Case", "TruthRow", "check_gradients", "judge"]
