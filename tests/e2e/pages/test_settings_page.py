"""Settings: tokens, the look, what new jobs start with, and by which ways one is told."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_of_access


def status_with(site: Site, token: str) -> int:
    request = urllib.request.Request(
        f"{site.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            json.load(answer)
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_token_is_made_shown_once_and_taken_back(open_page: OpenPage, site: Site) -> None:
    page = open_page("/settings?tab=tokens")
    page.get_by_label("Name").fill("my notebook")
    page.get_by_role("button", name="Make a token").click()
    shown = page.get_by_role("status").filter(has_text="my notebook is made")
    token = shown.locator("code").inner_text()
    assert status_with(site, token) == 200
    page.reload()
    expect(page.get_by_role("cell", name="my notebook", exact=True)).to_be_visible()
    expect(page.get_by_text(token)).to_have_count(0)
    page.get_by_role("button", name="Remove the token my notebook").click()
    expect(page.get_by_role("cell", name="my notebook", exact=True)).to_have_count(0)
    assert status_with(site, token) == 401


def test_what_one_chooses_holds_in_another_window(open_page: OpenPage) -> None:
    page = open_page("/settings")
    page.get_by_role("combobox", name="Endpoint").click()
    page.get_by_role("option", name="local").click()
    page.get_by_label("Account").fill("research")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("New jobs start with these now.")).to_be_visible()
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_text("Dark", exact=True).click()
    other = open_page("/settings")
    expect(other.get_by_label("Account")).to_have_value("research")
    expect(other.get_by_role("combobox", name="Endpoint")).to_have_value("local")
    expect(other.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_text("As my system", exact=True).click()


def test_what_one_is_told_is_kept_and_a_refused_address_is_not_lost(open_page: OpenPage) -> None:
    page = open_page("/settings?tab=notifications")
    cancelled = page.get_by_role("checkbox", name="A task was cancelled: In these pages")
    expect(cancelled).not_to_be_checked()
    cancelled.check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Kept.")).to_be_visible()
    page.reload()
    expect(cancelled).to_be_checked()
    hook = page.get_by_role("region", name="By webhook").get_by_label("Address")
    hook.fill("ftp://example.org/hook")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text=re.compile("http"))).to_be_visible()
    expect(hook).to_have_value("ftp://example.org/hook")
    expect(page.get_by_role("button", name="Send a test").first).to_be_disabled()


def test_settings_are_for_everybody_in_both_looks(open_page: OpenPage) -> None:
    for look in ("light", "dark"):
        page = open_page("/settings", scheme=look)
        expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
        assert not faults_of_access(page)
        for tab, heading in (("Notifications", "Tell me"), ("Tokens", "Tokens")):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_role("heading", name=heading)).to_be_visible()
            assert not faults_of_access(page)
