"""Two nodes with networks of their own, whose own names lead to their loopback, as Debian's installer writes it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.overseeing import Scene
from support.waiting import PATIENCE

NODE = """\
#!/bin/bash
# `node.sh NUMBER WORD…`: runs the words on one of the two nodes.
export SLURM_PROCID=$1 SLURM_NODEID=$1 SLURM_LOCALID=0 SLURM_NTASKS=2 SLURMD_NODENAME=dn$1
exec nsenter --net=/run/netns/{network}-$1 unshare --uts --mount sh -c \\
  'hostname "$0" && mount --bind {folder}/hosts.$SLURM_NODEID /etc/hosts && shift && exec "$@"' "dn$1" "$@"
"""
SRUN = """\
#!/bin/bash
# Stands for srun: a task on each node; one that ends badly ends the other.
while [ "${{1#--}}" != "$1" ]; do shift; done
{folder}/node.sh 0 "$@" & {folder}/node.sh 1 "$@" &
wait -n || kill $(jobs -p)
wait
"""
PROGRAM = """\
import torch
import torch.distributed as dist
from diamond import training

training.init()
total = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(total)
print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {int(total)}", flush=True)
training.finish()
"""
MPI: dict[str, Any] = {"kind": "mpi", "nodes": 2, "starter": "srun", "mpi": "mpirun"}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Scene]:
    """An overseer on the first, and a stand-in for srun. They have no way but the one to each other."""
    if os.geteuid() or not shutil.which("ip"):
        pytest.skip("only root can make networks, with `ip`")
    network = f"diamond-{os.getpid()}"
    for name, text in (("node.sh", NODE), ("srun", SRUN)):
        (tmp_path / name).write_text(text.format(folder=tmp_path, network=network))
        (tmp_path / name).chmod(0o755)
    for own, other in ((0, 1), (1, 0)):
        lines = f"127.0.0.1 localhost\n127.0.1.1 dn{own}\n10.213.7.{other + 1} dn{other}\n"
        (tmp_path / f"hosts.{own}").write_text(lines)
    try:
        _join(network)
        yield Scene(tmp_path, sys.executable, within=[str(tmp_path / "node.sh"), "0"])
    finally:
        for node in (0, 1):
            subprocess.run(["ip", "netns", "delete", f"{network}-{node}"], check=False)


def _join(network: str) -> None:
    for node in (0, 1):
        _ip("netns", "add", f"{network}-{node}")
        _ip("-n", f"{network}-{node}", "link", "set", "lo", "up")
    first, second = (["netns", f"{network}-{node}"] for node in (0, 1))
    _ip("link", "add", "way0", *first, "type", "veth", "peer", "name", "way1", *second)
    for node in (0, 1):
        address = ["address", "add", f"10.213.7.{node + 1}/24", "dev", f"way{node}"]
        _ip("-n", f"{network}-{node}", *address)
        _ip("-n", f"{network}-{node}", "link", "set", f"way{node}", "up")


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no networks can be made here: {done.stderr}")


def test_gloo_finds_the_way_between_nodes_whose_names_lead_to_themselves(
    nodes: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(nodes.folder), prepend=":")
    (nodes.folder / "program.py").write_text(PROGRAM)
    command = f'echo "$GLOO_SOCKET_IFNAME" >interface.$RANK\nexec {sys.executable} program.py'
    process = nodes.start(command, 1, nodes=2, starter="srun")
    assert process.wait(PATIENCE) == 0, (nodes.run / "stderr.log").read_text()
    told = [(nodes.folder / f"interface.{rank}").read_text() for rank in (0, 1)]
    assert told == ["way0\n", "way1\n"]
    assert nodes.lines("stdout.log") == ["[1] rank 1 of 2: 3", "rank 0 of 2: 3"]


@pytest.mark.slow
def test_open_mpi_starts_ranks_on_nodes_that_have_only_a_loopback(tmp_path: Path) -> None:
    """It would find no network: it skips the loopback."""
    if os.geteuid() or not shutil.which("mpirun") or not shutil.which("slurmctld"):
        pytest.skip("this needs root, Slurm and Open MPI")
    scene = Scene(tmp_path / "scene", sys.executable)
    lab = Lab.up(
        tempfile.mkdtemp(prefix="dl-", dir="/tmp"),
        clusters="odd",
        nodes=2,
        netns=True,
        accounting=False,
        users="",
    )
    try:
        words = [sys.executable, "-E", "-S", *scene.prepare("echo on $SLURMD_NODENAME", 1, **MPI)]
        text = "#!/bin/bash\n" + shlex.join(["env", *scene.settings(), *words]) + "\n"
        (tmp_path / "job.sh").write_text(text)
        asked = ["sbatch", "--wait", "-N2", "-t2", f"--output={tmp_path}/out", f"{tmp_path}/job.sh"]
        done = lab.cluster("odd").run(asked, check=False)
    finally:
        lab.down(purge=True)
    said = (tmp_path / "out").read_text()
    assert (done.returncode, sorted(said.splitlines())[-2:]) == (0, ["[1] on odd-n2", "on odd-n1"])
