"""A rank's place, whoever started it."""

from __future__ import annotations

import json

import pytest

from diamond.launchers.ranks.variables import (
    launcher_variables,
    rank_variables,
    tensorflow_variables,
)
from diamond.launchers.starters.identity import Identity, identity

BATCH = {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0", "SLURM_NODEID": "0"}
ME = Identity(rank=5, world_size=8, local_rank=1, local_world_size=4, node_rank=1, node="n2")


@pytest.mark.parametrize(
    "told",
    [
        {
            "RANK": "5",
            "WORLD_SIZE": "8",
            "LOCAL_RANK": "1",
            "LOCAL_WORLD_SIZE": "4",
            "GROUP_RANK": "1",
            **BATCH,
        },
        {"SLURM_PROCID": "5", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1", "SLURM_NODEID": "1"},
        {
            "OMPI_COMM_WORLD_RANK": "5",
            "OMPI_COMM_WORLD_SIZE": "8",
            "OMPI_COMM_WORLD_LOCAL_RANK": "1",
            "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
            **BATCH,
        },
        {"PMI_RANK": "5", "PMI_SIZE": "8"},
        {"PALS_RANKID": "5", "PMI_SIZE": "8", "PALS_LOCAL_RANKID": "1", "PALS_NODEID": "1"},
    ],
)
def test_a_rank_is_known_by_the_variables_of_its_launcher(told: dict[str, str]) -> None:
    shared = {"DIAMOND_RANKS_PER_NODE": "4", "SLURMD_NODENAME": "n2"}
    assert identity({**told, **shared}) == ME


def test_without_a_launcher_it_is_alone() -> None:
    assert identity({})[:5] == (0, 1, 0, 1, 0)


def test_tensorflow_hears_of_every_worker_and_of_its_own_place() -> None:
    workers = [f"10.0.0.{rank // 4}:{15000 + rank}" for rank in range(8)]
    config = json.loads(tensorflow_variables(5, workers)["TF_CONFIG"])
    assert config["task"] == {"type": "worker", "index": 5}
    assert config["cluster"] == {"worker": workers}


def test_jax_hears_where_its_coordinator_is() -> None:
    given = {"DIAMOND_LAUNCH": "jax", "MASTER_ADDR": "n1", "MASTER_PORT": "20000"}
    told = rank_variables(ME, given)
    assert told["JAX_COORDINATOR_ADDRESS"] == "n1:20000"
    assert (told["JAX_NUM_PROCESSES"], told["JAX_PROCESS_ID"]) == ("8", "5")


def test_torchrun_hears_of_the_job_by_variables() -> None:
    shared = {
        "DIAMOND_NODES": "2",
        "DIAMOND_RANKS_PER_NODE": "4",
        "DIAMOND_RANK_PYTHON": "/a/rank.sh",
    }
    told = launcher_variables({**shared, "MASTER_ADDR": "n1", "MASTER_PORT": "7"})
    assert (told["PET_NNODES"], told["PET_NPROC_PER_NODE"]) == ("2", "4")
    assert (told["PET_MASTER_ADDR"], told["PYTHON_EXEC"]) == ("n1", "/a/rank.sh")


def test_lightning_is_led_to_believe_torchs_variables() -> None:
    assert rank_variables(ME, {"DIAMOND_ATTEMPT": "a1"})["TORCHELASTIC_RUN_ID"] == "a1"
