"""Who touches what, and what comes of it: balls and other bodies, parts of people, fixtures, and each other.

In come a scene's surfaces and things on their way (`hoi_edit.world`, `hoi_edit.cursor`), out come touches, the laws by
which they go, and what becomes of both; `hoi_edit.discover` puts them in order.
"""
