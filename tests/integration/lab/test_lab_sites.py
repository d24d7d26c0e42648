"""Clusters like real sites: what they refuse, what they take, and what they cannot reach."""

from __future__ import annotations

import socket
import subprocess

import pytest

from diamond.testing.lab import Cluster, Lab
from diamond.testing.lab.old_python import candidates
from support.waiting import PATIENCE

TACC_JOB = "-A research -N1 -n1 -t 2"
DELTA_JOB = "-A research --mem=100"
CONNECT = 'exec 3<>/dev/tcp/127.0.0.1/"$0"'


def sbatch(
    cluster: Cluster, options: str, *, user: str = "alice", script: str = "true"
) -> subprocess.CompletedProcess[str]:
    words = ["sbatch", "--parsable", "-o", "/dev/null", *options.split(), "--wrap", script]
    return cluster.run(words, user=user, check=False)


@pytest.fixture(autouse=True)
def no_jobs_left(tacc: Cluster, delta: Cluster) -> None:
    for cluster in (tacc, delta):
        cluster.run(["scancel", "-u", "alice"])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (f"{TACC_JOB} --mem=100", "--mem is not an option"),
        (f"{TACC_JOB} --mem-per-cpu=100", "--mem is not an option"),
        (f"{TACC_JOB} --gres=gpu:1", "--gres and --gpus are not options"),
        (f"{TACC_JOB} --gpus=1", "--gres and --gpus are not options"),
        (f"{TACC_JOB} --array=1-2", "arrays are not supported"),
        ("-A research -n1 -t 2", "missing number of nodes"),
        ("-A research -N1 -t 2", "missing number of tasks"),
        ("-A research -N1 -n1", "missing run time"),
        ("-N1 -n1 -t 2", "name one with -A: research, teaching"),
        ("-A unknown -N1 -n1 -t 2", "Invalid account"),
        ("-A teaching -p long -N1 -n1 -t 2", "Invalid account"),
    ],
)
def test_tacc_refuses(tacc: Cluster, options: str, reason: str) -> None:
    done = sbatch(tacc, options)
    assert done.returncode == 1
    assert reason in done.stderr


def test_tacc_takes_a_right_job_and_gives_it_a_whole_node(tacc: Cluster) -> None:
    done = tacc.run(
        ["srun", *TACC_JOB.split(), "sh", "-c", "echo $SLURM_CPUS_ON_NODE"], user="alice"
    )
    assert done.stdout.strip() == "8"


def test_tacc_needs_no_account_of_a_user_who_has_one(tacc: Cluster) -> None:
    assert sbatch(tacc, "-N1 -n1 -t 2", user="bob").returncode == 0


def test_tacc_limits_how_many_jobs_one_may_submit_to_a_partition(tacc: Cluster) -> None:
    codes = [sbatch(tacc, TACC_JOB, script="sleep 600").returncode for _ in range(5)]
    assert codes == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--mem=100", "--account is required; yours: research, teaching"),
        ("-A research", "--mem (or --mem-per-cpu, --mem-per-gpu) is required"),
        (f"{DELTA_JOB} --export=NONE", "--export=NONE is not supported"),
        (f"{DELTA_JOB} --qos=debug -t 8", "QOS"),
    ],
)
def test_delta_refuses(delta: Cluster, options: str, reason: str) -> None:
    done = sbatch(delta, options)
    assert done.returncode == 1
    assert reason in done.stderr


def test_delta_takes_gpus(delta: Cluster) -> None:
    words = ["srun", *DELTA_JOB.split(), "--gpus-per-node=1", "sh", "-c"]
    assert delta.run([*words, "echo $CUDA_VISIBLE_DEVICES"], user="alice").stdout.strip() == "0"


def test_homes_belong_to_the_cluster_and_have_limits(tacc: Cluster, delta: Cluster) -> None:
    tacc.run(["sh", "-c", "echo here > ~/mark"], user="alice")
    assert (tacc.home("alice") / "mark").read_text() == "here\n"
    assert not (delta.home("alice") / "mark").exists()
    fill = "head -c 100M /dev/zero > ~/big; status=$?; rm ~/big; exit $status"
    done = tacc.run(["sh", "-c", fill], user="alice", check=False)
    assert "No space left" in done.stderr


def test_jobs_see_the_same_home_as_the_login_node(tacc: Cluster) -> None:
    tacc.run(["sh", "-c", "echo seen > ~/shared"], user="alice")
    done = tacc.run(["srun", *TACC_JOB.split(), "cat", "/home/alice/shared"], user="alice")
    assert done.stdout.strip() == "seen"


def test_sessions_have_an_older_python(sites: Lab) -> None:
    if not candidates():
        pytest.skip("no Python 3.9 or 3.8 on this machine")
    assert ssh(sites, "python3 -V").stdout.startswith(("Python 3.9", "Python 3.8"))
    assert ssh(sites, "bash -lc 'python3 -V'").stdout.startswith(("Python 3.9", "Python 3.8"))


def test_ssh_enters_the_network_of_the_lab(sites: Lab) -> None:
    done = ssh(sites, "hostname; echo $SCRATCH; srun -N1 -n1 -t1 -A research hostname")
    scratch = f"{sites.root}/frontera/scratch/alice"
    assert done.stdout.split() == ["frontera-login", scratch, "frontera-n1"]


def test_nothing_in_the_lab_reaches_the_machine(tacc: Cluster) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        connect = ["bash", "-c", CONNECT, port]
        assert subprocess.run(connect).returncode == 0
        assert refused(tacc.run(connect, user="alice", check=False))
        job = ["srun", *TACC_JOB.split(), *connect]
        assert refused(tacc.run(job, user="alice", check=False))


def refused(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode != 0 and "Connection refused" in done.stderr


def ssh(lab: Lab, command: str) -> subprocess.CompletedProcess[str]:
    words = ["ssh", "-F", str(lab.ssh_config), "frontera", command]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE)
