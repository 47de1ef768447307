"""Edit a recording by one control point: bend an elbow around one instant and leave everything else as it was.

python examples/bend_an_elbow.py [CLIP.bvh [JOINT.DOF]]
"""

import sys

from hoi_edit.motions import Layer, bake
from hoi_edit.motions.point_tracks import point_tracks
from hoi_edit.scenes.resources import clip_path
from kinematics.io import read_clip, write_bvh


def main(name: str = "juggling_mime", dof: str = "right_forearm.Xrotation") -> None:
    clip = read_clip(clip_path(name))
    layer = Layer.over(clip, spacing=0.1)
    controls = layer.parameters().at[12, clip.skeleton.dof(dof)].add(-0.5)
    times = [0.8, 0.9, 1.0, 1.1, 1.2]
    before = point_tracks(clip.skeleton, layer, layer.parameters(), times, ["right_palm"])
    after = point_tracks(clip.skeleton, layer, controls, times, ["right_palm"])
    for k, t in enumerate(times):
        rise = 100 * (after.position[k, 0, 1] - before.position[k, 0, 1])
        print(f"{t:.1f} s: the palm is {rise:5.1f} cm higher and moves at {after.velocity[k, 0]} m/s")
    write_bvh(bake(layer, controls, clip), f"{clip.name}_bent.bvh")
    print(f"wrote {clip.name}_bent.bvh")


if __name__ == "__main__":
    main(*sys.argv[1:])
