"""temporary"""
from dataclasses import dataclass
import numpy as np


@dataclass(frozen=True, eq=False)
class Body:
    vertices: np.ndarray
    radius: float
    mass: float
    moments: np.ndarray

    @staticmethod
    def ball(mass: float, radius: float, hollow: bool = False) -> "Body":
        m = (2 / 3 if hollow else 2 / 5) * mass * radius**2
        return Body(np.zeros((1, 3)), radius, mass, np.full(3, m))

    @property
    def reach(self) -> float:
        return self.radius
