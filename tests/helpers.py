"""What many tests share: random skeletons, roots for JAX, and the one check that a derivative is right."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numba
import numpy as np

from kinematics.code_making import EntryCompiler
from kinematics.skeleton import Dof, Joint, Skeleton
from rigid.time_of_impact import Gap

Function = TypeVar("Function", bound=Callable[..., Any])
ITERATIONS = 60  # of bisection, in case Newton keeps leaving the bracket; a dozen Newton steps are the rule


def random_skeleton(rng: np.random.Generator, joints: int = 8, structure: int = 0) -> Skeleton:
    """A random tree: a six-DOF root, 0 to 3 hinges about oblique axes elsewhere, one sliding joint among them.

    The tree is drawn from `structure` and the numbers from `rng`, so that tests over many numbers compile once.
    """
    shape = np.random.default_rng(structure)
    root = tuple(Dof(f"T{n}", tuple(np.eye(3)[i]), "translation") for i, n in enumerate("XYZ"))
    root += tuple(Dof(f"R{n}", tuple(np.eye(3)[i])) for i, n in enumerate("YXZ"))
    made = [Joint("j0", None, (0.0, 0.0, 0.0), root)]
    for i in range(1, joints):
        parent = int(shape.integers(max(0, i - 3), i))
        dofs = tuple(Dof(f"d{k}", tuple(rng.normal(size=3))) for k in range(int(shape.integers(0, 4))))
        if i == joints // 2:
            dofs += (Dof("slide", tuple(rng.normal(size=3)), "translation"),)
        made.append(Joint(f"j{i}", f"j{parent}", tuple(rng.normal(size=3)), dofs))
    return Skeleton.build(made)


def machine_code(function: Function) -> Function:
    """A caller of what only compiled functions call, compiled as those that Python calls are."""
    compile_it: Any = numba.njit(pipeline_class=EntryCompiler)
    caller: Function = compile_it(function)
    return caller


def central_difference(f: Callable[..., Any], x: Any, *args: Any, step: float = 1e-4) -> np.ndarray:
    """∂f/∂x by central differences extrapolated once (Richardson): fourth order, some 1e-11 of what f is."""
    x = np.asarray(x, float)
    moves = step * np.array([1.0, -1.0, 0.5, -0.5])[:, None, None] * np.eye(x.size)
    around = jnp.asarray((x.ravel() + moves.reshape(-1, x.size)).reshape(-1, *x.shape))
    values = np.asarray(jax.jit(lambda xs, *rest: jax.vmap(lambda y: f(y, *rest))(xs))(around, *args))
    up, down, half_up, half_down = values.reshape(4, x.size, *values.shape[1:])
    quotient = (4 * (half_up - half_down) / step - (up - down) / (2 * step)) / 3
    return np.moveaxis(quotient, 0, -1).reshape((*values.shape[1:], *x.shape))


def polish(gap: Gap, before: Any, after: Any, u: Any) -> jax.Array:
    """The root of `gap` between two times at which its signs differ, to round-off: Newton, kept inside its bracket."""

    def step(_: int, bracket: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array, jax.Array]:
        low, high, t = bracket
        value, rate = jax.jvp(lambda time: gap(time, u), (t,), (jnp.ones_like(t),))
        same_side = jnp.sign(value) == start_sign
        low, high = jnp.where(same_side, t, low), jnp.where(same_side, high, t)
        newton = t - value / jnp.where(rate == 0.0, jnp.inf, rate)
        inside = (newton > low) & (newton < high) & (rate != 0.0)
        return low, high, jnp.where(value == 0.0, t, jnp.where(inside, newton, 0.5 * (low + high)))

    low, high = jnp.asarray(before, float), jnp.asarray(after, float)
    start_sign = jnp.sign(gap(low, u))
    return jax.lax.fori_loop(0, ITERATIONS, step, (low, high, 0.5 * (low + high)))[2]


def check_derivative(
    f: Callable[..., Any], x: Any, *args: Any, tolerance: float = 1e-7, step: float = 1e-4
) -> np.ndarray:
    """Assert that forward mode, reverse mode and central differences of f(x, *args) by x agree; return the derivative.

    What f needs besides x goes into `args`, not into its closure: then one compilation serves every example.
    """
    x = jnp.asarray(x, float)
    both = jax.jit(lambda y, *rest: (jax.jacfwd(f)(y, *rest), jax.jacrev(f)(y, *rest)))
    forward, reverse = (np.asarray(d) for d in both(x, *args))
    numeric = central_difference(f, x, *args, step=step)
    scale = float(np.abs(numeric).max()) or 1.0  # relative to the largest entry, however small that is
    assert np.abs(forward - reverse).max() <= 1e-11 * scale
    assert np.abs(forward - numeric).max() <= tolerance * scale
    return forward
