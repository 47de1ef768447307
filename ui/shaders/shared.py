"""GLSL functions that several programs share."""

VERSION = "#version 330 core\n"

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

LINES = """
// Lines of a given width around every whole number, averaged exactly over a pixel's footprint: no moire, no shimmer.
vec2 line_area(vec2 x, vec2 width) { return floor(x) * width + min(fract(x), width); }
vec2 lines(vec2 x, vec2 footprint, float width, float most_pixels) {
    vec2 w = min(vec2(width), most_pixels * footprint);
    vec2 low = x + 0.5 * w - 0.5 * footprint;
    return clamp((line_area(low + footprint, w) - line_area(low, w)) / footprint, 0.0, 1.0);
}
float either(vec2 c) { return c.x + c.y - c.x * c.y; }
"""
