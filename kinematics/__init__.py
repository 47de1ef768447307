"""Bodies that move: skeletons, clips, splines, and the files they come from.

In: BVH or ASF/AMC files, or a built-in body. Out: pose, velocity, acceleration and Jacobian of any body point at any
time, as smooth functions of joint coordinates. Imports nothing else of this project.
"""

import jax

# Times of impact are polished to 1e-13 m: single precision, JAX's default, is out of the question anywhere in the core.
jax.config.update("jax_enable_x64", True)
