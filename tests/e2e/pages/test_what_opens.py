"""Whatever opens over a page, menus, dialogs, lists, the palette, can be used by everyone in both looks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from support.browser import PHONE, OpenPage, Site, faults_in_both_looks

PROGRAM = """\
import json, os, time
with open(os.environ["DIAMOND_METRICS"], "a") as out:
    for step in range(20):
        out.write(json.dumps({"step": step, "loss": 1 / (step + 1)}) + "\\n")
while not os.path.exists(%r):
    time.sleep(0.2)
"""
Open = Callable[[Page], None]


@pytest.fixture(scope="module")
def task(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One that has told a curve and goes on until the end."""
    release = tmp_path_factory.mktemp("held") / "release"
    lines = PROGRAM % str(release)
    task = site.diamond.submit("python3", "-c", lines, options=("--name", "held"))
    site.diamond.wait_for_state(task, "running")
    yield task
    release.touch()


def press(role: str, name: str) -> Open:
    return lambda page: page.get_by_role(role, name=re.compile(name)).first.click()  # type: ignore[arg-type]


def palette(words: str) -> Open:
    def open_it(page: Page) -> None:
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("textbox", name="Search").fill(words)

    return open_it


def in_turn(*steps: Open) -> Open:
    def open_it(page: Page) -> None:
        for step in steps:
            step(page)

    return open_it


MORE = press("button", "Actions for local")
CHOSEN = press("checkbox", "Select held|held")
MORE_IMAGES = press("button", "^More$")
OPENED: dict[str, tuple[str, Open, str]] = {
    "fetching an image": ("/images", in_turn(MORE_IMAGES, press("menuitem", "Pull")), "dialog"),
    "making room": ("/images", in_turn(MORE_IMAGES, press("menuitem", "Free up space")), "dialog"),
    "beginning with an image": ("/build", press("button", "An image"), "dialog"),
    "menu of an endpoint": ("/endpoints/local", MORE, "menu"),
    "renaming": ("/endpoints/local", in_turn(MORE, press("menuitem", "Rename")), "dialog"),
    "removing": ("/endpoints/local", in_turn(MORE, press("menuitem", "Remove")), "dialog"),
    "adding": ("/endpoints?add=choose", lambda page: None, "dialog"),
    "adding by ssh": ("/endpoints?add=ssh", lambda page: None, "dialog"),
    "adding by pairing": ("/endpoints?add=pairing", lambda page: None, "dialog"),
    "a correction": ("/endpoints/local?tab=profile", press("button", "Correct Internet"), "main"),
    "palette": ("/", palette("held"), "dialog"),
    "palette without a hit": ("/", palette("nothing is called so"), "dialog"),
    "bell": ("/", press("button", "otification"), "dialog"),
    "filters": ("/tasks", press("combobox", "Endpoint"), "listbox"),
    "cancelling several": ("/tasks", in_turn(CHOSEN, press("button", "^Cancel…")), "dialog"),
    "retrying several": ("/tasks", in_turn(CHOSEN, press("button", "^Retry…")), "dialog"),
    "cancelling": ("/tasks/{task}", press("button", "^Cancel"), "dialog"),
    "menu of a chart": ("/tasks/{task}?tab=metrics", press("button", "Download chart"), "menu"),
    "comparing": ("/tasks/{task}?tab=metrics", press("combobox", "Compare"), "listbox"),
    "choosing an endpoint": ("/compose", press("combobox", "Endpoint"), "listbox"),
    "a default": ("/settings", press("combobox", "Endpoint"), "listbox"),
    "days of a token": ("/settings?tab=tokens", press("combobox", ""), "listbox"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OPENED)
def test_it_can_be_used_by_everyone(open_page: OpenPage, task: str, what: str) -> None:
    path, open_it, role = OPENED[what]
    page = open_page(path.format(task=task))
    open_it(page)
    expect(page.get_by_role(role).first).to_be_visible()  # type: ignore[arg-type]
    assert not faults_in_both_looks(page)


def test_a_menu_a_dialog_and_the_palette_can_be_used_by_everyone(open_page: OpenPage) -> None:
    """One of each kind; all of them are in the slow set."""
    page = open_page("/endpoints/local")
    MORE(page)
    expect(page.get_by_role("menu")).to_be_visible()
    assert not faults_in_both_looks(page)
    press("menuitem", "Remove")(page)
    expect(page.get_by_role("dialog", name="Remove local?")).to_be_visible()
    assert not faults_in_both_looks(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    palette("local")(page)
    expect(page.get_by_role("dialog", name="Search or jump to")).to_be_visible()
    assert not faults_in_both_looks(page)


def test_a_menu_is_walked_by_keys_alone(open_page: OpenPage) -> None:
    page = open_page("/endpoints/local")
    page.get_by_role("button", name="Actions for local").press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("menuitem", name="Remove…")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Actions for local")).to_be_focused()


def test_the_pages_of_a_phone_lie_behind_a_button(open_page: OpenPage) -> None:
    page = open_page("/", size=PHONE)
    page.get_by_role("button", name="Navigation").click()
    expect(page.get_by_role("link", name="Endpoints").first).to_be_visible()
    assert not faults_in_both_looks(page)
