"""What was measured, to be read: what is wrong first, and then a line for each kind of claim."""

from collections.abc import Iterator, Mapping, Sequence

from hoi_edit.reporting.words import count_of
from hoi_edit.verify.measure import Measure, badness, number

MOST = 8  # claims of a kind that are told one by one
WIDTH = 58  # of what a kind of claim says

# what the claims of each kind say, in the order in which they are told
CLAIMS: Mapping[str, str] = {
    "source": "the scene begins as its clips and controls say",
    "bodies": "every part of a body is where its pose puts it",
    "flight": "flights fall, spin and drift as physics says",
    "hold": "what is held moves with what holds it",
    "in hand": "what starts in a hand lies where it was put",
    "at hand": "hands are on what they take up",
    "put down": "what is put down lies flat and still",
    "release": "what is let go leaves when its controls say",
    "gap": "what touches does touch",
    "continuity": "things and their speeds go on without a leap",
    "momentum": "impacts keep momentum",
    "restitution": "impacts bounce as the materials say",
    "friction": "impacts rub as the materials say",
    "penetration": "nothing is inside anything else",
    "let go": "hands do not pass through what they let go",
    "contacts": "intended contacts happen, and when they were planned",
    "declared": "contacts that are only declared happen already",
    "blends": "blends stay between their clips",
    "pins": "pins hold",
    "clear": "what is to keep clear does",
    "limits": "joints stay within their limits",
    "feet": "feet that are planted stand still",
    "acceleration": "hands accelerate no more than they may",
    "soft catches": "soft catches are soft",
    "open hands": "open hands are out of the way",
    "locks": "what was locked is as it was",
    "gradient": "derivatives are what difference quotients say",
}


def report_lines(measures: Sequence[Measure]) -> Iterator[str]:
    """The verdict, all that is off, and a table of what was looked at."""
    off = [measure for measure in measures if measure.is_off]
    many = f"{len(off)} of {count_of(len(measures), 'claim')} {'is' if len(off) == 1 else 'are'} off"
    yield f"off: {many}" if off else f"all is well: {count_of(len(measures), 'claim')} measured again, 0 off"
    of_kind = _by_kind(off)
    for kind, wrong in of_kind.items():
        yield ""
        yield f"{kind}: {len(wrong)} off"
        yield from (f"  {measure}" for measure in wrong[:MOST])
        if len(wrong) > MOST:
            yield f"  … and {len(wrong) - MOST} more, none of them worse"
    yield ""
    yield f"{'claims':>8}  {'off':>4}  {'that':{WIDTH}} {'worst':>8}   allowed"
    for kind, claims in _by_kind(measures).items():
        worst, count = claims[0], len(of_kind.get(kind, ()))
        figures = f"{number(worst.off, ''):>8}   {number(worst.allowed, worst.unit)}"
        yield f"{len(claims):>8}  {count or '':>4}  {CLAIMS.get(kind, kind):{WIDTH}} {figures}"


def _by_kind(measures: Sequence[Measure]) -> dict[str, list[Measure]]:
    """In the order of the table, the worst of each kind first."""
    kinds = [*CLAIMS, *dict.fromkeys(measure.kind for measure in measures if measure.kind not in CLAIMS)]
    grouped = {kind: [measure for measure in measures if measure.kind == kind] for kind in kinds}
    return {kind: sorted(found, key=badness, reverse=True) for kind, found in grouped.items() if found}
