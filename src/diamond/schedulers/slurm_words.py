"""Slurm's words in Diamond's: job states, reasons to wait, refusals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Tuple

from diamond.core.task import Reason


@dataclass(frozen=True)
class StateMeaning:
    """`status` as in `NativeStatus`; `reason` for an ending."""

    status: str
    reason: Reason = Reason.NONE
    message: str = ""
    held: bool = False


STATES: Dict[str, StateMeaning] = {
    "PENDING": StateMeaning("queued"),
    "CONFIGURING": StateMeaning("queued", message="its nodes are being made ready"),
    "POWER_UP_NODE": StateMeaning("queued", message="its nodes are being switched on"),
    "REQUEUED": StateMeaning("queued", message="the site has put it back into the queue"),
    "REQUEUE_FED": StateMeaning("queued", message="the site has put it back into the queue"),
    "EXPEDITING": StateMeaning("queued", message="it was put back, to run again before others"),
    "REQUEUE_HOLD": StateMeaning("queued", message="put back into the queue and held", held=True),
    "RESV_DEL_HOLD": StateMeaning("queued", message="its reservation was deleted", held=True),
    "SPECIAL_EXIT": StateMeaning(
        "queued", message="put back into the queue and held after a special exit code", held=True
    ),
    "RUNNING": StateMeaning("running"),
    "RESIZING": StateMeaning("running", message="its allocation is being resized"),
    "SIGNALING": StateMeaning("running", message="it is being sent a signal"),
    "UPDATE_DB": StateMeaning("running"),
    "COMPLETING": StateMeaning("completing"),
    "STAGE_OUT": StateMeaning("completing", message="its burst buffer is being written back"),
    "SUSPENDED": StateMeaning("suspended", message="the site has paused it"),
    "STOPPED": StateMeaning("suspended", message="it was stopped by a signal and keeps its nodes"),
    "COMPLETED": StateMeaning("ended"),
    "FAILED": StateMeaning("ended", Reason.EXIT_CODE),
    "TIMEOUT": StateMeaning("ended", Reason.WALL_TIME, "it reached its time limit"),
    "OUT_OF_MEMORY": StateMeaning("ended", Reason.OUT_OF_MEMORY, "it used more memory than it had"),
    "NODE_FAIL": StateMeaning("ended", Reason.NODE_LOST, "a node failed"),
    "BOOT_FAIL": StateMeaning("ended", Reason.NODE_LOST, "a node could not be started"),
    "LAUNCH_FAILED": StateMeaning("ended", Reason.NODE_LOST, "the node could not launch it"),
    "RECONFIG_FAIL": StateMeaning("ended", Reason.NODE_LOST, "a node could not be reconfigured"),
    "PREEMPTED": StateMeaning("ended", Reason.PREEMPTED, "the site took its nodes for other work"),
    "CANCELLED": StateMeaning("ended", Reason.BY_SITE, "it was cancelled in Slurm"),
    "REVOKED": StateMeaning(
        "ended", Reason.BY_SITE, "another cluster of the federation runs it instead"
    ),
    "DEADLINE": StateMeaning(
        "ended", Reason.DEADLINE, "it could not have ended before its deadline"
    ),
}

_COMPACT = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "CF": "CONFIGURING",
    "CG": "COMPLETING",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PD": "PENDING",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "RD": "RESV_DEL_HOLD",
    "RF": "REQUEUE_FED",
    "RH": "REQUEUE_HOLD",
    "RQ": "REQUEUED",
    "RS": "RESIZING",
    "RV": "REVOKED",
    "SI": "SIGNALING",
    "SE": "SPECIAL_EXIT",
    "SO": "STAGE_OUT",
    "ST": "STOPPED",
    "S": "SUSPENDED",
    "TO": "TIMEOUT",
}


def plain_state(said: str) -> str:
    """The one state in `CANCELLED by 1000`, `CANCELLED+`, `RUNNING+COMPLETING` or `CG`; else as said."""
    words = [word for word in re.split(r"[+,\s]+", said.strip().upper()) if word]
    words = [_COMPACT.get(word, word) for word in words]
    known = [word for word in words if word in STATES]
    if "COMPLETING" in known:
        return "COMPLETING"
    return known[0] if known else said.strip()


def state_meaning(said: str) -> StateMeaning:
    """What a state means; one that nobody foresaw is kept as it is, as `unknown`."""
    meaning = STATES.get(plain_state(said))
    if meaning:
        return meaning
    return StateMeaning("unknown", message=f"Slurm calls its state {said.strip() or 'nothing'}")


WAITS: List[Tuple[str, str]] = [
    (r"Priority", "waiting for its turn: jobs with higher priority are ahead"),
    (r"Resources", "next in line: waiting for nodes to become free"),
    (r"None|", "waiting for the scheduler to look at it"),
    (r"Dependency", "waiting for another job to end"),
    (r"DependencyNeverSatisfied", "the job it depends on ended in a way that never lets it start"),
    (r"BeginTime", "waiting for its start time (after a requeue: a short pause)"),
    (r"JobHeldUser", "held by its owner"),
    (r"JobHeldAdmin", "held by an administrator of the site"),
    (r"JobHoldMaxRequeue", "held: it was put back into the queue too often"),
    (r"launch failed requeued held", "held: a node could not start it"),
    (r"user env retrieval failed.*", "held: the node could not read the login environment"),
    (r"Licenses", "waiting for a licence to become free"),
    (r"Reservation", "waiting for its reservation to begin"),
    (r"ReservationDeleted", "its reservation was deleted"),
    (r"InvalidAccount", "its account is no longer valid"),
    (r"InvalidQOS", "its quality of service (QOS) is no longer valid"),
    (r"PartitionDown", "the partition is down"),
    (r"PartitionInactive", "the partition takes no jobs now"),
    (r"PartitionNodeLimit", "it asks for more nodes than the partition allows"),
    (r"PartitionTimeLimit", "it asks for more time than the partition allows"),
    (r"PartitionConfig", "the partition does not allow what it asks for"),
    (r"AccountNotAllowed", "its account may not use the partition"),
    (r"QOSNotAllowed", "its quality of service (QOS) may not be used in the partition"),
    (r"NodeDown|NodesDown", "a node that it needs is down"),
    (r"BadConstraints", "no node has all that it asks for"),
    (r"Prolog", "its nodes are being prepared"),
    (r"Cleaning", "it is being cleaned up before it can run again"),
    (r"FrontEndDown", "no front-end node is up"),
    (r"JobArrayTaskLimit", "as many tasks of its array run as may run at once"),
    (r"BurstBuffer\w+", "waiting for its burst buffer"),
    (r"MaxRequeue|Max(MemPer\w+|CpuPerAcct.*)", "it is over a limit that the site has set"),
    (r"QOSMaxSubmit\w+", "you have as many jobs queued as this QOS allows"),
    (r"QOSMaxWall\w+", "it asks for more time than this QOS allows"),
    (
        r"QOSMaxJobsPer(User|Account)Limit|QOSMax\w*PerUser\w*",
        "you have as many jobs or resources running as this QOS allows for one person; "
        "it starts when one of your jobs ends",
    ),
    (
        r"QOSGrp\w*Minutes\w*|QOSGrp\w*RunMin\w*",
        "the time granted to this QOS is used up or promised",
    ),
    (r"QOSGrp\w+", "all who use this QOS together are at its limit"),
    (r"QOSMin\w+", "it asks for less than this QOS requires"),
    (r"QOSUsageThreshold", "this QOS is over its usage threshold"),
    (r"QOSResourceLimit|QOS\w*Limit", "this QOS is at a limit"),
    (
        r"AssocGrp\w*(Minutes|Mins)\w*|AssocGrp\w*RunMin\w*",
        "the allocation has too little time left for it: it is used up or promised to running jobs",
    ),
    (r"AssocGrp\w+", "all who use this account together are at its limit"),
    (
        r"AssocMaxJobs\w*|AssocMaxJobsLimit",
        "you have as many jobs running as this account allows; it starts when one ends",
    ),
    (r"AssocMaxSubmit\w+", "you have as many jobs queued as this account allows"),
    (r"AssocMaxWall\w+", "it asks for more time than this account allows"),
    (
        r"Association\w*Limit|AssociationResourceLimit|Assoc\w*Limit\w*",
        "this account is at a limit",
    ),
    (
        r"ReqNodeNotAvail.*[Rr]eserved for maintenance.*|Maint\w*",
        "the nodes are reserved for maintenance; it starts afterwards",
    ),
    (
        r"ReqNodeNotAvail, UnavailableNodes:(?P<nodes>.*)",
        "nodes that it needs are not available now ({nodes}); often a maintenance is near",
    ),
    (
        r"ReqNodeNotAvail.*",
        "nodes that it needs are not available now; often a maintenance is near: a shorter "
        "time limit may start sooner",
    ),
    (
        r"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
        "the nodes are down, drained or reserved for jobs in higher-priority partitions",
    ),
]

_HELD = re.compile(r"^JobHeld|^JobHoldMax|requeued.held", re.IGNORECASE)


def waiting(reason: str) -> str:
    """Why a job waits, in words; a reason nobody foresaw is shown as it is."""
    said = reason.strip().strip("()").replace("_", " ")
    for pattern, text in WAITS:
        match = re.fullmatch(pattern, said)
        if match:
            return text.format(**match.groupdict())
    return f"waiting: {said}"


def is_held(reason: str) -> bool:
    return bool(_HELD.search(reason.strip().strip("()").replace("_", " ")))


@dataclass(frozen=True)
class Refusal:
    pattern: str
    message: str
    hint: str = ""
    code: str = "refused"


SUBMIT_LIMIT = "submit-limit"
_SEE = "See what the endpoint offers with: diamond endpoint probe."

REFUSALS: List[Refusal] = [
    Refusal(
        r"MaxSubmit|GrpSubmit|maximum job count|too many (queued |submitted |pending )?jobs",
        "You have as many jobs queued here as the site allows.",
        "Diamond keeps the task and sends it when there is room.",
        SUBMIT_LIMIT,
    ),
    Refusal(r"invalid partition", "There is no such partition.", _SEE),
    Refusal(
        r"invalid account or account/partition",
        "The account does not exist, is not yours, or may not use this partition.",
        "Name another account with `account:`.",
    ),
    Refusal(r"invalid account", "The account does not exist or is not yours.", _SEE),
    Refusal(r"invalid qos", "You may not use that QOS, or there is none of that name.", _SEE),
    Refusal(
        r"time limit is invalid|time limit specification|missing run ?time",
        "The wall-time is longer than allowed, or missing.",
        "Ask for less with `resources: walltime`, or name another partition.",
    ),
    Refusal(
        r"node configuration is not available|cpu count|memory specification can not be satisfied"
        r"|invalid generic resource|more processors requested|invalid gres",
        "No node there has what the job asks for.",
        "Ask for fewer cores, less memory or other GPUs.",
    ),
    Refusal(
        r"node count specification|invalid number of nodes|too many nodes",
        "The partition does not have, or does not allow, that many nodes.",
        "Ask for fewer nodes, or name another partition.",
    ),
    Refusal(r"reservation", "The reservation does not exist or is not yours.", _SEE),
    Refusal(r"invalid feature|feature specification", "No node has that constraint.", _SEE),
    Refusal(
        r"violates accounting/qos policy|QOSM|AssocM|AssocG|QOSG",
        "The job is over a limit of your account or QOS.",
        "Ask for less, or name another account, QOS or partition.",
    ),
    Refusal(
        r"access/permission denied|user'?s group not permitted|not permitted to use",
        "The site does not let you use that.",
        "Ask the site's support, or name another partition.",
    ),
    Refusal(
        r"required partition not available|partition is down|inactive or drain",
        "The partition takes no jobs now.",
        "Wait, or name another partition.",
    ),
    Refusal(r"unrecognized option|invalid option", "Slurm does not know an option.", _SEE),
    Refusal(r"i/o error writing script|no space left", "Slurm could not store the script."),
]
_OTHER = Refusal("", "Slurm rejected the job.", "The site's own message says why.")


def refusal(said: str) -> Refusal:
    """The plain words for a refusal; the first that fits."""
    for known in REFUSALS:
        if re.search(known.pattern, said, re.IGNORECASE):
            return known
    return _OTHER
