"""The variables by which each framework finds the other processes."""

from __future__ import annotations

import contextlib
import os
from typing import Dict, List, Mapping

from diamond.launchers.ranks.node_address import (
    has_only_loopback,
    interface_towards,
    is_known_by_loopback,
)
from diamond.launchers.starters.identity import Identity, imitated_variables, torch_variables

GPU_DEVICES = ("nvidia", "kfd", "renderD", "davinci", "accel", "neuron", "cambricon", "dxg")
"""How the device files of accelerators begin."""

LOOPBACK = "lo"
OPEN_MPI_INTERFACES = (
    "OMPI_MCA_oob_tcp_if_include",
    "OMPI_MCA_btl_tcp_if_include",
    "PRTE_MCA_prte_if_include",
)
"""For its daemons, its ranks, and the daemons of Open MPI 5."""


def rank_variables(me: Identity, given: Mapping[str, str]) -> Dict[str, str]:
    """For one rank, of those that the overseer has set for all. What a launcher of torch has set stays."""
    variables = torch_variables(me)
    variables["OMP_NUM_THREADS"] = given.get("OMP_NUM_THREADS") or "1"
    # Lightning believes torch's variables when it sees this one, and neither Slurm's nor its own requeue.
    variables["TORCHELASTIC_RUN_ID"] = given.get("TORCHELASTIC_RUN_ID") or given.get(
        "DIAMOND_ATTEMPT", ""
    )
    if me.world_size > 1 and not sees_gpu(given):
        variables["ACCELERATE_USE_CPU"] = given.get("ACCELERATE_USE_CPU") or "true"
    kind = given.get("DIAMOND_LAUNCH", "")
    if kind == "jax":
        variables.update(_jax(me, given))
    return variables


def sees_gpu(given: Mapping[str, str]) -> bool:
    """Whether this node may have a GPU for the program. Without one, accelerate (and so the Hugging Face Trainer) leaves
    ranks unconnected unless a variable sends it to the CPU.
    """
    if given.get("CUDA_VISIBLE_DEVICES") in ("", "-1", "NoDevFiles"):
        return False
    return any(name.startswith(GPU_DEVICES) for name in _devices())


def _devices() -> List[str]:
    devices: List[str] = []
    for folder in ("/dev", "/dev/dri"):
        with contextlib.suppress(OSError):
            devices += os.listdir(folder)  # noqa: PTH208
    return devices


def interface_variables(given: Mapping[str, str], host: str) -> Dict[str, str]:
    """Gloo and TensorPipe take the address that the node's own name leads to; where that is its loopback, ranks of other
    nodes wait forever. NCCL looks at the interfaces themselves.
    """
    if given.get("DIAMOND_NODES", "1") == "1" or "GLOO_SOCKET_IFNAME" in given:
        return {}
    if not is_known_by_loopback(host):
        return {}
    interface = interface_towards(given.get("MASTER_ADDR", ""))
    names = ("GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME") if interface else ()
    return {name: given.get(name, interface) for name in names}


def open_mpi_variables(given: Mapping[str, str], host: str, *, interface: str) -> Dict[str, str]:
    """Open MPI looks at the interfaces itself, skips the loopback and tries all others; where a node's own name leads to
    its loopback, it gets the one that gloo gets. `interface`: what the site says, or ''.
    """
    if any(name.endswith(("_tcp_if_include", "_tcp_if_exclude", "_if_include")) for name in given):
        return {}
    towards = interface or (LOOPBACK if has_only_loopback() else "")
    if not towards and given.get("DIAMOND_NODES", "1") != "1" and is_known_by_loopback(host):
        towards = interface_towards(given.get("MASTER_ADDR", ""))
    return dict.fromkeys(OPEN_MPI_INTERFACES, towards) if towards else {}


def tensorflow_variables(rank: int, workers: List[str]) -> Dict[str, str]:
    """`workers`: where each rank's can be reached, in order."""
    import json

    config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}}
    return {"TF_CONFIG": json.dumps(config)}


def launcher_variables(given: Mapping[str, str]) -> Dict[str, str]:
    """For a command that starts torchrun or accelerate itself, on the first node; each other node has its number.

    torchrun takes PET_<OPTION> for an option that its command line does not name, and PYTHON_EXEC for Python.
    """
    return {
        "PET_NNODES": given["DIAMOND_NODES"],
        "PET_NPROC_PER_NODE": given["DIAMOND_RANKS_PER_NODE"],
        "PET_NODE_RANK": "0",
        "PET_MASTER_ADDR": given["MASTER_ADDR"],
        "PET_MASTER_PORT": given["MASTER_PORT"],
        "PET_RDZV_ID": given.get("DIAMOND_ATTEMPT", "none"),
        "PET_SIGNALS_TO_HANDLE": "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1,SIGUSR2",
        "PYTHON_EXEC": given["DIAMOND_RANK_PYTHON"],
    }


def _jax(me: Identity, given: Mapping[str, str]) -> Dict[str, str]:
    """jax takes the address from its own variable, but count and rank only from those of a batch system."""
    variables = {
        "JAX_COORDINATOR_ADDRESS": f"{given.get('MASTER_ADDR', '127.0.0.1')}:{given.get('MASTER_PORT', '29500')}",
        "JAX_NUM_PROCESSES": str(me.world_size),
        "JAX_PROCESS_ID": str(me.rank),
    }
    return {**variables, **imitated_variables(me, given)}
