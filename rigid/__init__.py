"""Things that fly, bounce and are held: rigid bodies between and at contacts.

In: masses, shapes and states. Out: flights and impulses. Imports nothing of ours but rotations and the base error.
"""
