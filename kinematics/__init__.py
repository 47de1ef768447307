"""Bodies that move: skeletons, clips, splines, and the files they come from.

In: BVH or ASF/AMC files, or a built-in body. Out: pose, velocity, acceleration and Jacobian of any body point at any
time, as smooth functions of joint coordinates. Imports nothing else of this project.
"""

import os

import jax

# How XLA makes code, unless the user says otherwise: in half the time, and it runs as fast. It is read when JAX first
# computes something, and is part of the key that code is kept by, so it has to be the same in all our processes.
for _flag, _value in {"xla_cpu_use_fusion_emitters": "false", "xla_backend_optimization_level": "1"}.items():
    if _flag not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --{_flag}={_value}".strip()

# Times of impact are polished to 1e-13 m: single precision, JAX's default, is out of the question anywhere in the core.
jax.config.update("jax_enable_x64", True)
