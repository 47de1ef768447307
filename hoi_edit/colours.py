"""Which colour is whose, in pictures and in files alike; sRGB in 0..1, as in a colour picker."""

Colour = tuple[float, float, float]

BODIES: tuple[Colour, ...] = ((0.60, 0.64, 0.70), (0.70, 0.64, 0.57), (0.58, 0.67, 0.60), (0.68, 0.60, 0.68))
THINGS: tuple[Colour, ...] = (
    (0.91, 0.45, 0.24),
    (0.35, 0.66, 0.90),
    (0.48, 0.77, 0.50),
    (0.85, 0.42, 0.46),
    (0.71, 0.54, 0.88),
    (0.93, 0.78, 0.35),
)
FIXTURE: Colour = (0.42, 0.43, 0.45)


def body_colour(index: int) -> Colour:
    """Of the character with this index in its scene."""
    return BODIES[index % len(BODIES)]


def thing_colour(index: int) -> Colour:
    """Of the thing with this index in its scene."""
    return THINGS[index % len(THINGS)]
