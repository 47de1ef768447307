"""The paths of a view: flights, holds and hands around its time, what happened on the way, and how it was before."""

from __future__ import annotations

import numpy as np

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Thing
from hoi_edit.simulate.trajectory import Event
from ui import theme
from ui.view.drawing import Array, Colour, Marker, Polyline, SolidArray
from ui.view.motion_paths import PATH, Stretch, Tracks
from ui.view.scene_view import MOVED, WHITE, View, colours_of
from ui.words.problems import is_unwanted

TICK = 0.1  # [s] between marks of time on a flight
PIECES = 8  # of a stretch, each a little fainter the further away in time
UNWANTED = (0.95, 0.25, 0.22)
FLASH, FAINTEST, FADING = 0.42, 0.3, 0.6  # alpha of a ball along its flight: now, the least share of it, and when [s]


def paths_of(view: View, tracks: Tracks) -> tuple[list[Polyline], list[Marker]]:
    """Lines, and marks of times and contacts."""
    colours, lines, markers = colours_of(view), list[Polyline](), list[Marker]()
    for stretch in shown_stretches(view, tracks):
        if stretch.kind is PATH:
            lines += _hand_path(view, stretch)
            continue
        colour = theme.unit(colours[stretch.name])
        lines += _path(view, stretch, colour, view.selected in (None, stretch.name))
        if stretch.kind.flies and not view.flashes:
            markers += _ticks(view, stretch, colour)
    for name, own_colour in colours.items():
        if _has_path(view, name):
            markers += contact_markers(view.rollout, name, *view.span, theme.unit(own_colour))
    return lines, markers


def shown_stretches(view: View, tracks: Tracks) -> list[Stretch]:
    return [stretch for stretch in tracks.around(*view.span) if _has_path(view, stretch.name)]


def _has_path(view: View, name: str) -> bool:
    return view.shows(name) and view.only in (None, name)


def paths_before(view: View, tracks: Tracks) -> list[Polyline]:
    """Flights that an edit has changed, as they were."""
    colours = colours_of(view)
    return [
        Polyline(stretch.points, theme.unit(theme.mixed(colours[stretch.name], WHITE, 0.35)), 1.4, 0.32)
        for stretch in shown_stretches(view, tracks)
        if stretch.kind.flies and stretch.name in colours and _has_moved(view.rollout, stretch)
    ]


def flashes_of(view: View, tracks: Tracks) -> list[SolidArray]:
    """Balls where they fly at the marks of time, fainter the farther from now."""
    colours, scene = colours_of(view), view.rollout.model.scene
    balls = {thing.name: thing for thing in scene.things if thing.shape.by_centre}
    flights = [stretch for stretch in shown_stretches(view, tracks) if stretch.kind.flies and stretch.name in balls]
    return [
        flash
        for stretch in flights
        for flash in _flashes(view, stretch, balls[stretch.name], theme.unit(colours[stretch.name]))
    ]


def _flashes(view: View, stretch: Stretch, ball: Thing, colour: Colour) -> list[SolidArray]:
    times = mark_times(stretch)
    away = np.abs(times - view.t)
    kept = away > TICK / 3  # or it would be where the ball is
    count = int(kept.sum())
    if count == 0:
        return []
    alpha = FLASH * np.clip(1.0 - away[kept] / FADING, FAINTEST, 1.0)
    sizes, turned = np.tile((float(ball.body.radius), 0.0, 0.0), (count, 1)), np.tile(np.eye(3), (count, 1, 1))
    return [SolidArray("sphere", stretch.at(times[kept]), turned, sizes, colour, alpha)]


def _path(view: View, stretch: Stretch, colour: tuple[float, float, float], chosen: bool) -> list[Polyline]:
    """Flights are drawn, holds hinted at; everything fades with its distance in time."""
    flight = stretch.kind.flies
    width = (3.0 if chosen else 2.2) if flight else 1.4
    strength = (0.95 if chosen else 0.6) if flight else 0.30
    if stretch.name in (view.hovered, view.selected) and flight:
        width += 0.8
    pieces = np.array_split(np.arange(len(stretch.times)), max(1, min(PIECES, len(stretch.times) // 4)))
    polylines = []
    for piece in pieces:
        samples = np.append(piece, piece[-1] + 1) if piece[-1] + 1 < len(stretch.times) else piece
        away = abs(float(stretch.times[samples].mean()) - view.t) / view.around
        polylines.append(
            Polyline(stretch.points[samples], colour, width, strength * float(np.clip(1.15 - away, 0.12, 1.0)))
        )
    return polylines


def _hand_path(view: View, stretch: Stretch) -> list[Polyline]:
    near = stretch.between(view.t - 0.5 * view.around, view.t + 0.5 * view.around)
    wanted = view.hands or stretch.name == view.selected
    if near is None or not wanted:
        return []
    chosen = stretch.name == view.selected
    return [Polyline(near.points, theme.unit(theme.TEXT), 1.8 if chosen else 1.1, 0.55 if chosen else 0.2)]


def _ticks(view: View, stretch: Stretch, colour: tuple[float, float, float]) -> list[Marker]:
    times = mark_times(stretch)
    return [
        Marker(place, colour, 5.0, "disc", float(np.clip(1.1 - abs(t - view.t) / view.around, 0.1, 0.9)))
        for t, place in zip(times, stretch.at(times), strict=True)
    ]


def mark_times(stretch: Stretch) -> Array:
    """When a flight has marks of time."""
    first, last = np.ceil(stretch.times[0] / TICK - 1e-9), np.floor(stretch.times[-1] / TICK + 1e-9)
    return np.asarray(np.arange(first, last + 1) * TICK)


def _has_moved(rollout: Rollout, stretch: Stretch) -> bool:
    middle = stretch.times[[len(stretch.times) // 4, len(stretch.times) // 2, 3 * len(stretch.times) // 4]]
    was = stretch.points[[len(stretch.times) // 4, len(stretch.times) // 2, 3 * len(stretch.times) // 4]]
    return bool(np.abs(rollout.positions(stretch.name, middle) - was).max() > MOVED)


def contact_markers(rollout: Rollout, thing: str, start: float, end: float, colour: Colour) -> list[Marker]:
    """Diamonds where something was meant to happen, red rings where it was not, discs where things just bounce."""
    events = [event for event in rollout.trajectories.chains[thing].events if start <= event.time <= end]
    places: Array = rollout.positions(thing, np.array([event.time for event in events])) if events else np.zeros((0, 3))
    return [
        _contact_marker(x, event, colour, is_unwanted(event, rollout.model.scene))
        for event, x in zip(events, places, strict=True)
        if event.touches or event.lets_go
    ]


def _contact_marker(place: Array, event: Event, colour: Colour, unwanted: bool) -> Marker:
    if unwanted:
        return Marker(place, UNWANTED, 11.0, "ring")
    return Marker(place, colour, 11.0, "diamond") if event.intended else Marker(place, colour, 7.0, "disc")
