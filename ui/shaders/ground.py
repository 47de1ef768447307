"""The ground: its grid, the shadows and the contact darkening it receives."""

from ui.shaders.shared import ENCODE, LIGHT, LINES, NOISE, OCCLUSION, SHADOW, SKY, TONE, VERSION

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
    + LINES
    + """
in vec3 world;
out vec4 pixel;
uniform vec3 place;             // of the camera
uniform bool beneath;           // from below only a veil of lines, so that the scene stays in view
uniform sampler2D contact_open;
uniform vec4 contact_area;
uniform vec3 ground_colour;
uniform float ground_reach;
uniform vec2 pool_middle;       // where the studio light falls
uniform float pool_reach;

void main() {
    vec2 p = world.xz;
    vec2 footprint = max(sqrt(pow(dFdx(p), vec2(2.0)) + pow(dFdy(p), vec2(2.0))), 1e-5);
    float distance = length(world - place);

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

    vec3 away = (world - place) / distance;
    float haze = 1.0 - exp(-pow(distance / (0.34 * ground_reach), 2.0));
    haze = max(haze, smoothstep(0.55, 0.95, length(p - place.xz) / ground_reach));
    c = mix(encoded(tone(c)), sky(away), haze);
    float veil = either(major) * 0.5 + either(minor) * minor_fade * 0.2;
    pixel = vec4(c + (noise - 0.5) / 255.0, beneath ? veil * (1.0 - haze) : 1.0);
}
"""
)
