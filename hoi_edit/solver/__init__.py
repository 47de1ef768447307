"""The QP of a drag step: the smallest change of everything that makes rows of dS/du true.

In: rows in blocks (`hoi_edit.linearise.Rows`), bounds on each, and a metric that says what a change costs. Out: the
step, what each row pulls with, and the names of those that bind or contradict each other.
"""
