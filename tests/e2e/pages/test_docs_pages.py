"""The documentation in a browser: navigation and search work under the policy of the pages, offline."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from diamond.service.pages import docs
from support.browser import OpenPage, Site

pytestmark = pytest.mark.skipif(
    not (docs.SITE / "index.html").is_file(), reason="the documentation is not built: make docs"
)


@pytest.fixture
def reader(browser: Browser, site: Site) -> Iterator[Page]:
    """Somebody who has not signed in. Whatever the policy forbids, or another host is asked for, fails the test."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.on("request", lambda call: None if site.url in call.url else faults.append(call.url))
    page.goto("/docs")
    yield page
    context.close()
    assert not faults, faults


def test_a_reader_finds_a_page_by_its_section(reader: Page) -> None:
    reader.get_by_role("link", name="Reference").first.click()
    reader.get_by_role("link", name="Errors and endings").first.click()
    expect(reader).to_have_url(re.compile("/docs/errors/$"))
    expect(reader.get_by_role("heading", level=1)).to_contain_text("Errors and endings")


def test_a_reader_finds_a_page_by_search(reader: Page) -> None:
    reader.get_by_role("button", name="Search").click()
    reader.keyboard.type("wall-time")
    expect(reader.get_by_text(re.compile(r"^\d+ results?$"))).to_be_visible()
    reader.keyboard.press("Enter")
    expect(reader).to_have_url(re.compile(r"/docs/[\w-]+/"))


def test_the_question_mark_of_a_page_opens_its_chapter(open_page: OpenPage) -> None:
    page = open_page("/tasks")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Help").click()
    expect(opened.value).to_have_url(re.compile("/docs/tasks/$"))
    expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
