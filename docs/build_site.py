"""Build the documentation site from docs/ into the package, where the service shows it at /docs.

The generator, Zensical, is fetched once into build/ and not declared as a build dependency: a machine that cannot get
it (no wheel for its processor, a package mirror without it) installs Diamond all the same, without the documentation.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SITE = ROOT / "src" / "diamond" / "service" / "docs_site"
WORK = ROOT / "build" / "docs"
PAGES = WORK / "pages"
GENERATOR = "zensical==0.0.73"
TOOLS = ROOT / "build" / GENERATOR.replace("==", "-")
CONFIG = DOCS / "zensical.toml"
# Pages that are elsewhere in the repository, and where they stand in the site.
ELSEWHERE = {
    "ARCHITECTURE.md": "internals/architecture.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "CHANGELOG.md": "changelog.md",
    "bench/RESULTS.md": "internals/measurements.md",
    "bench/notes/planning.md": "internals/planning-experiments.md",
}
LOGO = ROOT / "web" / "public" / "diamond.svg"

CODE = re.compile(r"^( *)(```+).*?^\1\2 *$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
ITEM = re.compile(r" *(?:[-*]|\d+\.) ")
NESTED_ITEM = re.compile(r" {1,3}(?:[-*]|\d+\.) ")
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class SiteError(Exception):
    """The site cannot be built; the message says why and what to do."""


def build() -> None:
    """Build the site, unless it is newer than everything it is made from. A broken link is an error."""
    if is_built():
        return
    stage()
    _generate()
    _move_scripts_into_files(WORK / "site")
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(WORK / "site", SITE, ignore=shutil.ignore_patterns("404.html", "sitemap.xml"))


def build_if_possible() -> None:
    """Build the site; where that fails, say so and let the installation continue."""
    try:
        build()
    except (SiteError, OSError) as error:
        print(f"The documentation was not built: {error}\nEverything else works.", file=sys.stderr)


def is_built() -> bool:
    index = SITE / "index.html"
    made_from = [*sources(), *_pictures(), CONFIG, LOGO, Path(__file__)]
    return index.exists() and index.stat().st_mtime >= max(one.stat().st_mtime for one in made_from)


def sources() -> dict[Path, str]:
    """Each page, and its place in the site."""
    pages = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    recipes = sorted((ROOT / "recipes").glob("*/README.md"))
    pages.update({path: f"recipes/{path.parent.name}.md" for path in recipes})
    pages.update({ROOT / path: place for path, place in ELSEWHERE.items()})
    return pages


def stage() -> None:
    """Gather all pages in one folder, their links turned to where they are there."""
    shutil.rmtree(PAGES, ignore_errors=True)
    places = sources()
    for path, place in places.items():
        _write(PAGES / place, staged(path, places))
    for picture in _pictures():
        _copy(picture, PAGES / picture.relative_to(DOCS))
    _copy(LOGO, PAGES / LOGO.name)
    _copy(CONFIG, WORK / CONFIG.name)


def staged(path: Path, places: Mapping[Path, str]) -> str:
    """A page as the generator takes it; code in it stays as it is."""
    code: list[str] = []

    def hide(match: re.Match[str]) -> str:
        code.append(match.group())
        return f"\0{len(code) - 1}\0"

    text = _relinked(CODE.sub(hide, path.read_text()), path, places)
    text = _with_separate_lists(text, path)
    return re.sub(r"\0(\d+)\0", lambda match: code[int(match.group(1))], text)


def _relinked(text: str, path: Path, places: Mapping[Path, str]) -> str:
    """Links to pages lead to their places in the site; a link to a folder leads to its README."""

    def turned(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups()
        linked = (path.parent / target).resolve()
        place = places.get(linked / "README.md" if linked.is_dir() else linked)
        if "://" in target or linked in _pictures():
            return match.group()
        if place is None:
            raise SiteError(f"{path.relative_to(ROOT)}: {target} is not a page of the site")
        here = Path(places[path]).parent
        return f"{before}{os.path.relpath(place, here)}{anchor or ''}{after}"

    return LINK.sub(turned, text)


def _with_separate_lists(text: str, path: Path) -> str:
    """GitHub lets a list follow a paragraph directly; Python-Markdown wants an empty line between them."""
    lines: list[str] = []
    for line in text.split("\n"):
        if NESTED_ITEM.match(line):
            name = path.relative_to(ROOT)
            raise SiteError(f"{name}: indent a list inside a list by four spaces: {line.strip()!r}")
        follows_paragraph = lines and lines[-1] and not lines[-1].startswith((" ", "#"))
        if ITEM.match(line) and follows_paragraph and not ITEM.match(lines[-1]):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def _pictures() -> list[Path]:
    return sorted([*DOCS.glob("*.svg"), *DOCS.glob("pictures/*.png")])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _generate() -> None:
    shutil.rmtree(WORK / "site", ignore_errors=True)
    words = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(
        words, cwd=WORK, env=_with_generator(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SiteError(_plain(done.stdout + done.stderr))


def _with_generator() -> dict[str, str]:
    """The environment in which `python -m zensical` works."""
    environment = {**os.environ, "NO_COLOR": "1"}
    if importlib.util.find_spec("zensical") is not None:
        return environment
    _fetch_generator()
    path = os.pathsep.join([str(TOOLS), os.environ.get("PYTHONPATH", "")])
    return {**environment, "PYTHONPATH": path.rstrip(os.pathsep)}


def _fetch_generator() -> None:
    """Once for each version: pip writes to a folder beside, which takes the name when it is whole."""
    if TOOLS.is_dir():
        return
    partial = TOOLS.with_name(f"{TOOLS.name}.{os.getpid()}")
    words = ["install", "--quiet", "--no-compile", "--only-binary=:all:", "--target", str(partial)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, GENERATOR],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(partial, ignore_errors=True)
        raise SiteError(f"{GENERATOR} could not be installed.\n{done.stderr.strip()}")
    partial.rename(TOOLS)


def _plain(text: str) -> str:
    """What the generator said, without colours and the traceback of its strict mode."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).split("Traceback (most recent call last)")[0].strip()


def _move_scripts_into_files(site: Path) -> None:
    """The service's content security policy allows no script inside a page, and need not be weakened for these."""
    scripts = site / "assets" / "javascripts"
    for page in site.rglob("*.html"):
        up = os.path.relpath(scripts, page.parent)

        def moved(match: re.Match[str], up: str = up) -> str:
            name = f"inline.{hashlib.sha256(match.group(1).encode()).hexdigest()[:8]}.js"
            (scripts / name).write_text(match.group(1))
            return f'<script src="{up}/{name}"></script>'

        page.write_text(INLINE_SCRIPT.sub(moved, page.read_text()))


if __name__ == "__main__":
    if "--if-possible" in sys.argv[1:]:
        build_if_possible()
    else:
        try:
            build()
        except SiteError as error:
            raise SystemExit(str(error)) from None
