"""GLSL 3.30 sources: each program is a pair (vertex, fragment). Shared functions are pasted in front.

Light is added up in linear colours and encoded to sRGB at the end of each shader. Coverage (edges, lines, ghosts)
then mixes encoded colours: evenly for the eye, and far cheaper without a GPU than an sRGB framebuffer.
"""

from __future__ import annotations

VERSION = "#version 330 core\n"

# ---------------------------------------------------------------------------------------------- shared functions

ENCODE = """
vec3 encoded(vec3 c) {
    return mix(1.055 * pow(max(c, 1e-5), vec3(1.0 / 2.4)) - 0.055, 12.92 * c, step(c, vec3(0.0031308)));
}
"""

TONE = """
// Identity below the knee, so interface colours arrive as chosen; a soft shoulder above it, so highlights never clip.
vec3 tone(vec3 c) {
    const float knee = 0.55;
    vec3 shoulder = knee + (1.0 - knee) * (1.0 - exp((knee - max(c, knee)) / (1.0 - knee)));
    return mix(c, shoulder, step(knee, c));
}
"""

NOISE = """
// A fixed pattern that spreads neighbouring pixels evenly over 0..1: the same picture every time, no banding.
float spread(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }
"""

SKY = """
uniform vec3 sky_top;           // already encoded, as are lines and markers: nothing lights them
uniform vec3 sky_horizon;
vec3 sky(vec3 direction) {
    float up = clamp(direction.y, 0.0, 1.0);
    return mix(sky_horizon, sky_top, 1.0 - exp(-4.5 * up));
}
"""

LIGHT = """
uniform vec3 to_key;        // unit, world
uniform vec3 eye;
const vec3 KEY = vec3(1.00, 0.96, 0.90) * 1.06;
const vec3 TO_KICKER = vec3(-0.64, 0.34, -0.69);       // opposite the key, so that the shadow side keeps its form
const vec3 KICKER = vec3(0.20, 0.23, 0.28);
const vec3 AMBIENT_ABOVE = vec3(0.36, 0.41, 0.48);
const vec3 AMBIENT_BELOW = vec3(0.15, 0.14, 0.135);
"""

SHADOW = """
uniform sampler2DShadow shadow_compare;
uniform sampler2D shadow_depth;
uniform mat4 to_shadow;         // world to 0..1 in all three
uniform float shadow_width;     // [m]
uniform float shadow_range;     // [m]
const int SEARCH_TAPS = 7;
const int SOFT_TAPS = 12;
const float LIGHT_SPREAD = 0.024;   // penumbra per metre between caster and receiver; a ball high up keeps its shadow
const float SEARCH_RADIUS = 0.05;  // [m]
const mat2 GOLDEN_TURN = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);   // spreads taps evenly over a disc
bool on_map(vec3 s) { return all(greaterThan(s, vec3(0.0))) && all(lessThan(s, vec3(1.0))); }

// On the ground penumbrae widen with the height of whatever casts them: find the casters, then soften by their gap.
// The loops run zero times where there is nothing to do, rather than sit in a branch: without a GPU a branch costs
// its full price everywhere, while a loop ends at once.
float ground_key(vec3 p, float turn) {
    vec3 s = (to_shadow * vec4(p, 1.0)).xyz;
    s.z -= 0.004 / shadow_range;
    int search = on_map(s) ? SEARCH_TAPS : 0;
    vec2 first = vec2(cos(turn), sin(turn)), spoke = first * SEARCH_RADIUS / shadow_width;
    float depth_sum = 0.0, found = 0.0;
    for (int i = 0; i < search; ++i) {
        spoke = GOLDEN_TURN * spoke;
        float d = textureLod(shadow_depth, s.xy + spoke * sqrt((float(i) + 0.5) / float(SEARCH_TAPS)), 0.0).r;
        float blocks = step(d, s.z);
        depth_sum += d * blocks;
        found += blocks;
    }
    float gap = (s.z - depth_sum / max(found, 1.0)) * shadow_range, lit = 0.0;
    int taps = found > 0.0 ? SOFT_TAPS : 0;
    spoke = first * max(gap * LIGHT_SPREAD, 0.005) / shadow_width;
    for (int i = 0; i < taps; ++i) {
        spoke = GOLDEN_TURN * spoke;
        lit += textureLod(shadow_compare, vec3(s.xy + spoke * sqrt((float(i) + 0.5) / float(SOFT_TAPS)), s.z), 0.0);
    }
    return taps > 0 ? lit / float(SOFT_TAPS) : 1.0;
}

// On bodies the casters are near: one small softness will do, of four smoothed taps around the texel.
float body_key(vec3 p) {
    vec3 s = (to_shadow * vec4(p, 1.0)).xyz;
    s.z -= 0.005 / shadow_range;
    vec2 d = vec2(1.1, -1.1) / float(textureSize(shadow_depth, 0).x);
    float near_side = textureLod(shadow_compare, vec3(s.xy + d.xx, s.z), 0.0)
                    + textureLod(shadow_compare, vec3(s.xy + d.xy, s.z), 0.0);
    float far_side = textureLod(shadow_compare, vec3(s.xy + d.yx, s.z), 0.0)
                   + textureLod(shadow_compare, vec3(s.xy + d.yy, s.z), 0.0);
    return 0.25 * (near_side + far_side);
}
"""

OCCLUSION = """
// Fraction of the hemisphere about n that a capsule hides from p, as if it were the ball nearest to p.
float capsule_occlusion(vec3 p, vec3 n, vec4 a_radius, vec3 b) {
    vec3 ab = b - a_radius.xyz, ap = p - a_radius.xyz;
    float along = clamp(dot(ap, ab) / max(dot(ab, ab), 1e-8), 0.0, 1.0);
    vec3 towards = along * ab - ap;
    float gap = max(length(towards), max(a_radius.w, 1e-6));
    float ratio = a_radius.w / gap;
    return clamp(dot(n, towards) / gap, 0.0, 1.0) * ratio * ratio;
}
"""

# ---------------------------------------------------------------------------------------------------------- solids

SOLID_PLACE = """
in vec3 in_direction;
in vec3 in_octant;
in vec3 at;
in vec3 axis_x;
in vec3 axis_y;
in vec3 axis_z;
in vec4 inner_radius;
in vec4 tint;               // linear colour, alpha
uniform mat4 to_clip;
invariant gl_Position;      // the ghosts' two passes must agree to the bit
vec3 turned(vec3 v) { return axis_x * v.x + axis_y * v.y + axis_z * v.z; }
vec3 placed() { return at + turned(in_octant * inner_radius.xyz + in_direction * inner_radius.w); }
"""

SOLID_VERTEX = (
    VERSION
    + SOLID_PLACE
    + OCCLUSION
    + """
uniform sampler2D neighbours;   // a row per solid: the capsules around it, two texels each
uniform float ghost;            // 1 draws translucent, without shadows
out vec3 world;
out vec3 normal;
out float open;                 // how much of the surroundings' light gets in
flat out vec4 colour;
void main() {
    world = placed();
    normal = turned(in_direction);
    colour = tint;
    open = 1.0;
    int around = ghost > 0.5 ? 0 : textureSize(neighbours, 0).x;
    for (int i = 0; i < around; i += 2) {
        vec4 a = texelFetch(neighbours, ivec2(i, gl_InstanceID), 0);
        vec4 b = texelFetch(neighbours, ivec2(i + 1, gl_InstanceID), 0);
        open *= 1.0 - 0.75 * capsule_occlusion(world, normal, a, b.xyz);
    }
    // The ground takes light from what stands on it, most of all from what faces down.
    open *= 1.0 - 0.45 * exp(-max(world.y, 0.0) * 6.0) * (0.55 - 0.45 * normal.y);
    gl_Position = to_clip * vec4(world, 1.0);
}
"""
)

DEPTH_VERTEX = VERSION + SOLID_PLACE + "void main() { gl_Position = to_clip * vec4(placed(), 1.0); }\n"
# Writes a colour that blends to nothing: leaving it unwritten is undefined, whatever the colour mask says.
DEPTH_FRAGMENT = VERSION + "out vec4 pixel;\nvoid main() { pixel = vec4(0.0); }\n"

SOLID_FRAGMENT = (
    VERSION
    + ENCODE
    + TONE
    + LIGHT
    + SHADOW
    + """
in vec3 world;
in vec3 normal;
in float open;
flat in vec4 colour;
out vec4 pixel;
uniform float ghost;

float pow8(float x) { x *= x; x *= x; return x * x; }

void main() {
    vec3 n = normalize(normal), v = normalize(eye - world), h = normalize(v + to_key);
    float facing = clamp(dot(n, v), 0.0, 1.0), n_key = dot(n, to_key), graze = (1.0 - facing) * (1.0 - facing);

    float seen = max(body_key(world + n * 0.006), ghost);
    float key = smoothstep(-0.08, 1.0, n_key) * seen;
    vec3 ambient = mix(AMBIENT_BELOW, AMBIENT_ABOVE, 0.5 + 0.5 * n.y) * open;
    float camera_fill = 0.14 * facing * open;
    vec3 kicker = KICKER * max(dot(n, TO_KICKER), 0.0) * open;
    vec3 diffuse = colour.rgb * (ambient + KEY * key + kicker + camera_fill);

    float shine = max(dot(n, h), 0.0), shine8 = pow8(shine), shallow = 1.0 - clamp(dot(v, h), 0.0, 1.0);
    float fresnel = 0.04 + 0.96 * shallow * shallow * shallow * shallow * shallow;
    float gloss = 0.6 * shine8 + 4.0 * pow8(shine8) * (1.0 - 0.5 * ghost);
    vec3 specular = KEY * 2.0 * gloss * fresnel * seen * smoothstep(0.0, 0.2, n_key);
    vec3 rim = AMBIENT_ABOVE * graze * graze * (0.5 + 0.5 * n.y) * open * (0.30 + 0.70 * colour.rgb);

    // A ghost is glass: thin where it faces the viewer, denser at its rim, so that its outline reads.
    float alpha = ghost > 0.5 ? clamp(colour.a * (1.0 + 0.9 * graze * graze), 0.0, 1.0) : 1.0;
    pixel = vec4(encoded(tone(diffuse + specular + rim)), alpha);
}
"""
)

# ---------------------------------------------------------------------------------------------------------- ground

CONTACT_VERTEX = (
    VERSION
    + """
in vec2 corner;
in vec4 capsule_a;          // end and radius
in vec4 capsule_b;
uniform vec4 contact_area;  // lowest x and z, width, depth [m]
out vec2 ground;
flat out vec4 a_radius;
flat out vec4 b_reach;
void main() {
    float reach = 5.0 * capsule_a.w + 0.05;
    vec2 low = min(capsule_a.xz, capsule_b.xz) - reach, high = max(capsule_a.xz, capsule_b.xz) + reach;
    ground = mix(low, high, corner * 0.5 + 0.5);
    a_radius = capsule_a;
    b_reach = vec4(capsule_b.xyz, reach);
    gl_Position = vec4((ground - contact_area.xy) / contact_area.zw * 2.0 - 1.0, 0.0, 1.0);
}
"""
)

CONTACT_FRAGMENT = (
    VERSION
    + OCCLUSION
    + """
in vec2 ground;
flat in vec4 a_radius;
flat in vec4 b_reach;
out vec4 open;
void main() {
    vec3 p = vec3(ground.x, 0.0, ground.y);
    vec2 ab = b_reach.xz - a_radius.xz, ap = ground - a_radius.xz;
    float along = clamp(dot(ap, ab) / max(dot(ab, ab), 1e-8), 0.0, 1.0);
    float fade = 1.0 - smoothstep(0.4, 1.0, length(ap - along * ab) / b_reach.w);
    open = vec4(1.0 - 0.85 * fade * capsule_occlusion(p, vec3(0.0, 1.0, 0.0), a_radius, b_reach.xyz));
}
"""
)

GROUND_VERTEX = (
    VERSION
    + """
in vec2 corner;
uniform mat4 to_clip;
uniform vec2 ground_middle;
uniform float ground_reach;
out vec3 world;
void main() {
    vec2 xz = ground_middle + corner * ground_reach;
    world = vec3(xz.x, 0.0, xz.y);
    gl_Position = to_clip * vec4(world, 1.0);
}
"""
)

GROUND_FRAGMENT = (
    VERSION
    + ENCODE
    + TONE
    + NOISE
    + SKY
    + LIGHT
    + SHADOW
    + """
in vec3 world;
out vec4 pixel;
uniform sampler2D contact_open;
uniform vec4 contact_area;
uniform vec3 ground_colour;
uniform float ground_reach;
uniform vec2 pool_middle;       // where the studio light falls
uniform float pool_reach;

// Lines of a given width around every whole number, averaged exactly over a pixel's footprint: no moire, no shimmer.
vec2 line_area(vec2 x, vec2 width) { return floor(x) * width + min(fract(x), width); }
vec2 lines(vec2 x, vec2 footprint, float width, float most_pixels) {
    vec2 w = min(vec2(width), most_pixels * footprint);
    vec2 low = x + 0.5 * w - 0.5 * footprint;
    return clamp((line_area(low + footprint, w) - line_area(low, w)) / footprint, 0.0, 1.0);
}
float either(vec2 c) { return c.x + c.y - c.x * c.y; }

void main() {
    vec2 p = world.xz;
    vec2 footprint = max(sqrt(pow(dFdx(p), vec2(2.0)) + pow(dFdy(p), vec2(2.0))), 1e-5);
    float distance = length(world - eye);

    vec2 major = lines(p, footprint, 0.011, 1.7);
    vec2 minor = lines(p * 4.0, footprint * 4.0, 0.022, 1.1);
    // Minor lines that crowd together say nothing; they leave before they turn into a grey veil.
    float minor_fade = 1.0 - smoothstep(0.10, 0.6, max(footprint.x, footprint.y) * 4.0);
    vec2 axis = lines(p * 0.001, footprint * 0.001, 0.000016, 2.6);

    float noise = spread(gl_FragCoord.xy);
    float seen = ground_key(world, 6.2831853 * noise);
    vec2 uv = (p - contact_area.xy) / contact_area.zw;
    float open = texture(contact_open, uv).r;   // clamped to an edge that is always fully open
    float pool = exp(-dot(p - pool_middle, p - pool_middle) / (pool_reach * pool_reach));
    vec3 light = AMBIENT_ABOVE * open * 0.95 + KEY * seen * to_key.y * (0.35 + 0.65 * open);
    vec3 base = ground_colour * (0.78 + 0.42 * pool);

    vec3 c = base;
    c = mix(c, base * 1.75 + 0.004, either(minor) * 0.55 * minor_fade);
    c = mix(c, base * 2.7 + 0.012, either(major) * 0.75);
    c = mix(c, vec3(0.36, 0.085, 0.08), axis.y * 0.8);   // the X axis lies where z = 0
    c = mix(c, vec3(0.085, 0.17, 0.42), axis.x * 0.8);
    c *= light;

    vec3 away = (world - eye) / distance;
    float haze = 1.0 - exp(-pow(distance / (0.34 * ground_reach), 2.0));
    haze = max(haze, smoothstep(0.55, 0.95, length(p - eye.xz) / ground_reach));
    c = mix(encoded(tone(c)), sky(away), haze);
    bool beneath = eye.y < 0.0;         // from below only a veil of lines, so that the scene stays in view
    float veil = either(major) * 0.5 + either(minor) * minor_fade * 0.2;
    pixel = vec4(c + (noise - 0.5) / 255.0, beneath ? veil * (1.0 - haze) : 1.0);
}
"""
)

# ------------------------------------------------------------------------------------------------------ background

SKY_VERTEX = (
    VERSION
    + """
in vec2 corner;
uniform mat4 from_clip;     // clip space to directions in the world
out vec3 direction;
void main() {
    vec4 far = from_clip * vec4(corner, 1.0, 1.0);
    direction = far.xyz / far.w;
    gl_Position = vec4(corner, 1.0, 1.0);
}
"""
)

SKY_FRAGMENT = (
    VERSION
    + NOISE
    + SKY
    + """
in vec3 direction;
out vec4 pixel;
void main() { pixel = vec4(sky(normalize(direction)) + (spread(gl_FragCoord.xy) - 0.5) / 255.0, 1.0); }
"""
)

# --------------------------------------------------------------------------------------------- lines and markers

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
    gl_Position = here + vec4(offset / half_size * here.w, -2.0 * near * nearer, 0.0);
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
    gl_Position = c + vec4(place / half_size * c.w, -0.008 * near, 0.0);
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
