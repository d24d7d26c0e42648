"""What every page has: signing in, one stream for all tabs, the palette, and life without the service."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from support.browser import OpenPage, Site, faults_of_access

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
    expect(page.get_by_text("There is no such page")).to_be_visible()
    page.get_by_role("link", name="Go to the dashboard").click()
    expect(page).to_have_url(re.compile(r"/$"))


def test_the_palette_finds_pages_and_tasks_by_keyboard_alone(page: Page, site: Site) -> None:
    site.diamond.submit("true", options=("--name", "found-by-palette"))
    page.keyboard.press("Control+k")
    page.keyboard.type("found-by")
    expect(page.get_by_role("button", name=re.compile("found-by-palette"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="found-by-palette")).to_be_visible()


def test_the_look_is_kept_over_a_reload(page: Page) -> None:
    page.get_by_role("button", name="Use the dark look").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    expect(page.get_by_role("button", name="Use the light look")).to_be_visible()


def test_the_service_restarts_and_the_page_recovers_without_a_reload(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("/tasks")
    page.evaluate("window.notReloaded = true")
    site.stop()
    expect(page.get_by_text("Diamond does not answer").first).to_be_visible()
    site.start()
    expect(page.get_by_text("Diamond does not answer")).to_have_count(0)
    site.diamond.submit("true", options=("--name", "after-the-restart"))
    expect(page.get_by_text("after-the-restart").first).to_be_visible()
    assert page.evaluate("window.notReloaded")
