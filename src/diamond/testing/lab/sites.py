"""Sites with different rules about what they accept, reject and require: the effect of `--like`."""

from __future__ import annotations

import pwd
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .shape import ClusterShape, LabShape

ACCOUNTS = ("research", "teaching")

FILTER_HEAD = """\
-- Written by `diamond lab up`. Unset fields of a job are nil or one of these values.
local UNSET = {{[slurm.NO_VAL] = true, [slurm.NO_VAL16] = true, [slurm.NO_VAL64] = true}}
local ACCOUNTS = {{{accounts}}}

local function given(value)
  return value ~= nil and value ~= "" and not UNSET[value]
end

local function refuse(text)
  slurm.log_user("%s", text)
  return slurm.ERROR
end

local function wants_memory(job)
  return given(job.min_mem_per_node) or given(job.min_mem_per_cpu) or given(job.mem_per_tres)
end

local function wants_gpus(job)
  return given(job.tres_per_node) or given(job.tres_per_job) or given(job.tres_per_task)
    or given(job.tres_per_socket)
end

function slurm_job_modify(job, record, partitions, uid)
  return slurm.SUCCESS
end

"""
TACC_FILTER = """\
function slurm_job_submit(job, partitions, uid)
  local accounts = ACCOUNTS[uid]
  if wants_memory(job) then
    return refuse("--> ERROR: --mem is not an option here: jobs have whole nodes.")
  end
  if wants_gpus(job) then
    return refuse("--> ERROR: --gres and --gpus are not options here: a node comes with its GPUs.")
  end
  if given(job.array_inx) then
    return refuse("--> ERROR: job arrays are not supported.")
  end
  if not given(job.min_nodes) then
    return refuse("--> ERROR: missing number of nodes (-N).")
  end
  if not given(job.num_tasks) and not given(job.ntasks_per_node) then
    return refuse("--> ERROR: missing number of tasks (-n).")
  end
  if not given(job.time_limit) then
    return refuse("--> ERROR: missing run time (-t).")
  end
  if accounts and #accounts > 1 and not given(job.account) then
    return refuse("--> ERROR: you have several projects, name one with -A: "
      .. table.concat(accounts, ", "))
  end
  slurm.log_user("--> Verifying valid job request...OK")
  return slurm.SUCCESS
end
"""
DELTA_FILTER = """\
function slurm_job_submit(job, partitions, uid)
  if not given(job.account) then
    return refuse("--account is required; yours: "
      .. table.concat(ACCOUNTS[uid] or {}, ", "))
  end
  if not wants_memory(job) then
    return refuse("--mem (or --mem-per-cpu, --mem-per-gpu) is required.")
  end
  if job.environment and job.environment["SLURM_EXPORT_ENV"] == "NONE" then
    return refuse("--export=NONE is not supported; leave --export out.")
  end
  return slurm.SUCCESS
end
"""
STRICT_SETTINGS = (
    "AccountingStorageEnforce=associations,limits,qos",
    "JobSubmitPlugins=lua",
)
STRICT_PARTITIONS = {"debug": "QOS=part_debug", "long": "QOS=part_long AllowAccounts=research"}
STRICT_QOS = {
    "debug": "MaxJobsPerUser=1 MaxSubmitJobsPerUser=2 MaxWall=00:05:00 Flags=DenyOnLimit",
    "part_debug": "MaxSubmitJobsPerUser=4",
    "part_long": "MaxSubmitJobsPerUser=2 MaxJobsPerUser=1",
}


@dataclass(frozen=True)
class Site:
    """Extra rules of one kind of site."""

    settings: tuple[str, ...] = ()
    partitions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    schedules_gpus: bool = True
    filter_body: str = ""

    def filter_script(self, lab: LabShape) -> str:
        """The text of job_submit.lua, which slurmctld reads from the folder of slurm.conf."""
        if not self.filter_body:
            return ""
        rows = (
            f"[{pwd.getpwnam(user).pw_uid}] = "
            + "{"
            + ", ".join(f'"{name}"' for name in accounts_of(lab, user, strict=True))
            + "}"
            for user in lab.options.user_names
        )
        return FILTER_HEAD.format(accounts=", ".join(rows)) + self.filter_body


KINDS = {
    "open": Site(),
    "tacc": Site(
        settings=STRICT_SETTINGS,
        partitions={**STRICT_PARTITIONS, "DEFAULT": "OverSubscribe=EXCLUSIVE"},
        schedules_gpus=False,
        filter_body=TACC_FILTER,
    ),
    "delta": Site(
        settings=STRICT_SETTINGS,
        partitions=STRICT_PARTITIONS,
        filter_body=DELTA_FILTER,
    ),
}


def site_of(cluster: ClusterShape) -> Site:
    return KINDS[cluster.like]


def accounts_of(lab: LabShape, user: str, *, strict: bool) -> tuple[str, ...]:
    """At a strict site only the first user has both accounts; the others have one."""
    is_first = user == lab.options.user_names[0]
    return ACCOUNTS if is_first or not strict else ACCOUNTS[:1]
