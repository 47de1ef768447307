"""The pieces of the window. Each builds its widgets once, and `refresh`es them from the editor's state."""
