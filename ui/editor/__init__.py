"""What the window's user does and sees, without widgets. In: what panels and menus call. Out: state that they read, and
edits that the worker is asked for."""

from ui.editor.editor import Editor

__all__ = ["Editor"]
