"""A long training is planned beside the form before anything is sent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_in_both_looks, faults_of_access, picture
from support.probe_scene import ProbeRunner, report_facts
from support.scene import Scene
from support.site_scene import scripted_machine
from support.waiting import PATIENCE, wait_for

STEPS = """
import json, os
with open(os.environ["DIAMOND_METRICS"], "a") as out:
    for step in range(40):
        out.write(json.dumps({"step": step, "time": 1000.0 + step / 2, "loss": 1.0}) + chr(10))
"""


@pytest.mark.slow
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
    expect(page.get_by_text("to see the estimate")).to_be_visible()
    page.get_by_role("textbox", name="Steps", exact=True).fill("200 000")
    page.get_by_role("combobox", name="Pace of an earlier task").fill("paced")
    page.get_by_role("option", name="paced").click()
    expect(page.get_by_text("200,000 × 0.5 s, measured")).to_be_visible()
    expect(page.get_by_role("heading", name="Finishes in")).to_be_visible()
    assert not faults_of_access(page)
    picture(page, "plan")
    page.get_by_role("combobox", name="Pace of an earlier task").fill("no-such-task")
    expect(page.get_by_text("no-such-task").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("textbox", name="Steps", exact=True)).to_have_value("200 000")


@pytest.mark.slow
def test_a_plan_names_the_waits_and_what_the_spec_lacks(open_page: OpenPage, site: Site) -> None:
    scene = scripted_machine(site)
    report_facts(scene, waits=[[1e9 + n, 600 + 60 * n, 1, 7200, "gpu"] for n in range(60)])
    task = scene.client.post("/jobs", {"spec": two_hours(scene)})["tasks"][0]["id"]
    scene.client.post(f"/tasks/{task}/cancel")
    page = open_page(f"/compose?from={task}&tab=plan")
    page.get_by_role("textbox", name="Steps", exact=True).fill("100 000")
    page.get_by_role("textbox", name="Seconds per step").fill("0.5")
    expect(
        page.get_by_text("typically 39 min, up to 1 h 9 min: 95% of similar jobs")
    ).to_be_visible()
    expect(page.get_by_text("The spec has no continue:")).to_be_visible()
    expect(page.get_by_text("8 × 2 h, the last done after 7 min")).to_be_visible()
    assert not faults_in_both_looks(page)


@pytest.mark.slow
def test_a_plan_is_kept_with_the_task_that_it_was_made_for(open_page: OpenPage) -> None:
    page = open_page("/compose?tab=plan")
    page.get_by_role("textbox", name="Command").fill("true")
    page.get_by_role("textbox", name="Time limit").fill("1h")
    page.get_by_role("textbox", name="Steps", exact=True).fill("100")
    page.get_by_role("textbox", name="Seconds per step").fill("0.5")
    expect(page.get_by_role("switch", name="Save this estimate with the task")).to_be_checked()
    page.get_by_role("button", name="Submit to").click()
    expect(page.get_by_role("heading", name="Planned vs. actual")).to_be_visible(
        timeout=PATIENCE * 1000
    )
    page.goto(page.url.split("/tasks/")[0] + "/compose?tab=plan")
    expect(page.get_by_role("textbox", name="Steps", exact=True)).to_have_value("")


PACED = """
import json, os, time
with open(os.environ["DIAMOND_METRICS"], "a", buffering=1) as out:
    for step in range(100_000):
        time.sleep(0.02)
        out.write(json.dumps({"step": step, "time": time.time(), "loss": 1.0}) + chr(10))
"""


@pytest.mark.slow
def test_short_runs_measure_settings_and_say_what_each_gave(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    program = tmp_path / "paced.py"
    program.write_text(PACED)
    page = open_page("/compose?tab=scale")
    page.get_by_role("textbox", name="Command").fill(f"{sys.executable} {program} {{batch_size}}")
    page.get_by_role("button", name="Add parameter").click()
    page.get_by_label("Parameter 1").fill("batch_size")
    page.get_by_label("Value 1").fill("8")
    page.get_by_role("switch", name="Test settings on one node").check()
    page.get_by_role("button", name="Start test runs").click()
    expect(page.get_by_role("heading", name="Measured on local")).to_be_visible(
        timeout=PATIENCE * 1000
    )
    expect(page.get_by_text("batch_size 8 -> 16").first).to_be_visible()
    expect(page.get_by_label("Throughput by number of nodes")).to_have_count(0)
    assert not faults_of_access(page)


def two_hours(scene: Scene) -> dict[str, Any]:
    params, resources = {"batch_size": 64}, {"walltime": "2h"}
    run = "python train.py --batch {batch_size}"
    return {
        "name": "net",
        "run": run,
        "on": scene.name,
        "params": params,
        "resources": resources,
        "launch": "per-rank",
    }


@pytest.mark.slow
def test_machines_are_tried_and_the_advice_goes_into_the_form_of_the_same_job(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    report_facts(scene)
    task = scene.client.post("/jobs", {"spec": two_hours(scene)})["tasks"][0]["id"]
    scene.client.post(f"/tasks/{task}/cancel")
    page = open_page(f"/compose?from={task}&tab=scale")
    machines = page.get_by_role("textbox", name="Node counts")
    start = page.get_by_role("button", name="Start test runs")
    machines.fill("1, x8")
    expect(page.get_by_text("Enter whole numbers greater than zero")).to_be_visible()
    expect(start).to_be_disabled()
    machines.fill("1, 2, 4")
    start.click()
    expect(page.get_by_role("heading", name="Measuring")).to_be_visible()
    scale = scene.client.get("/scales")["items"][0]["id"]
    amdahl = lambda order: 0.5 * (0.1 + 0.9 / int(order["resources"]["nodes"]))  # noqa: E731
    ProbeRunner(scene, amdahl).until_over(scale)
    expect(page.get_by_role("heading", name=f"Measured on {scene.name}")).to_be_visible()
    expect(page.get_by_label("Throughput by number of nodes")).to_be_visible()
    assert not faults_in_both_looks(page)
    page.get_by_role("button", name="Apply to this job").scroll_into_view_if_needed()
    picture(page, "scale")
    page.get_by_role("textbox", name="Command").fill("python other.py {batch_size}")
    expect(page.get_by_text("For another job: net")).to_be_visible()
    expect(page.get_by_role("button", name="Apply to this job")).to_have_count(0)
    page.get_by_role("textbox", name="Command").fill(two_hours(scene)["run"])
    page.get_by_role("button", name="Apply to this job").click()
    expect(page.get_by_label("Value 1")).to_have_value("16")


def test_what_is_no_number_is_said_at_its_field(open_page: OpenPage) -> None:
    page = open_page("/compose?tab=plan")
    page.get_by_role("textbox", name="Command").fill("python train.py")
    page.get_by_role("textbox", name="Steps", exact=True).fill("lots")
    pace = page.get_by_role("textbox", name="Seconds per step")
    pace.fill("0,5")
    expect(page.get_by_text("Enter a number greater than zero, such as 0.5")).to_have_count(2)
    assert not faults_in_both_looks(page)
    page.get_by_role("textbox", name="Steps", exact=True).fill("10")
    pace.fill("99 999 999")
    expect(page.get_by_role("alert")).to_contain_text("a step 1e+08 s")


def test_short_runs_that_fail_say_so_and_a_setting_that_helps_is_taken_over(
    open_page: OpenPage, site: Site
) -> None:
    scene = scripted_machine(site)
    report_facts(scene)
    params = {"batch_size": 64, "precision": "fp32"}
    spec = {**two_hours(scene), "params": params, "run": "python t.py {batch_size} {precision}"}
    task = scene.client.post("/jobs", {"spec": spec})["tasks"][0]["id"]
    scene.client.post(f"/tasks/{task}/cancel")
    page = open_page(f"/compose?from={task}&tab=scale")
    start = page.get_by_role("button", name="Start test runs")
    start.click()
    ProbeRunner(scene, lambda _: 0).until_over(newest_scale(scene))
    expect(page.get_by_role("heading", name="Nothing could be measured on")).to_be_visible()
    expect(
        page.get_by_role("alert").filter(has_text="No probe measured a step time")
    ).to_be_visible()
    expect(page.get_by_role("cell", name="failed: out of memory").first).to_be_visible()
    assert not faults_in_both_looks(page)
    page.get_by_role("switch", name="Test settings on one node").check()
    start.click()
    expect(page.get_by_role("heading", name="Measuring on")).to_be_visible()
    halved = lambda order: 0.2 if order["params"]["precision"] == "bf16" else 0.4  # noqa: E731
    ProbeRunner(scene, halved).until_over(newest_scale(scene))
    expect(page.get_by_role("row", name="precision=bf16")).to_contain_text("2.00×")
    assert not faults_in_both_looks(page)
    page.get_by_role("button", name="Apply precision=bf16").click()
    expect(page.get_by_label("Value 2")).to_have_value("bf16")


def newest_scale(scene: Scene) -> str:
    """The one that the page has just begun."""

    def running() -> str:
        found = scene.client.get("/scales")["items"]
        return next((str(one["id"]) for one in found if one["state"] == "running"), "")

    return wait_for(running, what="a scale that the page began")
