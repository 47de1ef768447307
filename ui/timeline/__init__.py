"""The timeline and the curves as data: lanes, marks and bars, weights of blends, scales, and the time that is shown.

In: a rollout, a document, and the pixels of a panel.
Out: frozen records of what is where, and what a drag to a pixel means. No widgets.
"""
