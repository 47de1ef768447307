"""A whole picture in another size: each pixel smoothly between the four that are nearest to it."""

from ui.shaders.shared import VERSION

PICTURE_VERTEX = (
    VERSION
    + """
in vec2 corner;
out vec2 at;
void main() {
    at = 0.5 * corner + 0.5;
    gl_Position = vec4(corner, 0.0, 1.0);
}
"""
)

PICTURE_FRAGMENT = (
    VERSION
    + """
in vec2 at;
uniform sampler2D picture;
out vec4 pixel;
void main() { pixel = texture(picture, at); }
"""
)
