"""Reasons in words: the one place from which pages, mails and the command line take them."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from diamond.core.task import CONTINUE_EXIT_CODE, Reason

REASONS = {
    Reason.EXIT_CODE: "the program ended with an error",
    Reason.SIGNAL: "the program was killed by a signal",
    Reason.WALL_TIME: "the time limit was reached",
    Reason.OUT_OF_MEMORY: "it used more memory than it had",
    Reason.NODE_LOST: "a node failed",
    Reason.PREEMPTED: "the site took the nodes for other work",
    Reason.BY_PERSON: "cancelled through Diamond",
    Reason.BY_SITE: "cancelled in the batch system, not through Diamond",
    Reason.SITE_LIMIT: "the site lets you queue no more now; Diamond feeds it in order",
    Reason.REFUSED: "the batch system rejected it",
    Reason.ENVIRONMENT: "the environment could not be made",
    Reason.CODE: "the code could not be brought there",
    Reason.DATA: "a data path is not there",
    Reason.SECRET: "a secret is not set on the endpoint",
    Reason.DISK: "no room, or no right to write, where it must run",
    Reason.DEADLINE: "the batch system could not finish it before its deadline",
    Reason.CONTINUE_LIMIT: "it asked to be continued more often than allowed",
    Reason.LOST: "neither the batch system nor the run directory knows how it ended",
    Reason.NO_PROGRESS: "two attempts in a row came no further",
    Reason.WITHDRAWN: "a follow-up that was not needed",
    Reason.PILOT_CLOSED: "its pilot took no more work",
    Reason.HUNG: "its ranks logged no step for far longer than before, and Diamond ended it",
    Reason.POLICY: "the policy of the machine, or the end of its pairing, does not let it run there",
    Reason.PROBES: "the probe runs gave no node count",
    Reason.DEPENDENCY: "a task that it waits for did not succeed",
    Reason.BUDGET: "more of it could have passed the budget",
}


def reason_words(reason: str) -> str:
    """A reason that nobody here knows, of a newer agent, stays as it is."""
    try:
        return REASONS.get(Reason(reason), reason)
    except ValueError:
        return reason


_OF_THE_CHAIN = frozenset(
    {Reason.EXIT_CODE.value, Reason.BUDGET.value, Reason.CONTINUE_LIMIT.value}
)
"""Reasons of a last attempt that say why there was no next one, not how it ended."""


def attempt_ending(attempt: Mapping[str, Any]) -> str:
    """How an attempt ended, as the API shows it; empty while it has not."""
    runs = attempt.get("runs") or [{}]
    exit_code, reason = runs[-1].get("exit_code"), str(attempt.get("reason") or "")
    return ending_words(reason, exit_code, has_ended=bool(attempt.get("ended")))


def ending_words(reason: str, exit_code: Optional[int], *, has_ended: bool) -> str:
    """How one of several attempts ended, by the exit code of its last run; empty while it has not."""
    if exit_code == CONTINUE_EXIT_CODE and reason in _OF_THE_CHAIN:
        return "asked to be continued"
    ended = "succeeded" if exit_code == 0 else "ended"
    return reason_words(reason) or (ended if has_ended else "")


def sentence(text: str) -> str:
    """With a capital in front; what programs are called stays as it is."""
    return text[:1].upper() + text[1:]
