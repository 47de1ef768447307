"""Published segment masses of adults.

P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29 (1996), table 4,
male: the head by vertex-cervicale, the trunk in three parts, limbs between joint centres, the shank to the lateral
malleolus.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Anthropometry:
    """One segment in the published table; lengths as fractions of the segment's own length."""

    mass: float  # fraction of body mass
    centre: float  # of mass, from the proximal end
    gyration: tuple[float, float, float]  # radii about the sagittal, transverse and long axis


DE_LEVA = {
    "head": Anthropometry(0.0694, 0.4998, (0.303, 0.315, 0.261)),  # measured up from the cervicale
    "thorax": Anthropometry(0.1596, 0.4934, (0.505, 0.320, 0.465)),
    "abdomen": Anthropometry(0.1633, 0.5498, (0.482, 0.383, 0.468)),
    "pelvis": Anthropometry(0.1117, 0.3885, (0.615, 0.551, 0.587)),
    "upper_arm": Anthropometry(0.0271, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": Anthropometry(0.0162, 0.4574, (0.276, 0.265, 0.121)),
    "hand": Anthropometry(0.0061, 0.3624, (0.288, 0.235, 0.184)),  # wrist to fingertip
    "thigh": Anthropometry(0.1416, 0.4095, (0.329, 0.329, 0.149)),
    "shank": Anthropometry(0.0433, 0.4459, (0.255, 0.249, 0.103)),
    "foot": Anthropometry(0.0137, 0.4415, (0.257, 0.245, 0.124)),  # heel to toe tip
}
