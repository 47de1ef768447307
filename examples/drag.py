"""Drag a ball of the cascade, and draw the juggler before and after: `python examples/drag.py [picture.jpg]`.

`hoi-edit demo` does the same, and leaves a film and files for other programs too.
"""

import sys

from PIL import Image

import hoi_edit as hoi
from hoi_edit.export.ui_bridge import drag_picture
from hoi_edit.scenes.demos import demo


def main(path: str) -> None:
    session = hoi.open("juggle3")
    drag = demo("juggle3").drag(session)
    print(drag.report)
    print(session.script())
    Image.fromarray(drag_picture(drag, width=1100)).save(path, quality=88)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "drag.jpg")
