"""A long training is planned beside the form before anything is sent."""

from __future__ import annotations

import sys

from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_of_access
from support.waiting import wait_for

STEPS = """
import json, os
with open(os.environ["DIAMOND_METRICS"], "a") as out:
    for step in range(40):
        out.write(json.dumps({"step": step, "time": 1000.0 + step / 2, "loss": 1.0}) + chr(10))
"""


def test_a_plan_follows_what_is_typed_and_takes_the_pace_of_an_earlier_task(
    open_page: OpenPage, site: Site
) -> None:
    client = site.client()
    spec = {"name": "paced", "run": [sys.executable, "-c", STEPS]}
    paced = client.run(spec).task.id
    wait_for(
        lambda: client.transport.get(f"/api/v1/tasks/{paced}")["state"] == "succeeded",
        what="a task that logged its steps",
    )
    page = open_page("/compose?tab=plan")
    page.get_by_role("textbox", name="Command").fill("python train.py")
    page.get_by_role("textbox", name="Time limit").fill("8h")
    expect(page.get_by_text("and the plan stands here")).to_be_visible()
    page.get_by_role("textbox", name="Steps", exact=True).fill("200 000")
    page.get_by_role("combobox", name="As fast as the task").fill("paced")
    page.get_by_role("option", name="paced").click()
    expect(page.get_by_text("200,000 of 0.5 s, measured")).to_be_visible()
    expect(page.get_by_role("heading", name="Ends in")).to_be_visible()
    assert not faults_of_access(page)
    page.get_by_role("combobox", name="As fast as the task").fill("no-such-task")
    expect(page.get_by_text("no-such-task").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("textbox", name="Steps", exact=True)).to_have_value("200 000")
