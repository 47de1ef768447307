"""The editor's eyes and hands.

In: plain records of what to show (solids, lines, markers) and where to look from, all in metres with Y up.
Out: pictures as numpy arrays, and rays and pixels for the pointer. Nothing here knows physics.
"""
