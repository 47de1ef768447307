"""How the scenes that ship are solved: from a plan that is only declared to a motion that makes it come true.

In: a scene, and where its things shall be when. Out: control points, for `hoi_edit.scenes` to load.
"""
