"""Names for single numbers of dx/du."""

from dataclasses import dataclass

X, Y, Z, VX, VY, VZ = range(6)  # components of x = [position, velocity]
COMPONENTS = ("x", "y", "z", "vx", "vy", "vz")


@dataclass(frozen=True)
class JacobianEntry:
    """A component of the target's x by one entry of a block of u."""

    component: int
    block: str
    index: int = 0

    def __str__(self) -> str:
        return f"d {COMPONENTS[self.component]} / d {self.block}[{self.index}]"
