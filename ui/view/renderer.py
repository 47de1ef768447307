"""Pictures of a scene without a window: a `Drawing` and a `Camera` in, an RGBA array out. GL 3.3 core.

A renderer owns its GL context and lives on the thread that made it. Colours are sRGB in 0..1, as in a colour picker.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from types import TracebackType
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from hoi_edit.export.swept_balls import linear, split_sphere
from ui import shaders
from ui.view import meshes
from ui.view.camera import STAND_BACK, Camera
from ui.view.drawing import Drawing
from ui.view.gl_context import RendererUnavailable, make_context, supported_samples
from ui.view.instances import (
    CONTACT_LAYOUT,
    LINE_LAYOUT,
    MARKER_LAYOUT,
    SOLID_DEPTH_LAYOUT,
    SOLID_LAYOUT,
    gather,
    line_rows,
    marker_rows,
)
from ui.view.meshes import Bodies

__all__ = ["KEY_DIRECTION", "Renderer", "RendererUnavailable"]

Array = NDArray[np.float64]


KEY_DIRECTION = np.array([0.36, 0.88, 0.32]) / np.linalg.norm([0.36, 0.88, 0.32])  # towards the light
SHADOW_TEXELS = 1024
CONTACT_TEXELS = 384
MOST_HULLS = 32  # whose meshes are kept
MOST_NEIGHBOURS = 8
MESH_STEPS = (5, 8, 14)  # per quarter circle; the coarsest that still looks round is drawn
ROUNDNESS = 0.35  # [px] an outline may be off

LEVEL = 1e-3  # [rad] of elevation below which the ground is seen from its edge

SQUARE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], dtype=np.float32)


class Renderer:
    """Draws on the thread that made it. Use as a context manager, or call `close`."""

    def __init__(self, width: int, height: int, samples: int = 4, shadow_texels: int = SHADOW_TEXELS) -> None:
        self._thread = threading.get_ident()
        self._shadow_texels = shadow_texels
        self._ctx = make_context()
        self._closed = False
        self._hulls: list[Array] = []  # of the picture that is drawn
        with self._ctx:
            self.driver = str(self._ctx.info["GL_RENDERER"])
            self.samples = supported_samples(self._ctx, samples)
            self._make_programs()
            self._make_shapes()
            self._make_shadow_targets()
            self._targets: list[Any] = []
            self._enlarged: tuple[Any, Any] | None = None  # target and its texture, once somebody wants one
            self._make_picture(width, height)

    @property
    def software(self) -> bool:
        """Without a GPU, multisampling more than doubles the time of a picture: do without it while things move."""
        return any(name in self.driver.lower() for name in ("llvmpipe", "softpipe", "swrast"))

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives all GL memory back. Safe to call twice."""
        if not self._closed:
            self._check_thread()
            self._ctx.release()
            self._closed = True

    def resize(self, width: int, height: int) -> None:
        self._check_thread()
        if (width, height) != self.size:
            with self._ctx:
                self._make_picture(width, height)

    def render(self, camera: Camera, drawing: Drawing, enlarged_to: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """The picture as (height, width, 4), top row first: drawn in the renderer's size, and then smoothly
        `enlarged_to` another width and height, if these are given."""
        self._check_thread()
        with self._ctx:
            bodies, self._hulls = gather(drawing.solids)
            is_ghost = bodies.tint[:, 3] < 1.0
            opaque, ghosts = bodies.where(~is_ghost).hulls_last(), bodies.where(is_ghost).hulls_last()
            capsules = meshes.occluder_capsules(opaque.position, opaque.rotation, opaque.inner, opaque.radius)

            self._set_view(camera, drawing)
            self._upload(self._opaque_rows, opaque.rows())
            self._upload(self._ghost_rows, ghosts.rows())
            self._draw_shadow_map(opaque)
            if drawing.ground:
                self._draw_contact_map(capsules)
            self._begin_picture()
            self._draw_opaque(opaque, capsules)
            beneath = is_beneath(camera)
            if drawing.ground and not beneath:
                self._draw_ground(camera)
            self._draw_behind(camera, drawing)
            if drawing.ground and beneath:
                self._draw_ground(camera)
            self._draw_ghosts(ghosts)
            self._draw_signs(drawing)
            return self._read() if enlarged_to in (None, self.size) else self._read_enlarged(*enlarged_to)

    # -- set up -------------------------------------------------------------------------------------------------

    def _make_programs(self) -> None:
        def program(vertex: str, fragment: str) -> moderngl.Program:
            return self._ctx.program(vertex_shader=vertex, fragment_shader=fragment)

        self._solid = program(shaders.SOLID_VERTEX, shaders.SOLID_FRAGMENT)
        self._depth = program(shaders.DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
        self._contact = program(shaders.CONTACT_VERTEX, shaders.CONTACT_FRAGMENT)
        self._ground = program(shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT)
        self._sky = program(shaders.SKY_VERTEX, shaders.SKY_FRAGMENT)
        self._wall = program(shaders.WALL_VERTEX, shaders.WALL_FRAGMENT)
        self._line = program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT)
        self._marker = program(shaders.MARKER_VERTEX, shaders.MARKER_FRAGMENT)
        self._programs = (
            self._solid, self._depth, self._contact, self._ground, self._sky, self._wall, self._line, self._marker
        )  # fmt: skip
        self._whole_picture = program(shaders.PICTURE_VERTEX, shaders.PICTURE_FRAGMENT)
        self._set(shadow_compare=0, shadow_depth=1, contact_open=2, neighbours=3, to_key=KEY_DIRECTION)

    def _make_shapes(self) -> None:
        ctx = self._ctx
        balls = {steps: tuple(ctx.buffer(part.tobytes()) for part in split_sphere(steps)) for steps in MESH_STEPS}
        square = ctx.buffer(SQUARE.tobytes())
        self._opaque_rows, self._ghost_rows, self._line_rows, self._marker_rows, self._capsule_rows = (
            ctx.buffer(reserve=1024, dynamic=True) for _ in range(5)
        )
        self._hull_rows = ctx.buffer(reserve=80, dynamic=True)  # one row
        self._hull_arrays: dict[bytes, tuple[moderngl.VertexArray, moderngl.VertexArray]] = {}
        self._neighbours = ctx.texture((2 * MOST_NEIGHBOURS, 64), 4, dtype="f4")

        def solids(program: moderngl.Program, rows: moderngl.Buffer, *layout: str) -> dict[int, moderngl.VertexArray]:
            return {
                steps: ctx.vertex_array(
                    program, [(vertices, "3f 3f", "in_direction", "in_octant"), (rows, *layout)], triangles
                )
                for steps, (vertices, triangles) in balls.items()
            }

        def squares(program: moderngl.Program, *instances: Any) -> moderngl.VertexArray:
            return ctx.vertex_array(program, [(square, "2f", "corner"), *instances], mode=moderngl.TRIANGLE_STRIP)

        self._opaque_colour = solids(self._solid, self._opaque_rows, *SOLID_LAYOUT)
        self._opaque_depth = solids(self._depth, self._opaque_rows, *SOLID_DEPTH_LAYOUT)
        self._ghost_colour = solids(self._solid, self._ghost_rows, *SOLID_LAYOUT)
        self._ghost_depth = solids(self._depth, self._ghost_rows, *SOLID_DEPTH_LAYOUT)
        self._line_quads = squares(self._line, (self._line_rows, *LINE_LAYOUT))
        self._marker_quads = squares(self._marker, (self._marker_rows, *MARKER_LAYOUT))
        self._contact_quads = squares(self._contact, (self._capsule_rows, *CONTACT_LAYOUT))
        self._ground_quad, self._sky_quad, self._wall_quad, self._picture_quad = (
            squares(program) for program in (self._ground, self._sky, self._wall, self._whole_picture)
        )

    def _make_shadow_targets(self) -> None:
        ctx = self._ctx
        self._shadow_map = ctx.depth_texture((self._shadow_texels, self._shadow_texels))
        self._shadow_target = ctx.framebuffer(depth_attachment=self._shadow_map)
        # One depth texture read in two ways: as depths, and as the hardware's smoothed comparison.
        linear_filter, nearest = (moderngl.LINEAR, moderngl.LINEAR), (moderngl.NEAREST, moderngl.NEAREST)
        self._samplers = (
            ctx.sampler(repeat_x=False, repeat_y=False, filter=linear_filter, compare_func="<="),
            ctx.sampler(repeat_x=False, repeat_y=False, filter=nearest, compare_func=""),
            ctx.sampler(repeat_x=False, repeat_y=False, filter=linear_filter, compare_func=""),
        )
        self._contact_map = ctx.texture((CONTACT_TEXELS, CONTACT_TEXELS), 1)
        self._contact_target = ctx.framebuffer([self._contact_map])

    def _make_picture(self, width: int, height: int) -> None:
        if width < 1 or height < 1:
            raise ValueError(f"a picture needs at least one pixel, got {width} x {height}")
        for old in self._targets:
            old.release()
        ctx, size = self._ctx, (width, height)
        colour = ctx.texture(size, 4, samples=self.samples)
        depth = ctx.depth_renderbuffer(size, samples=self.samples)
        self._picture = ctx.framebuffer([colour], depth)
        self._targets = [self._picture, colour, depth]
        self._resolved, self._resolved_colour = self._picture, colour
        if self.samples:
            resolved = ctx.texture(size, 4)
            self._resolved, self._resolved_colour = ctx.framebuffer([resolved]), resolved
            self._targets += [self._resolved, resolved]
        # enlarged, its border would else be mixed with the border across
        self._resolved_colour.repeat_x = self._resolved_colour.repeat_y = False
        self.size = size

    # -- one picture, in the order of its passes ----------------------------------------------------------------

    def _set_view(self, camera: Camera, drawing: Drawing) -> None:
        width, height = self.size
        projection, view = camera.projection(width / height), camera.view()
        rotation = np.eye(4)
        rotation[:3, :3] = view[:3, :3]
        self._to_clip = projection @ view
        self._set(
            from_clip=np.linalg.inv(projection @ rotation),
            eye=camera.eye,
            place=replace(camera, orthographic=False).eye,
            beneath=is_beneath(camera),
            near=camera.near,
            pixel_slope=camera.metres_per_pixel(height) / camera.distance,
            nearer_by=_depth_of_a_metre(camera) * camera.distance,
            half_size=(width / 2, height / 2),
            sky_top=drawing.background_top,
            sky_horizon=drawing.background_horizon,
            ground_colour=linear(drawing.ground_colour),
        )

    def _draw_shadow_map(self, opaque: Bodies) -> None:
        centre, reach = opaque.position, np.linalg.norm(opaque.inner, axis=1) + opaque.radius
        if len(opaque) == 0:
            centre, reach = np.zeros((1, 3)), np.ones(1)
        frame = meshes.light_frame(KEY_DIRECTION)
        to_map, width, depth = meshes.fit_light(frame, centre, reach, self._shadow_texels)
        half = np.diag([0.5, 0.5, 0.5, 1.0])
        half[:3, 3] = 0.5
        self._set(to_shadow=half @ to_map, shadow_width=width, shadow_range=depth, to_clip=to_map)
        self._shadow_target.use()
        self._shadow_target.clear(depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<="
        # Far sides only: a lit face then never shadows itself, and a sole on the ground still casts from the ground.
        self._ctx.cull_face = "front"
        self._draw_solids(self._opaque_depth, MESH_STEPS[0], opaque)
        self._ctx.cull_face = "back"

    def _draw_contact_map(self, capsules: Array) -> None:
        near_ground = capsules[np.minimum(capsules[:, 1], capsules[:, 5]) < 6 * capsules[:, 3]]
        ends = np.concatenate([near_ground[:, [0, 2]], near_ground[:, [4, 6]], np.zeros((1, 2))])
        margin = 5 * near_ground[:, 3].max(initial=0.0) + 0.1
        low, size = ends.min(axis=0) - margin, np.ptp(ends, axis=0) + 2 * margin
        self._set(contact_area=(*low, *size))
        self._upload(self._capsule_rows, near_ground)
        self._contact_target.use()
        self._contact_target.clear(1.0, 1.0, 1.0, 1.0)
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = moderngl.DST_COLOR, moderngl.ZERO
        self._contact_quads.render(instances=len(near_ground))

    def _begin_picture(self) -> None:
        self._picture.use()
        self._picture.clear(0.0, 0.0, 0.0, 1.0, depth=1.0)
        self._set(to_clip=self._to_clip)
        for unit, (texture, sampler) in enumerate(
            zip((self._shadow_map, self._shadow_map, self._contact_map), self._samplers, strict=True)
        ):
            texture.use(unit)
            sampler.use(unit)
        # Coverage blends; the picture's own alpha stays 1.
        both: Any = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
        self._ctx.blend_func = both

    def _draw_opaque(self, opaque: Bodies, capsules: Array) -> None:
        around = meshes.neighbours(capsules, MOST_NEIGHBOURS)
        if len(around) > self._neighbours.height:
            self._neighbours.release()
            self._neighbours = self._ctx.texture((2 * MOST_NEIGHBOURS, 2 * len(around)), 4, dtype="f4")
        if len(around):
            self._neighbours.write(around.tobytes(), viewport=(0, 0, 2 * MOST_NEIGHBOURS, len(around)))
        self._neighbours.use(3)
        self._set(ghost=0.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._draw_solids(self._opaque_colour, self._fineness(opaque), opaque)

    def _draw_ground(self, camera: Camera) -> None:
        eye, target = replace(camera, orthographic=False).eye, np.asarray(camera.target)
        reach = min(0.6 * camera.far, 60.0 + 4.0 * abs(eye[1]))
        self._set(
            ground_middle=eye[[0, 2]],
            ground_reach=reach,
            pool_middle=target[[0, 2]],
            pool_reach=max(1.4 * camera.distance, 2.5),
        )
        # From beneath, the ground is a veil of lines over the sky that hides nothing.
        beneath = is_beneath(camera)
        self._ctx.enable_only(moderngl.DEPTH_TEST | (moderngl.BLEND if beneath else 0))
        self._picture.depth_mask = not beneath
        self._ground_quad.render()
        self._picture.depth_mask = True

    def _draw_behind(self, camera: Camera, drawing: Drawing) -> None:
        """The sky; without perspective and from the side the ground is a line, and a wall of squares tells sizes."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        if not (camera.orthographic and drawing.ground and abs(camera.elevation) < LEVEL):
            self._sky_quad.render()
            return
        right, up, _ = camera.axes
        half = camera.half_height * np.array([self.size[0] / self.size[1], 1.0])
        middle = np.array([right, up]) @ np.asarray(camera.target)
        level = (0.58, 0.32, 0.31) if abs(right[0]) > abs(right[2]) else (0.34, 0.45, 0.66)  # X, or Z
        self._set(wall_middle=middle, wall_half=half, wall_axis=level)
        self._wall_quad.render()

    def _draw_ghosts(self, ghosts: Bodies) -> None:
        """Depth first, colour second: of each ghost only the nearest surface shows, never its inner joints."""
        if len(ghosts) == 0:
            return
        fineness = self._fineness(ghosts)
        self._set(ghost=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._draw_solids(self._ghost_depth, fineness, ghosts)
        self._draw_solids(self._ghost_colour, fineness, ghosts)

    def _draw_solids(self, balls: dict[int, moderngl.VertexArray], fineness: int, bodies: Bodies) -> None:
        """Swept balls all at once, from their table; then hulls one by one, each with its own mesh."""
        plain = int(np.sum(bodies.hull < 0))
        self._set(first=0)
        if plain:
            balls[fineness].render(instances=plain)
        for k in range(plain, len(bodies)):
            depth_only = balls is self._opaque_depth or balls is self._ghost_depth
            self._hull_rows.write(bodies.rows()[k].astype(np.float32).tobytes())
            self._set(first=k)
            self._hull_of(self._hulls[int(bodies.hull[k])])[depth_only].render(instances=1)

    def _hull_of(self, corners: Array) -> tuple[moderngl.VertexArray, moderngl.VertexArray]:
        """A hull to be drawn in colour, and in depth; made once for each."""
        key = corners.tobytes()
        if key not in self._hull_arrays:
            while len(self._hull_arrays) >= MOST_HULLS:
                for array in self._hull_arrays.pop(next(iter(self._hull_arrays))):
                    array.release()
            mesh = (self._ctx.buffer(meshes.hull_mesh(corners).tobytes()), "3f 3f", "in_direction", "in_octant")
            colour = self._ctx.vertex_array(self._solid, [mesh, (self._hull_rows, *SOLID_LAYOUT)])
            depth = self._ctx.vertex_array(self._depth, [mesh, (self._hull_rows, *SOLID_DEPTH_LAYOUT)])
            self._hull_arrays[key] = colour, depth
        return self._hull_arrays[key]

    def _draw_signs(self, drawing: Drawing) -> None:
        """Lines and markers, first what bodies hide (faintly), then what is in view."""
        lines, markers = line_rows(drawing.lines), marker_rows(drawing.markers)
        self._upload(self._line_rows, lines)
        self._upload(self._marker_rows, markers)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        self._picture.depth_mask = False
        for depth_func, strength in ((">", drawing.hidden_alpha), ("<=", 1.0)):
            self._ctx.depth_func = depth_func
            self._set(strength=strength)
            if strength > 0.0:
                self._line_quads.render(instances=len(lines))
                self._marker_quads.render(instances=len(markers))
        self._picture.depth_mask = True
        self._ctx.depth_func = "<="

    def _read(self) -> NDArray[np.uint8]:
        self._resolve()
        return _pixels_of(self._resolved)

    def _read_enlarged(self, width: int, height: int) -> NDArray[np.uint8]:
        self._resolve()
        if self._enlarged is None or self._enlarged[0].size != (width, height):
            for old in self._enlarged or ():
                old.release()
            texture = self._ctx.texture((width, height), 4)
            self._enlarged = self._ctx.framebuffer([texture]), texture
        target = self._enlarged[0]
        target.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._resolved_colour.use(0)
        self._ctx.clear_samplers(0, 1)  # that of shadows compares depths
        self._picture_quad.render()
        return _pixels_of(target)

    def _resolve(self) -> None:
        if self.samples:
            self._ctx.copy_framebuffer(self._resolved, self._picture)

    # -- helpers ------------------------------------------------------------------------------------------------

    def _fineness(self, bodies: Bodies) -> int:
        """Steps of the coarsest mesh whose outline strays less than ROUNDNESS from a circle, at the nearest body."""
        depth = bodies.position @ self._to_clip[3, :3] + self._to_clip[3, 3]
        if self._to_clip[3, :3].any():  # the nearest side of each; without perspective all are as near
            depth = depth - bodies.radius
        pixels_per_metre = self.size[1] / 2 * np.linalg.norm(self._to_clip[1, :3])
        largest = (bodies.radius / np.maximum(depth, 0.05)).max(initial=0.0) * pixels_per_metre
        for steps in MESH_STEPS:
            if largest * (1 - np.cos(np.pi / (4 * steps))) < ROUNDNESS:
                return steps
        return MESH_STEPS[-1]

    def _set(self, **uniforms: Any) -> None:
        """Sets a uniform in every program that has it."""
        for name, value in uniforms.items():
            for program in self._programs:
                uniform: Any = program.get(name, None)
                if uniform is None:
                    continue
                if np.ndim(value) == 2:
                    uniform.write(np.asarray(value, dtype=np.float32).T.tobytes())
                else:
                    uniform.value = tuple(value) if np.ndim(value) else value

    def _upload(self, buffer: moderngl.Buffer, rows: Array) -> None:
        data = rows.astype(np.float32).tobytes()
        if data:
            buffer.orphan(len(data))
            buffer.write(data)

    def _check_thread(self) -> None:
        if self._closed:
            raise RuntimeError("the renderer is closed")
        if threading.get_ident() != self._thread:
            raise RuntimeError("a renderer must be used on the thread that made it, as its GL context lives there")


def _pixels_of(target: moderngl.Framebuffer) -> NDArray[np.uint8]:
    """(h, w, 4), top row first."""
    width, height = target.size
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    target.read_into(pixels, components=4)
    return pixels[::-1].copy()


def is_beneath(camera: Camera) -> bool:
    """Whether the ground is seen from below."""
    return bool(camera.axes[2, 1] < -1e-9 if camera.orthographic else camera.eye[1] < 0)


def _depth_of_a_metre(camera: Camera) -> float:
    """By how much of clip space something at the target's depth comes nearer with each metre."""
    return 2.0 / (camera.far + STAND_BACK - camera.near) if camera.orthographic else 2.0 * camera.near / camera.distance
