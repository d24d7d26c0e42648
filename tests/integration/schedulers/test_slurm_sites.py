"""The probe on real clusters that differ as real sites do, asked as an ordinary user."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diamond
from diamond.testing.lab import Cluster, Lab
from support.slurm import open_folder
from support.waiting import wait_for

PROBE = """
import json
from diamond.schedulers.slurm_site import probe
print(json.dumps({name: fact["value"] for name, fact in probe().items()}))
"""
WAITS = "import json; from diamond.schedulers.slurm_history import ask_waits; print(json.dumps(ask_waits()))"
SUBMIT = """
import json, sys
from pathlib import Path
from diamond.core.errors import Refused
from diamond.core.order import Placement, Resources
from diamond.schedulers.base import Submission
from diamond.schedulers.slurm import SlurmScheduler
folder = Path(sys.argv[1])
scheduler = SlurmScheduler(folder / "state")
placement = Placement(**json.loads(sys.argv[2]))
asked = Resources(memory_mb=100, walltime_minutes=5)
flags, answers = json.loads(sys.argv[3]), []
for number in range(int(sys.argv[4])):
    work = Submission(f"trial-{number}", folder / "script.sh", folder, asked, placement)
    work.script.write_text("\\n".join(["#!/bin/bash", *scheduler.directives(work, flags), "sleep 600", ""]))
    try:
        answers.append(scheduler.submit(work))
    except Refused as error:
        answers.append(error.detail_code + ": " + error.message)
for answer in answers:
    scheduler.cancel(answer) if answer.isdigit() else None
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def package() -> Iterator[Path]:
    """Our code where every user can read it."""
    with open_folder() as folder:
        own = Path(diamond.__file__).parent
        for part in ("core", "schedulers"):
            shutil.copytree(own / part, folder / "diamond" / part)
        (folder / "diamond" / "__init__.py").touch()
        yield folder


def as_alice(cluster: Cluster, package: Path, code: str, *words: str) -> Any:
    done = cluster.run(
        ["/usr/bin/python3", "-c", code, *words], user="alice", env={"PYTHONPATH": str(package)}
    )
    return json.loads(done.stdout)


def test_a_site_like_tacc_refuses_memory_and_gpus_and_wants_the_rest(
    strict_lab: Lab, package: Path
) -> None:
    facts = as_alice(strict_lab.cluster("frontera"), package, PROBE)
    flags = facts["flags"]
    assert (flags["mem"], flags["gres"]) == ("refuses", "refuses")
    assert (flags["nodes"], flags["ntasks"], flags["time"]) == ("requires", "requires", "requires")
    assert (flags["account"], flags["export"]) == ("requires", "takes")
    assert all(partition["whole_nodes"] for partition in facts["partitions"])


def test_a_site_like_delta_wants_account_and_memory_and_refuses_export(
    strict_lab: Lab, package: Path
) -> None:
    flags = as_alice(strict_lab.cluster("delta"), package, PROBE)["flags"]
    assert (flags["mem"], flags["account"], flags["export"]) == ("requires", "requires", "refuses")
    assert flags["gres"] == "takes"


def test_limits_and_rights_are_learned_per_partition(strict_lab: Lab, package: Path) -> None:
    facts = as_alice(strict_lab.cluster("delta"), package, PROBE)
    partitions = {each["name"]: each for each in facts["partitions"]}
    assert partitions["debug"]["submit_limit"] == 4
    assert partitions["long"]["submit_limit"] == 2
    assert partitions["long"]["accounts"] == ["research"]
    assert set(partitions["debug"]["accounts"]) == {"research", "teaching"}
    assert {each["name"] for each in facts["accounts"]} == {"research", "teaching"}
    assert facts["cluster"].startswith("delta@")


def test_a_submit_limit_is_told_apart_from_other_refusals(
    strict_lab: Lab, package: Path, place: Path
) -> None:
    words = [str(place), '{"partition": "debug", "account": "research"}', '{"export": "refuses"}']
    *taken, last = as_alice(strict_lab.cluster("delta"), package, SUBMIT, *words, "5")
    assert all(answer.isdigit() for answer in taken)
    assert last.startswith("submit-limit: ")


def test_an_account_that_may_not_use_a_partition_is_refused_in_plain_words(
    strict_lab: Lab, package: Path, place: Path
) -> None:
    words = [str(place), '{"partition": "long", "account": "teaching"}', '{"export": "refuses"}']
    (answer,) = as_alice(strict_lab.cluster("delta"), package, SUBMIT, *words, "1")
    assert answer.startswith("refused: The account")


def test_what_the_filter_says_reaches_the_person(
    strict_lab: Lab, package: Path, place: Path
) -> None:
    words = [str(place), '{"account": "research"}', "{}"]
    (answer,) = as_alice(strict_lab.cluster("frontera"), package, SUBMIT, *words, "1")
    assert "jobs have whole nodes" in answer


def test_ones_own_waits_are_read_from_the_accounts(strict_lab: Lab, package: Path) -> None:
    cluster = strict_lab.cluster("frontera")
    words = ["--wait", "--account=research", "--nodes=1", "--ntasks=1", "--time=7"]
    cluster.run(["sbatch", *words, "--output=/dev/null", "--wrap=true"], user="alice")

    def told() -> list[Any]:
        return [one for one in as_alice(cluster, package, WAITS) if one[3] == 420]

    submitted, waited, nodes, _, partition = wait_for(told, what="wait in sacct", every=0.5)[0]
    assert nodes == 1 and partition
    assert submitted > 1_700_000_000 and 0 <= waited < 600


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that alice may write to."""
    with open_folder() as folder:
        folder.chmod(0o777)
        yield folder
