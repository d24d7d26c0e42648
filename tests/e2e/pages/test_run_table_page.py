"""Runs, comparison, lineage and reproduction in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_in_both_looks
from support.waiting import wait_for

PROGRAM = """\
import pathlib, sys
from diamond import training
lr = float(sys.argv[1])
for step in range(3):
    training.log(step=step, loss=lr / (1 + step))
pathlib.Path("artifacts").mkdir(exist_ok=True)
pathlib.Path("artifacts/model.txt").write_text(repr(lr))
"""


@pytest.fixture(scope="module")
def runs(site: Site) -> list[str]:
    """Two that have ended, the older first."""
    client = site.client()
    folder = site.diamond.folder / "sweep"
    folder.mkdir()
    (folder / "train.py").write_text(PROGRAM)
    spec = {"name": "sweep", "code": str(folder), "run": "python3 train.py {lr}"}
    made = []
    for lr in (0.5, 0.25):
        job = client.run({**spec, "params": {"lr": lr}}, wait=True)
        made.append(job.task.id)
    wait_for(lambda: len(client.runs(["metric.loss"], where=["metric.loss?"])) == 2, what="metrics")
    return made


def test_runs_stand_in_one_table_and_are_sorted_and_compared(
    open_page: OpenPage, runs: list[str]
) -> None:
    page = open_page("/runs?columns=name%0Aparam.lr%0Ametric.loss")
    rows = page.get_by_role("row")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="lr", exact=True).click()
    expect(rows.nth(1)).to_contain_text("0.25")
    expect(page).to_have_url(re.compile("sort=param.lr"))
    assert faults_in_both_looks(page) == []
    for run in runs:
        page.get_by_role("checkbox", name=f"Select {run[:8]}").check()
    page.get_by_role("link", name="Compare (2)").click()
    params = page.get_by_role("region", name="Parameters")
    expect(params.get_by_role("row", name=re.compile("lr"))).to_contain_text("0.5")
    expect(page.get_by_text("Likely cause")).to_be_visible()
    expect(page.get_by_text(re.compile("lr: 0.5 and 0.25|lr: 0.25 and 0.5"))).to_be_visible()
    expect(page.get_by_role("region", name="Chart of loss")).to_be_visible()
    changes = page.get_by_role("region", name="Changes in spec and code")
    expect(changes).to_contain_text("lr: 0.5")
    assert faults_in_both_looks(page) == []


def test_a_view_is_saved_and_opened_again(open_page: OpenPage, runs: list[str]) -> None:
    page = open_page("/runs?columns=name%0Abest.loss&sort=-best.loss")
    page.get_by_role("button", name="Views").click()
    page.get_by_role("menuitem", name="Save this view…").click()
    page.get_by_role("textbox", name="Name").fill("worst first")
    page.get_by_role("button", name="Save").click()
    page.goto("/runs")
    page.get_by_role("button", name="Views (1)").click()
    page.get_by_role("menuitem", name="worst first").click()
    expect(page).to_have_url(re.compile("best.loss"))
    expect(page.get_by_role("columnheader", name="loss, best")).to_be_visible()
    assert runs


def test_no_run_matches(open_page: OpenPage, runs: list[str]) -> None:
    page = open_page("/runs?filters=name%3Dnothing")
    expect(page.get_by_role("heading", name="No runs match")).to_be_visible()
    page = open_page("/runs?filters=nonsense")
    expect(page.get_by_text("is not a filter")).to_be_visible()
    assert runs


def test_lineage_is_drawn_and_a_stranger_to_it_is_told_so(
    open_page: OpenPage, runs: list[str]
) -> None:
    page = open_page(f"/lineage?of={runs[0]}")
    graph = page.get_by_role("region", name="Lineage graph")
    expect(graph.get_by_role("link", name="sweep").first).to_be_visible()
    assert faults_in_both_looks(page) == []
    page.goto("/lineage?of=tneverwas2345")
    expect(page.get_by_text("There is no task, code, image or data")).to_be_visible()
    page.goto("/lineage")
    expect(page.get_by_role("heading", name="Choose where to start")).to_be_visible()


def test_a_task_is_reproduced_from_its_page(open_page: OpenPage, runs: list[str]) -> None:
    page = open_page(f"/tasks/{runs[0]}")
    page.get_by_role("button", name="Reproduce").click()
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("This run reproduces")).to_be_visible()
    verdict = page.get_by_role("region", name="Compared with the first run")
    expect(verdict.get_by_text("Identical", exact=True)).to_be_visible(timeout=60_000)
    page.goto(f"/tasks/{runs[0]}")
    expect(page.get_by_role("region", name="Reproduced")).to_contain_text("identical")
    assert faults_in_both_looks(page) == []
