"""Bodies: placed, lit and shaded, and their depth alone for shadows and ghosts."""

from ui.shaders.shared import ENCODE, LIGHT, OCCLUSION, SHADOW, TONE, VERSION

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
uniform int first;              // which solid the first instance is
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
        vec4 a = texelFetch(neighbours, ivec2(i, first + gl_InstanceID), 0);
        vec4 b = texelFetch(neighbours, ivec2(i + 1, first + gl_InstanceID), 0);
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
    float camera_fill = (0.14 + 0.20 * (1.0 - key) * facing) * facing * open;  // most where the key does not reach
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
