from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.schedulers.slurm_accounts import Accounting, read_associations, read_qos
from diamond.schedulers.slurm_balances import read_balances
from diamond.schedulers.slurm_nodes import free_of, read_gpus, read_nodes
from diamond.schedulers.slurm_parsing import pairs
from diamond.schedulers.slurm_site import partition_fact, read_config

RECORDED = Path(__file__).parent / "recorded"
WRITTEN = Path(__file__).parent / "written"
QOS = "normal||\ndebug|00:05:00|2\ngpu||\ngpu_limits||4\npart_gpu|1-00:00:00|10\nscavenger||\n"
USERS = "research|alpha|research||normal,gpu,scavenger|\nresearch|alpha|teaching||normal|20\n"


def _folder(version: str) -> Path:
    return (WRITTEN if version.startswith("like-") else RECORDED) / version


def partitions(version: str, accounting: Accounting | None = None) -> dict[str, dict[str, Any]]:
    folder = _folder(version)
    nodes = read_nodes((folder / "sinfo.txt").read_text())
    rows = map(pairs, (folder / "partitions.txt").read_text().splitlines())
    facts = (partition_fact(row, nodes, accounting or Accounting(), whole=False) for row in rows)
    return {fact["name"]: fact for fact in facts}


def known() -> Accounting:
    return Accounting(read_associations(USERS, "alpha"), read_qos(QOS))


@pytest.mark.parametrize("version", ["20.11", "24.11", "26.05"])
def test_partitions_and_settings_of_other_versions_are_read(version: str) -> None:
    found = partitions(version)
    assert set(found) == {"debug", "short", "batch", "long", "scavenge"}
    debug = found["debug"]
    assert debug["default"] and (debug["max_minutes"], debug["default_minutes"]) == (10, 5)
    assert (debug["cpus_per_node"], debug["memory_mb_per_node"]) == (8, 16000)
    config = read_config((_folder(version) / "config.txt").read_text())
    assert config["SLURM_VERSION"].startswith(version)


def test_partitions_of_the_lab_are_described() -> None:
    debug = partitions("22.05")["debug"]
    assert debug["default"]
    assert (debug["max_minutes"], debug["default_minutes"]) == (10, 5)
    assert (debug["cpus_per_node"], debug["memory_mb_per_node"]) == (8, 16000)
    assert debug["gpus_per_node"] == {"a100": 4}
    assert debug["max_nodes"] is None
    assert debug["accounts"] is None


def test_whole_nodes_limits_and_states_are_read() -> None:
    found = partitions("like-20.11", known())
    assert found["normal"]["whole_nodes"]
    assert found["normal"]["max_minutes"] == 2880
    assert found["normal"]["default_minutes"] is None
    assert found["normal"]["max_nodes"] == 16
    assert found["gpu"]["state"] == "drain"
    assert found["gpu"]["max_minutes"] is None
    assert not found["gpu"]["whole_nodes"]


def test_who_may_use_a_partition_follows_from_its_lists() -> None:
    old = partitions("like-20.11", known())
    assert old["gpu"]["accounts"] == ["research"]
    assert old["normal"]["accounts"] == ["research", "teaching"]
    assert old["gpu"]["qos"] == ["normal", "gpu"]
    assert old["normal"]["qos"] is None
    assert partitions("like-21.08", known())["cloud"]["accounts"] == ["research"]
    assert partitions("like-25.05", known())["batch"]["qos"] == ["normal", "gpu"]


def test_a_partitions_own_qos_limits_what_may_be_queued() -> None:
    assert partitions("like-20.11", known())["gpu"]["submit_limit"] == 4
    assert partitions("like-20.11", known())["normal"]["submit_limit"] is None


def test_associations_of_other_clusters_are_not_ours() -> None:
    assert read_associations(USERS, "beta") == []
    assert [each.account for each in read_associations(USERS, "")] == ["research", "teaching"]


def test_accounts_say_which_is_the_default_and_what_they_may() -> None:
    research, teaching = known().accounts_fact()
    assert research["default"]
    assert research["qos"] == ["normal", "gpu", "scavenger"]
    assert (teaching["default"], teaching["submit_limit"]) == (False, 20)


def test_an_account_bound_to_partitions_names_them() -> None:
    bound = Accounting(read_associations("a|alpha|a|gpu|normal|\na|alpha|a|cpu|normal|\n", "alpha"))
    assert bound.accounts_fact()[0]["partitions"] == ["gpu", "cpu"]
    assert bound.accounts_for({"PartitionName": "other"}) == []


def test_only_the_owners_qos_are_listed() -> None:
    assert [each["name"] for each in known().qos_fact()] == ["normal", "gpu", "scavenger"]


@pytest.mark.parametrize(
    ("version", "partition", "expected"),
    [
        ("like-20.11", "normal", (10, 40, 480, 0)),
        ("like-20.11", "gpu", (0, 3, 60, 2)),
        ("like-21.08", "cloud", (100, 101, 6432, 804)),
        ("22.05", "debug", (0, 4, 21, 10)),
        ("like-23.11", "gpu", (0, 5, 192, 12)),
        ("like-23.11", "mig", (1, 1, 128, 9)),
        ("like-24.05", "debug", (2, 3, 24, 8)),
        ("like-25.05", "batch", (5, 6, 960, 40)),
    ],
)
def test_what_is_free_is_counted(
    version: str, partition: str, expected: tuple[int, int, int, int]
) -> None:
    free = free_of(read_nodes((_folder(version) / "sinfo.txt").read_text()))[partition]
    counted = tuple(free[key] for key in ("nodes_idle", "nodes_total", "cpus_idle", "gpus_idle"))
    assert counted == expected


@pytest.mark.parametrize(
    ("gres", "expected"),
    [
        ("gpu:a100:4(S:0-1)", {"a100": 4}),
        ("gpu:4", {"gpu": 4}),
        ("gpu:1g.10gb:7(S:0),gpu:a100:2(S:1)", {"1g.10gb": 7, "a100": 2}),
        ("craynetwork:4,gpu:a100:2", {"a100": 2}),
        ("(null)", {}),
        ("", {}),
    ],
)
def test_gpus_are_read_by_type(gres: str, expected: dict[str, int]) -> None:
    assert read_gpus(gres) == expected


def test_the_configuration_is_read_by_name() -> None:
    config = read_config((RECORDED / "22.05" / "config.txt").read_text())
    assert config["ClusterName"] == "alpha"
    assert config["SLURM_VERSION"] == "22.05.8"


def test_what_is_left_on_an_account_is_told_in_hours_of_what_the_site_bounds_by() -> None:
    shares = (
        "root|||billing=900\n"
        " research||cpu=1000,billing=6000|cpu=30,mem=7,billing=600\n"
        "  research|alice|billing=60|billing=600\n"
        " gpus||gres/gpu=120|gres/gpu=300\n"
        " teaching|||cpu=0\n"
    )
    assert read_balances(shares) == {"research": (90, "billing-hours"), "gpus": (0, "GPU-hours")}


def test_a_balance_is_a_fact_of_its_account_and_left_out_where_it_is_not_known() -> None:
    found = replace(known(), balances={"research": (90.0, "billing-hours")})
    research, teaching = found.accounts_fact()
    assert (research["balance"], research["unit"]) == (90.0, "billing-hours")
    assert "balance" not in teaching
