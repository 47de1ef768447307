"""What the built-in scenes share: their clips and solved numbers, things laid on a hand, and plans as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hoi_edit.scene import Contact, Held, Thing
from hoi_edit.scenes.resources import clip_path, solved_scene_path
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.gimbal_lock import in_common_chart
from kinematics.human import human42
from kinematics.io import read_clip
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


def performed(name: str) -> Clip:
    """A built-in clip, with the limits of the body that performed it: a file of poses does not say them."""
    return _limited(read_clip(clip_path(name)))


def performed_alike(names: Sequence[str]) -> list[Clip]:
    """Built-in clips in one order of angles, to be blended."""
    return [_limited(clip) for clip in in_common_chart([read_clip(clip_path(name)) for name in names])]


def _limited(clip: Clip) -> Clip:
    body = human42()
    theirs, limits = clip.skeleton, np.array(clip.skeleton.limits)
    for joint, part in enumerate(theirs.names):
        dofs, known = theirs.dofs_of(joint), body.dofs_of(body.segment(part))
        # limits belong to angles in one order; a joint that is edited in another has none
        if [theirs.topology.dof_names[d] for d in dofs] == [body.topology.dof_names[d] for d in known]:
            limits[dofs] = body.limits[known]
    return replace(clip, skeleton=replace(theirs, limits=limits))


def on_site(skeleton: Skeleton, site: str, radius: float, along: float = 0.0) -> Floats:
    """Centre of a ball that lies on a site, in the frame of its segment; `along` the limb, off the site [m]."""
    place = skeleton.site(site)
    return np.asarray(place.position + place.rotation @ np.array([0.0, along, radius]))


@dataclass(frozen=True)
class Solved:
    """Numbers of a scene that `data/make_scenes.py` wrote: its plan, and what the script of its edits made of it."""

    arrays: Mapping[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def grasps(self, declared: bool) -> Sequence[Contact]:
        """The plan: who catches what when, and until when."""
        columns = (self[f"grasp.{name}"] for name in ("object", "other", "time", "release"))
        return grasps(zip(*(column.tolist() for column in columns), strict=True), declared)


def released(contact: Contact, blocks: Mapping[str, Any]) -> Contact:
    """A contact that ends when an edited control vector has it, if that is among what is given by names of blocks."""
    name = f"{contact.id}.release"
    return replace(contact, release=float(blocks[name])) if name in blocks else contact


def let_go(thing: Thing, blocks: Mapping[str, Any]) -> Thing:
    """The same of a thing that starts in a hand."""
    name = f"{thing.name}.release"
    if name not in blocks or not isinstance(thing.start, Held):
        return thing
    return replace(thing, start=replace(thing.start, release=float(blocks[name])))


def solved(name: str) -> Solved:
    """The numbers that belong to the built-in scene called `name`."""
    path = solved_scene_path(name)
    if not path.exists():
        raise HoiError(f"the numbers of scene {name!r} are missing from the installation; install the program again")
    with np.load(path, allow_pickle=False) as file:
        return Solved(dict(file))


def grasps(
    rows: "Sequence[tuple[str, str, float, float]] | zip[tuple[str, str, float, float]]", declared: bool
) -> list[Contact]:
    """Contacts of rows (thing, site, time, release; not a number: held to the end), named catch1, catch2, …"""
    return [
        Contact(f"catch{k}", thing, site, time, "grasp", None if np.isnan(release) else release, declared=declared)
        for k, (thing, site, time, release) in enumerate(rows, start=1)
    ]
