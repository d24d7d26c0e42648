"""A lab that takes all flags: up, env, run, GPUs, login."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from diamond.testing.lab import Cluster, Lab, LabError
from diamond.testing.lab.commands import main
from support.waiting import PATIENCE


def test_all_nodes_are_in_service(open_lab: Lab) -> None:
    status = open_lab.status()
    assert status["complete"]
    states = {node["name"]: node["state"] for one in status["clusters"] for node in one["nodes"]}
    assert states == dict.fromkeys(["alpha-n1", "alpha-n2", "beta-n1", "beta-n2"], "idle")


def test_up_again_leaves_everything_running_as_it_was(open_lab: Lab) -> None:
    before = open_lab.status()["processes"]
    assert Lab.up(open_lab.root).status()["processes"] == before


def test_up_again_restarts_what_died(open_lab: Lab) -> None:
    cluster = open_lab.cluster("beta")
    cluster.break_node(1, "fail")
    cluster.break_controller("stop")
    assert not open_lab.status()["complete"]
    Lab.up(open_lab.root)
    assert [node["state"] for node in cluster.status()["nodes"]] == ["idle", "idle"]


def test_other_options_are_refused_while_a_lab_is_up(open_lab: Lab) -> None:
    with pytest.raises(LabError, match="--nodes"):
        Lab.up(open_lab.root, nodes=3)


def test_env_is_what_a_shell_needs(open_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "beta", "--dir", str(open_lab.root)]) == 0
    exports = capsys.readouterr().out
    script = f"{exports}\nsinfo -h -N -p debug -o %N"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["beta-n1", "beta-n2"]
    assert f"DIAMOND_LAB_SSH_CONFIG={open_lab.ssh_config}" in exports


def test_a_user_runs_jobs_as_herself_on_several_nodes(alpha: Cluster) -> None:
    done = alpha.run(["srun", "-N2", "sh", "-c", "echo $(id -un)@$(hostname)"], user="alice")
    assert sorted(done.stdout.split()) == ["alice@alpha-n1", "alice@alpha-n2"]


def test_run_hands_on_the_exit_status(open_lab: Lab) -> None:
    words = ["-m", "diamond.testing.lab", "run", "alpha", "--user", "bob"]
    command = [sys.executable, *words, "--dir", str(open_lab.root), "--", "sh", "-c", "exit 7"]
    assert subprocess.run(command).returncode == 7


def test_run_on_a_node_sees_that_node_alone(alpha: Cluster) -> None:
    assert alpha.run(["hostname"], node=2).stdout.strip() == "alpha-n2"
    assert "mariadbd" not in alpha.run(["ps", "ax"], node=2).stdout


def test_gpus_are_handed_out(alpha: Cluster) -> None:
    show = ["sh", "-c", "echo $CUDA_VISIBLE_DEVICES"]
    done = alpha.run(["srun", "--gpus=2", *show], user="alice")
    assert done.stdout.strip() == "0,1"
    done = alpha.run(["srun", "--gres=gpu:h100:1", *show], user="alice", check=False)
    assert done.returncode != 0


def test_accounting_knows_users_and_accounts(alpha: Cluster) -> None:
    words = "sacctmgr -nP show assoc user=alice cluster=alpha format=account"
    assert set(alpha.run(shlex.split(words)).stdout.split()) == {"research", "teaching"}


def test_ssh_leads_to_the_login_node(open_lab: Lab) -> None:
    ssh = ["ssh", "-F", str(open_lab.ssh_config), "beta"]
    done = subprocess.run(
        [*ssh, "id -un; hostname; squeue -h; sinfo -h -o %R | head -1"],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stdout.split() == ["alice", "beta-login", "debug"]


def test_status_is_also_json(open_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--json", "--dir", str(open_lab.root)]) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True
