"""Things that fly, bounce and are held: rigid bodies between and at contacts.

In: masses, shapes and states. Out: flights, gaps, impulses and times of impact, all of them differentiable. Imports
nothing of ours but rotations and the base error.
"""
