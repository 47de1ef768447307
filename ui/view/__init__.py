"""What the viewport shows: cameras and rays, what is hit by the pointer, drawings as data, and the renderer.

In: a rollout, a time, a camera and what is selected. Everything is in metres, Y up; pixels begin at the top left.
Out: pictures as arrays, names of what is under the pointer, places and angles that a drag means. No widgets.
"""
