"""The timeline as data: a lane per thing, per hand and per blend, holds as bars, throws, catches and touches as marks.

Lanes are numbered from the top; they are one row high, or several. Only `Scale` and `Layout.lane_at` know pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from hoi_edit import Held, KeepClear, KeepContact, Pin, Scene, Window
from hoi_edit.constraints.base import Constraint
from hoi_edit.edit.holds import is_held
from hoi_edit.rollout import Rollout
from hoi_edit.scene.colours import colours_of
from hoi_edit.simulate.trajectory import Event, Span
from ui import theme
from ui.timeline.blend_curves import Keyframe, WeightCurve, blended, curves_of_weights, keyframes_of
from ui.timeline.clip_bars import ClipBar, ClipHandle, clip_bars, has_clips
from ui.timeline.clip_bars import handle_at as clip_handle_at
from ui.timeline.scales import Scale
from ui.words.catch_candidates import palms
from ui.words.names import plain, spoken
from ui.words.problems import is_unwanted

MarkKind = Literal["catch", "throw", "touch", "pass", "rest"]
KINDS: dict[str, MarkKind] = {"grasp": "catch", "release": "throw", "impact": "touch", "pass": "pass", "rest": "rest"}
REACH = 8.0  # [px] around a mark
CLOSEST = 0.03  # [s] that two events of a thing keep between them when one is dragged towards the other
OVERLAP = 1e-3  # [s] that nobody sees
BLEND_ROWS = 3  # of the lane of a blend: a weight is dragged up and down in it
PEOPLE = 3  # up to so many, all hands have lanes: in an empty one a hold is planned
BarGrip = Literal["start", "end", "whole"]


@dataclass(frozen=True)
class Lane:
    name: str  # "ball1", "juggler/right_hand"; of a blend, whom it moves
    label: str
    kind: Literal["thing", "part", "blend", "clip"]
    owner: int  # number of the colour of the thing or character
    rows: int = 1  # how high it is
    is_hand: bool = False  # of a part: a hold can be drawn in its lane


@dataclass(frozen=True)
class Bar:
    """A hold, or lying on something."""

    lane: int
    start: float
    end: float
    thing: int  # whose colour it has
    kind: Literal["held", "contact"]
    contact: str | None  # that began it; of a start in a hand, the thing's own name
    object: str = ""
    ends: bool = False  # before the scene does, which a mark says
    slot: int = 0  # where a hand holds several things at once: which of so many, from above
    slots: int = 1

    @property
    def at_once(self) -> bool:
        """Whether the thing is in the hand from the start, so that no catch begins the hold."""
        return self.contact in (None, self.object)

    @property
    def words(self) -> str:
        return f"{self.object} is held from {self.start:.2f} to {self.end:.2f} s"


@dataclass(frozen=True)
class HoldEnd:
    """Where on a bar the pointer is: on its end, which nothing else marks, or anywhere else."""

    bar: Bar
    grip: BarGrip

    @property
    def words(self) -> str:
        if self.grip == "end":
            return f"{self.bar.object} is held to the end; drag it to where it is let go"
        return self.bar.words + ("" if self.bar.at_once else "; drag it in time")


@dataclass(frozen=True)
class EmptyHand:
    """Where a hand holds nothing: a hold can be drawn there."""

    part: str

    @property
    def words(self) -> str:
        return f"{plain(self.part)} holds nothing here; drag along its lane to have it hold something"


@dataclass(frozen=True)
class Mark:
    lane: int
    time: float
    kind: MarkKind
    object: str
    other: str
    intended: bool
    retimes: str | None  # what `session.retime` calls it: "catch3", "catch3:release"; None: it cannot be moved
    unwanted: bool = False

    @property
    def words(self) -> str:
        meant = ", which nobody intended" if self.unwanted else ""
        return f"{self._happening} at {self.time:.2f} s{meant}"

    @property
    def _happening(self) -> str:
        verbs = {"catch": "is caught by", "throw": "leaves", "touch": "touches", "rest": "comes to rest on"}
        verb = (verbs | {"pass": "is passed to"})[self.kind]
        return f"{self.object} {verb} {plain(self.other)}"

    def moved_words(self, t: float, room: tuple[float, float]) -> str:
        """The same while it is dragged to another time, in the room that there is."""
        words = f"{self._happening}: {self.time:.2f} → {t:.2f} s"
        if t <= room[0] and t < self.time:
            return f"{words}, as early as it can be"
        return f"{words}, as late as it can be" if t >= room[1] and t > self.time else words


@dataclass(frozen=True)
class Needle:
    """A constraint, where it holds."""

    lane: int
    time: float
    kind: Literal["pin", "contact", "clear"]
    label: str


@dataclass(frozen=True)
class LaneLayout:
    lanes: tuple[Lane, ...] = ()
    bars: tuple[Bar, ...] = ()
    marks: tuple[Mark, ...] = ()
    needles: tuple[Needle, ...] = ()
    window: Window | None = None
    weights: tuple[WeightCurve, ...] = ()  # of blends
    keyframes: tuple[Keyframe, ...] = ()
    clips: tuple[ClipBar, ...] = ()

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """How many rows are above each lane, and below them all."""
        above = [0]
        for lane in self.lanes:
            above.append(above[-1] + lane.rows)
        return tuple(above)

    def seen(self, first: int, room: int) -> range:
        """The lanes that fit into so many rows, from the first one on."""
        last = first
        while last < len(self.lanes) and self.rows[last + 1] - self.rows[first] <= room:
            last += 1
        return range(first, max(last, min(first + 1, len(self.lanes))))

    def first_of_last(self, room: int) -> int:
        """The lane at the top when the last one is in sight."""
        return next((k for k in range(len(self.lanes)) if self.rows[-1] - self.rows[k] <= room), 0)

    def lane_at(self, y: float, top: float, height: float) -> int | None:
        """The lane of a pixel, where the first one begins at `top` and a row is so high."""
        row = int((y - top) // height)
        return next((k for k in range(len(self.lanes)) if self.rows[k] <= row < self.rows[k + 1]), None)

    def mark_at(self, scale: Scale, x: float, y: float, top: float, height: float) -> Mark | None:
        """The mark under the pointer; of several the nearest, and at the same place one that can be moved."""
        lane = self.lane_at(y, top, height)
        near = [mark for mark in self.marks if mark.lane == lane and abs(scale.x(mark.time) - x) <= REACH]
        return min(near, key=lambda mark: (abs(scale.x(mark.time) - x), mark.retimes is None), default=None)

    def room_of(self, mark: Mark, start: float, end: float) -> tuple[float, float]:
        """From when to when a mark may be dragged in a scene that runs from start to end: what its thing is meant to do
        before and after stays before and after. A catch does not pass its own throw, nor a throw the next catch."""
        others = [other.time for other in self.marks if other.object == mark.object and other.retimes is not None]
        low = max((t + CLOSEST for t in others if t < mark.time), default=start)
        high = min((t - CLOSEST for t in others if t > mark.time), default=end)
        return min(max(low, start), mark.time), max(min(high, end), mark.time)

    def needle_at(self, scale: Scale, x: float, y: float, top: float, height: float) -> Needle | None:
        lane = self.lane_at(y, top, height)
        near = [needle for needle in self.needles if needle.lane == lane and abs(scale.x(needle.time) - x) <= REACH]
        return min(near, key=lambda needle: abs(scale.x(needle.time) - x), default=None)

    def room_of_hold(self, bar: Bar, start: float, end: float) -> tuple[float, float]:
        """From when to when a hold may begin that goes on for as long as it does now."""
        others = [m.time for m in self.marks if m.object == bar.object and m.retimes is not None]
        low = max((t + CLOSEST for t in others if t < bar.start - OVERLAP), default=start)
        high = min((t - CLOSEST for t in others if t > bar.end + OVERLAP), default=end)
        last = high - (bar.end - bar.start) if bar.ends else end - CLOSEST
        return min(max(low, start), bar.start), max(last, bar.start)

    def clip_at(self, scale: Scale, x: float, y: float, top: float, height: float) -> ClipHandle | None:
        return clip_handle_at(self.clips, self.lane_at(y, top, height), scale, x)

    def hold_at(self, scale: Scale, x: float, y: float, top: float, height: float) -> HoldEnd | None:
        """The hold under the pointer, and which part of its bar; the end only where no mark is there to be dragged."""
        lane = self.lane_at(y, top, height)
        here = [bar for bar in self.bars if bar.lane == lane and bar.kind == "held"]
        for bar in here:
            if not bar.ends and abs(scale.x(bar.end) - x) <= REACH:
                return HoldEnd(bar, "end")
        if lane is None:
            return None
        share = (y - top) / height - self.rows[lane]
        on = [bar for bar in here if scale.x(bar.start) <= x <= scale.x(bar.end)]
        among = [bar for bar in on if int(share * bar.slots) == bar.slot] or on
        return HoldEnd(among[0], "whole") if among else None

    def empty_at(self, scale: Scale, x: float, y: float, top: float, height: float) -> EmptyHand | None:
        """Where the lane of a hand is empty under the pointer."""
        lane = self.lane_at(y, top, height)
        if lane is None or not self.lanes[lane].is_hand or not 0.0 <= x - scale.left <= scale.width:
            return None
        return EmptyHand(self.lanes[lane].name)

    def edge_at(self, scale: Scale, x: float) -> Literal["start", "end"] | None:
        """The end of the window of edits that is near."""
        if self.window is None:
            return None
        away = {"start": abs(scale.x(self.window.start) - x), "end": abs(scale.x(self.window.end) - x)}
        edge: Literal["start", "end"] = "start" if away["start"] < away["end"] else "end"
        return edge if away[edge] <= REACH else None


def stops_of(rollout: Rollout, name: str | None) -> list[float]:
    """The times of a selection, in order: of everything that happens to it, of a person also what happens to their
    parts, and the keyframes of a blend that moves them."""
    events = [
        event.time for event in rollout.events
        if name in (None, event.object, event.other) or (event.other or "").startswith(f"{name}/")
    ]  # fmt: skip
    owner = (name or "").partition("/")[0]
    return sorted([*events, *(key.time for key in keyframes_of(rollout) if key.character == owner)])


def lay_out(rollout: Rollout, constraints: Sequence[Constraint] = (), window: Window | None = None) -> LaneLayout:
    """Everything that happens, on lanes."""
    scene = rollout.model.scene
    lanes = _lanes(scene, rollout)
    index = {lane.name: k for k, lane in enumerate(lanes) if lane.kind != "clip"}
    clips = clip_bars(rollout, {lane.name: k for k, lane in enumerate(lanes) if lane.kind == "clip"})
    collected = _Found()
    numbers = _numbers(scene)
    for thing in scene.things:
        chain = rollout.trajectories.chains[thing.name]
        for k, span in enumerate(chain.spans):
            if not span.flies:
                began = chain.events[k - 1].contact if k else thing.name
                ends, number = k + 1 < len(chain.spans), numbers[thing.name]
                bar = Bar(0, span.start, span.end, number, "contact", began, thing.name, ends)
                _add_bars(collected, index, rollout, bar, span, is_held(chain, k))
        for event in chain.events:
            _add_mark(collected, index, event, scene)
    needles = [needle for constraint in constraints if (needle := _needle(constraint, scene, index)) is not None]
    return LaneLayout(
        tuple(lanes), beside_each_other(collected.bars), tuple(collected.marks), tuple(needles), window,
        tuple(curves_of_weights(rollout)), tuple(keyframes_of(rollout)), tuple(clips),
    )  # fmt: skip


def beside_each_other(bars: Sequence[Bar]) -> tuple[Bar, ...]:
    """Bars of one lane that overlap share its height."""
    placed: list[Bar] = []
    for lane in sorted({bar.lane for bar in bars}):
        together: list[Bar] = []  # bars of which each overlaps another one
        for bar in sorted((bar for bar in bars if bar.lane == lane), key=lambda bar: bar.start):
            if together and bar.start >= max(other.end for other in together) - OVERLAP:
                placed += _sharing(together)
                together = []
            taken = {other.slot for other in together if other.end > bar.start + OVERLAP}
            together.append(replace(bar, slot=next(k for k in range(len(bars)) if k not in taken)))
        placed += _sharing(together)
    return tuple(placed)


def _sharing(together: list[Bar]) -> list[Bar]:
    slots = 1 + max((bar.slot for bar in together), default=0)
    return [replace(bar, slots=slots) for bar in together]


def _needle(constraint: Constraint, scene: Scene, index: dict[str, int]) -> Needle | None:
    """Of a constraint that holds at one time; others have no place on a timeline."""
    if isinstance(constraint, Pin):
        lane = _lane_of(constraint.name, index)
        return Needle(index[lane], constraint.t, "pin", constraint.label) if lane in index else None
    if isinstance(constraint, KeepClear) and constraint.thing in index:
        return Needle(index[constraint.thing], constraint.time, "clear", constraint.label)
    if isinstance(constraint, KeepContact):
        thing = next((contact.object for contact in scene.contacts if contact.id == constraint.contact), None)
        return None if thing is None else Needle(index[thing], constraint.time, "contact", constraint.label)
    return None


@dataclass
class _Found:
    bars: list[Bar] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


def _numbers(scene: Scene) -> dict[str, int]:
    """Of the colours of things."""
    return colours_of([thing.name for thing in scene.things], len(theme.THINGS))


def _lanes(scene: Scene, rollout: Rollout) -> list[Lane]:
    numbers = _numbers(scene)
    things = [Lane(thing.name, thing.name, "thing", numbers[thing.name]) for thing in scene.things]
    parts: set[str] = set()
    for thing in scene.things:
        chain = rollout.trajectories.chains[thing.name]
        held = [span.frame for k, span in enumerate(chain.spans) if is_held(chain, k)]
        parts |= {rollout.model.world.frame_name(frame) for frame in held}
        parts |= {e.other for e in chain.events if e.intended and e.other is not None and "/" in e.other}
    hands = {rollout.model.world.frame_name(rollout.model.world.frame(palm)) for palm in palms(scene)}
    if len(scene.characters) <= PEOPLE:
        parts |= hands
    several = len(scene.characters) > 1
    blends = {number for number, _, _ in blended(scene)}
    body_lanes = []
    for number, character in enumerate(scene.characters):
        if has_clips(scene):
            body_lanes.append(Lane(character.name, character.name, "clip", number))
        if number in blends:
            body_lanes.append(Lane(character.name, character.name, "blend", number, BLEND_ROWS))
        for segment in character.skeleton.names:
            name = f"{character.name}/{segment}"
            if name in parts:
                label = _part(segment, character.name if several else None)
                body_lanes.append(Lane(name, label, "part", number, is_hand=name in hands))
    return things + body_lanes


def _part(segment: str, owner: str | None) -> str:
    """A part of a body in a few letters: "right hand"; where there are several people, "pitcher R hand"."""
    words = spoken(segment)
    if owner is None:
        return words
    short = " ".join({"left": "L", "right": "R"}.get(word, word) for word in words.split(" "))
    return f"{owner if len(owner) <= 8 else owner[:7] + '…'} {short}"


def _add_bars(collected: _Found, index: dict[str, int], rollout: Rollout, bar: Bar, span: Span, held: bool) -> None:
    """In the lane of the thing and, if somebody holds it, in that of the part that does."""
    bar = replace(bar, lane=index[bar.object], kind="held" if held else "contact")
    world = rollout.model.world
    parts = [world.frame_name(span.frame), *_second_hand(rollout, bar)] if held else []
    collected.bars += [bar, *(replace(bar, lane=index[part]) for part in dict.fromkeys(parts) if part in index)]


def _second_hand(rollout: Rollout, bar: Bar) -> list[str]:
    """The part that holds on where two hands hold something."""
    scene, world = rollout.model.scene, rollout.model.world
    contact = next((contact for contact in scene.contacts if contact.id == bar.contact), None)
    start = scene.thing(bar.object).start
    held = contact or (start if bar.at_once and isinstance(start, Held) else None)
    second = None if held is None else held.second
    return [] if second is None else [world.frame_name(world.frame(second))]


def _add_mark(collected: _Found, index: dict[str, int], event: Event, scene: Scene) -> None:
    if event.kind not in KINDS:
        return
    kind, retimes = KINDS[event.kind], None
    if event.contact is not None and (event.is_met or event.passes_on or event.lets_go):
        retimes = f"{event.contact}:release" if event.lets_go else event.contact
    other = event.other or ""
    for lane in (event.object, other):
        if lane in index:
            collected.marks.append(
                Mark(
                    index[lane],
                    event.time,
                    kind,
                    event.object,
                    other,
                    event.intended,
                    retimes,
                    is_unwanted(event, scene),
                )
            )


def _lane_of(name: str, index: dict[str, int]) -> str:
    """The lane of a point of a body: its own part, or the part of the same limb that has a lane."""
    if name in index or "/" not in name:
        return name
    owner, _, point = name.partition("/")
    side = point.split("_")[0]
    return next((lane for lane in index if lane.startswith(f"{owner}/{side}_")), name)
