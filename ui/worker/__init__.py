"""Threads that work while the window goes on: the one that owns the session, and the one that writes exports.

In: edits as functions of a session, the latest target of a drag, what is to be imported or exported.
Out: immutable snapshots of the document and of a drag, and messages. The window never waits. No widgets.
"""
