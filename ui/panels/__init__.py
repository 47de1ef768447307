"""The pieces of the window. Each builds its widgets once, and `refresh`es them from the editor's state.

In: the `Editor`, which panels read and whose methods they call; events of Dear PyGui.
Out: widgets. Dear PyGui is used here and in `ui.app` only; a panel never touches the session.
"""
