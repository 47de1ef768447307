"""How a scene is drawn, for the window and for pictures alike: from a view to a drawing and what can be picked in it.
No window, no GL."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hoi_edit.rollout import Rollout
from ui.view.camera import Camera
from ui.view.drawing import Array, Drawing
from ui.view.motion_paths import Stretch, Tracks, hands_of
from ui.view.overlays import signs
from ui.view.picking import FlightOnScreen, Pickable
from ui.view.scene_paths import flashes_of, mark_times, paths_before, paths_of, shown_stretches
from ui.view.scene_solids import has_ground, solids_of
from ui.view.scene_view import View


@dataclass(eq=False)
class Stage:
    """Remembers the sampled paths of the rollouts that are on show."""

    _tracks: dict[int, Tracks] = field(default_factory=dict)

    def tracks(self, rollout: Rollout) -> Tracks:
        if id(rollout) not in self._tracks:
            kept = list(self._tracks.items())[-2:]  # of the one before, and of the one to compare with
            self._tracks = {**dict(kept), id(rollout): Tracks(rollout, hands_of(rollout))}
        return self._tracks[id(rollout)]

    def seen(self, view: View) -> tuple[Drawing, tuple[Pickable, ...], list[Stretch]]:
        """The drawing, what can be picked of it, and the paths that can be."""
        tracks = self.tracks(view.rollout)
        solids, pickable = solids_of(view)
        lines, markers = paths_of(view, tracks)
        if view.edited is not None:
            lines = paths_before(view, self.tracks(view.edited)) + lines
        if view.flashes:
            solids += flashes_of(view, tracks)
        pins = [pin for pin in view.pinned if view.shows(pin.name.partition("/")[0])]
        markers += signs(view.rollout, view.t, view.camera, view.size, view.scale, pins, view.grabbed, view.target)
        flights = [stretch for stretch in shown_stretches(view, tracks) if stretch.kind.flies]
        drawing = Drawing(tuple(solids), tuple(lines), tuple(markers), ground=has_ground(view))
        return drawing, tuple(pickable), flights

    def drawing(self, view: View) -> Drawing:
        return self.seen(view)[0]


def flight_on_screen(stretch: Stretch, camera: Camera, size: tuple[int, int]) -> FlightOnScreen:
    """What there is of a flight to take hold of."""
    marks = stretch.at(np.concatenate([mark_times(stretch), stretch.times[[0, -1]]]))
    return FlightOnScreen(
        stretch.name, camera.project(stretch.points, *size), stretch.times, camera.project(marks, *size)[:, :2]
    )


def handle(view: View, name: str, point: Array) -> str:
    """The joint or site of the touched limb that lies nearest to the touch: what a drag takes hold of."""
    owner, _, segment_name = name.partition("/")
    character = view.rollout.model.scene.character(owner)
    skeleton = character.skeleton
    segment = skeleton.names.index(segment_name)
    names = [segment_name, *(skeleton.names[child] for child in skeleton.children(segment))]
    if segment_name == "head":
        names = [site.name for site in skeleton.sites if site.segment == segment] or names
    places = [view.rollout.state(f"{owner}/{point_name}", view.t).position for point_name in names]
    nearest = int(np.argmin([np.linalg.norm(place - point) for place in places]))
    return f"{owner}/{names[nearest]}"
