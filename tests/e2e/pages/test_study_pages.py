"""Studies in a browser: found in the list, looked at from all sides, and started from the composer."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_in_both_looks

SPACE = [
    {"name": "lr", "kind": "float", "low": 1e-5, "high": 1e-1, "log": True},
    {"name": "depth", "kind": "int", "low": 1, "high": 6},
    {"name": "width", "kind": "choice", "choices": [32, 64]},
]


@pytest.fixture(scope="module")
def study(site: Site) -> str:
    """With thirty trials, and a name that must stay text."""
    chance = random.Random(0)
    trials = []
    for n in range(30):
        params = {
            "lr": 10 ** chance.uniform(-5, -1),
            "depth": chance.randint(1, 6),
            "width": chance.choice([32, 64]),
        }
        ended = n % 3 > 0
        trials.append(
            {
                "state": "complete" if ended else "pruned",
                "params": params,
                "values": [params["lr"] + params["depth"]] if ended else [],
                "steps": [(float(step), chance.random()) for step in range(1, 5)],
                "ended": 1000.0 + n,
            }
        )
    goal = {"<b>loss</b>": "minimize"}
    body = {"name": "thirty", "objectives": goal, "space": SPACE, "trials": trials}
    return site.client().import_study(body).id


def test_a_study_is_found_and_looked_at_from_all_sides(open_page: OpenPage, study: str) -> None:
    page = open_page("/studies")
    page.get_by_role("link", name="thirty").click()
    drawn = page.locator("[data-chart=drawn]")
    expect(page.get_by_role("img", name="Best so far, from 20 complete trials")).to_be_visible()
    expect(drawn).to_have_count(1)
    expect(page.get_by_role("region", name="Best trial")).to_contain_text("<b>loss</b>")
    assert faults_in_both_looks(page) == []
    page.get_by_role("tab", name="Parameters").click()
    expect(page.get_by_role("img", name=re.compile("Importances: .*depth"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Parallel coordinates of 20"))).to_be_visible()
    expect(drawn).to_have_count(4)
    assert faults_in_both_looks(page) == []
    page.get_by_role("tab", name="Curves").click()
    expect(page.get_by_role("img", name=re.compile("of 30 trials"))).to_be_visible()
    page.get_by_role("tab", name="Trials").click()
    table = page.get_by_role("table", name="Trials")
    expect(table.get_by_role("row").nth(1)).to_contain_text("29")
    page.get_by_role("radiogroup", name="State").get_by_text("pruned").click()
    expect(page.get_by_text("10 trials", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("state=pruned"))
    assert faults_in_both_looks(page) == []


def test_a_search_is_written_in_the_form_and_started(open_page: OpenPage, site: Site) -> None:
    page = open_page("/compose?start=command")
    page.get_by_role("textbox", name="Command").fill("echo {lr}")
    page.get_by_role("button", name="Search for the best parameters").click()
    goals = page.get_by_role("group", name="Objective")
    goals.get_by_role("button", name="Add a metric").click()
    goals.get_by_role("textbox", name="Metric").fill("accuracy")
    goals.get_by_role("textbox", name="Direction").fill("maximize")
    space = page.get_by_role("group", name="Space")
    space.get_by_role("button", name="Add a parameter to search").click()
    space.get_by_role("textbox", name="Parameter").fill("lr")
    space.get_by_role("textbox", name="Values").fill("log 1e-5..0.1")
    page.get_by_role("textbox", name="Trials").fill("1")
    page.get_by_role("button", name=re.compile("Submit")).click()
    expect(page).to_have_url(re.compile("/studies/h"))
    made = next(iter(site.client().studies(limit=1)))
    assert [each["name"] for each in made.raw["space"]] == ["lr"] and made.raw["trials"] == 1
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("cancelled", exact=True)).to_be_visible()
