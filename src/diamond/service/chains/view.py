"""The chain of a task's attempts, as the API shows it."""

from __future__ import annotations

from collections.abc import Sequence

from diamond.core.endings import MOST_STALLED
from diamond.core.task import FINAL_WORDS, Phase, Reached, Reason, State
from diamond.core.words import ending_words
from diamond.service.chains.grants import Spending, allowed_attempts, spending
from diamond.service.chains.rows import AttemptRow, ChainedTaskRow, RunRow
from diamond.service.chains.schemas import Attempt, BudgetUse, Chain, Run


def show_attempts(attempts: Sequence[AttemptRow]) -> list[Attempt]:
    """In the order of their numbers, each with the gap before it."""
    shown: list[Attempt] = []
    last_end: float | None = None
    for attempt in sorted(attempts, key=lambda attempt: attempt.number):
        shown.append(_attempt(attempt, _gap(last_end, attempt.started)))
        last_end = attempt.ended if attempt.started is not None else last_end
    return shown


def show_chain(task: ChainedTaskRow) -> Chain:
    chain = task.chain
    used = spending(chain, task.resources, task.attempts)
    checkpoint, step = _farthest(task)
    return Chain(
        asks=_asks(task),
        may_resume=may_resume(task),
        follow_up=chain.follow_up,
        max_attempts=task.resume.max_attempts,
        allowed_attempts=None if used.budget else allowed_attempts(chain),
        stalled=chain.stalled,
        checkpoint=checkpoint,
        step=step,
        node_hours=used.node_hours,
        budget=_budget(used),
        continues=chain.continues,
        words=_how_it_continues(task, checkpoint),
    )


def may_resume(task: ChainedTaskRow) -> bool:
    """A task that asks, or one that did not succeed and whose files are still there."""
    if task.state not in FINAL_WORDS:
        return _asks(task)
    has_begun = task.started is not None and not task.cleaned
    return has_begun and task.state != State.SUCCEEDED.value and task.kind == "run"


def _asks(task: ChainedTaskRow) -> bool:
    return task.phase == Phase.ASKING.value


def _how_it_continues(task: ChainedTaskRow, checkpoint: str) -> str:
    """Empty where there is nothing to start from: a task that failed before its first checkpoint is better run again."""
    asks = _asks(task)
    if not asks and not (may_resume(task) and checkpoint):
        return ""
    place = f"from {checkpoint}" if checkpoint else "from where it stopped"
    stalled = task.chain.stalled
    if stalled >= MOST_STALLED:
        return f"{stalled} attempts in a row made no progress. Check the log before you resume it {place}."
    if asks:
        return f"It can continue {place} and waits for your approval."
    if task.reason == Reason.BUDGET.value:
        return f"It can continue {place} as a new task: say how much more it may use."
    return f"It can continue {place} as a new task."


def _attempt(attempt: AttemptRow, gap: float | None) -> Attempt:
    exit_code = attempt.runs[-1].exit_code if attempt.runs else None
    return Attempt(
        id=attempt.id,
        number=attempt.number,
        native_id=attempt.native_id,
        run=attempt.run,
        runs=[_run(run) for run in attempt.runs],
        queued=attempt.queued,
        arrived=attempt.arrived,
        started=attempt.started,
        ended=attempt.ended,
        reason=attempt.reason,
        ending=ending_words(attempt.reason, exit_code, has_ended=bool(attempt.ended)),
        gap=gap,
        checkpoint=attempt.reached.checkpoint,
        step=_step(attempt.reached),
    )


def _run(run: RunRow) -> Run:
    return Run(
        run=run.run,
        node=run.node,
        started=run.started,
        ended=run.ended,
        exit_code=run.exit_code,
    )


def _gap(last_end: float | None, started: float | None) -> float | None:
    return None if last_end is None or started is None else max(0.0, started - last_end)


def _farthest(task: ChainedTaskRow) -> tuple[str, int | None]:
    """The newest checkpoint and the highest step."""
    places = [task.chain.reached, *(attempt.reached for attempt in task.attempts)]
    newest = max(places, key=lambda reached: reached.modified)
    named = [reached.checkpoint for reached in places if reached.checkpoint]
    steps = [step for reached in places if (step := _step(reached)) is not None]
    return newest.checkpoint or (named[-1] if named else ""), max(steps, default=None)


def _step(reached: Reached) -> int | None:
    return reached.step if reached.step >= 0 else None


def _budget(used: Spending) -> BudgetUse | None:
    if used.budget is None:
        return None
    return BudgetUse(
        amount=used.budget.amount,
        unit=used.budget.unit,
        spent=used.rate * used.node_hours,
        committed=used.rate * used.node_hours_committed,
        left=used.left,
    )
