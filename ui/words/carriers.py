"""What of a body can carry things: palms, shoulders, and arms under which something is tucked. No widgets here."""

from __future__ import annotations

from hoi_edit.scene import Scene
from ui.words.names import plain

# By the endings of their sites: what is caught there is caught …, and what is passed there is passed …
CARRIERS = {
    "_palm": ("with {}", "to {}"), "_shoulder": ("on {}", "onto {}"), "_tuck": ("under {}", "under {}"),
}  # fmt: skip


def carriers(scene: Scene) -> list[str]:
    """Palms first, then shoulders, and arms under which something can be tucked."""
    return [
        f"{character.name}/{site.name}"
        for ending in CARRIERS
        for character in scene.characters
        for site in character.skeleton.sites
        if site.name.endswith(ending)
    ]


def is_palm(site: str) -> bool:
    return site.endswith("_palm")


def carrying(site: str, part: str, passed: bool = False) -> str:
    """How something is carried at a site: "with ann's left hand", "on ann's left shoulder", "under ann's left arm"."""
    ending = next(end for end in CARRIERS if site.endswith(end))
    where = {"_palm": part, "_tuck": f"{site.removesuffix(ending)}_arm"}.get(ending, site)
    return CARRIERS[ending][passed].format(plain(where))
