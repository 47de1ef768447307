"""Editing people and the things they throw, catch, kick and carry.

In: clips, objects and an animator's wishes. Out: motions that fulfil them. `kinematics` moves the bodies, `rigid` the
things; this package couples the two, and `ui` shows them.
"""

__version__ = "0.1.0"
