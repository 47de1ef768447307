"""What lies behind everything."""

from ui.shaders.shared import LINES, NOISE, SKY, VERSION

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

WALL_VERTEX = (
    VERSION
    + """
in vec2 corner;
uniform vec2 wall_middle;   // [m] across and up
uniform vec2 wall_half;
out vec2 at;
void main() {
    at = wall_middle + corner * wall_half;
    gl_Position = vec4(corner, 1.0, 1.0);
}
"""
)

WALL_FRAGMENT = (
    VERSION
    + NOISE
    + SKY
    + LINES
    + """
in vec2 at;
uniform vec2 wall_half;
uniform vec3 wall_axis;     // colour of the level axis, which is where the ground is
uniform vec2 half_size;
out vec4 pixel;
void main() {
    vec2 footprint = wall_half / half_size;
    vec2 major = lines(at, footprint, 0.011, 1.4), minor = lines(at * 4.0, footprint * 4.0, 0.022, 1.0);
    float minor_fade = 1.0 - smoothstep(0.10, 0.6, footprint.y * 4.0);
    vec3 c = sky_horizon * (at.y < 0.0 ? 0.72 : 1.0);
    c += 0.030 * either(minor) * minor_fade + 0.055 * either(major);
    vec2 on_axis = clamp(vec2(1.0, 1.4) - abs(at) / footprint, 0.0, 1.0);
    c = mix(c, vec3(0.36, 0.50, 0.33), 0.6 * on_axis.x);    // Y stands where the level axis is zero
    c = mix(c, wall_axis, on_axis.y);
    pixel = vec4(c + (spread(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
"""
)
