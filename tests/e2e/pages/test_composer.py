"""The job composer: from an empty form to a running task, and nothing that was typed is ever lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import LAPTOP, OpenPage, Site, faults_of_access
from support.waiting import PATIENCE

LIVE = """\
for step in 1 2 3; do
  echo "step $step of {steps}"
  echo "{\\"step\\": $step, \\"loss\\": 0.$step}" >>"$DIAMOND_METRICS"
done
until [ -e {go} ]; do sleep 0.1; done
"""


def command(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Command")


def submit(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^Submit"))


def yaml_of(page: Page) -> Locator:
    return page.get_by_label("The job as YAML")


def add_parameter(page: Page, name: str, value: str) -> None:
    page.get_by_role("button", name="Add parameter").click()
    page.get_by_label(re.compile(r"^Parameter \d")).last.fill(name)
    page.get_by_label(re.compile(r"^Value \d")).last.fill(value)


def expect_task(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/tasks/[0-9a-z-]+"))


def expect_state(page: Page, words: str, seconds: float = PATIENCE) -> None:
    state = page.get_by_role("main").get_by_text(words, exact=True).first
    expect(state).to_be_visible(timeout=seconds * 1000)


def test_compose_submit_watch_live_cancel_then_edit_and_resubmit(
    open_page: OpenPage, go: Path
) -> None:
    page = open_page("/compose")
    page.get_by_role("textbox", name="Name", exact=True).fill("first-story")
    command(page).fill(LIVE)
    add_parameter(page, "steps", "3")
    add_parameter(page, "go", str(go))
    expect(yaml_of(page)).to_contain_text("name: first-story")
    submit(page).click()

    expect_task(page, "first-story")
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_text("step 3 of 3")).to_be_visible()
    page.get_by_role("tab", name="Metrics").click()
    expect(page.get_by_text("loss").first).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel task").click()
    expect_state(page, "cancelled")

    page.get_by_role("link", name="Edit and resubmit").click()
    expect(command(page)).to_have_value(LIVE)
    expect(page.get_by_text("Filled in from task")).to_be_visible()
    page.get_by_role("textbox", name="Name", exact=True).fill("second-story")
    page.get_by_label("Value 1").fill("4")
    go.touch()
    submit(page).click()
    expect_task(page, "second-story")
    expect_state(page, "succeeded")


def test_a_job_is_composed_and_submitted_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page("/settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.type("New job")
    expect(page.get_by_role("dialog").get_by_role("button")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(command(page)).to_be_visible()
    reach(page, page.get_by_role("textbox", name="Name", exact=True))
    page.keyboard.type("by-keyboard")
    page.keyboard.press("Tab")
    expect(command(page)).to_be_focused()
    page.keyboard.type("echo {word}")
    reach(page, page.get_by_role("button", name="Add parameter"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Parameter 1")).to_be_focused()
    page.keyboard.type("word")
    page.keyboard.press("Tab")
    page.keyboard.type("typed")
    page.keyboard.press("Control+Enter")
    expect_task(page, "by-keyboard")
    expect_state(page, "succeeded")


def reach(page: Page, wanted: Locator, tabs: int = 40) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(tabs):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    expect(wanted).to_be_focused()


def test_faults_stand_at_their_fields_in_the_words_of_the_service(open_page: OpenPage) -> None:
    page = open_page("/compose")
    page.get_by_label("Nodes", exact=True).fill("7")
    submit(page).click()
    summary = page.get_by_role("alert")
    expect(summary).to_contain_text("run is missing")
    expect(summary).to_contain_text("7 is more than this machine allows: 1")
    expect(page.get_by_label("Nodes", exact=True)).to_have_attribute("aria-invalid", "true")
    summary.get_by_role("button", name="Command").click()
    expect(command(page)).to_be_focused()
    command(page).fill("true")
    page.get_by_label("Nodes", exact=True).fill("")
    expect(summary).to_have_count(0)
    expect(
        page.get_by_text("Only this machine").or_(page.get_by_text("node-hour")).first
    ).to_be_visible()


def test_form_and_yaml_follow_each_other_and_broken_text_stays(open_page: OpenPage) -> None:
    page = open_page("/compose")
    editor = yaml_of(page)
    editor.fill(
        "name: typed\nrun: python train.py --seed {seed}\nparams:\n  seed: 12345678901234567890\n  lr: 1.0\n"
    )
    expect(command(page)).to_have_value("python train.py --seed {seed}")
    expect(page.get_by_label("Value 1")).to_have_value("12345678901234567890")
    page.get_by_label("CPU cores").fill("2")
    expect(editor).to_contain_text("cpus_per_task: 2")
    expect(editor).to_contain_text("seed: 12345678901234567890")
    expect(editor).to_contain_text("lr: 1.0")
    page.get_by_role("button", name="Multiple processes").click()
    page.get_by_role("combobox", name="Launcher").click()
    page.get_by_role("option", name=re.compile("^torchrun")).click()
    expect(editor).to_contain_text("launch: torchrun")
    page.get_by_label("Stop if no progress for").fill("30m")
    expect(editor).to_contain_text("hang: 30m")

    editor.fill("name: typed\nrun: [unclosed\n")
    expect(page.get_by_text("The form shows the last valid version")).to_be_visible()
    expect(command(page)).to_have_value("python train.py --seed {seed}")
    submit(page).click()
    expect(page.get_by_text("The YAML is not valid")).to_be_visible()
    expect(editor).to_contain_text("[unclosed")
    page.get_by_label("CPU cores").fill("1")
    expect(editor).not_to_contain_text("[unclosed")
    page.get_by_role("button", name="Restore my text").click()
    expect(editor).to_contain_text("[unclosed")


def test_a_half_filled_form_survives_a_reload_and_two_tabs_do_not_overwrite_each_other(
    open_page: OpenPage,
) -> None:
    page = open_page("/compose")
    command(page).fill("echo draft")
    expect(page.get_by_text("saved in this browser")).to_be_visible()
    page.reload()
    expect(command(page)).to_have_value("echo draft")

    other = page.context.new_page()
    other.goto("/compose")
    expect(command(other)).to_have_value("echo draft")
    command(page).fill("echo mine")
    expect(command(other)).to_have_value("echo mine")
    command(other).fill("echo theirs")
    expect(page.get_by_text("This draft was changed in another tab")).to_be_visible()
    expect(command(page)).to_have_value("echo mine")
    page.get_by_role("button", name="Use the other tab's version").click()
    expect(command(page)).to_have_value("echo theirs")
    page.get_by_role("button", name="Start over").click()
    expect(command(page)).to_have_value("")


@pytest.mark.slow
def test_nothing_is_lost_when_the_service_does_not_answer(open_page: OpenPage, site: Site) -> None:
    page = open_page("/compose")
    page.get_by_role("textbox", name="Name", exact=True).fill("patient")
    command(page).fill("echo still here")
    expect(yaml_of(page)).to_contain_text("echo still here")
    with site.away():
        submit(page).click()
        expect(page.get_by_text("your input is kept")).to_be_in_viewport()
    expect(command(page)).to_have_value("echo still here")
    submit(page).click()
    expect_task(page, "patient")


@pytest.mark.slow
def test_a_folder_from_the_browser_runs_and_what_stays_behind_is_told(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_text("cache")
    (folder / ".env").write_text("KEY=secret")
    (folder / "train.py").write_text("print('from the folder')\n")
    page = open_page("/compose")
    command(page).fill("python3 train.py")
    page.get_by_text("Folder", exact=True).click()
    page.get_by_label("Code folder").set_input_files(folder)
    expect(page.get_by_text("1 file,")).to_be_visible()
    page.get_by_role("button", name=re.compile("excluded")).click()
    expect(page.get_by_text(re.compile(r"^\.env"))).to_be_visible()
    submit(page).click()
    expect_state(page, "succeeded")
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_text("from the folder")).to_be_visible()


def test_a_folder_with_a_diamond_yaml_fills_in_the_form(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text("print(1)\n")
    (folder / "diamond.yaml").write_text(
        "name: from-the-file\nrun: python3 train.py --lr {lr}\nparams: {lr: 0.1}\n"
    )
    page = open_page("/compose")
    expect(page.get_by_text("is missing")).to_have_count(0)
    page.get_by_text("Folder", exact=True).click()
    page.get_by_label("Code folder").set_input_files(folder)
    expect(page.get_by_text("Filled in from the folder's diamond.yaml")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("from-the-file")
    expect(command(page)).to_have_value("python3 train.py --lr {lr}")


@pytest.mark.slow
def test_a_notebook_runs_from_top_to_bottom_and_its_executed_copy_is_shown(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "sum.ipynb").write_text(json.dumps(notebook("print('the sum is', 40 + 2)")))
    page = open_page("/compose?start=notebook")
    page.get_by_label("Code folder").set_input_files(folder)
    page.get_by_role("combobox", name="Notebook").click()
    page.get_by_role("option", name="sum.ipynb").click()
    expect(yaml_of(page)).to_contain_text("notebook: sum.ipynb")
    submit(page).click()
    expect_task(page, "job")
    expect_state(page, "succeeded", seconds=2 * PATIENCE)
    page.get_by_role("tab", name="Files").click()
    page.get_by_role("link", name=re.compile("executed.ipynb")).click()
    expect(page.get_by_text("the sum is 42")).to_be_visible()


def notebook(code: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": "a", "source": code, "metadata": {}, "outputs": []}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [{**cell, "execution_count": None}]
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def test_a_recipe_from_the_gallery_fills_the_form(open_page: OpenPage) -> None:
    page = open_page("/compose")
    page.get_by_text("Recipe", exact=True).click()
    page.get_by_role("link", name=re.compile("plain script", re.IGNORECASE)).click()
    expect(command(page)).to_have_value("python3 train.py --steps {steps}")
    expect(page.get_by_label("Value 1")).to_have_value("1000")
    page.get_by_role("tab", name="Script").click()
    expect(page.get_by_label("Batch script")).to_contain_text("#!")
    page.get_by_label("Value 1").fill("500")
    submit(page).click()
    expect_task(page, "plain-script")


@pytest.mark.slow
def test_everybody_can_use_the_composer_in_either_look(open_page: OpenPage) -> None:
    page = open_page("/compose?recipe=digits", size=LAPTOP)
    expect(yaml_of(page)).to_contain_text("digits")
    for fold in ("Batch system", "variables"):
        page.get_by_role("button", name=re.compile(fold)).click()
    expect_no_barrier(page)
    page.get_by_role("tab", name="Cost and queue").click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    assert not faults_of_access(page)
    page.goto("/compose?start=recipe")
    expect(page.get_by_role("link", name=re.compile("^Handwritten digits"))).to_be_visible()
    expect_no_barrier(page)
    page.goto("/compose?start=task")
    expect(page.get_by_role("textbox", name="Search earlier tasks")).to_be_visible()
    expect_no_barrier(page)


def expect_no_barrier(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
        assert not faults_of_access(page)
