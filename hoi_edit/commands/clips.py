"""Commands about clips: import, fit."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hoi_edit.commands.common import finite, make_folder, whole
from hoi_edit.commands.doubt_notes import for_terminal
from hoi_edit.export.ui_bridge import clip_picture
from hoi_edit.motions import Layer, bake
from hoi_edit.motions.fit_report import fit_errors, peak_speed, table
from hoi_edit.motions.plant_feet import plant_feet
from hoi_edit.reporting.words import count_of
from hoi_edit.scenes.resources import clip_path
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.feet import foot_contacts
from kinematics.io import read_clip, write_bvh
from kinematics.io.text import save_bytes, save_text
from kinematics.soles import sole_fits

SPACINGS = (0.05, 0.1, 0.15, 0.2)


def add_commands(commands: Any) -> None:
    convert = commands.add_parser("import", help="read a clip, say what is in it, change and write it as BVH")
    convert.add_argument("clip", metavar="CLIP")
    convert.add_argument("--out", type=Path, metavar="FILE.bvh", help="write the result here")
    _add_reading(convert)
    _add_tools(convert)
    convert.set_defaults(run=_import)

    fit = commands.add_parser("fit", help="how well fitted splines follow clips, as a table")
    fit.add_argument("clips", nargs="+", metavar="CLIP")
    fit.add_argument("--spacing", type=finite, nargs="+", default=list(SPACINGS), metavar="S",
                     help="knot spacings [s]; each is rounded so that the knots fill the clip")  # fmt: skip
    fit.add_argument("--out", type=Path, metavar="DIR", help="leave the table and a picture of each clip there")
    _add_reading(fit)
    fit.set_defaults(run=_fit)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("reading")
    reading.add_argument("--units", help="m, cm, mm, inch, foot, cmu, or metres per unit (default: detected)")
    reading.add_argument("--up", help="axis of the file that points up: y, z, x, -y … (default: detected)")
    reading.add_argument("--asf", type=Path, metavar="FILE", help="the skeleton of an .amc clip (default: beside it)")
    reading.add_argument("--rate", type=finite, metavar="HZ", help="rows a second of an .amc clip (120)")
    reading.add_argument("--keep-reference", action="store_true", help="keep a T-pose in the first row")
    reading.add_argument("--cut", action="store_true", help="keep the longest stretch in which nothing leaps")
    reading.add_argument("--level", action="store_true", help="turn a take level whose floor slopes")
    reading.add_argument("--role", action="append", default=[], metavar="ROLE=JOINT",
                         help="say which joint is which part, e.g. left_hand=Wrist_L; again for more")  # fmt: skip


def _add_tools(parser: argparse.ArgumentParser) -> None:
    tools = parser.add_argument_group("changes, applied in this order")
    tools.add_argument("--trim", type=finite, nargs=2, metavar=("FROM", "TO"), help="keep this stretch [s]")
    tools.add_argument("--mirror", action="store_true", help="exchange left and right, across the world's origin")
    tools.add_argument("--resample", type=finite, metavar="HZ", help="another number of rows a second")
    tools.add_argument("--repeat", type=whole, metavar="N", help="loop it N times without a seam")
    tools.add_argument("--turn", type=finite, default=0.0, metavar="DEG", help="turn on the ground")
    tools.add_argument("--move", type=finite, nargs=2, default=(0.0, 0.0), metavar=("X", "Z"), help="move it [m]")
    tools.add_argument("--plant-feet", action="store_true", help="stop feet from sliding; hands stay where they are")


def _read(options: argparse.Namespace, name: str) -> Clip:
    roles = {}
    for pair in options.role:
        role, equals, joint = pair.partition("=")
        if not equals:
            raise HoiError(f"--role {pair}: expected ROLE=JOINT, for instance left_hand=Wrist_L")
        roles[role] = joint or None
    path = clip_path(name)
    kind = path.suffix.lower()
    arguments: dict[str, Any] = {}
    if kind == ".bvh" and options.keep_reference:
        arguments["keep_reference"] = True
    if kind == ".amc":
        arguments |= {"asf": options.asf} | ({} if options.rate is None else {"rate": options.rate})
    arguments |= {"units": _number_or_name(options.units), "up": options.up, "roles": roles or None}
    clip = read_clip(path, cut=options.cut, level=options.level, **arguments)
    for notice in clip.notices:
        print(f"note: {for_terminal(notice)}", file=sys.stderr)
    return clip


def _check_target(target: Path, source: str) -> None:
    """Say before the work, not after it, that a result cannot go where it should."""
    if target.suffix.lower() != ".bvh":
        raise HoiError(f"{target}: results are written as BVH; give a name that ends in .bvh")
    if not target.parent.is_dir():
        raise HoiError(f"{target}: there is no folder {target.parent}")
    if target.exists() and target.samefile(clip_path(source)):
        raise HoiError(f"{target}: this is the clip itself, which is never changed; give another name")


def _number_or_name(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _import(options: argparse.Namespace) -> None:
    if options.out is not None:
        _check_target(options.out, options.clip)
    read = _read(options, options.clip)
    clip = _changed(read, options)
    for notice in clip.notices[len(read.notices) :]:
        print(f"note: {clip.name}: {notice}", file=sys.stderr)
    speed, fastest = peak_speed(clip)
    print(f"{clip.name}: {_summary(clip)}")
    print(f"fastest joint: {fastest}, {speed:.1f} m/s")
    print(f"sites: {', '.join(site.name for site in clip.skeleton.sites) or 'none; --role tells which joint is what'}")
    if not options.plant_feet and any(site.name.endswith("_sole") for site in clip.skeleton.sites):
        contacts = foot_contacts(clip)
        worst = max((contact.slide for contact in contacts), default=0.0)
        print(f"foot contacts: {len(contacts)}, worst slide {1e3 * worst:.0f} mm")
        for fit in sole_fits(clip):
            print(f"{fit.side} sole: {fit}")
    if options.out is not None:
        write_bvh(clip, options.out)
        print(f"wrote {options.out}")


def _changed(clip: Clip, options: argparse.Namespace) -> Clip:
    if options.trim:
        clip = clip_tools.trim(clip, *options.trim)
    if options.mirror:
        clip = clip_tools.mirror(clip)
    if options.resample is not None:
        clip = clip_tools.resample(clip, options.resample)
    if options.repeat is not None:
        clip = clip_tools.repeat(clip, options.repeat)
    if options.turn or any(options.move):
        clip = clip_tools.place(clip, (options.move[0], 0.0, options.move[1]), np.deg2rad(options.turn))
    if options.plant_feet:
        layer = Layer.over(clip)
        controls, report = plant_feet(clip, layer, layer.parameters())
        print(f"feet planted: {report}")
        clip = bake(layer, controls, clip)
    return clip


def _fit(options: argparse.Namespace) -> None:
    if options.out is not None:
        make_folder(options.out)
    for name in options.clips:
        clip = _read(options, name)
        speed, fastest = peak_speed(clip)
        errors = fit_errors(clip, options.spacing)
        told = table(errors, f"{clip.name}: {_summary(clip)}, {fastest} up to {speed:.1f} m/s")
        print(told + "\n", flush=True)
        if options.out is not None:
            text, picture = (options.out / f"{clip.name}_fit{ending}" for ending in (".txt", ".png"))
            save_text(text, told + "\n")
            save_bytes(picture, clip_picture(clip, f"{clip.name}: {_summary(clip)}", errors))
            print(f"wrote {text}, {picture}")


def _summary(clip: Clip) -> str:
    skeleton = clip.skeleton
    return (f"{count_of(clip.n_frames, 'row')}, {clip.duration:.2f} s at {1 / clip.frame_time:.0f} Hz, "
            f"{count_of(len(skeleton.names), 'joint')}, {skeleton.n_dofs} degrees of freedom")  # fmt: skip
