"""Signing in with the institution, and letting a program in, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.http import Client
from support.openid import SECRET, running_provider
from support.service import RunningService, free_port, running_service

TOML = """
[people]
email_domains = ["example.org"]

[people.providers.campus]
issuer = "{issuer}"
title = "Campus"
client_id = "diamond"
client_secret_file = "{secret}"
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder, port = tmp_path_factory.mktemp("shared"), free_port()
    url = f"http://127.0.0.1:{port}"
    with running_provider(folder, [f"{url}/auth/campus/callback"], [f"{url}/"]) as provider:
        config = write_config(folder, provider.issuer)
        with running_service(folder / "home", port=port, people=config) as service:
            yield service


def write_config(folder: Path, issuer: str) -> Path:
    (folder / "secret").write_text(SECRET)
    config = folder / "diamond.toml"
    config.write_text(TOML.format(issuer=issuer, secret=folder / "secret"))
    return config


def sign_in(page: Page, login: str) -> None:
    page.get_by_role("link", name="Sign in with Campus").click()
    page.locator("input[name=login]").fill(login)
    page.locator("input[name=password]").fill("x")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def test_a_person_signs_in_and_lets_her_terminal_act_for_her(
    shared: RunningService, browser: Browser
) -> None:
    program = Client(shared.url)
    asked = program.post("/sign-in/device", {"name": "diamond login on laptop"})
    page = browser.new_page()
    page.goto(asked["url"])
    sign_in(page, "ada@example.org")
    expect(page.get_by_role("heading", name="A program asks to act for you")).to_be_visible()
    expect(page.get_by_text(asked["user_code"])).to_be_visible()
    page.get_by_role("button", name="Let it act for me").click()
    expect(page.get_by_text("It was let in")).to_be_visible()
    told = program.post("/sign-in/device/token", {"device_code": asked["device_code"]})
    assert Client(shared.url, told["token"]).get("/me")["email"] == "ada@example.org"


def test_whom_nothing_lets_in_is_told_so_in_words(shared: RunningService, browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.goto(shared.url)
    sign_in(page, "mallory@elsewhere.example")
    expect(page.get_by_text("You have no account on this Diamond")).to_be_visible()
