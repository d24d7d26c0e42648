"""Recipes: complete example jobs, shipped with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diamond.compose.environment import EnvironmentSpec
from diamond.compose.raw_spec import RawSpec
from diamond.compose.spec import Spec
from diamond.core.errors import NotFound
from diamond.notation.yaml_reader import read_spec

MOST_SHOWN = 256 << 10
ORDER = ("plain-script", "spiral", "tables", "notebook", "digits")
"""The easiest first; recipes not listed here come after."""


@dataclass(frozen=True)
class Card:
    name: str
    title: str
    summary: str
    tags: list[str]


@dataclass(frozen=True)
class RecipeFile:
    path: str
    size: int
    text: str
    """Empty for a large file."""


@dataclass(frozen=True)
class Recipe(Card):
    readme: str
    spec: RawSpec
    yaml: str
    files: list[RecipeFile]


def list_recipes() -> list[Card]:
    names = [path.parent.name for path in recipes_folder().glob("*/diamond.yaml")]
    names = [name for name in names if not _is_pipeline(name)]
    ordered = sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else 99, name))
    return [_card(_load(name)) for name in ordered]


def find_recipe(name: str) -> Recipe:
    folder = recipes_folder() / name
    if not re.fullmatch(r"[a-z0-9-]+", name) or not (folder / "diamond.yaml").is_file():
        names = ", ".join(card.name for card in list_recipes())
        raise NotFound(f"There is no recipe {name!r}", f"Recipes: {names}")
    if _is_pipeline(name):
        hint = f"Get the folder recipes/{name} of the source, and: diamond run recipes/{name}"
        raise NotFound(f"The recipe {name!r} is a pipeline, not a job", hint)
    return _load(name)


def recipes_folder() -> Path:
    """Beside the package where it is installed, at the top of a checkout."""
    package = Path(__file__).parents[2]
    shipped = package / "recipes"
    return shipped if shipped.is_dir() else package.parents[1] / "recipes"


@cache
def _is_pipeline(name: str) -> bool:
    """The form that a recipe opens, and the call that runs one, are for jobs."""
    text = (recipes_folder() / name / "diamond.yaml").read_text()
    return "pipeline" in read_spec(text, f"the recipe {name}")


@cache
def _load(name: str) -> Recipe:
    folder = recipes_folder() / name
    readme, yaml = (folder / "README.md").read_text(), (folder / "diamond.yaml").read_text()
    spec = read_spec(yaml, f"the recipe {name}")
    title, summary = _title_and_summary(readme)
    files = [_file(folder, path) for path in sorted(folder.rglob("*")) if _is_shown(path)]
    return Recipe(name, title, summary, _tags(spec), readme, spec, yaml, files)


def _card(recipe: Recipe) -> Card:
    return Card(recipe.name, recipe.title, recipe.summary, recipe.tags)


def _title_and_summary(readme: str) -> tuple[str, str]:
    """The title and the first paragraph, without markup."""
    title, _, rest = readme.partition("\n")
    paragraph = rest.strip().split("\n\n", 1)[0]
    return title.lstrip("# ").strip(), re.sub(r"[`*]", "", " ".join(paragraph.split()))


def _tags(spec: RawSpec) -> list[str]:
    parsed = Spec.model_validate(spec)
    environment = parsed.environment
    packages = environment.requirements if isinstance(environment, EnvironmentSpec) else []
    names = [re.split(r"[=<>~!\[ ]", line, maxsplit=1)[0] for line in packages]
    kinds = ["notebook"] if parsed.notebook else []
    has_gpus = parsed.resources.gpus_per_node > 0
    return [*kinds, "gpu" if has_gpus else "cpu", *(names or ([] if kinds else ["no-install"]))]


def _is_shown(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.name != "README.md"


def _file(folder: Path, path: Path) -> RecipeFile:
    size = path.stat().st_size
    text = path.read_text(errors="replace") if size <= MOST_SHOWN else ""
    return RecipeFile(path.relative_to(folder).as_posix(), size, text)
