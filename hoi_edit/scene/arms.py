"""Which segments an arm is: what holds on to a thing, and is near it all the time."""

from kinematics.skeleton import Skeleton

FORK = 2  # limbs


def arm_of(skeleton: Skeleton, segment: int) -> list[int]:
    """A segment, all that hangs on it, and what carries it up to where the body forks into arms."""
    parents = skeleton.topology.parents
    chain = [segment]
    while parents[chain[-1]] >= 0 and parents.count(parents[chain[-1]]) < FORK:
        chain.append(parents[chain[-1]])
    arm = set(chain)
    for joint, parent in enumerate(parents):
        if parent in arm:
            arm.add(joint)
    return sorted(arm)
