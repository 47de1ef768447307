"""GLB files before the judge of the format, the Khronos validator, where `make peers` has put it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hoi_edit as hoi
from hoi_edit.session import EditSession
from tests.hoi_edit.export.exported_scenes import falling

VALIDATOR = Path(__file__).resolve().parents[3] / ".cache" / "gltf-validator" / "node_modules" / "gltf-validator"
PROGRAM = """
const validator = require(process.argv[1]), fs = require("fs");
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2]))).then(report => {
  console.log(JSON.stringify(report));
});
"""


def verdict(path: Path) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None or not VALIDATOR.is_dir():
        pytest.skip("the Khronos validator is not here: it needs node and npm, then `make peers` installs it")
    said = subprocess.run([node, "-e", PROGRAM, str(VALIDATOR), str(path)], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


@pytest.mark.peers
@pytest.mark.parametrize("name", ["juggle3", "passing6", "falling"])
def test_the_validator_finds_nothing_to_say(name: str, tmp_path: Path) -> None:
    session: EditSession = falling() if name == "falling" else hoi.open(name)
    (written,) = session.export(tmp_path / "a.glb", ground=True)
    report = verdict(tmp_path / "a.glb")
    issues = report["issues"]
    print(f"{name}: {written.size} bytes, {issues['numErrors']} errors, {issues['numWarnings']} warnings, "
          f"{issues['numInfos']} notes, {report['info']['totalVertexCount']} vertices")  # fmt: skip
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]
    assert report["info"]["animationCount"] == 1 and report["info"]["maxInfluences"] <= 4
    assert written.size < 3_000_000


@pytest.mark.peers
def test_the_validator_does_find_mistakes(tmp_path: Path) -> None:
    falling().export(tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    (tmp_path / "b.glb").write_bytes(data.replace(b'"VEC4"', b'"VEC3"'))
    assert verdict(tmp_path / "b.glb")["issues"]["numErrors"] > 0
