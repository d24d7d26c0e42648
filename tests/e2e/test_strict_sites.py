"""Sites that refuse flags, require others, limit submissions and have an old Python: jobs run there all the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest

from diamond.testing.lab import Lab
from support.diamond import Diamond, diamond_up
from support.waiting import wait_for

SITES = ("frontera", "delta")


@pytest.fixture(scope="module")
def diamond(strict_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("strict")
    made = Diamond(top / "home", top, {"DIAMOND_SSH": f"ssh -F {strict_lab.ssh_config}"})
    with diamond_up(made):
        for site in SITES:
            added = made.call("endpoint", "add", site, "--ssh", site)
            assert added.returncode == 0, added.stderr
            wait_for(partial(knows_flags, made, site), what="a profile")
        yield made
        for site in SITES:
            pid = (made.home / "endpoints" / f"{site}.pid").read_text()
            os.kill(int(pid), signal.SIGTERM)


def knows_flags(diamond: Diamond, site: str) -> bool:
    return "flags" in diamond.ask("endpoint", "export", site)["facts"]


@pytest.mark.slow
@pytest.mark.parametrize("site", SITES)
def test_one_spec_runs_at_sites_that_take_different_flags(diamond: Diamond, site: str) -> None:
    words = ("--on", f"{site}/batch", "--account", "research", "--memory", "100MB", "--wait")
    done = diamond.call("run", *words, "--", "sh", "-c", "echo $SLURM_JOB_ACCOUNT; id -un")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["research", "alice"]


def test_several_accounts_and_none_named_is_asked_for(diamond: Diamond) -> None:
    done = diamond.call("run", "--on", "frontera/batch", "--", "true")
    assert done.returncode == 1
    assert "research, teaching" in done.stderr


def test_an_account_that_may_not_use_the_partition_is_refused_before_slurm(
    diamond: Diamond,
) -> None:
    done = diamond.call("run", "--on", "frontera/long", "--account", "teaching", "--", "true")
    assert done.returncode == 1
    assert "research" in done.stderr


def test_more_tasks_than_the_site_lets_one_queue_wait_in_diamond_and_are_fed(
    diamond: Diamond, strict_lab: Lab
) -> None:
    options = ("--on", "frontera/debug", "--account", "research", "--name", "fed")
    go = strict_lab.root / "go"
    waiting = f"until [ -e {go} ]; do sleep 0.2; done"
    for _ in range(6):
        diamond.submit("sh", "-c", waiting, options=options)
    assert wait_for(lambda: "site-limit" in told(diamond, "reason"), what="one that waits here")
    go.touch()
    wait_for(lambda: told(diamond, "state") == ["succeeded"] * 6, what="six that succeeded")


def told(diamond: Diamond, field: str) -> list[str]:
    """What is said of the six tasks, in one question."""
    return [str(task[field]) for task in diamond.ask("tasks", "--name", "fed")["items"]]
