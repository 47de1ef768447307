"""The command line: `hoi-edit` alone shows what the program can do; `hoi-edit --help` lists the rest.

Every mistake of a user ends in one sentence on standard error and exit status 2.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hoi_edit import __version__, scenes
from hoi_edit.body_points import point_tracks
from hoi_edit.body_shapes import world_shapes
from hoi_edit.fit_report import FitError, fit_errors, peak_speed, table
from hoi_edit.motions import Layer, bake
from hoi_edit.plant_feet import plant_feet
from hoi_edit.resources import clip_path
from hoi_edit.runtime import keep_compiled_functions
from hoi_edit.session import EditSession
from hoi_edit.truth import CASES, check_gradients
from hoi_edit.verify import verify
from hoi_edit.warm_up import warm_up
from kinematics import clip_tools
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.feet import foot_contacts
from kinematics.io import read_clip, write_bvh
from kinematics.io.text import save_bytes, save_text

SPACINGS = (0.05, 0.1, 0.15, 0.2)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(_with_command(arguments))
    keep_compiled_functions()
    try:
        status = options.run(options)
        sys.stdout.flush()
    except HoiError as error:
        print(f"hoi-edit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hoi-edit: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has seen enough
        _forget_output()
        return 0
    except OSError as error:
        _forget_output()
        print(f"hoi-edit: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return status or 0


def _forget_output() -> None:
    """What Python has not written yet goes nowhere, or it would complain about it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _warm_up(_: argparse.Namespace) -> None:
    print("Compiling for this machine; this is done once.", flush=True)
    warm_up()
    print("Ready.")


def _with_command(arguments: list[str]) -> list[str]:
    """`hoi-edit CLIP` means `hoi-edit show CLIP`; and `--up -z` is an axis, not two options."""
    if "--up" in arguments[:-1]:
        k = arguments.index("--up")
        arguments = [*arguments[:k], f"--up={arguments[k + 1]}", *arguments[k + 2 :]]
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        return ["show", *arguments]
    return arguments


COMMANDS = ("show", "import", "fit", "check", "warm-up")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hoi-edit",
        description="Edit people and the things they throw, catch, kick and carry.",
        epilog="A CLIP is a .bvh file, an .amc file with its .asf, or the name of a built-in clip, such as pitch_mime.",
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
    fit.add_argument("--spacing", type=_finite, nargs="+", default=list(SPACINGS), metavar="S",
                     help="knot spacings [s]; each is rounded so that the knots fill the clip")  # fmt: skip
    _add_reading(fit)
    fit.set_defaults(run=_fit)

    ahead = commands.add_parser("warm-up", help="compile for this machine now, so that the first edit need not wait")
    ahead.set_defaults(run=_warm_up)

    check = commands.add_parser("check", help="whether what this program computes is true; exit status 1 if not")
    check.add_argument("document", nargs="?", metavar="DOC",
                       help="a .hoi file or a built-in scene, measured again by code of its own")  # fmt: skip
    check.add_argument("--gradients", action="store_true",
                       help="derivatives of small scenes against closed forms and difference quotients")  # fmt: skip
    check.set_defaults(run=_check)
    return parser


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("reading")
    reading.add_argument("--units", help="m, cm, mm, inch, foot, cmu, or metres per unit (default: detected)")
    reading.add_argument("--up", help="axis of the file that points up: y, z, x, -y … (default: detected)")
    reading.add_argument("--asf", type=Path, metavar="FILE", help="the skeleton of an .amc clip (default: beside it)")
    reading.add_argument("--rate", type=_finite, metavar="HZ", help="rows a second of an .amc clip (120)")
    reading.add_argument("--keep-reference", action="store_true", help="keep a T-pose in the first row")
    reading.add_argument("--role", action="append", default=[], metavar="ROLE=JOINT",
                         help="say which joint is which part, e.g. left_hand=Wrist_L; again for more")  # fmt: skip


def _add_tools(parser: argparse.ArgumentParser) -> None:
    tools = parser.add_argument_group("changes, applied in this order")
    tools.add_argument("--trim", type=_finite, nargs=2, metavar=("FROM", "TO"), help="keep this stretch [s]")
    tools.add_argument("--mirror", action="store_true", help="exchange left and right, across the world's origin")
    tools.add_argument("--resample", type=_finite, metavar="HZ", help="another number of rows a second")
    tools.add_argument("--repeat", type=int, metavar="N", help="loop it N times without a seam")
    tools.add_argument("--turn", type=_finite, default=0.0, metavar="DEG", help="turn on the ground")
    tools.add_argument("--move", type=_finite, nargs=2, default=(0.0, 0.0), metavar=("X", "Z"), help="move it [m]")
    tools.add_argument("--plant-feet", action="store_true", help="stop feet from sliding; hands stay where they are")


def _finite(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a number to calculate with")
    return value


def _read(options: argparse.Namespace, name: str) -> Clip:
    roles = {}
    for pair in options.role:
        role, equals, joint = pair.partition("=")
        if not equals:
            raise HoiError(f"--role {pair}: expected ROLE=JOINT, for instance left_hand=Wrist_L")
        roles[role] = joint or None
    path = clip_path(name)
    kind = path.suffix.lower()
    own: dict[str, Any] = {}
    if kind == ".bvh" and options.keep_reference:
        own["keep_reference"] = True
    if kind == ".amc":
        own |= {"asf": options.asf} | ({} if options.rate is None else {"rate": options.rate})
    clip = read_clip(path, units=_number_or_name(options.units), up=options.up, roles=roles or None, **own)
    for notice in clip.notices:
        print(f"note: {notice}", file=sys.stderr)
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


def _show(options: argparse.Namespace) -> None:
    if not _has_screen():
        print("no screen found: working without a window")
    clip = _read(options, options.clip)
    out: Path = options.out
    _make_folder(out)
    results = [out / f"{clip.name}{ending}" for ending in (".bvh", "_fit.txt", ".png")]
    _check_target(results[0], options.clip)
    layer = Layer.over(clip)
    baked = bake(layer, layer.parameters(), clip)
    write_bvh(baked, results[0])
    print(f"{clip.name}: {_summary(clip)}")
    print(f"layer of change: {layer.grid.count} knots, {layer.parameters().size} control values, "
          f"furthest from a recorded row {np.abs(baked.poses - clip.poses).max():.1e} rad or m")  # fmt: skip
    errors = fit_errors(clip, SPACINGS)
    text = table(errors, f"fitted splines against {clip.name}, over {len(clip.skeleton.names)} joints")
    print(text)
    save_text(results[1], text + "\n")
    save_bytes(results[2], _picture(clip, errors))
    print(f"wrote {', '.join(str(path) for path in results)}")


def _picture(clip: Clip, errors: list[FitError]) -> bytes:
    """A PNG of the clip. The one door to `ui`: drawing is imported only when something is drawn."""
    from ui.body_over_time import picture, render_bodies
    from ui.renderer import RendererUnavailable

    times = np.linspace(clip.start, clip.end, min(7, clip.n_frames))
    shown = clip_tools.in_place(replace(clip, poses=clip_tools.sample(clip, times), source_rows=None))
    bodies = None
    if clip.skeleton.shapes:
        try:
            shapes = world_shapes(clip.skeleton, shown.poses)
            bodies = render_bodies(shapes, [float(t) for t in times], 0.9, _hand_paths(clip))
        except RendererUnavailable as problem:
            print(f"the bodies are left out of the picture: {problem}", file=sys.stderr)
    return picture(f"{clip.name}: {_summary(clip)}", bodies, errors)


def _hand_paths(clip: Clip) -> np.ndarray:
    """Paths (T, K, 3) of the palms over the last second and a half, relative to the ground below the root."""
    hands = [site.name for site in clip.skeleton.sites if site.name.endswith("palm")]
    if not hands:
        return np.zeros((2, 0, 3))
    recent = clip_tools.in_place(clip_tools.trim(clip, max(clip.start, clip.end - 1.5), clip.end))
    layer = Layer.over(recent)
    return point_tracks(clip.skeleton, layer, layer.parameters(), recent.times, hands).position


def _import(options: argparse.Namespace) -> None:
    if options.out is not None:
        _check_target(options.out, options.clip)
    clip = _read(options, options.clip)
    clip = _changed(clip, options)
    speed, fastest = peak_speed(clip)
    print(f"{clip.name}: {_summary(clip)}")
    print(f"fastest joint: {fastest}, {speed:.1f} m/s")
    print(f"sites: {', '.join(site.name for site in clip.skeleton.sites) or 'none; --role tells which joint is what'}")
    if not options.plant_feet and any(site.name.endswith("_sole") for site in clip.skeleton.sites):
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


def _check(options: argparse.Namespace) -> int:
    if options.document is None and not options.gradients:
        raise HoiError("check wants a .hoi file or a built-in scene, such as juggle3, or --gradients")

    def say(line: str) -> None:
        print(line, flush=True)

    true = options.document is None or verify(_document(options.document), say)
    if options.gradients:
        true = check_gradients(CASES, say) and true
    return 0 if true else 1


def _document(name: str) -> EditSession:
    """A file as it was saved, whatever a crash may have left beside it; or a built-in scene."""
    path = Path(name)
    if path.suffix == ".hoi" or path.exists():
        return EditSession.saved(path)
    return EditSession(scenes.build(name), name)


def _summary(clip: Clip) -> str:
    skeleton = clip.skeleton
    return (f"{_count(clip.n_frames, 'row')}, {clip.duration:.2f} s at {1 / clip.frame_time:.0f} Hz, "
            f"{_count(len(skeleton.names), 'joint')}, {skeleton.n_dofs} degrees of freedom")  # fmt: skip


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: results cannot be written there ({error.strerror})") from None


def _has_screen() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
