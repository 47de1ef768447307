"""What a user has given: whether it is a number, some of them, a rotation or a name, and not something else."""

from numbers import Real

import numpy as np

from kinematics.errors import HoiError
from kinematics.rotation import Floats

SQUARE = 1e-6  # by how much a matrix may fail to be a rotation


def is_number(value: object) -> bool:
    """Whether it is a finite number, of whatever kind."""
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def is_text(value: object) -> bool:
    """Whether it can be a name."""
    return isinstance(value, str)


def is_real(value: object) -> bool:
    """Whether it is a number, finite or not."""
    return isinstance(value, Real)


def as_floats(value: object, shape: tuple[int, ...]) -> Floats | None:
    """Real numbers in this shape, finite or not; None if it is something else: words, complex numbers, other shapes."""
    try:
        numbers = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return numbers.astype(float, copy=False) if numbers.shape == shape and numbers.dtype.kind in "fiu" else None


def are_numbers(value: object, shape: tuple[int, ...]) -> bool:
    """Whether they are finite numbers in this shape."""
    numbers = as_floats(value, shape)
    return numbers is not None and bool(np.all(np.isfinite(numbers)))


def check_radians(what: str, angle: float, around: float = 0.0) -> None:
    """An angle more than a full turn away from where it is now is hardly ever meant: it is in degrees."""
    if abs(angle - around) > 2.0 * np.pi + 1e-9:
        raise HoiError(
            f"{what} {angle:g} is more than a full one, 2π: it is in radians; "
            f"{angle:g} degrees are {np.deg2rad(angle):.4f} rad"
        )


def is_rotation(value: object) -> bool:
    """Whether it is three rows of three, each of length one and square to the others, right-handed."""
    R = as_floats(value, (3, 3))
    # a reflection keeps lengths as well
    return R is not None and bool(np.abs(R @ R.T - np.eye(3)).max() <= SQUARE and np.linalg.det(R) > 0.0)
