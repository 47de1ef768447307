"""How the program's own clips are made: key poses and foot paths go in, a clip of the built-in body comes out.

One module per clip (`juggling`, `keepup`, `kick`, `pitch`, `swing`, `catch`, `box`, `stand`); the others are what they
share.
"""
