"""Pictures and films as files show them, drawn without a window.

In: a rollout and times, or a clip and its fitted spline.
Out: frames, contact sheets and strips of poses as arrays of pixels.
"""
