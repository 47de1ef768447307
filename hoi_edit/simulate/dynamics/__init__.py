"""How things move between events, and how that depends on where it begins: what spans and events both build on.

In: a `Context` and what names a stretch of motion. Out: states at times, and covectors carried back to that beginning.
"""
