"""What a character keeps of the clip that its motion was made of: enough to write it back in the form of its file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Recording:
    """A clip without its poses, which the motion has."""

    name: str
    frame_time: float  # [s]
    start: float  # [s] of the first row
    rows: int
    source: Any = None  # the file behind it, as its reader describes it
    source_rows: Floats | None = None  # that file's own numbers, row for row, while they correspond

    def __repr__(self) -> str:
        return f"<recording {self.name}: {self.rows} rows at {1.0 / self.frame_time:.5g} Hz>"

    @staticmethod
    def of(clip: Clip) -> "Recording":
        source: Any = clip.source
        if hasattr(source, "path"):  # a document that is given away tells nobody about its maker's folders
            source = replace(source, path=Path(source.path).name)
        return Recording(clip.name, clip.frame_time, clip.start, clip.n_frames, source, clip.source_rows)

    def clip(self, skeleton: Skeleton, poses: Floats) -> Clip:
        """These poses as a clip with the rows, rate and file of the recording."""
        return Clip(skeleton, poses, self.frame_time, self.start, self.name, self.source, self.source_rows)
