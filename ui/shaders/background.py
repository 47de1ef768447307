"""What lies behind everything."""

from ui.shaders.shared import NOISE, SKY, VERSION

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
