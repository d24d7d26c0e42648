"""What of a task's logs is kept away from the cluster, and where the rest is: agent and service go by the same numbers."""

from __future__ import annotations

HEAD_BYTES = TAIL_BYTES = 8 * 2**20
"""The middle of a longer log stays in its file and is fetched by range."""
MOST_RANKS = 64
"""The logs of so many ranks are carried by themselves; those of all are merged in the run's own."""


def own_log(rank: int, stream: str) -> str:
    """The file of one rank's own lines, in the folder of its run."""
    return f"rank-{rank}.{stream}.log"


def logs_folder(task_folder: str, attempt: str, run: int) -> str:
    """Where the logs of a run are on its endpoint; empty where nothing is there any more."""
    return f"{task_folder}/attempts/{attempt}/runs/{run}" if task_folder else ""


def rank_words(ranks: int, endpoint: str) -> str:
    """What a reader of the logs of several ranks should know; nothing about one."""
    if ranks < 2:
        return ""
    merged = "In the log of all ranks, the lines of rank 0 stand as they are, those of others after their number."
    if ranks <= MOST_RANKS:
        return merged
    first, last = own_log(MOST_RANKS, "stdout"), own_log(ranks - 1, "stdout")
    return (
        f"{merged} Of the {ranks} ranks, 1 to {MOST_RANKS - 1} can be read here by themselves; "
        f"the rest are files on {endpoint}, in the folder of the run: {first} to {last}, and the same of stderr."
    )


LOG_STREAMS = frozenset({"stdout", "stderr", "steps"})
"""Those whose text is kept; of the others, what they say becomes curves."""
