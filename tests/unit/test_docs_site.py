"""The documentation site has a place for every page, and loads nothing from anywhere else."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "src" / "diamond" / "service" / "docs_site"
SECTIONS = ["Get started", "Guides", "Reference", "For administrators", "Internals"]
built = pytest.mark.skipif(
    not (SITE / "index.html").is_file(), reason="the documentation is not built: make docs"
)


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs" / "build_site.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build_site = builder()


def navigation() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "docs" / "zensical.toml").read_text())
    found: list[dict[str, Any]] = settings["project"]["nav"]
    return found


def pages_below(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values():
            if isinstance(value, list):
                yield from pages_below(value)
            else:
                yield value


def test_every_page_stands_once_in_the_navigation() -> None:
    named = sorted(pages_below(navigation()))
    assert named == sorted(build_site.sources().values())


def test_the_navigation_has_five_sections_with_the_decisions_among_the_internals() -> None:
    assert [name for entry in navigation() for name in entry] == SECTIONS
    assert any("Decisions" in entry for entry in navigation()[-1]["Internals"])


def test_every_link_between_pages_leads_to_a_page_of_the_site() -> None:
    places = build_site.sources()
    for path in places:
        build_site.staged(path, places)  # raises for a link that leads out of the site


def help_targets() -> dict[str, str]:
    """Each page of the web pages, and where its "?" leads."""
    source = (ROOT / "web" / "src" / "components" / "help.ts").read_text()
    return dict(re.findall(r'"(/[^"]*)": "/docs/([^"]*)"', source))


def test_every_page_of_the_web_pages_has_help_that_exists() -> None:
    routes = re.findall(r'path: "([^"]+)"', (ROOT / "web" / "src" / "routes.tsx").read_text())
    assert sorted(help_targets()) == sorted(routes)
    for target in help_targets().values():
        page, _, anchor = target.partition("#")
        source = ROOT / "docs" / f"{page.rstrip('/') or 'index'}.md"
        assert page.endswith("/") and source.is_file(), target
        assert not anchor or f'id="{anchor}"' in (SITE / page / "index.html").read_text(), target


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of a docs folder of its own."""
    monkeypatch.setattr(build_site, "ROOT", tmp_path)
    monkeypatch.setattr(build_site, "DOCS", tmp_path / "docs")
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs" / "page.md"


def staged(page: Path, text: str) -> str:
    page.write_text(text)
    architecture = page.parents[1] / "ARCHITECTURE.md"
    result: str = build_site.staged(
        page, {page: "page.md", architecture: "internals/architecture.md"}
    )
    return result


def test_a_link_to_a_page_elsewhere_leads_to_its_place_in_the_site(page: Path) -> None:
    text = "See [it](../ARCHITECTURE.md#parts), not `[it](../x.md)`."
    expected = "See [it](internals/architecture.md#parts), not `[it](../x.md)`."
    assert staged(page, text) == expected


def test_a_link_out_of_the_site_stops_the_build(page: Path) -> None:
    with pytest.raises(build_site.SiteError, match=r"docs/page\.md: \.\./src is not a page"):
        staged(page, "See [the code](../src).")


def test_a_list_after_a_paragraph_is_set_apart(page: Path) -> None:
    assert staged(page, "Two:\n- one\n- two\n") == "Two:\n\n- one\n- two\n"


def test_a_list_that_would_lose_its_level_stops_the_build(page: Path) -> None:
    with pytest.raises(build_site.SiteError, match="four spaces"):
        staged(page, "- one\n  - inside\n")


def test_an_installation_continues_where_the_generator_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SITE", "WORK", "PAGES", "TOOLS"):
        monkeypatch.setattr(build_site, name, tmp_path / name)
    for name, value in {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(build_site.importlib.util, "find_spec", lambda name: None)
    build_site.build_if_possible()
    said = capsys.readouterr().err
    assert "zensical" in said and "Everything else works." in said
    assert not (tmp_path / "SITE").exists()


class Parts(HTMLParser):
    """What a page loads, and the scripts inside it."""

    LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.inline_scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        target = given.get(self.LOADS.get(tag, ""))
        if target:
            self.loaded.append(target)
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.inline_scripts += 1


def html_pages() -> list[Path]:
    return sorted(SITE.rglob("*.html"))


@built
def test_no_page_loads_anything_from_elsewhere_or_has_a_script_inside() -> None:
    assert html_pages()
    for path in html_pages():
        parts = Parts()
        parts.feed(path.read_text())
        for target in parts.loaded:
            assert not re.match(r"(\w+:)?//", target), f"{path} loads {target}"
            assert target.startswith("data:") or (path.parent / target).exists(), (path, target)
        assert parts.inline_scripts == 0, path


@built
def test_no_style_loads_anything_from_elsewhere() -> None:
    for path in SITE.rglob("*.css"):
        for target in re.findall(r"url\(([^)]*)\)|@import\s+([^;]+)", path.read_text()):
            assert "".join(target).strip("'\" ").startswith(("data:", "#")), (path, target)
