"""More screenshots of the docs: datasets, pipelines, pilots, studies, models and where results come from.

`make pictures` writes them; a plain run takes the same pictures and throws them away.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import LAPTOP, OpenPage, Site, picture, site_up
from support.waiting import wait_for

PREPARE = """\
import csv, json, os, pathlib, time
rows = list(csv.DictReader(open(pathlib.Path(os.environ["DIAMOND_DATA"], "flows", "daily.csv"))))
pathlib.Path("features").mkdir()
for river in ("elbe", "isar", "rhine"):
    flows = [float(row["flow"]) for row in rows if row["river"] == river]
    pathlib.Path("features", river).write_text(json.dumps(flows))
    time.sleep(0.5)
"""
TRAIN = """\
import json, math, pathlib, random, sys, time
from diamond import training
flows = json.loads(pathlib.Path(sys.argv[1]).read_text())
width, lr = int(sys.argv[2]), float(sys.argv[3])
chance = random.Random(width)
for epoch in range(1, 31):
    loss = 1.5 * math.exp(-epoch * lr * 25) + 2 / width + 0.02 * chance.random()
    training.log(epoch, loss=loss, nse=1 - loss / 2)
    time.sleep(0.1)
pathlib.Path("model").mkdir()
pathlib.Path("model", "weights.json").write_text(json.dumps({"width": width, "mean": sum(flows) / len(flows)}))
pathlib.Path("nse.json").write_text(json.dumps(round(1 - loss / 2, 4)))
"""
STUDY = """\
import argparse, math, random, time
from diamond import training
parser = argparse.ArgumentParser()
for name, kind in (("lr", float), ("width", int), ("dropout", float)):
    parser.add_argument(f"--{name}", type=kind)
chosen = parser.parse_args()
best = 0.94 - 0.05 * abs(math.log10(chosen.lr) + 2.3) - 3 / chosen.width - 0.2 * (chosen.dropout - 0.2) ** 2
for epoch in range(1, 10):
    training.log(epoch, accuracy=best * (1 - math.exp(-epoch / 2)) + 0.005 * random.random())
    time.sleep(0.05)
"""
PIPELINE = {
    "name": "forecast",
    "code": ".",
    "together": {"walltime": "10m"},
    "resources": {"cpus_per_task": 1},
    "data": {"flows": "river-flow"},
    "pipeline": {
        "prepare": {"run": "python3 prepare.py", "outputs": {"features": "features"}},
        "train": {
            "map": {"river": "prepare.features", "width": [16, 64]},
            "params": {"lr": 0.01},
            "run": "python3 train.py {prepare.features}/{river} {width} {lr}",
            "outputs": {
                "model": {"path": "model", "kind": "model"},
                "nse": {"path": "nse.json", "kind": "value"},
            },
        },
        "evaluate": {"run": "echo {train.nse} > table.txt", "outputs": {"table": "table.txt"}},
        "report": {
            "run": "cat {evaluate.table} {train.model}/*/weights.json > report.txt || true; touch report.txt",
            "outputs": {"report": "report.txt"},
        },
    },
}
SEARCH = {
    "name": "search",
    "code": ".",
    "run": "python3 study.py --lr {lr} --width {width} --dropout {dropout}",
    "resources": {"walltime": "5m"},
    "study": {
        "objective": {"accuracy": "maximize"},
        "space": {
            "lr": {"log": [1e-4, 1e-1]},
            "width": {"choice": [16, 32, 64, 128]},
            "dropout": {"float": [0, 0.5]},
        },
        "pruner": {"asha": {"min": 1, "max": 9, "factor": 3}},
        "trials": 24,
        "parallel": 4,
    },
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site_up(tmp_path_factory.mktemp("research")) as site:
        use(site)
        yield site


def use(site: Site) -> None:
    """A dataset, a study and a pipeline over it, and a model with an alias and a second look at its run."""
    client = site.client()
    client.add_data("river-flow", path=str(measure_flows(site.diamond.folder)), license="CC-BY-4.0")
    wait_for(lambda: bool(client.dataset("river-flow")["versions"]), 60, what="the dataset")
    work = site.diamond.folder / "work"
    work.mkdir()
    for name, lines in {"prepare.py": PREPARE, "train.py": TRAIN, "study.py": STUDY}.items():
        (work / name).write_text(lines)
    study = client.study({**SEARCH, "code": str(work)})
    made = client.run_pipeline({**PIPELINE, "code": str(work)})
    assert client.wait_pipeline(made["id"])["state"] == "succeeded"
    for task in trained(site)[:2]:
        client.add_model_version("river-lstm", task=task, result="model", note="all rivers")
    client.set_model_alias("river-lstm", "candidate", 2)
    client.set_model_alias("river-lstm", "production", 1)
    client.change_model(
        "river-lstm", description="Forecasts daily river flow one week ahead", license="apache-2.0"
    )
    study.wait()


def trained(site: Site) -> list[str]:
    """The tasks of the stage `train`."""
    (made, *_) = site.client().pipelines()
    stages = {one["name"]: one for one in site.client().pipeline(made["id"])["stages"]}
    return [str(step["task"]) for step in stages["train"]["steps"]]


def measure_flows(folder: Path) -> Path:
    """Ten years of made-up daily flows of three rivers."""
    chance = random.Random(7)
    measured = folder / "river-flow"
    measured.mkdir()
    with (measured / "daily.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["day", "river", "flow", "rain", "season"])
        for day in range(3650):
            for n, river in enumerate(("elbe", "isar", "rhine"), start=1):
                rain = max(0.0, chance.gauss(2 + math.sin(day / 58), 2))
                flow = 60 * n * (1.4 + math.sin(day / 58)) + 8 * rain + chance.gauss(0, 5)
                season = ("winter", "spring", "summer", "autumn")[day % 365 // 92]
                rows.writerow([day, river, f"{flow:.1f}", f"{rain:.1f}", season])
    (measured / "README.md").write_text(
        "# River flow\n\nDaily means of three gauges, 2014 to 2024.\n"
    )
    return measured


def test_the_dataset(open_page: OpenPage, site: Site) -> None:
    wait_for(lambda: site.client().dataset_preview("river-flow")["state"] == "done", 90, what="it")
    page = open_page("/datasets", size=LAPTOP)
    page.get_by_role("link", name="river-flow").click()
    expect(page.get_by_role("table", name="First rows of daily.csv")).to_be_visible()
    take(page, "dataset")


def test_the_pipeline(open_page: OpenPage, site: Site) -> None:
    (made, *_) = site.client().pipelines()
    page = open_page(f"/pipelines/{made['id']}", size=LAPTOP)
    expect(page.get_by_role("region", name="Graph of stages")).to_be_visible()
    take(page, "pipeline")


def test_the_study(open_page: OpenPage, site: Site) -> None:
    (study, *_) = site.client().studies()
    page = open_page(f"/studies/{study.id}", size=LAPTOP)
    expect(page.locator("[data-chart=drawn]")).to_have_count(1)
    take(page, "study")
    page.get_by_role("tab", name="Parameters").click()
    expect(page.locator("[data-chart=drawn]")).to_have_count(4)
    take(page, "study-parameters")


def test_the_model_and_where_it_comes_from(open_page: OpenPage, site: Site) -> None:
    page = open_page("/models", size=LAPTOP)
    page.get_by_role("link", name="river-lstm", exact=True).click()
    expect(page.get_by_role("heading", name="river-lstm", level=1)).to_be_visible()
    take(page, "model")


def test_lineage(open_page: OpenPage, site: Site) -> None:
    page = open_page("/lineage?of=river-flow&direction=forward", size=LAPTOP)
    expect(page.get_by_text("river-lstm").first).to_be_visible()
    take(page, "lineage")


def test_runs_side_by_side(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/compare?runs={','.join(trained(site)[:3])}", size=LAPTOP)
    page.locator("[data-chart=drawn]").first.scroll_into_view_if_needed()
    take(page, "compare")
    columns = ("name", "param.river", "param.width", "metric.nse", "metric.loss", "duration")
    page.goto(f"/runs?columns={'%0A'.join(columns)}&filters=param.river%3F")
    expect(page.get_by_role("table").first).to_be_visible()
    take(page, "runs")


def take(page: Page, name: str) -> None:
    """Once nothing is loading any more."""
    expect(page.locator("[aria-busy=true], [data-chart=empty]")).to_have_count(0)
    page.wait_for_load_state("load")
    picture(page, name)
