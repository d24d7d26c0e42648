"""Chromium in front of a real Diamond: what a user sees and clicks.

`DIAMOND_TEST_BROWSER` names another browser's program. The pages must have been built by `make web`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from diamond.sdk.client import Client
from diamond.sdk.client_config import saved_address
from support.diamond import Diamond, diamond_up
from support.service import free_port
from support.waiting import wait_for

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "diamond" / "service" / "static"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PROGRAM = os.environ.get("DIAMOND_TEST_BROWSER") or shutil.which("chromium") or ""
# Without these, Chromium looks for updates at every start; as root, it has no sandbox.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
DESKTOP = {"width": 1440, "height": 900}
LAPTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
SERIOUS = ("serious", "critical")
# Colours in the middle of an animation must not be judged.
AT_REST = """() => Promise.allSettled(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
  .map((one) => one.finished))"""

expect.set_options(timeout=30_000)


@dataclass
class Site:
    """A Diamond whose pages are tested."""

    diamond: Diamond
    port: int
    running: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """`diamond up` with this machine as its endpoint."""
        self.running.enter_context(diamond_up(self.diamond, port=self.port))
        wait_for(lambda: _is_online(self.diamond), 60, what="the local endpoint")

    def stop(self) -> None:
        self.running.close()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop the service for a while; it is running again for the next test, whatever happens."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def client(self) -> Client:
        """A client with the owner's own token."""
        saved = saved_address(self.diamond.home)
        assert saved
        return Client(saved.url, saved.token)

    def sign_in(self, context: BrowserContext) -> None:
        """Like `diamond open`: the one-time link sets a cookie."""
        page = context.new_page()
        page.goto(self.diamond.ask("open", "--no-browser")["url"])
        page.close()


@contextmanager
def site_up(folder: Path, extra: Mapping[str, str] | None = None) -> Iterator[Site]:
    """A separate Diamond, with the pages that `make web` built."""
    assert (STATIC / "index.html").exists(), "the pages are not built: make web"
    site = Site(Diamond(folder / "home", folder, extra or {}), free_port())
    site.start()
    try:
        yield site
    finally:
        site.stop()


def _is_online(diamond: Diamond) -> bool:
    return any(one["state"] == "online" for one in diamond.ask("endpoint", "list")["items"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site_up(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One per module, not per session, because Playwright's event loop would disturb other tests' loops."""
    if not PROGRAM:
        pytest.skip("no Chromium here (Debian's package `chromium`, or DIAMOND_TEST_BROWSER)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
        yield browser
        browser.close()


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(
    browser: Browser, site: Site, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[OpenPage]:
    """Open an address of the site in a new window, signed in; errors in the page fail the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def open_it(path: str = "/", *, scheme: str = "light", size: dict[str, int] = DESKTOP) -> Page:
        context = browser.new_context(
            base_url=site.url,
            viewport=size,  # type: ignore[arg-type]
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            accept_downloads=True,
        )
        contexts.append(context)
        site.sign_in(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path)
        return page

    yield open_it
    for number, context in enumerate(contexts):
        for page in context.pages:
            page.screenshot(path=tmp_path / f"last-{number}.png")
        context.close()
    assert not errors, errors


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


Fresh = Callable[[str], str]


@pytest.fixture
def fresh(request: pytest.FixtureRequest) -> Fresh:
    """A name that an earlier try of the same test has not used, so that its leftovers do no harm."""
    tries = int(getattr(request.node, "execution_count", 1))
    return lambda name: name if tries == 1 else f"{name}-{tries}"


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Path]:
    """A job waits for this file, which appears at the end, so that no job outlives its test."""
    path = tmp_path / "go"
    yield path
    path.touch()


def faults_in_both_looks(page: Page) -> list[str]:
    """Serious axe-core findings in the current page, in both themes; in the second, only colours are checked."""
    faults = faults_of_access(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    faults += faults_of_access(page, rules=("color-contrast",))
    page.emulate_media(color_scheme="light")
    return faults


def faults_of_access(page: Page, *, rules: Sequence[str] = ()) -> list[str]:
    """Serious axe-core findings by all rules or some, one line each."""
    page.evaluate(AXE.read_text())
    page.evaluate(AT_REST)
    found: dict[str, Any] = json.loads(
        page.evaluate(
            "(options) => axe.run(document, options).then((found) => JSON.stringify(found))",
            {"runOnly": list(rules)} if rules else {},
        )
    )
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def picture(page: Page, name: str) -> None:
    """A screenshot for the docs; only written by `make pictures`."""
    folder = os.environ.get("DIAMOND_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


__all__ = [
    "Fresh",
    "OpenPage",
    "Site",
    "browser",
    "faults_in_both_looks",
    "faults_of_access",
    "fresh",
    "go",
    "open_page",
    "page",
    "picture",
    "site",
]
