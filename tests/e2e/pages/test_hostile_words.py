"""What a program writes and what people name is shown as text, wherever it appears."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import OpenPage, Site

HOSTILE = """<img src=x onerror="window.hit=1"><script>window.hit=1</script>"""
PROGRAM = f"""\
import json, os, pathlib, sys
words = {HOSTILE!r}
print(words, "\\x1b]8;;javascript:window.hit=1\\x07link\\x1b]8;;\\x07", flush=True)
print(words, file=sys.stderr)
pathlib.Path(words.replace("/", "_")).write_text(words)
pathlib.Path("page.html").write_text(words)
with open(os.environ["DIAMOND_METRICS"], "a") as out:
    for step in range(3):
        out.write(json.dumps({{"step": step, words: step}}) + "\\n")
sys.exit(words)
"""
TABS = ("overview", "log", "metrics", "files", "code", "history")


@pytest.fixture(scope="module")
def hostile(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A task whose every word is an attack."""
    code: Path = tmp_path_factory.mktemp("hostile")
    (code / "train.py").write_text(PROGRAM)
    spec = {"name": "hostile", "run": "python3 train.py {words}", "params": {"words": HOSTILE}}
    (code / "diamond.yaml").write_text(json.dumps(spec))
    task = str(site.diamond.ask("run", str(code))["tasks"][0]["id"])
    site.diamond.wait_for_state(task, "failed")
    return task


def is_harmless(page: Page) -> None:
    assert page.evaluate("window.hit") is None
    assert page.locator('img[src="x"]').count() == 0
    assert page.locator('a[href^="javascript:"]').count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("tab", TABS)
def test_nothing_that_a_program_wrote_acts_in_its_page(
    open_page: OpenPage, hostile: str, tab: str
) -> None:
    page = open_page(f"/tasks/{hostile}?tab={tab}")
    expect(page.get_by_role("heading", level=1, name="hostile")).to_be_visible()
    if tab != "overview":
        expect(page.get_by_text("onerror").first).to_be_visible()
    is_harmless(page)
