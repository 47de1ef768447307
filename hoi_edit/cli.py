"""The command line: `hoi-edit` alone shows what the program can do; `hoi-edit --help` lists the rest.

Every mistake of a user ends in one sentence on standard error and exit status 2.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hoi_edit import __version__
from hoi_edit.body_points import point_tracks
from hoi_edit.body_shapes import world_shapes
from hoi_edit.fit_report import FitError, fit_errors, peak_speed, table
from hoi_edit.motions import Layer, bake
from hoi_edit.motions.plant_feet import plant_feet
from hoi_edit.resources import clip_path
from hoi_edit.runtime import keep_compiled_functions
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.feet import foot_contacts
from kinematics.io import read_clip, write_bvh

SPACINGS = (0.05, 0.1, 0.15, 0.2)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(_with_command(arguments))
    keep_compiled_functions()
    try:
        options.run(options)
    except HoiError as error:
        print(f"hoi-edit: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _with_command(arguments: list[str]) -> list[str]:
    """`hoi-edit CLIP` means `hoi-edit show CLIP`."""
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        return ["show", *arguments]
    return arguments


COMMANDS = ("show", "import", "fit")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hoi-edit",
        description="Edit people and the things they throw, catch, kick and carry.",
        epilog="A CLIP is a .bvh file, an .amc file with its .asf, or the name of a built-in clip (juggling_mime).",
    )
    parser.add_argument("--version", action="version", version=f"hoi-edit {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    show = commands.add_parser("show", help="import a clip, layer and fit it, and draw it (the default)")
    show.add_argument("clip", nargs="?", default="juggling_mime", metavar="CLIP")
    show.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="where results go (out)")
    _add_reading(show)
    show.set_defaults(run=_show)

    convert = commands.add_parser("import", help="read a clip, say what is in it, change and write it as BVH")
    convert.add_argument("clip", metavar="CLIP")
    convert.add_argument("--out", type=Path, metavar="FILE.bvh", help="write the result here")
    _add_reading(convert)
    _add_tools(convert)
    convert.set_defaults(run=_import)

    fit = commands.add_parser("fit", help="how well fitted splines follow clips, as a table")
    fit.add_argument("clips", nargs="+", metavar="CLIP")
    fit.add_argument("--spacing", type=float, nargs="+", default=list(SPACINGS), metavar="S", help="knot spacings [s]")
    _add_reading(fit)
    fit.set_defaults(run=_fit)
    return parser


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("reading")
    reading.add_argument("--units", help="m, cm, mm, inch, foot, cmu, or metres per unit (default: detected)")
    reading.add_argument("--up", help="axis of the file that points up: y, z, x, -y … (default: detected)")
    reading.add_argument("--keep-reference", action="store_true", help="keep a T-pose in the first row")
    reading.add_argument("--role", action="append", default=[], metavar="ROLE=JOINT",
                         help="say which joint is which part, e.g. left_hand=Wrist_L; again for more")  # fmt: skip


def _add_tools(parser: argparse.ArgumentParser) -> None:
    tools = parser.add_argument_group("changes, applied in this order")
    tools.add_argument("--trim", type=float, nargs=2, metavar=("FROM", "TO"), help="keep this stretch [s]")
    tools.add_argument("--mirror", action="store_true", help="exchange left and right")
    tools.add_argument("--resample", type=float, metavar="HZ")
    tools.add_argument("--repeat", type=int, metavar="N", help="loop it N times without a seam")
    tools.add_argument("--turn", type=float, default=0.0, metavar="DEG", help="turn on the ground")
    tools.add_argument("--move", type=float, nargs=2, default=(0.0, 0.0), metavar=("X", "Z"), help="move it [m]")
    tools.add_argument("--plant-feet", action="store_true", help="stop feet from sliding; hands stay where they are")


def _read(options: argparse.Namespace, name: str) -> Clip:
    roles = {}
    for pair in options.role:
        role, equals, joint = pair.partition("=")
        if not equals:
            raise HoiError(f"--role {pair}: expected ROLE=JOINT, for instance left_hand=Wrist_L")
        roles[role] = joint or None
    path = clip_path(name)
    extra = {"keep_reference": True} if options.keep_reference and path.suffix.lower() == ".bvh" else {}
    clip = read_clip(path, units=_number_or_name(options.units), up=options.up, roles=roles or None, **extra)
    for notice in clip.notices:
        print(f"note: {notice}", file=sys.stderr)
    return clip


def _number_or_name(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _show(options: argparse.Namespace) -> None:
    if not _has_screen():
        print("no screen found: working without a window")
    clip = _read(options, options.clip)
    out: Path = options.out
    _make_folder(out)
    layer = Layer.over(clip)
    baked = bake(layer, layer.parameters(), clip)
    write_bvh(baked, out / f"{clip.name}.bvh")
    print(f"{clip.name}: {_summary(clip)}")
    print(f"layer of change: {layer.grid.count} knots, {layer.parameters().size} control values, "
          f"furthest from a recorded row {np.abs(baked.poses - clip.poses).max():.1e} rad or m")  # fmt: skip
    errors = fit_errors(clip, SPACINGS)
    text = table(errors, f"fitted splines against {clip.name}, over {len(clip.skeleton.names)} joints")
    print(text)
    (out / f"{clip.name}_fit.txt").write_text(text + "\n", encoding="utf-8")
    picture = out / f"{clip.name}.png"
    _draw(clip, errors, picture)
    print(f"wrote {out / clip.name}.bvh, {clip.name}_fit.txt and {clip.name}.png")


def _draw(clip: Clip, errors: list[FitError], picture: Path) -> None:
    """The one door to `ui`: drawing is imported only when something is drawn."""
    from ui.body_over_time import render_bodies, save_picture
    from ui.renderer import RendererUnavailable

    times = np.linspace(clip.start, clip.end, 7)
    poses = clip_tools.sample(clip, times)
    poses[:, clip.skeleton.dofs_of(0, "translation")[::2]] = 0.0  # side by side, wherever the clip walks
    bodies = None
    if clip.skeleton.shapes:
        try:
            bodies = render_bodies(
                world_shapes(clip.skeleton, poses), [float(t) for t in times], 0.85, _hand_paths(clip, poses[-1])
            )
        except RendererUnavailable as problem:
            print(f"the bodies are left out of the picture: {problem}", file=sys.stderr)
    save_picture(picture, f"{clip.name}: {_summary(clip)}", bodies, errors)


def _hand_paths(clip: Clip, last: np.ndarray) -> np.ndarray:
    """Paths (T, K, 3) of the hands over the last second and a half, moved to where the last body is drawn."""
    hands = [site.name for site in clip.skeleton.sites if site.name.endswith("palm")]
    recent = clip_tools.trim(clip, max(clip.start, clip.end - 1.5), clip.end)
    layer = Layer.over(recent)
    if not hands:
        return np.zeros((2, 0, 3))
    paths = point_tracks(clip.skeleton, layer, layer.parameters(), recent.times, hands).position
    slides = clip.skeleton.dofs_of(0, "translation")
    shift = (last - recent.poses[-1])[slides] @ clip.skeleton.axis[slides]
    return np.asarray(paths + shift)


def _import(options: argparse.Namespace) -> None:
    clip = _read(options, options.clip)
    clip = _changed(clip, options)
    speed, fastest = peak_speed(clip)
    print(f"{clip.name}: {_summary(clip)}")
    print(f"fastest joint: {fastest}, {speed:.1f} m/s")
    print(f"sites: {', '.join(site.name for site in clip.skeleton.sites) or 'none; --role tells which joint is what'}")
    if any("foot" in name for name in (site.name.replace("sole", "foot") for site in clip.skeleton.sites)):
        contacts = foot_contacts(clip)
        worst = max((contact.slide for contact in contacts), default=0.0)
        print(f"foot contacts: {len(contacts)}, worst slide {1e3 * worst:.0f} mm")
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
    for name in options.clips:
        clip = _read(options, name)
        speed, fastest = peak_speed(clip)
        title = f"{clip.name}: {clip.duration:.1f} s at {1 / clip.frame_time:.0f} Hz, {fastest} up to {speed:.1f} m/s"
        print(table(fit_errors(clip, options.spacing), title) + "\n")


def _summary(clip: Clip) -> str:
    skeleton = clip.skeleton
    return (f"{clip.n_frames} rows, {clip.duration:.2f} s at {1 / clip.frame_time:.0f} Hz, "
            f"{len(skeleton.names)} joints, {skeleton.n_dofs} degrees of freedom")  # fmt: skip


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: results cannot be written there ({error.strerror})") from None


def _has_screen() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
