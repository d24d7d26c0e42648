"""A task's page: why, log, curves, files, code, and what can be done."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import LAPTOP, OpenPage, Site, faults_of_access
from support.waiting import wait_for

PROGRAM = Path(__file__).parents[2] / "support" / "verbose_program.py"
LINES = 20_000
MEASURES = """
for step in 1 2 3; do
  echo "{\\"step\\": $step, \\"loss\\": 0.$step}" >>"$DIAMOND_METRICS"
done
"""
TABS = ("Overview", "Log", "Metrics", "Resources", "Files", "Spec and code", "Record", "History")


@dataclass
class Told:
    """A task that has told a lot and goes on until `release` is there."""

    task: str
    more: Path
    release: Path


@pytest.fixture(scope="module")
def told(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("telling")
    code = folder / "code"
    code.mkdir()
    shutil.copy(PROGRAM, code / "train.py")
    (code / "diamond.yaml").write_text(
        "name: telling\nrun: python3 train.py {lines} {folder}\n"
        f"params: {{lines: {LINES}, folder: {folder}, lr: 0.01}}\n"
    )
    task = str(site.diamond.ask("run", str(code))["tasks"][0]["id"])
    site.diamond.wait_for_state(task, "running")
    yield Told(task, folder / "more", folder / "release")
    (folder / "release").touch()


def open_task(open_page: OpenPage, told: Told, tab: str, **options: str) -> Page:
    page = open_page(f"/tasks/{told.task}?tab={tab}", **options)
    expect(page.get_by_role("heading", level=1, name="telling")).to_be_visible()
    return page


def test_a_long_log_opens_at_its_end_and_goes_on_live(open_page: OpenPage, told: Told) -> None:
    page = open_task(open_page, told, "log")
    log = page.get_by_role("region", name="Output, line by line")
    expect(log.get_by_text(f"line {LINES - 1} of many", exact=True)).to_be_visible()
    assert page.locator("[data-line]").count() < 200
    told.more.touch()
    expect(log.get_by_text("<b>and more</b>", exact=True)).to_be_visible()
    expect(log.get_by_text("in green", exact=True)).to_have_class(re.compile("ansi-green-fg"))


def test_a_text_far_up_in_the_log_is_found_and_its_line_has_an_address(
    open_page: OpenPage, told: Told
) -> None:
    page = open_task(open_page, told, "log")
    log = page.get_by_role("region", name="Output, line by line")
    expect(log.get_by_text(f"line {LINES - 1} of many", exact=True)).to_be_visible()
    find = page.get_by_role("textbox", name="Find in the log")
    find.fill("line 1234 of")
    expect(page.get_by_text("1 match", exact=True)).to_be_visible()
    find.press("Enter")
    expect(log.locator("mark", has_text="line 1234 of")).to_be_visible()
    find.fill("")
    line = log.locator("[data-line]", has_text="line 1240 of")
    line.hover()
    line.get_by_role("button", name="Link to this line").click()
    expect(page).to_have_url(re.compile(r"at=\d+"))
    page.reload()
    expect(log.locator("[data-marked]")).to_have_text(re.compile("line 1240 of many"))
    page.get_by_role("button", name="Go to the start").click()
    expect(log.get_by_text("line 0 of many", exact=True)).to_be_visible()
    page.get_by_role("radiogroup").get_by_text("Errors").click()
    errors = page.get_by_role("region", name="Errors, line by line")
    expect(errors).to_contain_text("100% done")
    expect(errors).not_to_contain_text("50% done")


def test_curves_are_drawn_live_zoomed_and_told_by_the_address(
    open_page: OpenPage, told: Told
) -> None:
    page = open_task(open_page, told, "metrics")
    chart = page.get_by_role("group", name=re.compile("^loss:"))
    expect(chart).to_have_attribute("data-chart", "drawn")
    expect(page.get_by_text("1 value is not a number")).to_be_visible()
    chart.focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("from="))
    page.get_by_role("button", name="Reset zoom").click()
    expect(page).not_to_have_url(re.compile("from="))
    page.get_by_role("switch", name="Log scale").click()
    expect(page).to_have_url(re.compile("log=true"))
    page.get_by_role("button", name="Download chart loss").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name=re.compile("CSV")).click()
    rows = Path(saved.value.path()).read_text().splitlines()
    assert rows[0] == "curve,step,time,value" and len(rows) == 201


def test_curves_are_smoothed_saved_as_a_picture_and_laid_over_those_of_another_task(
    open_page: OpenPage, told: Told, site: Site
) -> None:
    other = str(site.diamond.ask("run", "--", "sh", "-c", MEASURES)["tasks"][0]["id"])
    site.diamond.wait_for_state(other, "succeeded")
    page = open_task(open_page, told, "metrics")
    chart = page.get_by_role("group", name=re.compile("^loss:"))
    expect(chart).to_have_attribute("data-chart", "drawn")
    page.get_by_role("slider", name="Smoothing").focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile("smooth=0.99"))
    page.get_by_role("button", name="Download chart loss").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name=re.compile("PNG")).click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG\r\n")
    page.goto(f"{page.url}&compare={other}")
    expect(page.get_by_role("button", name=re.compile("Remove .* from the charts"))).to_be_visible()
    expect(chart).to_have_accessible_name(re.compile(f"{other[:8]}|sh"))


def test_a_task_shows_its_curve_and_log_first_and_takes_tags_and_a_note(
    open_page: OpenPage, told: Told
) -> None:
    page = open_task(open_page, told, "overview")
    expect(page.get_by_role("region", name="Last lines of the log")).to_be_visible()
    page.get_by_role("button", name="Add tags or a note").click()
    dialog = page.get_by_role("dialog", name="Edit details")
    dialog.get_by_label("Tags").fill("baseline")
    dialog.get_by_label("Tags").press("Enter")
    dialog.get_by_label("Note").fill("first try")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("first try")).to_be_visible()
    page.get_by_role("link", name="Tasks with the tag baseline").click()
    expect(page.get_by_role("grid", name="Tasks").get_by_text("telling")).to_be_visible()


def test_files_are_looked_into_and_nothing_in_them_runs(open_page: OpenPage, told: Told) -> None:
    page = open_task(open_page, told, "files")
    files = page.get_by_role("region", name="Files")
    preview = page.get_by_role("region", name="Preview")
    files.get_by_role("link", name="results.csv").click()
    expect(preview.get_by_role("cell", name='a, "b"').first).to_be_visible()
    files.get_by_role("link", name="analysis.ipynb").click()
    expect(preview.get_by_text("<script>document.title='ran'</script>")).to_be_visible()
    expect(preview.get_by_text("text/html is not shown here")).to_be_visible()
    assert page.title() != "ran"
    files.get_by_role("link", name="plots/").click()
    files.get_by_role("link", name="dot.png").click()
    picture = preview.get_by_role("img", name="plots/dot.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("async (img) => (await img.decode(), img.naturalWidth)") == 1


def test_a_failure_says_why_and_a_retry_leads_to_the_new_task(
    open_page: OpenPage, site: Site
) -> None:
    program = "echo >&2 'the images are 224 wide, the model wants 256'; exit 4"
    failed = site.diamond.submit("sh", "-c", program, options=("--name", "misfit"))
    site.diamond.wait_for_state(failed, "failed")
    page = open_page(f"/tasks/{failed[:9]}")
    expect(page).to_have_url(re.compile(f"/tasks/{failed}$"))
    why = page.get_by_role("status").filter(has_text="Why it failed")
    expect(why).to_contain_text("It ended with exit code 4")
    expect(why).to_contain_text("the model wants 256")
    page.get_by_role("button", name="Retry").click()
    expect(page).not_to_have_url(re.compile(failed))
    expect(page.get_by_text("Why it failed")).to_be_visible()
    page.get_by_role("link", name="Edit and resubmit").click()
    expect(page).to_have_url(re.compile("/compose.*from=t"))


def test_a_missing_package_is_added_with_one_click(open_page: OpenPage, site: Site) -> None:
    program = """echo >&2 "ModuleNotFoundError: No module named 'tqdm'"; exit 1"""
    failed = site.diamond.submit("sh", "-c", program, options=("--name", "lacking"))
    site.diamond.wait_for_state(failed, "failed")
    page = open_page(f"/tasks/{failed}")
    why = page.get_by_role("status").filter(has_text="Why it failed")
    expect(why).to_contain_text("The Python module tqdm is not installed")
    why.get_by_role("button", name="Add tqdm to the Python packages and rerun").click()
    expect(page).not_to_have_url(re.compile(failed))
    [new] = [item for item in site.diamond.ask("tasks")["items"] if item["name"] == "lacking"][:1]
    assert new["id"] != failed
    assert new["order"]["environment"]["requirements"] == ["tqdm"]


@pytest.mark.slow
def test_each_attempt_has_its_own_log_and_its_own_line_in_time(
    open_page: OpenPage, site: Site
) -> None:
    program = "if [ -e been-here ]; then echo the second time; else touch been-here; echo the first time; exit 75; fi"
    task = site.diamond.submit("sh", "-c", program, options=("--name", "twice"))
    site.diamond.wait_for_state(task, "succeeded")
    page = open_page(f"/tasks/{task}")
    times = page.get_by_role("region", name="Timeline")
    expect(times.get_by_text(re.compile("^Attempt 1"))).to_be_visible()
    expect(times.get_by_text(re.compile("^Attempt 2"))).to_be_visible()
    page.get_by_role("tab", name="Log").click()
    log = page.get_by_role("region", name="Output, line by line")
    expect(log.get_by_text("the second time")).to_be_visible()
    page.get_by_role("combobox", name="Attempt").click()
    page.get_by_role("option", name="Attempt 1").click()
    expect(log.get_by_text("the first time")).to_be_visible()
    page.reload()
    expect(log.get_by_text("the first time")).to_be_visible()


def test_what_programs_and_people_write_stays_text(open_page: OpenPage, site: Site) -> None:
    trap = "<img src=x onerror=document.title=1>"
    lines = [
        "import json, os, sys",
        f"open(os.environ['DIAMOND_METRICS'], 'a').write(json.dumps({{'step': 1, {trap!r}: 1}}) + chr(10))",
        f"print({trap!r})",
        f"sys.exit('\\x1b[31m' + {trap!r})",
    ]
    task = site.diamond.submit("python3", "-c", "\n".join(lines), options=("--name", "trap"))
    site.diamond.wait_for_state(task, "failed")
    page = open_page(f"/tasks/{task}")
    expect(page.get_by_role("status").filter(has_text="Why it failed")).to_contain_text(trap)
    for tab, place in (("Log", "line by line"), ("Metrics", ""), ("Spec and code", "")):
        page.get_by_role("tab", name=tab).click()
        panel = (
            page.get_by_role("region", name=re.compile(place))
            if place
            else page.get_by_role("tabpanel")
        )
        expect(panel.get_by_text(trap).first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    assert page.title() != "1"


@pytest.mark.slow
def test_what_lies_on_the_cluster_alone_is_not_searched_while_it_is_away_and_the_page_says_so(
    open_page: OpenPage, site: Site
) -> None:
    program = "for n in range(260_000): print('x' * 90, 'needle' if n == 130_000 else n, file=__import__('sys').stdout)"
    task = site.diamond.submit("python3", "-c", program, options=("--name", "much"))
    site.diamond.wait_for_state(task, "succeeded")
    page = open_page(f"/tasks/{task}?tab=log")
    expect(page.get_by_text(re.compile("259999$")).first).to_be_visible()
    pid = int((site.diamond.home / "agents/local/agent.pid").read_text().split()[0])
    os.kill(pid, signal.SIGSTOP)
    try:
        site.client().endpoint_away("local")
        find = page.get_by_role("textbox", name="Find in the log")
        find.fill("needle")
        expect(page.get_by_text("No match in the saved part")).to_be_visible()
        expect(page.get_by_text("a part of the log is only there")).to_be_visible()
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: site.client().endpoint("local").state == "online", what="its return")
    find.fill("needl")
    expect(page.get_by_text("1 match, including on the endpoint")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tab_can_be_used_by_everyone(open_page: OpenPage, told: Told, scheme: str) -> None:
    page = open_page(f"/tasks/{told.task}", scheme=scheme, size=LAPTOP)
    for tab in TABS:
        page.get_by_role("tab", name=tab, exact=True).click()
        expect(page.get_by_role("tabpanel", name=tab)).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert not faults_of_access(page), tab


def test_a_running_task_offers_a_shell_and_is_cancelled_from_its_page(
    open_page: OpenPage, site: Site, go: Path
) -> None:
    hold = f"until [ -e {go} ]; do sleep 0.2; done"
    task = site.diamond.submit("sh", "-c", hold, options=("--name", "unwanted"))
    site.diamond.wait_for_state(task, "running")
    page = open_page(f"/tasks/{task}")
    shell = page.get_by_text(f"diamond shell {task}")
    expect(shell).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel task").click()
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    expect(shell).not_to_be_visible()
    expect(page.get_by_role("region", name="Timeline")).to_contain_text("Running")
