"""A chain of attempts on a task's page: how far each came, and a word that lets it go on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support.browser import (
    PHONE,
    OpenPage,
    Site,
    faults_in_both_looks,
    faults_of_access,
    picture,
)
from support.probe_scene import ProbeRunner, report_facts
from support.scene import Scene
from support.site_scene import scripted_machine
from support.waiting import wait_for

ATTEMPT = """\
mkdir -p ckpt
n=$(ls ckpt | wc -l)
echo "{{\\"step\\": $((n + 1)), \\"loss\\": 0.5}}" >>"$DIAMOND_METRICS"
touch "ckpt/$n.pt"
[ -e "{enough}" ] || exit 75
"""


def test_a_chain_that_asks_shows_its_attempts_and_goes_on_at_a_word(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    enough = tmp_path / "enough"
    client = site.client()
    spec = {
        "name": "long",
        "run": ["sh", "-c", ATTEMPT.format(enough=enough)],
        "continue": {"on": ["exit-75"], "from": "ckpt/*.pt", "max_attempts": 20},
    }
    task = client.run(spec).task.id
    wait_for(
        lambda: client.transport.get(f"/api/v1/tasks/{task}")["chain"]["asks"],
        what="a chain that asks",
    )
    page = open_page(f"/tasks/{task}")
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("row")).to_have_count(5)
    expect(attempts.get_by_role("row").nth(4)).to_contain_text("3.pt")
    expect(attempts).to_contain_text("waits for your approval")
    assert not faults_in_both_looks(page)
    enough.touch()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("textbox", name="Additional attempts").fill("2")
    page.get_by_role("dialog").get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_text("long resumed")).to_be_visible()
    expect(attempts.get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("main").get_by_text("succeeded", exact=True).first).to_be_visible()


@pytest.mark.slow
def test_a_chain_of_two_shows_gap_budget_what_was_planned_and_the_log_of_each_rank(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    report_facts(scene)
    spec = {
        "name": "long",
        "run": "python train.py",
        "on": scene.name,
        "continue": {},
        "resources": {"nodes": 2, "walltime": "2h"},
        "budget": "12 node-hours",
    }
    goal = {"steps": 10_800, "step_seconds": 1.0}
    task = scene.client.post("/jobs", {"spec": spec, "goal": goal})["tasks"][0]
    began, first = task["created"], (task["id"], task["attempt"])
    scene.tell("started", *first, run=1, node="n1", at=began)
    newest = "checkpoints/step-7100.pt"
    scene.tell("progressed", *first, checkpoint=newest, modified=1.0, step=7100)
    scene.tell("exited", *first, run=1, exit_code=75, signal=None, at=began + 7200)
    second = (task["id"], scene.task(task["id"])["attempt"])
    scene.tell("submitted", *second, native_id="2", at=began + 7205)
    scene.tell("started", *second, run=1, node="n1", at=began + 7500)
    for rank, words in ((0, b"all of them\n"), (1, b"only the second\n")):
        part = {"task": second[0], "attempt": second[1], "run": 1, "rank": rank, "offset": 0}
        scene.agent.bytes(({**part, "stream": "stdout"}, words))
    page = open_page(f"/tasks/{task['id']}")
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("row").nth(2)).to_contain_text("5 min")
    expect(attempts).to_contain_text("Budget: 4 of 12 node-hours spent")
    expect(attempts).to_contain_text("up to 4 reserved for queued or running attempts")
    expect(attempts).to_contain_text("4 left")
    newest = "checkpoints/step-10800.pt"
    scene.tell("progressed", *second, checkpoint=newest, modified=2.0, step=10_800)
    scene.tell("exited", *second, run=1, exit_code=0, signal=None, at=began + 11_100)
    planned = page.get_by_role("region", name="Planned vs. actual")
    expect(planned.get_by_role("row").nth(1)).to_contain_text("Duration3 h3 h 5 min")
    expect(planned.get_by_role("row").nth(2)).to_contain_text("Attempts22")
    expect(planned.get_by_role("row").nth(3)).to_contain_text("Node-hours66")
    page.clock.set_fixed_time(datetime.fromtimestamp(began + 11_430, UTC))
    page.reload()
    expect(page.get_by_text("ended 5 min ago")).to_be_visible()
    expect(planned).to_be_visible()
    picture(page, "chain")
    assert not faults_in_both_looks(page)
    page.goto(f"/tasks/{task['id']}?tab=log")
    expect(page.get_by_text("all of them")).to_be_visible()
    page.get_by_role("combobox", name="Rank").click()
    page.get_by_role("option", name="Rank 1").click()
    expect(page.get_by_text("only the second")).to_be_visible()


CHAIN: dict[str, Any] = {"on": ["exit-75"], "from": "*.pt"}
TWO_HOURS = {"nodes": 2, "walltime": "2h"}


def chain(scene: Scene, name: str, **spec: Any) -> tuple[str, float]:
    """A task whose agent has its first attempt, and when it was made."""
    spec = {"name": name, "continue": CHAIN, "resources": TWO_HOURS, **spec}
    task, _attempt = scene.taken(**spec)
    return task, float(scene.task(task)["created"])


def attempt(scene: Scene, task: str, at: float, *, step: int, exit_code: int = 75) -> None:
    """Two hours of the attempt that is next; a step that is not higher is no progress."""
    of_it = (task, scene.task(task)["attempt"])
    scene.tell("started", *of_it, run=1, node="n1", at=at)
    scene.tell("progressed", *of_it, step=step, checkpoint=f"{step}.pt", modified=float(step))
    scene.tell("exited", *of_it, run=1, exit_code=exit_code, signal=None, at=at + 7200)


def test_a_chain_grows_on_the_page_that_one_looks_at(open_page: OpenPage, site: Site) -> None:
    scene = scripted_machine(site)
    task, began = chain(scene, "grows", budget="12 node-hours")
    first = (task, scene.task(task)["attempt"])
    scene.tell("started", *first, run=1, node="n1", at=began)
    page = open_page(f"/tasks/{task}")
    attempts = page.get_by_role("region", name="Attempts")
    rows = attempts.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("running")
    scene.tell("progressed", *first, step=12_000, checkpoint="12000.pt", modified=7.0)
    expect(rows.nth(1)).to_contain_text("12000.pt")
    scene.tell("attempt-known", task, "anext", number=2)
    expect(rows.nth(2)).to_contain_text("queued ahead")
    expect(attempts).to_contain_text("up to 8 reserved for queued or running attempts")
    assert rows.nth(2).get_by_role("link").count() == 0
    scene.tell("exited", *first, run=1, exit_code=75, signal=None, at=began + 7200)
    scene.tell("started", task, "anext", run=1, node="n2", at=began + 7260)
    expect(rows.nth(1)).to_contain_text("asked to be continued")
    expect(rows.nth(2)).to_contain_text("running")
    expect(rows.nth(2)).to_contain_text("1 min")
    assert not faults_in_both_looks(page)
    rows.nth(2).get_by_role("link", name="Log of attempt 2").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Log", selected=True)).to_be_visible()


@pytest.mark.parametrize(
    ("spec", "steps", "why", "next_step"),
    [
        ({"budget": "9 node-hours"}, [1, 2], "could use 4 node-hours", "how much more it may use"),
        ({"budget": "90 node-hours"}, [2, 1, 1], "came no further", "Check the log before"),
        (
            {"budget": "90 node-hours", "continue": {**CHAIN, "max_attempts": 2}},
            [1, 2],
            "as many as max_attempts allows",
            "from 2.pt as a new task",
        ),
    ],
    ids=["budget", "no-progress", "continue-limit"],
)
def test_a_chain_that_stopped_says_why_and_how_it_goes_on(
    open_page: OpenPage,
    site: Site,
    spec: dict[str, Any],
    steps: list[int],
    why: str,
    next_step: str,
) -> None:
    scene = scripted_machine(site)
    task, began = chain(scene, "stops", **spec)
    for number, step in enumerate(steps):
        attempt(scene, task, began + 7500 * number, step=step)
    page = open_page(f"/tasks/{task}")
    expect(page.get_by_role("status").filter(has_text="Why it failed")).to_contain_text(why)
    expect(page.get_by_role("region", name="Attempts")).to_contain_text(next_step)
    page.get_by_role("button", name="Resume").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox", name="New budget")).to_be_visible()
    dialog.get_by_role("textbox", name="Additional attempts").fill("many")
    expect(dialog.get_by_text("Enter a whole number greater than zero")).to_be_visible()
    expect(dialog.get_by_role("button", name="Resume", exact=True)).to_be_disabled()
    assert not faults_of_access(page)


def test_a_long_chain_fits_a_phone_and_shows_its_newest_attempts(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    task, began = chain(scene, "a-" + "long-" * 12 + "name", budget="900 node-hours")
    for number in range(1, 15):
        attempt(scene, task, began + 7500 * number, step=number)
    page = open_page(f"/tasks/{task}", size=PHONE)
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("row")).to_have_count(1 + 8)
    expect(attempts.get_by_role("row").nth(1)).to_contain_text("8.pt")
    expect(page.get_by_role("img", name="15 attempts. ")).to_be_visible()
    assert not faults_in_both_looks(page)
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wider)
    attempts.get_by_role("button", name="Show 7 earlier attempts").press("Enter")
    expect(attempts.get_by_role("row")).to_have_count(1 + 15)


def test_of_very_many_ranks_the_way_to_the_files_of_the_others_is_shown(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    ranks = {"nodes": 4, "tasks_per_node": 32}
    task, attempt_id = scene.taken(name="wide", launch="per-rank", resources=ranks)
    scene.tell("started", task, attempt_id, run=1, node="n1")
    part = {"task": task, "attempt": attempt_id, "run": 1, "stream": "stdout", "offset": 0}
    for rank, words in ((0, b"[5] of all\n"), (5, b"of the fifth alone\n")):
        scene.agent.bytes(({**part, "rank": rank}, words))
    page = open_page(f"/tasks/{task}?tab=log")
    expect(page.get_by_text("[5] of all")).to_be_visible()
    expect(page.get_by_text("rank-64.stdout.log to rank-127.stdout.log")).to_be_visible()
    folder = f"/w/tasks/{task}/attempts/{attempt_id}/runs/1"
    expect(page.get_by_text(folder, exact=True)).to_be_visible()
    assert not faults_in_both_looks(page)
    choice = page.get_by_role("combobox", name="Rank")
    choice.focus()
    choice.press("ArrowDown")
    choice.fill("5")
    choice.press("Enter")
    expect(page.get_by_text("of the fifth alone")).to_be_visible()


def test_a_task_that_waits_for_its_short_runs_shows_what_they_measure(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    report_facts(scene)
    spec = {
        "name": "finds-out",
        "run": "python t.py {batch}",
        "params": {"batch": 64},
        "on": scene.name,
        "resources": {"nodes": "auto", "walltime": "2h"},
    }
    task = scene.client.post("/jobs", {"spec": spec})["tasks"][0]
    page = open_page(f"/tasks/{task['id']}")
    runs = page.get_by_role("region", name="Test runs")
    expect(runs.get_by_role("row").nth(3)).to_contain_text("waiting")
    expect(page.get_by_role("region", name="Resources")).to_contain_text("being measured")
    quick = ProbeRunner(scene, lambda order: 0.5 / int(order["resources"]["nodes"]))
    quick.steps = 20
    scale = f"/scales/{task['awaits']}"
    quick.until(lambda: scene.client.get(scale)["probes"][0]["steps"], "steps of the first")
    expect(runs.get_by_role("row").nth(1)).to_contain_text("so far")
    assert not faults_in_both_looks(page)
    scene.client.post(f"/tasks/{task['id']}/cancel")
    expect(runs).to_have_count(0)
