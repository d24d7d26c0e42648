"""The documentation is served at /docs, without sign-in and under the policy of the pages."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.requests import Request

from diamond.service.pages import docs
from diamond.service.platform.page_files import POLICY
from support.http import Client
from support.service import RunningService

pytestmark = pytest.mark.skipif(
    not (docs.SITE / "index.html").is_file(), reason="the documentation is not built: make docs"
)


@pytest.fixture
def stranger(first_sqlite: RunningService) -> Client:
    return Client(first_sqlite.url)


@pytest.mark.parametrize("path", ["docs/", "docs/tutorial/", "docs/internals/architecture/"])
def test_a_page_is_read_without_sign_in(stranger: Client, path: str) -> None:
    answer = stranger.call("GET", f"//{path}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["cache-control"] == "no-cache"
    assert b"<h1" in answer.body


@pytest.mark.parametrize(
    ("path", "target"), [("docs", "/docs/"), ("docs/tutorial", "/docs/tutorial/")]
)
def test_an_address_without_its_last_slash_leads_to_the_page(
    stranger: Client, path: str, target: str
) -> None:
    answer = stranger.call("GET", f"//{path}")
    assert answer.status == 307
    assert answer.headers["location"] == target


def test_the_search_index_is_packed(stranger: Client) -> None:
    answer = stranger.call("GET", "//docs/search.json", headers={"Accept-Encoding": "gzip"})
    assert (answer.status, answer.headers["content-encoding"]) == (200, "gzip")


def test_scripts_and_styles_are_kept_by_the_browser(stranger: Client) -> None:
    (script,) = (docs.SITE / "assets" / "javascripts").glob("bundle.*.js")
    answer = stranger.call("GET", f"//docs/assets/javascripts/{script.name}")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ["no-such-page/", "..%2fapp.py", "%2fetc/hostname", "a" * 300])
def test_what_is_not_a_page_is_said_to_be_missing(stranger: Client, path: str) -> None:
    answer = stranger.call("GET", f"//docs/{path}")
    assert answer.status == 404
    assert b"There is no such page" in answer.body


def test_without_the_site_the_service_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs, "SITE", tmp_path)
    request = Request({"type": "http", "headers": []})
    answer = asyncio.run(docs.page(request, "tutorial/"))
    assert answer.status_code == 503
    assert b"make docs" in answer.body
