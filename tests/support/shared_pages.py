"""A shared Diamond with a real provider, people in separate browsers, and their agents."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from support.http import Client
from support.openid import SECRET, running_provider
from support.service import SOURCE, RunningService, free_port, running_service

TOML = """
[people]
admins = ["root@example.org"]
email_domains = ["example.org"]

[people.providers.campus]
issuer = "{issuer}"
title = "Campus"
client_id = "diamond"
client_secret_file = "{secret}"
"""


@contextmanager
def shared_diamond(folder: Path) -> Iterator[RunningService]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with running_provider(folder, [f"{url}/auth/campus/callback"], [f"{url}/"]) as provider:
        config = _write_config(folder, provider.issuer)
        with running_service(folder / "home", port=port, people=config) as service:
            yield service


def sign_in(page: Page, login: str) -> None:
    """From our page through the provider's forms and back."""
    page.get_by_role("link", name="Sign in with Campus").click()
    page.locator("input[name=login]").fill(login)
    page.locator("input[name=password]").fill("x")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def client_of(context: BrowserContext, service: RunningService) -> Client:
    """A client with this browser's cookie."""
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in context.cookies(service.url))
    return Client(service.url, headers={"Cookie": cookies, "Origin": service.url})


@contextmanager
def agent_of(person: Client, folder: Path, name: str) -> Iterator[None]:
    """The real agent on this machine, as that person's endpoint."""
    added = person.post("/endpoints", {"name": name, "carrier": "local"})
    key = folder / f"{name}.key"
    key.write_text(added["key"])
    folders = {part: str(folder / name / part.lower()) for part in ("KEEP", "WORK", "TMP")}
    for one in folders.values():
        Path(one).mkdir(parents=True)
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    env |= {f"DIAMOND_{part}": one for part, one in folders.items()}
    words = ["run", "--url", person.url, "--key-file", str(key), "--scheduler", "local"]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "diamond.agent", *words], env=env, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def _write_config(folder: Path, issuer: str) -> Path:
    (folder / "secret").write_text(SECRET)
    config = folder / "diamond.toml"
    config.write_text(TOML.format(issuer=issuer, secret=folder / "secret"))
    return config
