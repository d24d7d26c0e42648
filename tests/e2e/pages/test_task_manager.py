"""Task Manager: every task, by filters that stand in the address, with keys and with the mouse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import PHONE, Fresh, OpenPage, Site, faults_of_access

HOLD = "while not __import__('os').path.exists({!r}): __import__('time').sleep(0.2)"


@pytest.fixture(scope="module")
def tasks(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One that succeeded, one that failed, and one that goes on until the end."""
    release = tmp_path_factory.mktemp("held") / "release"
    diamond = site.diamond
    made = {
        "done": diamond.submit("true", options=("--name", "done")),
        "broken": diamond.submit("sh", "-c", "exit 3", options=("--name", "broken")),
        "held": held(site, "held", release),
    }
    diamond.wait_for_state(made["done"], "succeeded")
    diamond.wait_for_state(made["broken"], "failed")
    diamond.wait_for_state(made["held"], "running")
    yield made
    release.touch()


def held(site: Site, name: str, release: Path) -> str:
    program = HOLD.format(str(release))
    return site.diamond.submit("python3", "-c", program, options=("--name", name))


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def test_states_are_told_in_words_and_every_view_is_a_link(
    open_page: OpenPage, tasks: dict[str, str]
) -> None:
    page = open_page("/tasks")
    expect(row(page, "broken")).to_contain_text("it ended with exit code 3")
    expect(row(page, "held")).to_contain_text("running")
    page.get_by_role("button", name=re.compile("^failed")).click()
    expect(row(page, "held")).to_have_count(0)
    expect(page).to_have_url(re.compile("state=failed"))
    page.reload()
    expect(row(page, "broken")).to_be_visible()
    expect(row(page, "done")).to_have_count(0)
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("searchbox", name="Search tasks").fill("don")
    expect(row(page, "held")).to_have_count(0)
    expect(row(page, "done")).to_be_visible()
    page.get_by_role("searchbox", name="Search tasks").fill("nothing is called so")
    expect(page.get_by_role("heading", name="No matching tasks")).to_be_visible()
    page.get_by_role("button", name="Show all tasks").click()
    page.get_by_role("button", name="Name").click()
    expect(page).to_have_url(re.compile("sort=name"))
    expect(page.get_by_role("row").nth(1)).to_contain_text("broken")


def test_several_are_cancelled_by_keys_alone_and_each_tells_what_became_of_it(
    open_page: OpenPage, site: Site, tasks: dict[str, str], go: Path, fresh: Fresh
) -> None:
    name = fresh("going")
    going = held(site, name, go)
    site.diamond.wait_for_state(going, "running", "pending")
    page = open_page("/tasks?sort=name")
    expect(row(page, name)).to_be_visible()
    page.get_by_role("grid", name="Tasks").focus()
    # In the order of names: broken, done, what an earlier try left, going, held.
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    for _ in range(page.get_by_role("link", name=re.compile("^going")).count() + 1):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(row(page, name)).to_have_attribute("aria-selected", "true")
    expect(row(page, "done")).to_have_attribute("aria-selected", "false")
    bar = page.get_by_role("toolbar", name="Selected tasks")
    expect(bar).to_contain_text("2 tasks selected")
    bar.get_by_role("button", name="Cancel…").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Cancel 2 tasks").press("Enter")
    results = page.get_by_role("dialog").get_by_role("listitem")
    expect(results).to_have_count(2)
    expect(results.filter(has_text="broken")).to_contain_text("had already ended: failed")
    page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).last.press("Enter")
    expect(row(page, name)).to_contain_text("cancelled")


def test_all_that_match_are_cancelled_not_only_those_that_were_picked(
    open_page: OpenPage, site: Site, go: Path, fresh: Fresh
) -> None:
    name = fresh("crowd")
    crowd = [held(site, name, go) for _ in range(3)]
    page = open_page(f"/tasks?search={name}")
    expect(row(page, name)).to_have_count(3)
    row(page, name).first.get_by_role("checkbox").click()
    bar = page.get_by_role("toolbar", name="Selected tasks")
    bar.get_by_role("button", name="Select all 3 matching").click()
    expect(bar).to_contain_text("All 3 matching")
    bar.get_by_role("button", name="Retry…").click()
    expect(page.get_by_role("dialog")).to_contain_text("None of these tasks failed")
    page.keyboard.press("Escape")
    bar.get_by_role("button", name="Cancel…").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel 3 tasks").click()
    expect(page.get_by_role("dialog")).to_contain_text("3 done")
    for task in crowd:
        site.diamond.wait_for_state(task, "cancelled")


def test_a_task_that_is_asked_for_elsewhere_appears_by_itself(
    open_page: OpenPage, site: Site, tasks: dict[str, str], fresh: Fresh
) -> None:
    name = fresh("from-elsewhere")
    page = open_page("/tasks")
    expect(row(page, "held")).to_be_visible()
    made = site.diamond.submit("true", options=("--name", name))
    expect(row(page, name)).to_contain_text("succeeded")
    page.get_by_role("link", name=name, exact=True).click()
    expect(page).to_have_url(re.compile(f"/tasks/{made}"))
    page.go_back()
    expect(row(page, name)).to_be_visible()


@pytest.mark.slow
def test_the_list_can_be_used_by_everyone_in_both_looks_and_on_a_phone(
    open_page: OpenPage, tasks: dict[str, str]
) -> None:
    for scheme in ("light", "dark"):
        page = open_page("/tasks", scheme=scheme)
        expect(row(page, "held")).to_be_visible()
        row(page, "held").get_by_role("checkbox").click()
        assert not faults_of_access(page)
    phone = open_page("/tasks", size=PHONE)
    expect(row(phone, "broken")).to_contain_text("it ended with exit code 3")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
