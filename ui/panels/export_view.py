"""The export dialog: what to write and where, then how far it is, then what was written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.dialogs import Dialogs, tell
from ui.panels.file_dialog import FileDialog
from ui.worker.export_job import TITLES, Exporting, Row, Wish, camera_of, missing

COLOURS = {"waiting": theme.FAINT, "writing": theme.ACCENT, "written": theme.GOOD, "failed": theme.BAD,
           "cancelled": theme.WARNING}  # fmt: skip
PATIENCE = 10.0  # [s] for a file that is being written when the program ends
SIGNS = {"waiting": "○", "writing": "▸", "written": "✓", "failed": "✕", "cancelled": "✕"}


class ExportView:
    def __init__(self, editor: Editor, dialogs: Dialogs) -> None:
        self.editor, self.dialogs = editor, dialogs
        self.job: Exporting | None = None
        self._window: int | None = None
        self._rows: list[tuple[int, int, int]] = []  # sign, bar, words
        self._shown: tuple[Row, ...] | None = None
        self._given_up = False  # before it had begun

    # -- what to write ------------------------------------------------------------------------------------------------

    def ask(self, wish: Wish | None = None) -> None:
        """`wish`: what was chosen already, before the folder was."""
        shown, editor, px = self.editor.shown, self.editor, self.dialogs.sizes.px
        if shown is None:
            editor.say("info", "Open a scene first.")
            return
        if self.job is not None:
            self._show_progress()
            return
        preferences = editor.preferences
        folder = shown.file.resolve().parent if shown.file is not None else Path(preferences.exported_to or Path.cwd())
        window = self.dialogs.begin("Export", 560, 428)
        dpg.add_text("Folder", parent=window, color=theme.FAINT)
        with dpg.group(horizontal=True, parent=window):
            self._folder = dpg.add_input_text(width=px(438), default_value=wish.folder if wish else str(folder))
            self.browse = dpg.add_button(label="Browse…", width=px(90), callback=lambda *_: self._browse())
        dpg.add_text("Name, without an ending", parent=window, color=theme.FAINT)
        stem = Path(shown.title).stem.partition(":")[0]
        self._name = dpg.add_input_text(parent=window, width=px(536), default_value=wish.name if wish else stem)
        dpg.add_spacer(parent=window, height=px(4))
        self._formats: dict[str, int] = {}
        chosen, cannot = wish.suffixes if wish else preferences.exported, missing()
        with dpg.table(parent=window, header_row=False):
            for _ in range(2):
                dpg.add_table_column(width_stretch=True)
            titles = list(TITLES.items())
            for pair in zip(titles[::2], titles[1::2], strict=True):
                with dpg.table_row():
                    for suffix, title in pair:
                        why = cannot.get(suffix)
                        self._formats[suffix] = box = dpg.add_checkbox(
                            label=title, default_value=suffix in chosen and why is None, enabled=why is None,
                            callback=lambda *_: self._check(),
                        )  # fmt: skip
                        if why is not None:
                            with dpg.tooltip(box, delay=0.3):
                                dpg.add_text(f"It {why}.")
        for suffix, why in cannot.items():
            dpg.add_text(f"{suffix} {why}.", parent=window, color=theme.FAINT, wrap=px(536))
        dpg.add_spacer(parent=window, height=px(4))
        low, high = editor.playback.low, editor.playback.high
        self._part = dpg.add_checkbox(
            label=f"Only from In to Out ({low:.2f} to {high:.2f} s)", parent=window,
            default_value=wish is not None and wish.start is not None,
            enabled=editor.playback.first is not None or editor.playback.last is not None,
        )  # fmt: skip
        self._before = dpg.add_checkbox(
            label="The scene before its edits", parent=window, default_value=wish is not None and not wish.edited
        )
        with dpg.group(horizontal=True, parent=window):
            self._as_seen = dpg.add_checkbox(
                label="Films as seen in the viewport now,", default_value=wish is not None and wish.camera is not None
            )
            size = wish.size if wish is not None and wish.size is not None else (0, 0)
            self._size = dpg.add_input_intx(size=2, width=px(150), default_value=[*size, 0, 0])
            dpg.add_text("px wide and high; 0: as it suits", color=theme.FAINT)
        self._words = dpg.add_text("", parent=window, show=False, color=theme.WARNING, wrap=px(536))
        dpg.add_spacer(parent=window, height=px(4))
        with dpg.group(horizontal=True, parent=window):
            self._go = dpg.add_button(label="Export", width=px(100), callback=lambda *_: self._start())
            self.dialogs.default(self._go)
            dpg.add_button(label="Cancel", width=px(100), callback=lambda *_: self.dialogs.close())
        for item in (self._folder, self._name):
            dpg.configure_item(item, callback=lambda *_: self._check())
        self.dialogs.focus(self._name)
        self._check()

    def _browse(self) -> None:
        """A folder to export to; what else was chosen is there again afterwards."""
        wish = self._wish()
        start = Path(wish.folder).expanduser()
        FileDialog(
            self.dialogs, "Export to", start if start.is_dir() else Path.cwd(), False,
            lambda folder: self.ask(replace(wish, folder=folder)), (),
            recent=[Path(path).parent for path in self.editor.preferences.recent], cancelled=lambda: self.ask(wish),
        )  # fmt: skip

    def _wish(self) -> Wish:
        playback = self.editor.playback
        part, as_seen = dpg.get_value(self._part), dpg.get_value(self._as_seen)
        width, height = dpg.get_value(self._size)[:2]
        return Wish(
            dpg.get_value(self._folder), dpg.get_value(self._name),
            tuple(suffix for suffix, item in self._formats.items() if dpg.get_value(item)),
            playback.low if part else None, playback.high if part else None, not dpg.get_value(self._before),
            (width, height) if width or height else None, camera_of(self.editor.camera) if as_seen else None,
        )  # fmt: skip

    def _check(self) -> None:
        wish = self._wish()
        problem = wish.problem()
        replaced = [] if problem else wish.replaces()
        tell(self._words, problem or (f"Replaces {', '.join(replaced)}." if replaced else ""))
        dpg.configure_item(self._go, enabled=problem is None, label="Replace" if replaced else "Export")

    def _start(self) -> None:
        wish = self._wish()
        if wish.problem() is not None:
            self._check()
            return
        editor = self.editor
        editor.remember_export(wish.folder, wish.suffixes)
        self.dialogs.close()

        self._given_up = False

        def begin(session: Any, tell: Any) -> None:
            if not self._given_up:  # while another edit was still going on
                self.job = Exporting(session.copy(), wish.paths(), wish.options(), wish.film())

        editor.edit("Preparing the export", begin)
        self._shown = None
        self._show_progress(wish.paths())

    def close(self) -> None:
        """The program ends: nothing that is half written is left behind."""
        if self.job is not None:
            self.job.cancel()
            self.job.wait(PATIENCE)

    # -- how far it is ------------------------------------------------------------------------------------------------

    def _show_progress(self, paths: tuple[Path, ...] | None = None) -> None:
        px = self.dialogs.sizes.px
        rows = self.job.rows if self.job is not None else tuple(Row(path) for path in paths or ())
        self._window = window = self.dialogs.begin("Export", 560, 104 + 50 * len(rows))
        self._rows, self._shown = [], None
        for row in rows:
            with dpg.group(horizontal=True, parent=window):
                sign = dpg.add_text(SIGNS[row.state], color=COLOURS[row.state])
                dpg.add_text(row.path.name)
            bar = dpg.add_progress_bar(parent=window, width=px(536), height=px(5), overlay="")
            words = dpg.add_text("", parent=window, color=theme.FAINT, wrap=px(536))
            self._rows.append((int(sign), int(bar), int(words)))
        dpg.add_spacer(parent=window, height=px(4))
        with dpg.group(horizontal=True, parent=window):
            self._stop = dpg.add_button(label="Cancel", width=px(100), callback=lambda *_: self._cancel_or_close())
            self._hide = dpg.add_button(label="Work on", width=px(100), callback=lambda *_: self.dialogs.close())
            with dpg.tooltip(self._hide, delay=0.5) as self._tip:
                dpg.add_text("The export goes on; the line below says when it is done")

    def _cancel_or_close(self) -> None:
        if self.job is None:
            self._given_up = True
            self.dialogs.close()
        else:
            self.job.cancel()

    @property
    def is_shown(self) -> bool:
        return self._window is not None and dpg.does_item_exist(self._window)

    def refresh(self) -> None:
        job = self.job
        if job is None:
            return
        done, rows = job.done, job.rows
        if self.is_shown and rows != self._shown:
            self._shown = rows
            for (sign, bar, words), row in zip(self._rows, rows, strict=True):
                dpg.set_value(sign, SIGNS[row.state])
                dpg.configure_item(sign, color=COLOURS[row.state])
                dpg.set_value(bar, row.share)
                dpg.configure_item(bar, show=row.state in ("waiting", "writing"))
                dpg.set_value(words, row.words)
                dpg.configure_item(words, color=theme.BAD if row.state == "failed" else theme.FAINT)
        if done:
            self.job = None
            self.editor.say(*job.summary)
            if self.is_shown:
                dpg.configure_item(self._stop, label="Close")
                self.dialogs.default(self._stop)
                for gone in (self._tip, self._hide):  # hidden, its tooltip would stay and say that it goes on
                    dpg.delete_item(gone)
