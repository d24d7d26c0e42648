"""Write slurm.conf and the files next to it."""

from __future__ import annotations

import re
import socket

from .processes import call, clean_env
from .shape import ClusterShape, LabError, LabShape
from .sites import site_of

SLURM_CONF = """\
# Written by `diamond lab up` at each cold start.
ClusterName={name}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root

# cred_expire is also how long a requeued job waits before it may start again.
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={munge},cred_expire=10

# Not CommunicationParameters=NoInAddrAny: it binds to whatever the host's name resolves to.
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
TmpFS={root}/local
SlurmctldPidFile={root}/state/slurmctld.pid
SlurmdPidFile={root}/spool/%n/slurmd.pid
SlurmctldLogFile={log}/{name}.slurmctld.log
SlurmdLogFile={log}/%n.log
SlurmctldDebug=info
SlurmdDebug=info
SlurmctldSyslogDebug=quiet
SlurmdSyslogDebug=quiet
MailProg=/bin/true

# No cgroups: processes are found by walking /proc, and nothing is confined.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2

# Believe this file about CPUs and memory, not the hardware.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU={memory_per_cpu}
GresTypes=gpu

# Start jobs at once rather than some seconds later.
SchedulerType=sched/backfill
SchedulerParameters={scheduler}
PriorityType=priority/basic
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
MaxArraySize=10001
PropagateResourceLimits=NONE

# A silent crash is noticed after some 30 s; SIGKILL follows SIGTERM after KillWait.
SlurmctldTimeout=30
SlurmdTimeout=15
KillWait=5
MinJobAge=300
CompleteWait=0
InactiveLimit=0
ReturnToService=2
UnkillableStepTimeout=30

{accounting}
JobCompType=jobcomp/filetxt
JobCompLoc={root}/jobcomp.txt
{site}
"""
SCHEDULER = (
    "batch_sched_delay=0,sched_interval=2,sched_min_interval=0,"
    "bf_interval=1,bf_resolution=1,bf_max_job_test=500"
)
# AuthInfo is ignored for this connection; the "password" is the munge socket.
ACCOUNTING = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={munge}
AccountingStorageTRES=gres/gpu"""
STORED = "AccountingStoreFlags=job_comment,job_script"
"""Slurm before 21.08 does not know it."""
PARTITIONS = {
    "debug": "Default=YES DefaultTime=5 MaxTime=10",
    "short": "DefaultTime=1 MaxTime=1",
    "batch": "DefaultTime=60 MaxTime=1-00:00:00",
    "long": "DefaultTime=1-00:00:00 MaxTime=7-00:00:00",
    "scavenge": "DefaultTime=60 MaxTime=1-00:00:00 PriorityTier=1 PreemptMode=REQUEUE",
}
# slurmd looks for cgroups although nothing uses them, and exits if they are not
# mounted, unless their version is configured.
CGROUP_CONF = "CgroupPlugin=cgroup/v1\n"
CONFINED = "ConstrainRAMSpace=yes\nConstrainSwapSpace=yes\nAllowedSwapSpace=0\n"


def write_config(lab: LabShape, cluster: ClusterShape) -> None:
    make_folders(cluster)
    head = with_settings(settings_text(lab, cluster), lab.options.settings)
    cluster.conf.write_text("\n".join([head, *node_lines(lab, cluster), *partitions(cluster), ""]))
    (cluster.root / "gres.conf").write_text(gres_text(cluster))
    (cluster.root / "cgroup.conf").write_text(cgroup_text(lab))
    if script := site_of(cluster).filter_script(lab):
        (cluster.root / "job_submit.lua").write_text(script)


def cgroup_text(lab: LabShape) -> str:
    """Slurm before 21.08 does not know the plugin and exits at its name. With `task/cgroup`, memory is confined."""
    text = "" if slurm_version(lab) < (21, 8) else CGROUP_CONF
    is_confined = any("task/cgroup" in setting for setting in lab.options.settings)
    return text + CONFINED if is_confined else text


def slurm_version(lab: LabShape) -> tuple[int, ...]:
    said = call("env", "slurmd", "-V", env=clean_env(lab)).stdout
    return tuple(int(number) for number in re.findall(r"\d+", said)[:2])


def make_folders(cluster: ClusterShape) -> None:
    for name in ("", "state", "spool", "dev", "locals", "local"):
        folder = cluster.root / name
        folder.mkdir(exist_ok=True)
        folder.chmod(0o1777 if name == "local" else 0o755)
    for i in range(cluster.gpus.count if cluster.gpus else 0):
        device = cluster.root / "dev" / f"nvidia{i}"
        if not device.is_symlink():
            device.symlink_to("/dev/null")


def settings_text(lab: LabShape, cluster: ClusterShape) -> str:
    accounting = "AccountingStorageType=accounting_storage/none"
    if lab.options.accounting:
        accounting = ACCOUNTING.format(port=lab.slurmdbd_port, munge=lab.munge_socket)
        accounting += f"\n{STORED}" if slurm_version(lab) >= (21, 8) else ""
    return SLURM_CONF.format(
        name=cluster.name,
        host=host_name(),
        port=cluster.controller_port,
        munge=lab.munge_socket,
        root=cluster.root,
        log=lab.root / "log",
        memory_per_cpu=max(1, cluster.memory_mb // cluster.cpus),
        scheduler=SCHEDULER,
        accounting=accounting,
        site="\n".join(site_of(cluster).settings),
    )


def with_settings(text: str, settings: list[str]) -> str:
    """Replace settings with the same key."""
    for setting in settings:
        key, equals, _ = setting.partition("=")
        if not equals:
            raise LabError(f"--set {setting}: write KEY=VALUE")
        lines = text.splitlines()
        kept = [line for line in lines if line.partition("=")[0].lower() != key.lower()]
        text = "\n".join([*kept, setting])
    return text


def node_lines(lab: LabShape, cluster: ClusterShape) -> list[str]:
    gpus = cluster.gpus if site_of(cluster).schedules_gpus else None
    gres = f" Gres=gpu:{gpus.kind}:{gpus.count}" if gpus else ""
    return [
        f"NodeName={node} NodeHostname={node if lab.isolated else host_name()} "
        f"NodeAddr={cluster.address(index)} Port={port} "
        f"Sockets=1 CoresPerSocket={cluster.cpus} ThreadsPerCore=1 "
        f"RealMemory={cluster.memory_mb}{gres} State=UNKNOWN"
        for index, (node, port) in enumerate(
            zip(cluster.node_names, cluster.node_ports, strict=True), start=1
        )
    ]


def partitions(cluster: ClusterShape) -> list[str]:
    extra = site_of(cluster).partitions
    every = f"Nodes={cluster.name}-n[1-{cluster.nodes}] {extra.get('DEFAULT', '')}"
    return [
        f"PartitionName=DEFAULT State=UP PriorityTier=10 PreemptMode=OFF {every}",
        *(f"PartitionName={p} {text} {extra.get(p, '')}" for p, text in PARTITIONS.items()),
    ]


def gres_text(cluster: ClusterShape) -> str:
    """A GPU needs a device file, whose number becomes CUDA_VISIBLE_DEVICES."""
    text = "AutoDetect=off\n"
    if cluster.gpus and site_of(cluster).schedules_gpus:
        numbers = f"[0-{cluster.gpus.count - 1}]" if cluster.gpus.count > 1 else "0"
        files = f"{cluster.root}/dev/nvidia{numbers}"
        text += f"Name=gpu Type={cluster.gpus.kind} File={files} Flags=nvidia_gpu_env\n"
    return text


def host_name() -> str:
    return socket.gethostname().split(".")[0]
