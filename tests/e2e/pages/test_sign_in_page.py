"""Signing in with the institution, and letting a program in, in a real browser."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, expect

from diamond.sdk.people import sign_in_here
from support.browser import faults_of_access
from support.http import Client
from support.service import RunningService
from support.shared_pages import shared_diamond, sign_in


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with shared_diamond(tmp_path_factory.mktemp("shared")) as service:
        yield service


def test_a_person_signs_in_and_lets_her_terminal_act_for_her(
    shared: RunningService, browser: Browser
) -> None:
    program = Client(shared.url)
    asked = program.post("/sign-in/device", {"name": "diamond login on laptop"})
    page = browser.new_page()
    page.goto(asked["url"])
    sign_in(page, "ada@example.org")
    expect(page.get_by_role("heading", name="Authorize a program")).to_be_visible()
    expect(page.get_by_text(asked["user_code"])).to_be_visible()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("Access granted")).to_be_visible()
    told = program.post("/sign-in/device/token", {"device_code": asked["device_code"]})
    assert Client(shared.url, told["token"]).get("/me")["email"] == "ada@example.org"


def test_the_browser_itself_brings_a_yes_to_the_terminal_that_waits(
    shared: RunningService, browser: Browser
) -> None:
    shown: queue.Queue[str] = queue.Queue()
    with ThreadPoolExecutor(1) as terminal:
        address = terminal.submit(
            sign_in_here, shared.url, name="laptop", show=lambda page, code: shown.put(page)
        )
        page = browser.new_context().new_page()
        page.goto(shown.get(timeout=60))
        sign_in(page, "ada@example.org")
        page.get_by_role("button", name="Allow").click()
        expect(page.get_by_role("heading", name="Your terminal is signed in")).to_be_visible()
        token = address.result(60).token
    assert Client(shared.url, token).get("/me")["email"] == "ada@example.org"


def test_whom_nothing_lets_in_is_told_so_in_words(shared: RunningService, browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.goto(shared.url)
    sign_in(page, "mallory@elsewhere.example")
    expect(page.get_by_role("heading", name="You have no account on this Diamond")).to_be_visible()
    expect(page.get_by_text("for an invitation")).to_be_visible()
    assert not faults_of_access(page)
