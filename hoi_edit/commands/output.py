"""Commands about what leaves the program: scenes, export, render."""

import argparse
import math
from pathlib import Path
from typing import Any

from hoi_edit import scenes
from hoi_edit.commands.common import document, finite, progress_line, whole
from hoi_edit.compiling.runtime import prepare
from hoi_edit.export import FORMATS
from hoi_edit.scenes.demos import DEMOS
from hoi_edit.session import EditSession
from kinematics.errors import HoiError

PICTURES = (".png", ".gif", ".mp4")


def add_commands(commands: Any) -> None:
    listing = commands.add_parser("scenes", help="the built-in scenes, and what each one's demo does")
    listing.add_argument("names", nargs="*", metavar="NAME", help="of those to verify (all)")
    listing.add_argument("--verify", action="store_true",
                         help="figures of each, as measured again; exit status 1 if something is off")  # fmt: skip
    listing.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    listing.set_defaults(run=_scenes)

    export = commands.add_parser("export", help="write a scene into files, each by its suffix", epilog=_formats())
    export.add_argument("document", metavar="DOC")
    export.add_argument("--out", type=Path, nargs="+", action="extend", required=True, metavar="FILE",
                        help=f"one or more names, ending in {', '.join(FORMATS)}")  # fmt: skip
    export.add_argument("--ground", action="store_true", help="with a ground plane (.glb)")
    _add_range(export)
    export.set_defaults(run=_export)

    render = commands.add_parser("render", help="draw a scene: a contact sheet (.png) or a film (.gif, .mp4)")
    render.add_argument("document", metavar="DOC")
    render.add_argument("--out", type=Path, required=True, metavar="FILE")
    render.add_argument("--width", type=whole, metavar="PX", help="of the sheet (1600) or film (420, .mp4: 720)")
    render.add_argument("--size", type=whole, nargs=2, metavar=("PX", "PX"), help="width and height of a film")
    render.add_argument("--camera", type=finite, nargs=6, metavar=("X", "Y", "Z", "M", "AZIMUTH", "ELEVATION"),
                        help="of a film: what it looks at, from how far [m] and which direction [degrees]")  # fmt: skip
    render.add_argument("--frames", type=whole, metavar="N", help="of a sheet (8)")
    render.add_argument("--columns", type=whole, metavar="N", help="of a sheet (4, or 2 of a wide scene)")
    _add_range(render)
    render.set_defaults(run=_render)


def _add_range(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rate", type=finite, metavar="HZ", help="samples, rows or frames a second")
    parser.add_argument("--start", type=finite, metavar="S", help="from this time on [s]")
    parser.add_argument("--end", type=finite, metavar="S", help="up to this time [s]")
    parser.add_argument("--before", action="store_true", help="the scene as it was opened, without its edits")


def _formats() -> str:
    return "; ".join(f"{suffix}: {form.about}" for suffix, form in FORMATS.items())


def _range(options: argparse.Namespace) -> dict[str, Any]:
    chosen = {name: getattr(options, name) for name in ("rate", "start", "end") if getattr(options, name) is not None}
    return chosen | ({"edited": False} if options.before else {})


def _scenes(options: argparse.Namespace) -> int:
    if options.verify:
        return _verify(options)
    if options.names or options.json is not None:
        raise HoiError("names of scenes and --json go with --verify; without it all scenes are listed")
    for name, (about, start) in scenes.described().items():
        print(f"{name:<16}{about}")
        print(f"{name + ':start':<16}{start}")
        if name in DEMOS:
            demo = DEMOS[name]
            print(f"{'':<16}demo: {demo.about} ({demo.name}, {demo.t:g} s)")
    return 0


def _verify(options: argparse.Namespace) -> int:
    from hoi_edit.scenes.figures_table import head, row, write_json
    from hoi_edit.scenes.scene_figures import SceneFigures, verdicts

    prepare()
    all_figures: list[SceneFigures] = []
    for figures in verdicts(options.names):
        print(row(figures) if all_figures else f"{head()}\n{row(figures)}", flush=True)
        all_figures.append(figures)
    for figures in all_figures:
        for what in figures.off:
            print(f"{figures.scene}: {what}")
    if options.json is not None:
        write_json(all_figures, options.json)
    return 0 if all(figures.is_well for figures in all_figures) else 1


def _export(options: argparse.Namespace) -> None:
    for path in options.out:  # before the work
        if path.suffix.lower() not in FORMATS:
            raise HoiError(f"{path}: expected a name ending in one of {', '.join(FORMATS)}")
    if options.ground and not any(path.suffix.lower() == ".glb" for path in options.out):
        raise HoiError("--ground is for .glb, and no such file is asked for")
    prepare()
    session = document(options.document)
    for path in options.out:
        ground = {"ground": True} if options.ground and path.suffix.lower() == ".glb" else {}
        _leave(session, path, **_range(options), **ground)


def _render(options: argparse.Namespace) -> None:
    suffix = options.out.suffix.lower()
    if suffix not in PICTURES:
        raise HoiError(f"{options.out}: expected a name ending in one of {', '.join(PICTURES)}")
    names = ("width", "size", "frames", "columns")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.camera is not None:
        *target, distance, azimuth, elevation = options.camera
        turned = {"azimuth": math.radians(azimuth), "elevation": math.radians(elevation)}
        chosen["camera"] = {"target": target, "distance": distance, **turned}
    prepare()
    _leave(document(options.document), options.out, **_range(options), **chosen)


def _leave(session: EditSession, path: Path, **options: Any) -> None:
    with progress_line() as listener:
        written = session.export(path, progress=listener, **options)
    for file in written:
        print(f"wrote {file}", flush=True)
