"""The notebooks run from top to bottom, plots and tables included.

All code cells of one are run in order in one namespace, as a notebook does, without Jupyter: a kernel and its server
would be twenty more packages, and find nothing that this does not.
"""

import ast
import json
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def run(path: Path) -> tuple[dict[str, Any], list[Any], int]:
    """All names at the end, what each cell shows as its last value, and how many figures were drawn."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "__main__"}
    shown, drawn = [], 0
    for k, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        place = f"{path.name}, cell {k}"
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
            shown += [] if value is None else [value]
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            figure.canvas.draw()
            drawn += all(axes.has_data() for axes in figure.axes)
        pyplot.close("all")
    return names, shown, drawn


def test_there_are_two() -> None:
    assert [path.name for path in NOTEBOOKS] == ["first_drag.ipynb", "juggling_routine.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_one(path: Path) -> None:
    """Of the format that Jupyter reads, small, and without what somebody's last run left in it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert path.stat().st_size < 20_000
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("markdown", "code") and all(isinstance(line, str) for line in cell["source"])
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@pytest.mark.parametrize(("name", "figures"), [("first_drag", 3), ("juggling_routine", 2)])
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_notebook_runs(name: str, figures: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(tmp_path))
    names, shown, drawn = run(EXAMPLES / f"{name}.ipynb")
    assert drawn == figures
    tables = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert len(tables) >= 4 and all(table.startswith("<div") and table.endswith("</div>") for table in tables)
    reports = [value for value in shown if isinstance(value, Report)]
    reports += [names["report"]] if "report" in names else []
    assert reports and all(report.converged for report in reports)
    session = names["session"]
    assert isinstance(session, EditSession) and not session.rollout.missed
    if name == "first_drag":
        assert {path.name for path in tmp_path.iterdir()} == {"juggler.bvh", "balls.csv", "contacts.json", "scene.glb"}
    else:
        assert names["off"] < 1e-6 and set(names["residuals"]) == {"a high throw", "a late catch", "a wide throw"}
