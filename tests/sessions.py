"""Sessions that many tests share: how each leaves one as it was opened, and somebody to throw a ball to."""

from collections.abc import Iterator
from contextlib import contextmanager

import hoi_edit as hoi
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from rigid.body import Body


@contextmanager
def undone(session: EditSession) -> Iterator[EditSession]:
    """Whatever is done meanwhile is undone."""
    yield session
    while session.undo():
        pass


def ball_to_a_mime(ball: Body, start: hoi.Flying, end: float) -> EditSession:
    """A ball in flight and a juggler without any, who could catch it; nothing is planned."""
    clip = performed("juggling_mime")
    scene = hoi.Scene(
        characters=[hoi.Character("juggler", clip.skeleton, hoi.Layer.over(clip, 0.1))],
        things=[hoi.Thing("ball", ball, start)],
        fixtures=[hoi.ground()],
        end=end,
    )
    return hoi.open(scene)
