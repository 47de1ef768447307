"""The editor: the window, what it shows, and the thread that edits for it. All pictures are drawn here too.

In: documents of `hoi_edit`, and the mouse and keys of a person.
Out: edits asked of an `EditSession`, pictures as numpy arrays, files. Nothing here knows physics.
"""
