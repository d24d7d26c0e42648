"""The dashboard: a first visit that ends with a trained model, and all that goes on, as it goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import PHONE, Fresh, OpenPage, Site, faults_of_access
from support.waiting import wait_for

# A browser without a screen never hides a page: this one says that it is hidden, and notes what it says.
LISTEN = """() => {
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
  window.said = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      window.said.push(title);
    }
  };
}"""
HOLD = "while [ ! -e {} ]; do sleep 0.2; done"


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_a_first_visit_ends_with_a_trained_model_without_leaving_the_page(
    open_page: OpenPage, fresh: Fresh
) -> None:
    is_first = not fresh("")  # A second try is no first visit any more.
    page = open_page("/" if is_first else "/?guide=show")
    guide = box(page, "Your first model")
    expect(guide.get_by_role("button", name="Start training")).to_be_visible()
    assert not faults_of_access(page)
    guide.get_by_role("button", name="Two spirals").click()
    expect(guide.get_by_role("log")).to_contain_text("unseen points", timeout=90_000)
    expect(guide.get_by_role("img", name=re.compile("accuracy .* at step"))).to_be_visible()
    expect(guide.get_by_text(re.compile(r"You trained a model: \d+\.\d %"))).to_be_visible()
    page.reload()
    expect(guide.get_by_text(re.compile(r"You trained a model: \d+\.\d %"))).to_be_visible()
    expect(guide.get_by_role("log")).to_contain_text("unseen points")
    assert not faults_of_access(page)
    guide.get_by_role("button", name="Close guide").first.click()
    expect(guide).to_have_count(0)
    expect(box(page, "Recent results")).to_contain_text("accuracy")
    page.reload()
    expect(box(page, "Recent results")).to_contain_text("spiral")
    expect(guide).to_have_count(0)


def test_what_runs_ends_and_fails_is_seen_as_it_happens(
    open_page: OpenPage, site: Site, go: Path, fresh: Fresh
) -> None:
    page, name = open_page("/"), fresh("seen-running")
    hold = site.diamond.submit("sh", "-c", HOLD.format(go), options=("--name", name))
    expect(box(page, "Running")).to_contain_text(name)
    go.touch()
    site.diamond.wait_for_state(hold, "succeeded")
    expect(box(page, "Recent results")).to_contain_text(name)
    expect(box(page, "Running")).not_to_contain_text(name)
    site.diamond.submit("sh", "-c", "exit 3", options=("--name", "breaks"))
    needs = box(page, "Needs attention")
    expect(needs).to_contain_text("breaks")
    assert not faults_of_access(page)
    needs.get_by_role("button", name="Dismiss failures").click()
    expect(needs).to_have_count(0)


def test_the_bell_tells_of_an_end_and_leads_to_the_task(open_page: OpenPage, site: Site) -> None:
    page = open_page("/settings")
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    for name in ("unread", "rings"):
        site.diamond.submit("sh", "-c", "exit 4", options=("--name", name))
        expect(page.get_by_role("alert").filter(has_text=name)).to_be_visible()
    page.get_by_role("button", name=re.compile(r"\d unread notification")).click()
    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("link", name=re.compile("rings")).first).to_be_visible()
    assert not faults_of_access(page)
    panel.get_by_role("link", name=re.compile("rings")).first.click()
    expect(page.get_by_role("heading", level=1, name="rings")).to_be_visible()
    page.get_by_role("button", name=re.compile("otification")).click()
    panel.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("button", name="Notifications", exact=True)).to_be_visible()


def test_the_browser_itself_speaks_up_while_nobody_looks(open_page: OpenPage, site: Site) -> None:
    page = open_page("/settings?tab=notifications")
    page.context.grant_permissions(["notifications"], origin=site.url)
    page.get_by_role("switch", name="Notify me in this browser").click()
    expect(page.get_by_role("switch", name="Notify me in this browser")).to_be_checked()
    page.evaluate(LISTEN)
    site.diamond.submit("true", options=("--name", "heard-elsewhere"))
    wait_for(
        lambda: "heard-elsewhere" in str(page.evaluate("window.said")), what="the browser's word"
    )
    expect(page.get_by_role("alert").filter(has_text="heard-elsewhere")).to_have_count(0)
    looked_at = page.context.new_page()
    looked_at.goto("/tasks")
    expect(looked_at.get_by_role("row", name=re.compile("heard-elsewhere"))).to_be_visible()
    site.diamond.submit("true", options=("--name", "seen-in-a-tab"))
    expect(looked_at.get_by_role("alert").filter(has_text="seen-in-a-tab")).to_be_visible()
    assert "seen-in-a-tab" not in str(page.evaluate("window.said"))


def test_the_dashboard_is_for_everybody_in_both_looks_and_on_a_phone(open_page: OpenPage) -> None:
    for look in ("light", "dark"):
        page = open_page("/", scheme=look)
        expect(box(page, "Recent results")).to_be_visible()
        assert not faults_of_access(page)
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    expect(box(page, "Endpoints")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.slow
def test_the_guide_trains_a_network_that_reads_digits(open_page: OpenPage) -> None:
    page = open_page("/?guide=show")
    page.get_by_role("button", name="Start training").click()
    guide = box(page, "Your first model")
    expect(guide.get_by_text(re.compile(r"You trained a model: 9\d\.\d %"))).to_be_visible(
        timeout=600_000
    )
