"""One round of a study: what its trials have come to, and what follows. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from diamond.core.task import Reason, State
from diamond.planning.budget import NodeUsage, may_start, parse_budget
from diamond.service.studies.curves import TaskValues
from diamond.service.studies.rows import (
    CONSTRAINT,
    DONE,
    PAUSED,
    RUNNING,
    Counts,
    PilotFacts,
    StudyRow,
    TrialRow,
    TrialTask,
)
from diamond.studies.decisions import (
    AHEAD_TOGETHER,
    MOST_RERUNS,
    Act,
    Ending,
    TaskFacts,
    TrialState,
    best_trial,
    free_slots,
    judge_task,
    mean_and_spread,
    thinned,
    trials_ahead,
)
from diamond.studies.pruning import (
    TrialCurve,
    judge,
    merge_repeats,
    promotable,
    reached_rungs,
    saved_node_seconds,
)

PRUNED, RUNG, NOT_FINITE, HELD_BACK = "pruned", "rung", "not-finite", "held-back"
"""Causes for which a trial is stopped, beside the reasons of tasks. `held-back`: it was taken from its agent before its turn."""
GRACE_SECONDS, PACKED_GRACE_SECONDS = 5, 1
"""Of a trial that is stopped. In a pilot the next one waits for its place, and what is pruned has nothing to save."""
NEAR_ITS_LIMIT = 30.0
"""Seconds before its own time limit: a trial that came so close reached that, not the end of its pilot's allocation."""
PILOT_FAILED = "pilot-failed"
MEASURED = "measured"
"""A trial of a tuning study has logged all that is needed."""
OF_A_PILOT = frozenset(
    {
        Reason.PILOT_CLOSED.value,
        Reason.PREEMPTED.value,
        Reason.NODE_LOST.value,
        Reason.LOST.value,
        Reason.BY_SITE.value,
    }
)
GIVEN_UP = (PRUNED, RUNG, Reason.BY_PERSON.value)


@dataclass(frozen=True)
class Stop:
    task: str
    words: str
    grace: int = GRACE_SECONDS
    """Between the stop flag and the kill."""


@dataclass(frozen=True)
class Start:
    """A repeat of a trial is to be run, after the task that it continues or replaces."""

    trial: TrialRow
    repeat: int
    after: str = ""
    n: int = 0


@dataclass
class Round:
    """What one round changes."""

    study: StudyRow
    trials: list[TrialRow]
    """All of them, as they were read."""
    now: float
    changed: dict[int, TrialRow] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    busy: int = 0
    """Tasks that have not ended."""
    asks: int = 0
    """Points to ask for."""
    asked: int = 0
    """Those that were given."""
    has_more: bool = False
    """More trials are to be made than one round makes."""
    why: str = ""
    """Why the study must ask its owner."""
    away: Collection[str] = frozenset()
    """Endpoints that are not online: what they have begun meanwhile is not known."""
    pilots: Mapping[str, PilotFacts] = field(default_factory=dict)
    """By task: those in which trials run or have just ended."""
    alone: int = 0
    """Open tasks outside of pilots."""
    cut_short: frozenset[str] = frozenset()
    """Tasks that were held back too late, and ended early but well as the stop flag asked them to."""
    _curves: list[TrialCurve] = field(default_factory=list)

    def trial(self, number: int) -> TrialRow:
        return self.changed.get(number) or self.trials[number]

    def change(self, trial: TrialRow) -> None:
        if self._curves:
            self._curves[trial.number] = trial.curve()
        if trial != self.trials[trial.number]:
            self.changed[trial.number] = trial
        else:
            self.changed.pop(trial.number, None)

    def every(self) -> list[TrialRow]:
        return [self.trial(row.number) for row in self.trials]

    @property
    def lasted(self) -> list[float]:
        """Seconds of trials that have ended, oldest first."""
        ended = [row for row in self.every() if not row.is_open and row.started and row.ended]
        ended.sort(key=lambda row: row.ended or 0.0)
        return [(row.ended or 0.0) - (row.started or 0.0) for row in ended]

    @property
    def left(self) -> int:
        """Tasks of trials that have not ended, or are still to be asked for."""
        ended = sum(not row.is_open for row in self.every())
        return (self.study.plan.trials - ended) * self.study.plan.repeats

    @property
    def may_need_more(self) -> bool:
        """Whether trials may still be started, beside those that have tasks."""
        if self.study.asked + self.asked < self.study.plan.trials:
            return True
        started = {start.trial.number for start in self.starts}
        return any(
            row.state == TrialState.PAUSED.value
            or (row.state == TrialState.WAITING.value and row.cause and row.number not in started)
            for row in self.every()
        )

    def part_of_node(self, task: TrialTask) -> float:
        """How much of a node counts as its own."""
        return 1 / self.pilots[task.pilot].each if task.pilot in self.pilots else 1.0

    @property
    def slots(self) -> int:
        """Of pilots, where more trials may wait for room."""
        return max(0, sum(pilot.slots for pilot in self.pilots.values()) - self.alone)

    def rivals(self, number: int) -> list[TrialCurve]:
        """The curves of all other trials."""
        if not self._curves:
            self._curves = [row.curve() for row in self.every()]
        return [*self._curves[:number], *self._curves[number + 1 :]]


Repeats = Mapping[int, Sequence[TrialTask]]
"""The tasks of each repeat of a trial, oldest first."""


def look_at_trials(
    work: Round, tasks: Mapping[int, Repeats], values: Mapping[str, TaskValues], flags: set[str]
) -> None:
    """Take over what the trials have logged, and how their tasks have ended."""
    for number, repeats in tasks.items():
        if work.trial(number).state == TrialState.PAUSED.value:
            continue
        current = [group[-1] for group in repeats.values()]
        trial = _as_seen(work, work.trial(number), repeats, values)
        endings = [_ending(work, trial, task, values, flags) for task in current]
        if trial.cause == HELD_BACK:
            work.cut_short |= {task.task for task in current if task.task in flags}
        work.busy += sum(not task.has_ended for task in current)
        work.alone += sum(not (task.has_ended or task.pilot) for task in current)
        work.change(trial)
        _settle(work, trial, current, endings, values)


def _as_seen(
    work: Round, trial: TrialRow, repeats: Repeats, values: Mapping[str, TaskValues]
) -> TrialRow:
    current = [group[-1] for group in repeats.values()]
    everything = [task for group in repeats.values() for task in group]
    known = [values[task.task].steps for task in current if task.task in values]
    steps = thinned(merge_repeats(known)) if known and all(known) else trial.steps
    started = [task.started for task in everything if task.started is not None]
    newest = current[0]
    state = trial.state
    if state == TrialState.WAITING.value and any(
        task.started is not None and not task.has_ended for task in current
    ):
        state = TrialState.RUNNING.value
    return replace(
        trial,
        state=state,
        steps=steps or trial.steps,
        started=min(started, default=None),
        task=newest.task,
        endpoint=newest.endpoint_name,
        node_seconds=sum(task.node_seconds * work.part_of_node(task) for task in everything),
    )


def _ending(
    work: Round,
    trial: TrialRow,
    task: TrialTask,
    values: Mapping[str, TaskValues],
    flags: set[str],
) -> Ending:
    heard = max(task.ended or 0.0, task.updated)
    facts = TaskFacts(
        task.state,
        task.reason,
        task.exit_code,
        task.message,
        task.task in flags,
        heard,
        with_pilot=_ended_with_pilot(task, 3600 * work.study.inputs.node_hours),
    )
    pilot = work.pilots.get(task.pilot)
    if facts.with_pilot and pilot is not None and pilot.failure:
        return Ending(Act.AGAIN, PILOT_FAILED, f"its pilot {task.pilot} failed: {pilot.failure}")
    return judge_task(
        facts,
        is_stopping=trial.state == TrialState.STOPPING.value or trial.cause == HELD_BACK,
        at_rung=trial.cause == RUNG,
        has_value=values.get(task.task, TaskValues()).has_value,
        now=work.now,
    )


def _ended_with_pilot(task: TrialTask, limit_seconds: float) -> bool:
    """Because its allocation did, or as its pilot took nothing more: no end of its own."""
    if not task.pilot or task.state != State.FAILED.value:
        return False
    if task.reason != Reason.WALL_TIME.value:
        return task.reason in OF_A_PILOT
    lasted = (task.ended or 0.0) - (task.started or task.ended or 0.0)
    return lasted < limit_seconds - NEAR_ITS_LIMIT


def _settle(
    work: Round,
    trial: TrialRow,
    current: Sequence[TrialTask],
    endings: Sequence[Ending],
    values: Mapping[str, TaskValues],
) -> None:
    is_over = all(task.has_ended for task in current)
    seen = values.get(current[0].task)
    if work.study.plan.tune and seen is not None and seen.has_enough:
        _settle_tuned(work, trial, current, values)
        return
    acts = {ending.act for ending in endings}
    if acts == {Act.COMPLETE} and trial.cause in ("", HELD_BACK, *GIVEN_UP):
        _complete(work, trial, current, values)
    elif trial.cause == HELD_BACK and Act.FAIL not in acts and acts != {Act.AGAIN}:
        if is_over:
            work.change(replace(trial, state=TrialState.WAITING.value))
    elif trial.state == TrialState.STOPPING.value:
        if is_over:
            _end_stopped(work, trial)
    elif Act.FAIL in acts or Act.PRUNE in acts:
        ending = next(each for each in endings if each.act in (Act.FAIL, Act.PRUNE))
        stopped = replace(trial, state=TrialState.STOPPING.value, cause=ending.cause[:64])
        stopped = replace(stopped, message=ending.words)
        _stop(work, stopped, current)
    elif Act.AGAIN in acts:
        _again(work, trial, endings)
    elif trial.state == TrialState.RUNNING.value:
        _judge_values(work, trial, current)


def _settle_tuned(
    work: Round, trial: TrialRow, current: Sequence[TrialTask], values: Mapping[str, TaskValues]
) -> None:
    """Enough was measured: its task ends, and then its throughput counts, or its metric fell behind."""
    if any(not task.has_ended for task in current):
        if trial.state != TrialState.STOPPING.value:
            _stop(work, _stopping(trial, MEASURED, "enough was measured"), current)
        return
    refused = values[current[0].task].refused
    if not refused:
        _complete(work, trial, current, values)
        return
    pruned = replace(trial, state=TrialState.PRUNED.value, cause=CONSTRAINT, message=refused)
    _end(work, pruned, Ending(Act.PRUNE))


def _complete(
    work: Round,
    trial: TrialRow,
    current: Sequence[TrialTask],
    values: Mapping[str, TaskValues],
) -> None:
    finals = [values[task.task].finals for task in current]
    columns = [
        [value for value in column if value is not None] for column in zip(*finals, strict=True)
    ]
    means = [mean_and_spread(column) for column in columns]
    _end(
        work,
        replace(
            trial,
            state=TrialState.COMPLETE.value,
            values=tuple(mean for mean, _ in means),
            spread=means[0][1] if len(current) > 1 else None,
            rungs=reached_rungs(work.study.plan.pruner, trial.study, trial.number, trial.steps),
            cause="",
            message="",
        ),
        Ending(Act.COMPLETE),
    )


def _end_stopped(work: Round, trial: TrialRow) -> None:
    if trial.cause == RUNG:
        work.change(replace(trial, state=TrialState.PAUSED.value, cause=""))
    elif trial.cause in GIVEN_UP:
        _end(work, replace(trial, state=TrialState.PRUNED.value), Ending(Act.PRUNE))
    else:
        ending = Ending(Act.FAIL, trial.cause, trial.message)
        _end(work, replace(trial, state=TrialState.FAILED.value), ending)


def _end(work: Round, trial: TrialRow, ending: Ending) -> None:
    work.change(replace(trial, ended=work.now))
    _count_streak(work, ending)


def _count_streak(work: Round, ending: Ending) -> None:
    streak = work.study.streak.after(ending)
    work.study = replace(work.study, streak=streak)
    if streak.asks and not work.why:
        because = f": {ending.words}" if ending.words else ""
        work.why = f"{streak.count} trials in a row ended with {streak.cause}{because}"


def _stop(work: Round, trial: TrialRow, current: Sequence[TrialTask]) -> None:
    """Its tasks are ended; if they have ended already, so has the trial."""
    running = [task for task in current if not task.has_ended]
    if not running:
        _end_stopped(work, trial)
        return
    work.change(trial)
    words = {PRUNED: "pruned", RUNG: "paused at a rung"}.get(trial.cause, trial.cause)
    for task in running:
        is_quick = trial.cause == MEASURED or (task.pilot and trial.cause == PRUNED)
        grace = PACKED_GRACE_SECONDS if is_quick else GRACE_SECONDS
        work.stops.append(Stop(task.task, f"its study: {words}", grace))


def _again(work: Round, trial: TrialRow, endings: Sequence[Ending]) -> None:
    ending = next(each for each in endings if each.act is Act.AGAIN)
    if trial.state == TrialState.WAITING.value and trial.cause == ending.cause:
        return  # It waits to be started again.
    reruns = trial.reruns + 1
    message = ending.words or ending.cause
    work.change(
        replace(
            trial,
            state=TrialState.WAITING.value,
            cause=ending.cause,
            message=message,
            reruns=reruns,
        )
    )
    if reruns > MOST_RERUNS and not work.why:
        work.why = f"trial {trial.number} was ended {reruns} times by the machine: {message}"
    _count_streak(work, ending)


def _judge_values(work: Round, trial: TrialRow, current: Sequence[TrialTask]) -> None:
    plan = work.study.plan
    if trial.steps and trial.steps[-1][1] != trial.steps[-1][1]:
        words = f"{plan.objectives[0].name} is not a finite number"
        _stop(work, _stopping(trial, NOT_FINITE, words), current)
        return
    if not plan.is_single or plan.pruner.name == "none":
        return
    new = trial.new_steps
    if not new:
        return
    verdict = judge(
        plan.pruner,
        trial.curve(),
        work.rivals(trial.number),
        maximize=plan.objectives[0].maximize,
        study=work.study.id,
        seen=len(trial.steps) - new,
    )
    trial = replace(trial, judged=trial.steps[-1][0], rungs=verdict.rungs or trial.rungs)
    work.change(trial)
    if verdict.prune:
        cause = RUNG if plan.promotes else PRUNED
        _stop(work, _stopping(trial, cause, verdict.words), current)


def _stopping(trial: TrialRow, cause: str, words: str) -> TrialRow:
    return replace(trial, state=TrialState.STOPPING.value, cause=cause, message=words)


def plan_starts(work: Round, tasks: Mapping[int, Repeats], hours_each: float) -> None:
    """Which trials to start, and how many points to ask for."""
    if work.why:
        work.study = replace(work.study, state=PAUSED, message=work.why)
    if work.study.state != RUNNING:
        _hold_back(work, tasks)
        return
    plan = work.study.plan
    ahead = trials_ahead(plan, work.lasted, work.slots)
    free = free_slots(plan, busy=work.busy, ahead=ahead)
    together = max(plan.parallel - work.busy, AHEAD_TOGETHER)
    work.has_more = free > together
    most = min(free, together)
    free = min(most, _affordable(work, tasks, hours_each, most))
    for trial in work.every():
        if trial.state == TrialState.WAITING.value and trial.origin != "asked" and free > 0:
            repeats = tasks.get(trial.number, {})
            starts = _missing(trial, repeats, plan.repeats, work.cut_short)
            work.starts += starts
            free -= len(starts)
    for trial in _promotable(work):
        if free > 0:
            work.starts += _resumed(work, trial, tasks.get(trial.number, {}))
            free -= plan.repeats
    left = plan.trials - work.study.asked
    work.asks = max(0, min(left, -(-free // plan.repeats) if free > 0 else 0))


def _hold_back(work: Round, tasks: Mapping[int, Repeats]) -> None:
    """Agents start nothing more of a study that is paused: trials that they hold for later wait in the service again.
    An agent that is away may have begun them: it is asked once it is back."""
    if work.study.state != PAUSED or not (work.study.plan.ahead_minutes or work.pilots):
        return
    for number, repeats in tasks.items():
        trial, current = work.trial(number), [group[-1] for group in repeats.values()]
        held = [t for t in current if not (t.has_ended or t.started or t.cancel_requested)]
        held = [t for t in held if t.endpoint not in work.away]
        if trial.state == TrialState.WAITING.value and held:
            work.change(replace(trial, cause=HELD_BACK, message="its study is paused"))
            work.stops += [Stop(task.task, "its study is paused") for task in held]


def _missing(
    trial: TrialRow, repeats: Repeats, wanted: int, cut_short: Collection[str]
) -> list[Start]:
    """Repeats without a task, or whose last one was ended by the machine or before its work was done."""
    starts = []
    for repeat in range(wanted):
        group = repeats.get(repeat, ())
        last = group[-1] if group else None
        is_done = last is not None and last.state == "succeeded" and last.task not in cut_short
        if last is None or (last.has_ended and not is_done):
            starts.append(Start(trial, repeat, last.task if last else "", len(group)))
    return starts


def _promotable(work: Round) -> list[TrialRow]:
    """Paused trials that are among the best of their rung, highest rung first."""
    plan = work.study.plan
    if not plan.promotes:
        return []
    every = work.every()
    paused = [row for row in every if row.state == TrialState.PAUSED.value and row.rungs]
    found = []
    for row in sorted(paused, key=lambda each: (-len(each.rungs), each.number)):
        rung = len(row.rungs) - 1
        rivals = [other.rungs[rung] for other in every if len(other.rungs) > rung]
        if promotable(
            row.rungs[rung], rivals, plan.pruner.factor, maximize=plan.objectives[0].maximize
        ):
            found.append(row)
    return found


def _resumed(work: Round, trial: TrialRow, repeats: Repeats) -> list[Start]:
    resumed = replace(trial, state=TrialState.WAITING.value, cause=RUNG, message="promoted")
    work.change(resumed)
    return [Start(resumed, repeat, group[-1].task, len(group)) for repeat, group in repeats.items()]


def _affordable(work: Round, tasks: Mapping[int, Repeats], hours_each: float, most: int) -> int:
    """How many more tasks fit into the budget, even if all that runs uses its whole time limit."""
    budget = work.study.plan.budget
    if not budget:
        return most
    every = [task for repeats in tasks.values() for group in repeats.values() for task in group]
    running = [task for task in every if not task.has_ended]
    spent = sum(row.node_seconds for row in work.every())
    spent -= sum(task.node_seconds * work.part_of_node(task) for task in running)
    committed = [NodeUsage(1, 3600 * hours_each * work.part_of_node(task)) for task in running]
    usual = min((work.part_of_node(task) for task in running), default=1.0)
    next_one = NodeUsage(1, 3600 * hours_each * usual)
    count = 0
    while count < most:
        verdict = may_start(
            parse_budget(budget),
            next_one,
            spent=[NodeUsage(1, spent)],
            committed=[*committed, *(next_one for _ in range(count))],
        )
        if not verdict.may_start:
            break
        count += 1
    return count


def conclude(work: Round) -> None:
    """The study's own state, and its counters."""
    study = work.study
    if study.state == RUNNING and not work.busy and not work.starts and not work.asks:
        is_waiting = _has(work, TrialState.WAITING)
        if _has(work, TrialState.STOPPING) or _has(work, TrialState.RUNNING):
            pass
        elif study.asked >= study.plan.trials and not is_waiting:
            study = replace(study, state=DONE, message="", ended=work.now)
        elif study.plan.parallel:
            message = f"The budget of {study.plan.budget} leaves no room for another trial"
            study = replace(study, state=DONE, message=message, ended=work.now)
    work.study = study
    if study.state == DONE:
        _give_up_paused(work)
    work.study = _counted(work)


def _has(work: Round, state: TrialState) -> bool:
    return any(row.state == state.value for row in work.every())


def _give_up_paused(work: Round) -> None:
    for row in work.every():
        if row.state == TrialState.PAUSED.value:
            message = row.message or "it was not promoted"
            work.change(
                replace(
                    row,
                    state=TrialState.PRUNED.value,
                    cause=PRUNED,
                    message=message,
                    ended=work.now,
                )
            )


def _best(work: Round, every: Sequence[TrialRow]) -> int | None:
    if not work.study.plan.is_single:
        return None
    complete = ((row.number, row.values[0]) for row in every if row.is_complete)
    found = best_trial(work.study.plan.objectives[0], complete)
    return found[0] if found else None


def _counted(work: Round) -> StudyRow:
    every = work.every()
    counts = {**dict.fromkeys(asdict(Counts()), 0), TrialState.WAITING.value: work.asked}
    for row in every:
        counts[row.state] += 1
    pruned = [row.node_seconds for row in every if row.state == TrialState.PRUNED.value]
    complete = [row.node_seconds for row in every if row.is_complete and row.node_seconds]
    return replace(
        work.study,
        counts=Counts(**counts),
        best=_best(work, every),
        open=work.asked + sum(row.is_open for row in every),
        node_seconds=sum(row.node_seconds for row in every),
        saved_seconds=saved_node_seconds(pruned, complete),
    )
