"""Pilots in a browser: empty, one that ran stages of a pipeline, stopped, and one that is not there."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from support.browser import PHONE, OpenPage, Site, faults_in_both_looks

STAGES = {
    "work": {"run": "echo {n}", "map": {"n": [1, 2, 3]}},
    "check": {"run": "exit 3", "needs": ["work"]},
}


def test_no_pilots_say_how_to_get_one(open_page: OpenPage) -> None:
    page = open_page("/pilots")
    expect(page.get_by_text("No pilots yet")).to_be_visible()
    expect(page.get_by_text("diamond pilot start")).to_be_visible()
    assert faults_in_both_looks(page) == []
    page.goto("/pilots/tnothing")
    expect(page.get_by_text("There is no pilot 'tnothing'")).to_be_visible()
    expect(page.get_by_role("link", name="All pilots")).to_be_visible()


@pytest.mark.slow
def test_what_ran_in_a_pilot_is_shown_with_its_use(open_page: OpenPage, site: Site) -> None:
    client = site.client()
    spec = {"name": "packed", "together": {"walltime": "10m"}, "pipeline": STAGES}
    made = client.run_pipeline(spec, with_code=False)
    assert client.wait_pipeline(made["id"])["state"] == "failed"
    page = open_page(f"/pipelines/{made['id']}")
    used = page.get_by_role("region", name="Allocations")
    expect(used.get_by_text("on 1 node")).to_be_visible()
    stage = page.get_by_role("region", name="Stage work")
    stage.get_by_role("link", name="in pilot").first.click()
    expect(page.get_by_role("heading", name="packed", level=1)).to_be_visible()
    timeline = page.get_by_role("region", name="Timeline")
    expect(timeline.get_by_role("img", name="Cores in use")).to_be_visible()
    expect(timeline.get_by_role("img", name="packed.")).to_have_count(4)
    expect(timeline.get_by_role("img", name="packed.check: exit 3")).to_be_visible()
    assert faults_in_both_looks(page) == []
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.goto("/pilots")
    expect(page.get_by_role("link", name="packed")).to_be_visible()
