"""`diamond fix` on a real cluster, over ssh: what failed there is run again with the change that helps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from diamond.testing.lab import Lab
from support.diamond import Diamond, diamond_up
from support.slurm import open_folder, skip_without_lab_support
from support.waiting import wait_for

PACKAGE = "tabulate"
"""Small, without dependencies, and not part of any Python."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    skip_without_lab_support()
    with open_folder() as folder:
        yield Lab.up(folder, clusters=["alpha"], nodes=2, ssh=True, accounting=False)


@pytest.fixture(scope="module")
def far(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("fix")
    variables = {"DIAMOND_SSH": f"ssh -F {lab.ssh_config} -o LogLevel=ERROR"}
    made = Diamond(top / "home", top, variables)
    with diamond_up(made):
        added = made.call("endpoint", "add", "alpha", "--ssh", "alpha")
        assert added.returncode == 0, added.stderr
        yield made
        made.call("endpoint", "remove", "alpha")


def ended(diamond: Diamond, task: str) -> str:
    states = ("succeeded", "failed", "cancelled")
    wait_for(lambda: diamond.state(task) in states, 180, every=0.5, what=f"the end of {task}")
    return diamond.state(task)


def submit(diamond: Diamond, name: str, program: str, walltime: str = "5m") -> str:
    spec = diamond.folder / f"{name}.yaml"
    spec.write_text(
        f"name: {name}\nrun: {program}\non: alpha\nresources: {{walltime: {walltime}}}\n"
    )
    return str(diamond.ask("run", str(spec), "--no-code")["tasks"][0]["id"])


def test_a_missing_package_and_a_short_time_limit_are_mended_on_slurm(far: Diamond) -> None:
    short = submit(far, "short", "sleep 600", walltime="1m")
    lacking = submit(
        far, "lacking", f"""'python3 -c "import {PACKAGE}; print({PACKAGE}.__name__)"'"""
    )
    assert ended(far, lacking) == "failed"
    shown = far.call("show", lacking).stdout
    assert f"add {PACKAGE}" in shown.lower() and "diamond fix" in shown
    fixed = far.ask("fix", lacking)["id"]
    assert ended(far, fixed) == "succeeded", far.call("show", fixed).stdout
    assert far.call("logs", fixed).stdout.strip().endswith(PACKAGE)
    assert ended(far, short) == "failed"
    assert far.ask("show", short)["reason"] == "wall-time"
    longer = far.ask("fix", short)["id"]
    assert far.ask("show", longer)["order"]["resources"]["walltime_minutes"] == 2
    far.call("cancel", longer)
