"""What every page has: signing in, one stream for all tabs, the palette, and life without the service."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import Fresh, OpenPage, Site, faults_of_access

TABS = 10


def test_a_stranger_is_told_how_to_sign_in_and_a_link_works_once(
    browser: Browser, site: Site
) -> None:
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/tasks")
    expect(page.get_by_role("heading", name="Sign in to Diamond")).to_be_visible()
    assert not faults_of_access(page)
    link = site.diamond.ask("open", "--no-browser")["url"]
    page.goto(link)
    expect(page.get_by_role("heading", level=1, name="Dashboard")).to_be_visible()
    other = browser.new_context().new_page()
    other.goto(link)
    expect(other.get_by_text("diamond open")).to_be_visible()
    other.context.close()
    context.close()


def test_ten_tabs_see_a_change_on_the_six_connections_that_a_browser_allows(
    open_page: OpenPage, site: Site
) -> None:
    """Ten streams of their own would leave no connection for the lists to come by."""
    first = open_page("/tasks")
    tabs = [first, *(first.context.new_page() for _ in range(TABS - 1))]
    for tab in tabs[1:]:
        tab.goto("/tasks")
    site.diamond.submit("true", options=("--name", "seen-by-all"))
    for tab in tabs:
        expect(tab.get_by_text("seen-by-all").first).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(open_page: OpenPage) -> None:
    page = open_page("/no/such/page")
    expect(page.get_by_text("Page not found")).to_be_visible()
    page.get_by_role("link", name="Go to the dashboard").click()
    expect(page).to_have_url(re.compile(r"/$"))


def test_the_palette_finds_pages_and_tasks_by_keyboard_alone(
    page: Page, site: Site, fresh: Fresh
) -> None:
    name = fresh("found-by-palette")
    site.diamond.submit("true", options=("--name", name))
    expect(page.get_by_role("heading", level=1)).to_be_visible()  # Before that nobody listens.
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.type(name)
    expect(page.get_by_role("button", name=re.compile(name))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def test_the_look_is_kept_over_a_reload(page: Page) -> None:
    page.get_by_role("button", name="Switch to dark mode").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    expect(page.get_by_role("button", name="Switch to light mode")).to_be_visible()


def test_two_windows_see_what_is_done_in_the_other(
    open_page: OpenPage, go: Path, fresh: Fresh
) -> None:
    """Each has its own browser: nothing passes between them but by the service."""
    name = fresh("asked-for-here")
    one, other = open_page("/compose"), open_page("/tasks")
    expect(other.get_by_role("heading", level=1, name="Tasks")).to_be_visible()
    one.get_by_role("textbox", name="Name", exact=True).fill(name)
    one.get_by_role("textbox", name="Command").fill(f"until [ -e {go} ]; do sleep 0.1; done")
    one.get_by_role("button", name=re.compile("^Submit")).click()
    other.get_by_role("link", name=name, exact=True).click()
    other.get_by_role("button", name="Cancel", exact=True).click()
    other.get_by_role("button", name="Cancel task").click()
    expect(one.get_by_role("button", name="Retry")).to_be_visible()

    one.goto("/settings")
    other.goto("/settings")
    expect(other.get_by_label("Partition")).to_be_visible()
    other.get_by_label("Partition").fill("half typed")
    one.get_by_label("Account").fill(fresh("shared"))
    one.get_by_role("button", name="Save").click()
    expect(other.get_by_label("Account")).to_have_value(fresh("shared"))
    expect(other.get_by_label("Partition")).to_have_value("half typed")


@pytest.mark.slow
def test_an_endpoint_that_is_renamed_or_removed_in_one_window_is_so_in_the_other(
    open_page: OpenPage, site: Site
) -> None:
    client = site.client()
    client.add_endpoint("spare", "https")
    one, other = open_page("/endpoints/spare"), open_page("/endpoints")
    expect(other.get_by_role("article", name="Endpoint spare")).to_be_visible()
    one.get_by_role("button", name="Actions for spare").click()
    one.get_by_role("menuitem", name="Rename…").click()
    one.get_by_label("New name").fill("local")
    one.get_by_role("button", name="Rename", exact=True).click()
    expect(one.get_by_role("dialog").get_by_role("alert")).to_contain_text("local")
    one.get_by_label("New name").fill("laid-by")
    one.get_by_role("button", name="Rename", exact=True).click()
    expect(one).to_have_url(re.compile("/endpoints/laid-by$"))
    expect(other.get_by_role("article", name="Endpoint laid-by")).to_be_visible()
    expect(other.get_by_role("article", name="Endpoint spare")).to_have_count(0)
    one.get_by_role("button", name="Actions for laid-by").click()
    one.get_by_role("menuitem", name="Remove…").click()
    one.get_by_role("button", name="Remove laid-by").click()
    expect(other.get_by_role("article", name="Endpoint laid-by")).to_have_count(0)


@pytest.mark.slow
def test_the_service_restarts_and_the_page_recovers_without_a_reload(
    open_page: OpenPage, site: Site
) -> None:
    page, opened_late = open_page("/tasks"), open_page("/settings")
    expect(opened_late.get_by_role("heading", name="Appearance")).to_be_visible()
    page.evaluate("window.notReloaded = true")
    with site.away():
        expect(page.get_by_text("Diamond is not responding").first).to_be_visible()
        opened_late.get_by_role("link", name="New job").click()
        expect(opened_late.get_by_role("main").get_by_role("alert").first).to_be_visible()
    expect(page.get_by_text("Diamond is not responding")).to_have_count(0)
    expect(opened_late.get_by_role("textbox", name="Command")).to_be_visible()
    site.diamond.submit("true", options=("--name", "after-the-restart"))
    expect(page.get_by_text("after-the-restart").first).to_be_visible()
    assert page.evaluate("window.notReloaded")
