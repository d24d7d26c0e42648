"""The screenshots of the docs: every page of a Diamond that has been used for a while.

`make pictures` writes them; a plain run takes the same pictures and throws them away.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from diamond.testing.lab import Lab
from support.browser import LAPTOP, OpenPage, Site, picture, site_up
from support.waiting import wait_for

ROOT = Path(__file__).parents[3]
TRAINING = """\
import json, math, os, random, time
for step in range(1, 401):
    loss = 2.3 * math.exp(-step / 120) + 0.08 * random.random()
    line = {"step": step, "time": time.time(), "loss": loss, "accuracy": 1 - loss / 2.6}
    print(f"step {step:4d}  loss {loss:.4f}", flush=True)
    with open(os.environ["DIAMOND_METRICS"], "a") as out:
        out.write(json.dumps(line) + "\\n")
    time.sleep(0.01)
"""
HELD = TRAINING + "while not os.path.exists('release'): time.sleep(0.2)\n"
FAILING = "raise ValueError('the images are 224 x 224, the model wants 256 x 256')\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def site(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with two endpoints, one model trained, one that trains, one that failed and one that waits."""
    folder = tmp_path_factory.mktemp("home")
    with site_up(folder, {"DIAMOND_SSH": f"ssh -F {slurm_lab.ssh_config}"}) as site:
        added = site.diamond.call("endpoint", "add", "alpha", "--ssh", "alpha")
        assert added.returncode == 0, added.stderr
        use(site, folder)
        yield site
        leave_the_cluster_empty(site)


def use(site: Site, folder: Path) -> None:
    diamond = site.diamond
    digits = diamond.ask("run", str(ROOT / "recipes" / "digits"))["tasks"][0]["id"]
    diamond.wait_for_state(digits, "succeeded", seconds=500)
    for name, lines in {"resnet-small": FAILING, "galaxy-zoo": TRAINING}.items():
        task = python(site, folder, name, lines)
        diamond.wait_for_state(task, "succeeded", "failed")
    running = python(site, folder, "weather-unet", HELD)
    diamond.wait_for_state(running, "running")
    wait_for(lambda: "step  400" in diamond.call("logs", running).stdout, what="its whole curve")
    everything = "--on alpha/batch --nodes 4 --gpus 4 --account research --name protein-folding"
    first = diamond.submit("sleep", "600", options=tuple(everything.split()))
    diamond.wait_for_state(first, "running")
    second = diamond.submit("sleep", "600", options=tuple(everything.split()))
    diamond.call("endpoint", "probe", "alpha")
    wait_for(lambda: not gpus_free(site), what="word that no GPU is free")
    wait_for(lambda: "waiting for" in diamond.ask("show", second)["message"], what="why it waits")


def leave_the_cluster_empty(site: Site) -> None:
    """It is the whole session's: the next test may want a node for itself."""
    waiting_and_running = [
        one["id"]
        for one in site.diamond.ask("tasks")["items"]
        if one["state"] in ("pending", "running")
    ]
    for task in waiting_and_running:
        site.diamond.call("cancel", task)
    for task in waiting_and_running:
        site.diamond.wait_for_state(task, "cancelled")


def gpus_free(site: Site) -> int:
    facts = site.diamond.ask("endpoint", "show", "alpha")["profile"]["facts"]
    return int(facts["free"]["value"]["batch"]["gpus_idle"])


def python(site: Site, folder: Path, name: str, lines: str) -> str:
    """A project of its own: code and what to do with it."""
    project = folder / name
    project.mkdir()
    (project / "train.py").write_text(lines)
    (project / "diamond.yaml").write_text(f"name: {name}\nrun: python3 train.py\ncode: .\n")
    commit_then_change(project)
    return str(site.diamond.ask("run", str(project))["tasks"][0]["id"])


def commit_then_change(project: Path) -> None:
    """As a person works: the last commit, and a line on top of it that is not in one yet."""
    as_her = [
        "git",
        "-C",
        str(project),
        "-c",
        "user.name=Alice",
        "-c",
        "user.email=alice@example.org",
    ]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Train"]):
        subprocess.run([*as_her, *words], check=True)
    program = project / "train.py"
    program.write_text(program.read_text().replace("/ 120", "/ 90"))


def test_the_dashboard(open_page: OpenPage) -> None:
    page = open_page("/", size=LAPTOP)
    expect(page.get_by_text("weather-unet").first).to_be_visible()
    take(page, "dashboard")


def test_the_dashboard_of_a_first_visit(
    open_page: OpenPage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = open_page("/", size=LAPTOP)
    with site_up(tmp_path_factory.mktemp("first")) as fresh:
        fresh.sign_in(page.context)
        page.goto(fresh.url)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        take(page, "first-visit")


def test_the_endpoints(open_page: OpenPage) -> None:
    page = open_page("/endpoints", size=LAPTOP)
    expect(page.get_by_text("alpha").first).to_be_visible()
    take(page, "endpoints")
    page.goto("/endpoints/alpha")
    expect(page.get_by_role("heading", level=1, name="alpha")).to_be_visible()
    take(page, "endpoint")


def test_the_composer(open_page: OpenPage) -> None:
    page = open_page("/compose?recipe=digits", size=LAPTOP)
    expect(page.get_by_label("The job as YAML")).to_contain_text("digits")
    take(page, "composer")


def test_the_tasks(open_page: OpenPage) -> None:
    page = open_page("/tasks", size=LAPTOP)
    expect(page.get_by_text("protein-folding").first).to_be_visible()
    take(page, "tasks")


@pytest.mark.parametrize(
    ("task", "tab"),
    [
        ("weather-unet", "overview"),
        ("weather-unet", "log"),
        ("weather-unet", "metrics"),
        ("weather-unet", "resources"),
        ("resnet-small", "overview"),
        ("digits", "files"),
        ("galaxy-zoo", "code&part=diff"),
    ],
)
def test_a_task(open_page: OpenPage, site: Site, task: str, tab: str) -> None:
    (one, *_) = site.diamond.ask("tasks", "--name", task)["items"]
    page = open_page(f"/tasks/{one['id']}?tab={tab}", size=LAPTOP)
    expect(page.get_by_role("heading", level=1, name=re.compile(task))).to_be_visible()
    if (task, tab) == ("weather-unet", "overview"):
        expect(page.locator("[data-chart=drawn]").first).to_be_visible()
    if tab == "metrics":
        expect(page.locator("[data-chart=drawn]")).to_have_count(2)
    take(page, f"task-{tab.split('&')[0]}" if task != "resnet-small" else "task-failed")


def test_the_settings(open_page: OpenPage) -> None:
    page = open_page("/settings", size=LAPTOP)
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    take(page, "settings")


def take(page: Page, name: str) -> None:
    """Once nothing is loading any more."""
    expect(page.locator("[aria-busy=true], [data-chart=empty]")).to_have_count(0)
    page.wait_for_load_state("load")
    picture(page, name)
