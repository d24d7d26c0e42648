"""Chromium, signed in to a service, for claims about the pages."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.stack import Service

PROGRAM = os.environ.get("DIAMOND_TEST_BROWSER") or shutil.which("chromium") or ""
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
WINDOW = {"width": 1440, "height": 900}
# Seconds from navigation until a condition first holds, checked at every change of the document.
# The condition is part of the script, because the pages' security policy forbids evaluating text.
WAIT = """() => new Promise((resolve) => {
  const look = () => { if (CONDITION) { watch.disconnect(); resolve(performance.now() / 1000); } };
  const watch = new MutationObserver(look);
  watch.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  look();
})"""
# The longest time between two frames during `seconds` of scrolling.
FRAMES = """([selector, seconds, pixels]) => new Promise((resolve) => {
  const list = document.querySelector(selector);
  const end = performance.now() + 1000 * seconds;
  let last = performance.now(); let worst = 0; let frames = 0;
  const frame = (now) => {
    worst = Math.max(worst, now - last); last = now; frames += 1;
    list.scrollTop += pixels;
    if (now < end) requestAnimationFrame(frame);
    else resolve({ worst, frames, top: list.scrollTop });
  };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
})"""


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    if not PROGRAM:
        raise SystemExit("bench: no Chromium here (Debian's package `chromium`)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
        yield browser
        browser.close()


@contextlib.contextmanager
def signed_in(browser: Browser, service: Service) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=service.url, viewport=WINDOW)  # type: ignore[arg-type]
    link = service.client().transport.post("/api/v1/open")["url"]
    page = context.new_page()
    page.goto(link)
    page.close()
    yield context
    context.close()


def seconds_until(page: Page, path: str, condition: str) -> float:
    """Navigate, and measure how long until `condition`, a JavaScript expression, holds."""
    page.goto(path, wait_until="commit")
    return float(page.evaluate(WAIT.replace("CONDITION", condition)))


def heap_bytes(page: Page) -> int:
    """JavaScript's heap after garbage collection."""
    devtools = page.context.new_cdp_session(page)
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
    return int(devtools.send("Runtime.getHeapUsage")["usedSize"])
