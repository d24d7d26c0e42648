"""A task's row as the life cycle sees it, and back."""

from __future__ import annotations

from dataclasses import replace

from diamond.core.lifecycle import policy_of
from diamond.core.task import Attempt, Phase, Reason, State, Task
from diamond.service.chains.rows import AttemptRow, ChainRow
from diamond.service.tasks.rows import TaskRow


def core_task(row: TaskRow) -> Task:
    attempt = _attempt(row, row.attempt) or Attempt(id=row.attempt)
    chain = row.chain
    return Task(
        id=row.id,
        state=State(row.state),
        phase=Phase(row.phase),
        reason=Reason(row.reason),
        message=row.message,
        native_state=row.native_state,
        exit_code=row.exit_code,
        signal=row.signal,
        as_of=row.as_of,
        cancel_requested=row.cancel_requested,
        attempt=attempt,
        policy=policy_of(row.resume),
        follow_up=_attempt(row, chain.follow_up),
        reached=chain.reached,
        stalled=chain.stalled,
        ended=attempt.number - 1 if chain.ended is None else chain.ended,
        numbered=max((attempt_row.number for attempt_row in row.attempts), default=0),
    )


def new_attempt(attempt: Attempt) -> AttemptRow:
    """How an attempt begins in a row's list of attempts."""
    return with_known(AttemptRow(id=attempt.id, number=attempt.number), attempt)


def with_known(row: AttemptRow, attempt: Attempt) -> AttemptRow:
    """The attempt's row with what the life cycle knows of it."""
    return replace(
        row,
        native_id=attempt.native_id,
        run=attempt.run,
        exit_code=attempt.exit_code,
        exit_run=attempt.exit_run,
        reached=attempt.reached,
    )


def decided_chain(chain: ChainRow, task: Task) -> ChainRow:
    """The chain with what the life cycle decided."""
    return replace(
        chain,
        follow_up=task.follow_up.id if task.follow_up else "",
        reached=task.reached,
        stalled=task.stalled,
        ended=task.ended,
    )


def _attempt(row: TaskRow, attempt: str) -> Attempt | None:
    for known in row.attempts:
        if known.id == attempt:
            return Attempt(
                id=known.id,
                number=known.number,
                native_id=known.native_id,
                run=known.run,
                exit_code=known.exit_code,
                exit_run=known.exit_run,
                reached=known.reached,
            )
    return None
