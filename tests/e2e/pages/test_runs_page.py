"""A job that the site started again behind Diamond's back, as its task's page tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from diamond.testing.lab import Lab
from support.browser import OpenPage, Site, faults_in_both_looks, site_up
from support.waiting import wait_for

WORDS = 'echo "this is run $DIAMOND_RUN"; until [ -e go ]; do sleep 0.2; done'

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def site(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with site_up(folder, {"DIAMOND_SSH": f"ssh -F {slurm_lab.ssh_config}"}) as site:
        added = site.diamond.call("endpoint", "add", "alpha", "--ssh", "alpha")
        assert added.returncode == 0, added.stderr
        yield site


def test_a_requeue_is_a_second_run_with_its_own_place_in_time_and_its_own_log(
    open_page: OpenPage, site: Site, slurm_lab: Lab
) -> None:
    options = ("--on", "alpha/batch", "--account", "research", "--name", "again")
    task = site.diamond.submit("sh", "-c", WORDS, options=options)
    site.diamond.wait_for_state(task, "running")
    job = str(site.diamond.ask("show", task)["native_id"])
    page = open_page(f"/tasks/{task}?tab=log")
    expect(page.get_by_text("this is run 1")).to_be_visible()

    requeue(slurm_lab, job)
    wait_for(lambda: len(runs(site, task)) == 2, 120, what="word of the second run")
    expect(page.get_by_text("Started again by the site (run 2)")).to_be_visible()
    expect(page.get_by_text("this is run 2")).to_be_visible()

    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_role("img", name=re.compile(r"^Running \(run 1\)"))).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile(r"^Running \(run 2\).*until now"))
    ).to_be_visible()
    table = page.get_by_role("region", name="Runs")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("row").nth(2)).to_contain_text("running")
    assert not faults_in_both_looks(page)
    table.get_by_role("link", name="Log of run 1").click()
    expect(page.get_by_text("this is run 1")).to_be_visible()
    expect(page.get_by_role("combobox", name="Attempt")).to_have_value("Attempt 1, run 1")

    release(site, task)
    site.diamond.wait_for_state(task, "succeeded")
    page.get_by_role("tab", name="Overview").click()
    expect(table.get_by_role("row").nth(2)).to_contain_text("exit code 0")


def requeue(lab: Lab, job: str) -> None:
    cluster = lab.cluster("alpha")
    cluster.run(["scontrol", "update", f"jobid={job}", "requeue=1"])
    cluster.run(["scontrol", "requeue", job])


def runs(site: Site, task: str) -> list[object]:
    (attempt,) = site.diamond.ask("show", task)["attempts"]
    return list(attempt["runs"])


def release(site: Site, task: str) -> None:
    """The folder is that of another user, and this test is root's."""
    (Path(site.diamond.ask("show", task)["run_dir"]) / "run" / "go").touch()
