"""Settings: tokens, the look, what new jobs start with, and by which ways one is told."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from support.browser import Fresh, OpenPage, Site, faults_of_access, site_up
from support.receivers import Mailbox, Receiver, mailbox_up, receiver_up
from support.waiting import wait_for


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mailbox_up() as box:
        yield box


@pytest.fixture(scope="module")
def site(mailbox: Mailbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service that can send mail, and may call a receiver on this machine."""
    variables = {**mailbox.variables, "DIAMOND_WEBHOOK_PRIVATE": "1"}
    with site_up(tmp_path_factory.mktemp("site"), variables) as site:
        yield site


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiver_up() as found:
        yield found


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


def reset(site: Site, what: str) -> None:
    """As on the first day, whatever an earlier try has chosen."""
    site.client().transport.send("PUT", f"/api/v1/me/{what}", {})


def test_a_token_is_made_shown_once_and_taken_back(
    open_page: OpenPage, site: Site, fresh: Fresh
) -> None:
    name = fresh("my notebook")
    page = open_page("/settings?tab=tokens")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create token").click()
    shown = page.get_by_role("status").filter(has_text=f"Token {name} created")
    token = shown.locator("code").inner_text()
    assert status_with(site, token) == 200
    page.reload()
    expect(page.get_by_role("cell", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text(token)).to_have_count(0)
    page.get_by_role("button", name=f"Revoke token {name}", exact=True).click()
    expect(page.get_by_role("cell", name=name, exact=True)).to_have_count(0)
    assert status_with(site, token) == 401


def test_what_one_chooses_holds_in_another_window(open_page: OpenPage, site: Site) -> None:
    reset(site, "preferences")
    page = open_page("/settings")
    page.get_by_role("combobox", name="Endpoint").click()
    page.get_by_role("option", name="local").click()
    page.get_by_label("Account").fill("research")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Defaults saved.")).to_be_visible()
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_text("Dark", exact=True).click()
    other = open_page("/settings")
    expect(other.get_by_label("Account")).to_have_value("research")
    expect(other.get_by_role("combobox", name="Endpoint")).to_have_value("local")
    expect(other.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_text("System", exact=True).click()


def test_what_one_is_told_is_kept_and_a_refused_address_is_not_lost(
    open_page: OpenPage, site: Site
) -> None:
    reset(site, "notifications")
    page = open_page("/settings?tab=notifications")
    cancelled = page.get_by_role("checkbox", name="A task was cancelled: In Diamond")
    expect(cancelled).not_to_be_checked()
    cancelled.check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(cancelled).to_be_checked()
    hook = page.get_by_role("region", name="Webhook").get_by_label("Address")
    hook.fill("ftp://example.org/hook")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text=re.compile("http"))).to_be_visible()
    expect(hook).to_have_value("ftp://example.org/hook")
    expect(page.get_by_role("button", name="Send test message").first).to_be_disabled()


def test_a_test_message_reaches_the_mailbox_and_the_webhook_or_says_why_not(
    open_page: OpenPage, mailbox: Mailbox, receiver: Receiver
) -> None:
    page = open_page("/settings?tab=notifications")
    mail = page.get_by_role("region", name="E-mail")
    hook = page.get_by_role("region", name="Webhook")
    mail.get_by_label("Address").fill("me@example.org")
    hook.get_by_label("Address").fill(receiver.url)
    hook.get_by_label("Signing secret").fill("not to be read again")
    page.get_by_role("button", name="Save").click()
    mail.get_by_role("button", name="Send test message").click()
    expect(page.get_by_text("sent to me@example.org")).to_be_visible()
    wait_for(lambda: mailbox.mails, what="a mail")
    assert mailbox.mails[-1]["To"] == "me@example.org"
    hook.get_by_role("button", name="Send test message").click()
    wait_for(lambda: receiver.calls, what="a call")
    assert receiver.calls[-1][0]["diamond-signature"].startswith("sha256=")
    receiver.failures = 1
    hook.get_by_role("button", name="Send test message").click()
    expect(page.get_by_role("alert").filter(has_text="503")).to_be_visible()
    page.reload()
    expect(hook.get_by_text("A secret is saved.")).to_be_visible()
    assert "not to be read again" not in page.content()


@pytest.mark.slow
def test_settings_are_for_everybody_in_both_looks(open_page: OpenPage) -> None:
    for look in ("light", "dark"):
        page = open_page("/settings", scheme=look)
        expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
        assert not faults_of_access(page)
        for tab, heading in (("Notifications", "Notify me"), ("Tokens", "Tokens")):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_role("heading", name=heading)).to_be_visible()
            assert not faults_of_access(page)
