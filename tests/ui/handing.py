"""Two people for tests of holds in the window: ann has a ball in her right hand to the end, another one hits bob."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.additions import clip_from
from hoi_edit.scenes.resources import clip_path
from tests.ui import garden
from tests.ui.screen import Hand

HIT = 0.5  # [s]
END = 2.0


def scene() -> hoi.Scene:
    path, trim = clip_path("stand_mime"), (0.0, END + 0.2)
    ann = hoi.Character.of("ann", clip_from(path, trim=trim))
    bob = hoi.Character.of("bob", clip_from(path, trim=trim, move=(0.0, 1.5), turn=np.pi))
    still = hoi.EditSession(hoi.Scene([ann, bob], end=END, name="still"))
    shoulder = still.state("bob/head", HIT).position
    material = hoi.Material(0.6, 0.5)
    things = [
        hoi.Thing("ball", hoi.ball(0.12, 0.035), hoi.Held("ann/right_palm"), material),
        hoi.Thing(
            "stray", hoi.ball(0.12, 0.035), garden.flight(shoulder + [0.3, 0.2, 1.4], shoulder + [0.0, 0.05, 0.0], HIT),
            material,
        ),
    ]  # fmt: skip
    return hoi.Scene([ann, bob], things, [hoi.ground()], end=END, name="handing")


def in_window(folders: pytest.TempPathFactory) -> AbstractContextManager[Hand]:
    return garden.in_window(folders, scene())


@contextmanager
def anew(hand: Hand) -> Iterator[None]:
    with garden.anew(hand):
        yield
