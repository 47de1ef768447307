"""Steps of the history as an animator would say them. No widgets here."""

from __future__ import annotations

from collections.abc import Sequence

from hoi_edit.edit.document import Step
from hoi_edit.qp import Freedom
from hoi_edit.rollout import Rollout
from ui.words.names import contact_in_words, plain

MAY_CHANGE = "what may change"  # as the core calls whatever is done about locks, windows and prices


def labels_of(history: Sequence[Step], rollout: Rollout) -> tuple[str, ...]:
    return tuple(label_of(history, k, rollout) for k in range(len(history)))


def label_of(history: Sequence[Step], k: int, rollout: Rollout) -> str:
    """Of one step, by what it has changed; `in_words` says its names as the timeline does."""
    step = history[k]
    if step.label == MAY_CHANGE and k > 0:
        return _freed(history[k - 1].document.freedom, step.document.freedom, rollout) or step.label
    if step.call.arguments.get("rotation") is not None:
        return step.label.replace("drag ", "turn ", 1)
    return step.label


def _freed(before: Freedom, after: Freedom, rollout: Rollout) -> str:
    if before.window != after.window:
        window = after.window
        return "edits at any time" if window is None else f"edits only from {window.start:.2f} to {window.end:.2f} s"
    was, now = [lock.name for lock in before.locks], [lock.name for lock in after.locks]
    if was != now:
        names = [name for name in (*now, *was) if (name in now) is not (name in was)]
        return f"{'lock' if len(now) > len(was) else 'unlock'} {', '.join(_called(name, rollout) for name in names)}"
    if set(before.opened) != set(after.opened):
        name = next(iter(set(before.opened) ^ set(after.opened)))
        return f"{'let' if name in after.opened else 'no longer let'} {_called(name, rollout)} bend"
    if before.things != after.things:
        return f"moving things costs {after.things:.2g}×"
    changed = [name for name, price in after.scales.items() if before.scales.get(name) != price]
    return f"moving {plain(changed[0])} costs {after.scales[changed[0]]:.2g}×" if changed else ""


def _called(name: str, rollout: Rollout) -> str:
    """A contact as the timeline calls it, anything else by its name."""
    contacts = {contact.id for contact in rollout.model.scene.contacts}
    return contact_in_words(rollout, name) if name in contacts else plain(name)


def abridged(words: str, most: int) -> str:
    """At most so many letters, whole words left out before the last ones: steps differ at their ends, by times."""
    if len(words) <= most:
        return words
    all_words = words.split(" ")
    end = " ".join(all_words[-3:])
    for count in range(len(all_words) - 3, 0, -1):
        short = f"{' '.join(all_words[:count])} … {end}"
        if len(short) <= most:
            return short
    return f"… {end}"
