"""Feet that step: where they fall, how they get there, and how the body follows.

In: where somebody's feet stand and when, and a way that the body is to go. Out: footfalls (`footfalls`), and poses of
somebody who takes these steps (`stepped_poses`). `foot_path` and `row_by_row` draw bodies that nobody recorded.
"""
