"""One open document: its edits, its history and its files.

In come a scene or a `.hoi` file and an animator's wishes; out come reports, rollouts and files. Editor, notebook and
command line are doors to `EditSession`.
"""

from hoi_edit.session.edit_session import EditSession

__all__ = ["EditSession"]
