"""Pipelines in a browser: empty, written with its graph, live, failed, run again from a stage."""

from __future__ import annotations

from playwright.sync_api import expect

from support.browser import PHONE, OpenPage, Site, faults_in_both_looks

STAGES = {
    "prepare": {"run": "echo 1 > x", "outputs": {"x": "x"}},
    "train": {
        "run": "cp {prepare.x} y",
        "map": {"model": ["tcn", "gru"]},
        "outputs": {"y": "y"},
    },
    "check": {"run": "echo {hostile}; exit 3", "params": {"hostile": "<img src=x>"}},
    "report": {"run": "cat {train.y}", "needs": ["check"]},
}


def test_a_pipeline_is_written_beside_its_graph(open_page: OpenPage, site: Site) -> None:
    page = open_page("/pipelines")
    expect(page.get_by_text("No pipelines yet")).to_be_visible()
    page.get_by_role("link", name="New pipeline").click()
    graph = page.get_by_role("region", name="Graph of stages")
    expect(graph.get_by_role("button", name="prepare")).to_be_visible()
    expect(page.get_by_text("No errors. Nothing runs until you submit.")).to_be_visible()
    editor = page.get_by_role("textbox", name="The job as YAML")
    editor.fill("name: p\npipeline:\n  a: {run: 'cat {b.y}'}\n")
    expect(page.get_by_role("status").get_by_text("There is no stage 'b'")).to_be_visible()
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    assert faults_in_both_looks(page) == []
    editor.fill("name: short\npipeline:\n  a: {run: 'true'}\n")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="short", level=1)).to_be_visible()
    expect(page.get_by_text("succeeded", exact=True)).to_be_visible()


def test_a_failed_stage_is_named_and_what_is_done_is_not_repeated(
    open_page: OpenPage, site: Site
) -> None:
    client = site.client()
    made = client.run_pipeline({"name": "mixed", "pipeline": STAGES}, with_code=False)
    assert client.wait_pipeline(made["id"])["state"] == "failed"
    page = open_page(f"/pipelines/{made['id']}")
    expect(page.get_by_text("check failed:")).to_be_visible()
    graph = page.get_by_role("region", name="Graph of stages")
    graph.get_by_role("button", name="train").click()
    stage = page.get_by_role("region", name="Stage train")
    expect(stage.get_by_role("row")).to_have_count(3)
    expect(stage.get_by_text("tcn")).to_be_visible()
    bars = page.get_by_role("region", name="Timeline").get_by_role("img")
    expect(bars).to_have_count(4)
    assert faults_in_both_looks(page) == []
    stage.get_by_role("button", name="Run again from here").click()
    page.wait_for_url(lambda url: made["id"] not in url)
    expect(graph.get_by_role("button", name="prepare").get_by_text("cached")).to_be_visible()
    expect(page.get_by_role("button", name="Retry what failed")).to_be_visible()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_pipeline_that_is_not_there_says_so(open_page: OpenPage) -> None:
    page = open_page("/pipelines/fnothing")
    expect(page.get_by_text("There is no pipeline 'fnothing'")).to_be_visible()
    expect(page.get_by_role("link", name="All pipelines")).to_be_visible()
