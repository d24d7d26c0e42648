"""Recipes: complete example jobs, shipped with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from diamond.core.errors import NotFound
from diamond.notation.yaml_reader import read_spec

MOST_SHOWN = 256 << 10
ORDER = ("plain-script", "spiral", "tables", "notebook", "digits")
"""The easiest first; what stands here not comes after."""


@dataclass(frozen=True)
class Card:
    name: str
    title: str
    summary: str
    tags: list[str]


@dataclass(frozen=True)
class Recipe(Card):
    readme: str
    spec: dict[str, Any]
    yaml: str
    files: list[dict[str, Any]]


def list_recipes() -> list[Card]:
    found = [path.parent.name for path in recipes_folder().glob("*/diamond.yaml")]
    ordered = sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else 99, name))
    return [_card(_load(name)) for name in ordered]


def find_recipe(name: str) -> Recipe:
    folder = recipes_folder() / name
    if not re.fullmatch(r"[a-z0-9-]+", name) or not (folder / "diamond.yaml").is_file():
        names = ", ".join(card.name for card in list_recipes())
        raise NotFound(f"There is no recipe {name!r}", f"Recipes: {names}")
    return _load(name)


def recipes_folder() -> Path:
    """Beside the package where it is installed, at the top of a checkout."""
    package = Path(__file__).parents[2]
    shipped = package / "recipes"
    return shipped if shipped.is_dir() else package.parents[1] / "recipes"


@cache
def _load(name: str) -> Recipe:
    folder = recipes_folder() / name
    readme, yaml = (folder / "README.md").read_text(), (folder / "diamond.yaml").read_text()
    spec = read_spec(yaml, f"the recipe {name}")
    title, summary = _words(readme)
    files = [_file(folder, path) for path in sorted(folder.rglob("*")) if _is_shown(path)]
    return Recipe(name, title, summary, _tags(spec), readme, spec, yaml, files)


def _card(recipe: Recipe) -> Card:
    return Card(recipe.name, recipe.title, recipe.summary, recipe.tags)


def _words(readme: str) -> tuple[str, str]:
    """The title and the first paragraph, without its marks."""
    title, _, rest = readme.partition("\n")
    paragraph = rest.strip().split("\n\n", 1)[0]
    return title.lstrip("# ").strip(), re.sub(r"[`*]", "", " ".join(paragraph.split()))


def _tags(spec: dict[str, Any]) -> list[str]:
    environment = spec.get("environment")
    packages = environment.get("requirements", []) if isinstance(environment, dict) else []
    names = [re.split(r"[=<>~!\[ ]", line, maxsplit=1)[0] for line in packages]
    gpus = (spec.get("resources") or {}).get("gpus_per_node", 0)
    kinds = ["notebook"] if spec.get("notebook") else []
    return [*kinds, "gpu" if gpus else "cpu", *(names or ([] if kinds else ["no-install"]))]


def _is_shown(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.name != "README.md"


def _file(folder: Path, path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    text = path.read_text(errors="replace") if size <= MOST_SHOWN else ""
    return {"path": path.relative_to(folder).as_posix(), "size": size, "text": text}
