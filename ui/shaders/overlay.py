"""Lines and markers of constant width on the screen."""

from ui.shaders.shared import VERSION

LINE_VERTEX = (
    VERSION
    + """
in vec2 corner;             // x: -1 start, 1 end; y: side
in vec3 before;
in vec3 start;
in vec3 end;
in vec3 after;
in vec4 tint;
in float width;             // [px]
uniform mat4 to_clip;
uniform vec2 half_size;     // of the picture [px]
uniform float near;
uniform float pixel_slope;  // size of a pixel over its distance
uniform float nearer_by;    // in clip space, of all of the distance
noperspective out vec2 across_along;    // [px] from the middle line, and from the start
flat out vec2 span;                     // [px] where along the line its round caps begin
flat out float half_width;
flat out vec4 colour;

vec2 on_screen(vec4 c) { return c.xy / c.w * half_size; }

// The part of a segment behind the near plane has no place on the screen: slide its end up to the plane.
vec4 in_front(vec4 c, vec4 other) {
    float limit = near * 1.01;
    return c.w >= limit ? c : mix(c, other, clamp((limit - c.w) / max(other.w - c.w, 1e-9), 0.0, 1.0));
}

vec2 unit(vec2 v, vec2 otherwise) { float l = length(v); return l > 1e-4 ? v / l : otherwise; }

void main() {
    vec4 c0 = to_clip * vec4(start, 1.0), c1 = to_clip * vec4(end, 1.0);
    vec4 a = in_front(c0, c1), b = in_front(c1, c0);
    if (max(c0.w, c1.w) < near * 1.01) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    bool at_end = corner.x > 0.0;
    vec4 here = at_end ? b : a;
    vec3 beyond = at_end ? after : before;
    bool free_end = beyond == (at_end ? end : start);
    vec4 next = to_clip * vec4(beyond, 1.0);

    vec2 along = unit(on_screen(b) - on_screen(a), vec2(1.0, 0.0));
    vec2 outward = at_end ? along : -along;
    vec2 onward = free_end || next.w < near * 1.01 ? outward : unit(on_screen(next) - on_screen(here), outward);
    // Both segments of a joint share the bisector, so nothing is drawn twice there and translucent lines stay even.
    vec2 bisector = unit(outward + onward, outward);
    vec2 side = vec2(-bisector.y, bisector.x) * (at_end ? 1.0 : -1.0);
    float stretch = min(1.0 / max(abs(dot(bisector, outward)), 0.4), 2.5);

    half_width = 0.5 * width;
    float reach = half_width + 1.0, cap = free_end ? reach : 0.0;
    vec2 offset = side * corner.y * reach * stretch + outward * cap;
    float length_px = length(on_screen(b) - on_screen(a));
    across_along = vec2(corner.y * reach, at_end ? length_px + cap : -cap);
    span = vec2(before == start ? 0.0 : -1e6, after == end ? length_px : 1e6);
    colour = tint;
    // A little nearer, in distance: so that its width lies on the ground, yet does not come through a ball.
    float nearer = 0.001 + 2.0 * half_width * pixel_slope;
    gl_Position = here + vec4(offset / half_size * here.w, -nearer_by * nearer, 0.0);
}
"""
)

LINE_FRAGMENT = (
    VERSION
    + """
noperspective in vec2 across_along;
flat in vec2 span;
flat in float half_width;
flat in vec4 colour;
out vec4 pixel;
uniform float strength;
void main() {
    float beyond = max(max(span.x - across_along.y, across_along.y - span.y), 0.0);
    float coverage = clamp(half_width + 0.5 - length(vec2(across_along.x, beyond)), 0.0, 1.0);
    pixel = vec4(colour.rgb, colour.a * coverage * strength);
}
"""
)

MARKER_VERTEX = (
    VERSION
    + """
in vec2 corner;
in vec3 at;
in vec4 tint;
in vec3 size_shape_top;     // diameter [px]; 0 disc, 1 ring, 2 diamond; 1 in front of everything
uniform mat4 to_clip;
uniform vec2 half_size;
uniform float near;
uniform float nearer_by;
noperspective out vec2 place;
flat out float radius;
flat out int shape;
flat out vec4 colour;
void main() {
    radius = 0.5 * size_shape_top.x;
    shape = int(size_shape_top.y + 0.5);
    colour = tint;
    place = corner * (radius + 2.5);
    vec4 c = to_clip * vec4(at, 1.0);
    gl_Position = c + vec4(place / half_size * c.w, -0.004 * nearer_by, 0.0);
    if (size_shape_top.z > 0.5 && c.w > near) gl_Position.z = -0.9999 * c.w;
}
"""
)

MARKER_FRAGMENT = (
    VERSION
    + """
noperspective in vec2 place;
flat in float radius;
flat in int shape;
flat in vec4 colour;
out vec4 pixel;
uniform float strength;
void main() {
    float d = shape == 2 ? (abs(place.x) + abs(place.y) - radius) * 0.70711 : length(place) - radius;
    if (shape == 1) d = abs(d + 1.0) - 1.0;
    float body = clamp(0.5 - d, 0.0, 1.0), edge = clamp(1.7 - d, 0.0, 1.0) * 0.6;
    float alpha = max(body, edge);      // a thin dark edge keeps a marker readable on any colour
    if (alpha <= 0.0) discard;
    pixel = vec4(colour.rgb * body / alpha, colour.a * alpha * strength);
}
"""
)
