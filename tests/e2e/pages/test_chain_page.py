"""A chain of attempts on a task's page: how far each came, and a word that lets it go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_in_both_looks, picture
from support.probe_scene import tell_facts
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
    expect(attempts).to_contain_text("waits for your word")
    assert not faults_in_both_looks(page)
    picture(page, "chain")
    enough.touch()
    page.get_by_role("button", name="Let it go on").click()
    page.get_by_role("textbox", name="Attempts more").fill("2")
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.get_by_text("long goes on")).to_be_visible()
    expect(attempts.get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("main").get_by_text("succeeded", exact=True).first).to_be_visible()


@pytest.mark.slow
def test_a_chain_of_two_shows_gap_budget_what_was_foretold_and_the_log_of_each_rank(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    tell_facts(scene)
    spec = {
        "name": "long", "run": "python train.py", "on": scene.name, "continue": {},
        "resources": {"nodes": 2, "walltime": "2h"}, "budget": "12 node-hours",
    }  # fmt: skip
    goal = {"steps": 10_800, "step_seconds": 1.0}
    task = scene.client.post("/jobs", {"spec": spec, "goal": goal})["tasks"][0]
    began, first = task["created"], (task["id"], task["attempt"])
    scene.tell("started", *first, run=1, node="n1", at=began)
    scene.tell("exited", *first, run=1, exit_code=75, signal=None, at=began + 7200)
    second = (task["id"], scene.task(task["id"])["attempt"])
    scene.tell("started", *second, run=1, node="n1", at=began + 7500)
    for rank, words in ((0, b"all of them\n"), (1, b"only the second\n")):
        part = {"task": second[0], "attempt": second[1], "run": 1, "rank": rank, "offset": 0}
        scene.agent.bytes(({**part, "stream": "stdout"}, words))
    page = open_page(f"/tasks/{task['id']}")
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("row").nth(2)).to_contain_text("5 min")
    expect(attempts).to_contain_text("Budget: 4 of 12 node-hours spent, up to 4 promised")
    expect(attempts).to_contain_text("4 left")
    scene.tell("exited", *second, run=1, exit_code=0, signal=None, at=began + 11_100)
    foretold = page.get_by_role("region", name="Foretold and what happened")
    expect(foretold.get_by_role("row").nth(2)).to_contain_text("Attempts22")
    expect(foretold.get_by_role("row").nth(3)).to_contain_text("Node-hours6.0016")
    assert not faults_in_both_looks(page)
    page.goto(f"/tasks/{task['id']}?tab=log")
    expect(page.get_by_text("all of them")).to_be_visible()
    page.get_by_role("combobox", name="Rank").click()
    page.get_by_role("option", name="Rank 1").click()
    expect(page.get_by_text("only the second")).to_be_visible()
