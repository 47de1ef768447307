"""Many random drags in random scenes, and many edits of clips with things: no exception, nothing that is not a number,
nothing missed in silence, nothing that `check` would find.

python -m tests.soak --drags 10000
"""

import argparse
import sys
from collections import Counter

import numpy as np

import hoi_edit as hoi
from hoi_edit.session import EditSession
from tests.clips import recordings
from tests.edit_fuzz import fuzz, memory_in_use

SCENES = ("juggle3", "soccer", "passing6", "baseball")
FLAT = 1.1  # by so much memory may grow in the second half: in the first, whatever is rare is met once, and compiled


def soak(drags: int, seed: int = 0, scenes: tuple[str, ...] = SCENES, each: int = 20) -> Counter[str]:
    """What became of so many drags; an AssertionError if something is wrong. A session lasts for `each` of them."""
    rng, found = np.random.default_rng(seed), Counter[str]()
    for _ in range(-(-drags // each)):
        session = hoi.open(scenes[int(rng.integers(len(scenes)))])
        start = session.u
        for _ in range(min(each, drags - found.total())):
            found[one_drag(session, rng)] += 1
        while session.undo():
            pass
        assert np.array_equal(session.u, start), "undo does not lead back to the start"
    return found


def one_drag(session: EditSession, rng: np.random.Generator) -> str:
    """A drag of something by 1 to 50 cm, checked; "arrived", "partly" or "refused"."""
    scene = session.scene
    names = [thing.name for thing in scene.things if len(thing.body.vertices) == 1]
    names += [f"{character.name}/{side}_hand" for character in scene.characters for side in ("left", "right")]
    name = names[int(rng.integers(len(names)))]
    t = float(rng.uniform(scene.start, max(event.time for event in session.rollout.events if event.intended)))
    by = rng.normal(size=3)
    target = session.state(name, t).position + by / np.linalg.norm(by) * 10.0 ** rng.uniform(-2.0, np.log10(0.5))
    kept, before = set(session.rollout.happened), session.now
    report = session.drag(name, t, target)
    assert np.all(np.isfinite(session.u)), f"u is not finite after a drag of {name} at {t}"
    if session.now == before:
        assert not report.converged, f"a drag of {name} at {t} converged and changed nothing"
        return "refused"
    assert kept <= set(session.rollout.happened), f"{kept - set(session.rollout.happened)} lost by {name} at {t}"
    off = max((float(np.abs(x).max()) for x in session.rollout.continuity.values()), default=0.0)
    assert off < 1e-5, f"a jump of {off} after a drag of {name} at {t}"
    if report.converged:
        away = float(np.linalg.norm(session.state(name, t).position - target))
        assert away <= 1e-6, f"a drag of {name} at {t} converged {away} m away from its target"
        return "arrived"
    return "partly"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=2_000, help="of clips with things, beside the drags")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    done, total, memory = 0, Counter[str](), list[float]()
    while done < options.drags:
        count = min(100, options.drags - done)
        total += soak(count, options.seed + done)
        done += count
        memory.append(memory_in_use())
        print(f"{done} drags: {dict(total)}, {memory[-1]:.0f} MB", flush=True)
    half, end = (memory[len(memory) // 2], memory[-1]) if memory else (0.0, 0.0)
    flat = end <= FLAT * half
    print(f"memory {'is flat' if flat else 'GROWS'}: {half:.0f} MB half way, {end:.0f} MB at the end")
    edited = fuzz(options.edits, options.seed, recordings())
    print(f"{edited.edits} edits of clips, {len(edited.wrong)} wrong", *edited.lines(), sep="\n")
    return 0 if flat and not edited.wrong else 1


if __name__ == "__main__":
    sys.exit(main())
