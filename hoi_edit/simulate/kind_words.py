"""What spans and events are called, and what that says of them to those who read a trajectory.

Each kind of span and each sort of event has one word, which says itself what follows for others: whether a thing can be
led to it, is held from it on, flies meanwhile. So nobody compares words, and a new kind brings its own. To users, files
and tables a word is the text that it is.
"""


class SpanWord(str):
    """How users know a kind of span, and what its thing does meanwhile."""

    flies = False  # freely, from a state on: by `dynamics.flight_laws`
    is_held = False  # a frame carries it: a hand's, that of something that it lies on, the world's
    rolls = False  # it is in lasting contact with a surface, on which it rolls, slides or lies

    def __new__(cls, word: str, *, flies: bool = False, is_held: bool = False, rolls: bool = False) -> "SpanWord":
        made = super().__new__(cls, word)
        made.flies, made.is_held, made.rolls = flies, is_held, rolls
        return made


FLIGHT = SpanWord("flight", flies=True)
HELD = SpanWord("held", is_held=True)
CONTACT = SpanWord("contact", rolls=True)


class EventWord(str):
    """How users know a sort of event, and what it does to its thing."""

    bounces = False  # it goes on by itself, as restitution and friction have it
    catches = False  # a hand takes hold of it, whoever had it before
    passes_on = False  # it goes over from one hand to another, at a time that is a variable
    rests = False  # it lies still from then on
    lets_go = False  # what held it does not any more
    leaps = False  # two runs of one thing meet there that do not fit
    is_seam = False  # nothing happens: a stretch is only cut there
    touches = False  # it comes up against something
    rides = False  # it stays on what it lies on

    def __new__(cls, word: str, **says: bool) -> "EventWord":
        made = super().__new__(cls, word)
        for name, value in says.items():
            if not isinstance(getattr(cls, name, None), bool):
                raise TypeError(f"{name!r} is nothing that a word of an event says")
            setattr(made, name, value)
        return made

    @property
    def holds(self) -> bool:
        """Whether a thing is held in a hand from it on."""
        return self.catches or self.passes_on

    @property
    def is_met(self) -> bool:
        """Whether a contact comes about by it as two things meet: it can be led to, and followed by a node."""
        return self.bounces or self.catches

    @property
    def fulfils(self) -> bool:
        """Whether a contact that it names happens by it, and is not only over."""
        return self.is_met or self.passes_on or self.rests


IMPACT = EventWord("impact", bounces=True, touches=True)
GRASP = EventWord("grasp", catches=True, touches=True)
PASS = EventWord("pass", passes_on=True)
REST = EventWord("rest", rests=True, touches=True)
RELEASE = EventWord("release", lets_go=True)
JUMP = EventWord("jump", leaps=True)
GOES_ON = EventWord("goes on", is_seam=True, rides=True)
SLIDE = EventWord("slide", rides=True)
ROLL = EventWord("roll", rides=True)
EDGE = EventWord("edge")
LEAVE = EventWord("leave")

OF_CONTACT = {str(word): word for word in (IMPACT, GRASP, PASS, REST)}  # by `Contact.kind`, what it is when it happens
