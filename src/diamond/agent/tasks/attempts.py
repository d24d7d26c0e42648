"""All attempts that the agent knows, and what happens to them. Runs in the agent's main thread.

What facts mean is decided in `machine`; this reads the facts, saves the next state, reports, and carries the rest out.
Other threads (staging, submitting, asking, cancelling) report through `results.PostedResults`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from diamond.agent.disk import mark
from diamond.agent.guard.bounds import SubmissionBounds
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.chain_facts import read_attempt
from diamond.agent.tasks.chains import Chains
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.lifetimes import reached_limit
from diamond.agent.tasks.machine import reports, verdicts
from diamond.agent.tasks.machine.state import AttemptPhase, AttemptState, Outcome
from diamond.agent.tasks.machine.verdicts import NextStep
from diamond.agent.tasks.pilots import is_inside_pilot, partition_of
from diamond.agent.tasks.status import Answers
from diamond.agent.tasks.watching import read_arrival, read_duplicates, read_run, read_runs
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.core.batch_systems import read_abilities
from diamond.core.events import (
    STOP_FLAG,
    AttemptKnown,
    Event,
    Gone,
    Held,
    Note,
    PrepareFailed,
    Staging,
    Started,
    Submitted,
)
from diamond.core.native import NativeStatus
from diamond.core.task import Reason

log = logging.getLogger(__name__)


class Attempts:
    """`report` sends an event; `work` takes what needs time."""

    def __init__(
        self,
        folders: TaskFolders,
        *,
        report: Callable[[str, Event], None],
        profile: Callable[[], Profile],
        work: WorkQueue,
        follow_up_rejection: Callable[[AttemptFolder, int], str],
        bounds: SubmissionBounds | None = None,
    ) -> None:
        self._folders, self._report, self._profile, self._work = folders, report, profile, work
        self.known: dict[str, AttemptState] = {}
        """By attempt. Only the main thread changes it."""
        self._just_submitted: set[str] = set()
        """Attempts that the batch system has accepted; the main thread will learn it in a moment."""
        self.chains = Chains(folders, self, follow_up_rejection)
        self._bounds = bounds
        """What the machine's own files bound beyond single jobs."""
        self._sequence = 0

    def submit(self, folder: AttemptFolder, number: int, rival: AttemptFolder | None) -> None:
        """The intent is on disk, or the intent of a `rival` with its number: stage and submit it. Repeats are harmless."""
        if rival is not None:
            self._report(folder.task, AttemptKnown(attempt=rival.attempt, number=number))
            if rival.attempt in self.known:
                self.announce(rival.attempt)
            self.report_again([folder.task])
        elif folder.attempt in self.known:
            self.report_again([folder.task])
        else:
            self.load(folder)

    def cancel(self, folder: AttemptFolder, *, grace: float = 0.0) -> None:
        """The tombstone is on disk: end whatever there is of the attempt. `grace`: seconds between stop flag and kill."""
        state = self.known.get(folder.attempt)
        if state is None:
            self.load(folder)
        elif state.is_over:
            self._report_all(folder.attempt, [Gone()])
        elif state.phase is AttemptPhase.SUBMITTED:
            if grace and state.is_running and not state.cancelled:
                self.look_at(folder.attempt)
            self._report_all(
                folder.attempt, self._take(verdicts.cancel(self.known[folder.attempt]))
            )
            self._end_now_or_soon(folder, grace)
        else:
            self._work.submissions.look_again()

    def load(self, folder: AttemptFolder) -> None:
        """Continue an attempt from what is in its folder, wherever it was left."""
        attempt, state = folder.attempt, self._add(folder)
        if state.number > 1 and state.after and not folder.is_withdrawn:
            self._report_all(attempt, [AttemptKnown(number=state.number)])
        native_id, failure = folder.native_id or folder.owner, folder.failure
        step = verdicts.next_step(
            native_id=native_id,
            has_failed=failure is not None,
            was_submitting=folder.was_submitting,
            is_cancelled=folder.is_cancelled,
        )
        if step is NextStep.FOLLOW:
            self._continue_submitted(folder, native_id)
        elif failure is not None:
            self._end(attempt, PrepareFailed(reason=failure["reason"], message=failure["message"]))
            self._gone_if_cancelled(folder)
        elif step is NextStep.FIND:
            self._queue(folder, is_uncertain=True)
        elif step is NextStep.GIVE_UP:
            self._end(attempt, Gone())
        else:
            self._work.stage(folder)

    def staged(self, folder: AttemptFolder) -> None:
        self._queue(folder)

    def submitted(self, folder: AttemptFolder, native_id: str) -> None:
        attempt = folder.attempt
        self.save(replace(self.known[attempt], phase=AttemptPhase.SUBMITTED, native_id=native_id))
        self._just_submitted.discard(attempt)
        self._report_all(attempt, [Submitted(native_id=native_id, script=folder.script_digest)])
        self._work.ask_soon()
        self.chains.queued(attempt)
        if folder.is_cancelled:
            self.cancel(folder)

    def exclude_nodes(self, folder: AttemptFolder, native_id: str) -> None:
        self._work.exclude_nodes(folder, native_id)

    def count_submitted(self, folder: AttemptFolder) -> None:
        """The job counts against limits from now on. Called from the submitting thread."""
        self._just_submitted.add(folder.attempt)
        if self._bounds and not partition_of(folder.order().placement):
            self._bounds.count_submitted()

    def failed(self, folder: AttemptFolder, reason: Reason, message: str) -> None:
        """Saved first: an attempt that was reported as failed must never be tried again."""
        try:
            folder.write_failure(reason.value, message)
        except OSError as error:
            log.error("%s: failed.json could not be written: %s", folder.attempt, error)
        self._end(folder.attempt, PrepareFailed(reason=reason.value, message=message))
        self._gone_if_cancelled(folder)

    def held(self, folder: AttemptFolder, message: str) -> None:
        held = Held(reason=Reason.SITE_LIMIT.value, message=message)
        self._report_all(folder.attempt, [held])

    def ended_unsubmitted(self, folder: AttemptFolder) -> None:
        """It was cancelled before it was submitted."""
        self._end(folder.attempt, Gone())

    def note(self, folder: AttemptFolder, message: str, code: str) -> None:
        self._report_all(folder.attempt, [Note(message=message, code=code)])

    def staging(self, folder: AttemptFolder, what: str, message: str) -> None:
        self._report_all(folder.attempt, [Staging(what=what, message=message)])

    def look_at(self, attempt: str, *, earliest: float = 0.0) -> None:
        """Read the attempt's folder for news."""
        state = self.known[attempt]
        was_over, folder = state.over, self.folder(state)
        events = self._take(read_runs(folder, state, earliest=earliest))
        events += self._take(read_duplicates(folder, self.known[attempt]))
        self._look_at_arrival(attempt)
        self._seen(attempt, events, was_over)

    def look_at_run(self, attempt: str, run: int) -> None:
        """Read what a mark is about, and nothing else; the rest is checked now and then."""
        state = self.known[attempt]
        events = self._take(read_run(self.folder(state), state, run))
        self._seen(attempt, events, state.over)

    def answered(self, answers: Answers) -> None:
        """The batch system's answer about many jobs."""
        now = time.monotonic()
        for attempt in [state.attempt for state in self.active()]:
            native_id = self.known[attempt].native_id
            if native_id in answers:
                self._heard(attempt, answers[native_id], now)

    def time_passed(self) -> None:
        """Draw the conclusions that only need time."""
        now = time.monotonic()
        for attempt in [state.attempt for state in self.active()]:
            if verdicts.awaits_an_end(self.known[attempt]):
                self._look_before_an_end(attempt)
            events = self._take(verdicts.time_passed(self.known[attempt], now=now))
            self._report_all(attempt, [self._by_its_limit(attempt, event) for event in events])
            if self.known[attempt].over:
                self._over(attempt)
            elif verdicts.must_kill(self.known[attempt], now=now):
                self._ask_for_end(attempt, at_once=True)
            elif verdicts.must_cancel_again(self.known[attempt], now=now):
                self._ask_for_end(attempt)

    def confirm(self, tasks: Collection[str]) -> None:
        """The service has recorded the final state of these tasks."""
        for state in list(self.known.values()):
            if state.task in tasks:
                self.save(replace(state, is_confirmed=True))

    def confirm_all_but(self, open_tasks: Collection[str]) -> None:
        """The service has recorded the final state of every task that it does not believe open."""
        for state in list(self.known.values()):
            self.save(replace(state, is_confirmed=state.task not in open_tasks))

    def unconfirm(self, task: str) -> None:
        """The service does not know this task, so it cannot have recorded its end."""
        for state in self.of_task(task):
            self.save(replace(state, is_confirmed=False))

    def is_tracked(self, task: str) -> bool:
        """Whether anything of a task is still to be watched, reported or sent."""
        return any(state.task == task for state in list(self.known.values()))

    def of_task(self, task: str) -> list[AttemptState]:
        mine = [state for state in list(self.known.values()) if state.task == task]
        return sorted(mine, key=lambda each: each.number)

    def folder(self, state: AttemptState) -> AttemptFolder:
        return self._folders.attempt(state.task, state.attempt)

    def save(self, state: AttemptState) -> None:
        """What is known about an attempt from now on."""
        self.known[state.attempt] = state

    def announce(self, attempt: str) -> None:
        """Report it to the service from now on."""
        for event in self._take(reports.announce(self.known[attempt])):
            self._report(self.known[attempt].task, event)

    def has_queue(self) -> bool:
        """Whether jobs wait for their turn behind other people's, as far as this site has been probed."""
        facts = self._profile().facts
        return "scheduler" in facts and read_abilities(facts).has_queue

    def active(self) -> list[AttemptState]:
        return [state for state in list(self.known.values()) if state.is_active]

    def late(self, now: float) -> list[AttemptState]:
        return [state for state in list(self.known.values()) if self.is_late(state.attempt, now)]

    def is_late(self, attempt: str, now: float) -> bool:
        """Only the batch system has reported its end, a short while ago: its files may still appear."""
        state = verdicts.note_end(self.known[attempt], now=now)
        self.save(state)
        return verdicts.is_late(state, now=now)

    def is_idle(self) -> bool:
        return all(state.is_over for state in list(self.known.values()))

    def room(self, partition: str) -> str:
        """Why a partition accepts no more jobs now, or ''. Called from the submitting thread."""
        if is_inside_pilot(partition):
            return ""
        why = self._bounds.why_full(len(self._waiting())) if self._bounds else ""
        limit = self._profile().submit_limit(partition)
        if why or limit is None:
            return why
        mine = [state for state in list(self.known.values()) if state.partition == partition]
        used = sum(state.is_active or state.attempt in self._just_submitted for state in mine)
        return f"the site lets you have {limit} jobs in {partition}" if used >= limit else ""

    def turn(self, folder: AttemptFolder) -> str:
        """Why a trial waits for others of its study, or ''. Called from the submitting thread."""
        state = self.known.get(folder.attempt)
        if state is None or state.share is None:
            return ""
        mine = [
            each
            for each in list(self.known.values())
            if each.share is not None and each.share.study == state.share.study
        ]
        slots = max(mine, key=lambda each: each.sequence).share or state.share
        begun = {each.task for each in mine if self._has_slot(each)}
        many = slots.slots
        is_full = len(begun) >= many and state.task not in begun
        return f"its study runs {many} at the same time here" if is_full else ""

    def _has_slot(self, state: AttemptState) -> bool:
        """A trial keeps its slot while it continues in another attempt."""
        continues = bool(state.after) and not state.is_over
        return state.is_active or continues or state.attempt in self._just_submitted

    def _waiting(self) -> list[AttemptState]:
        """In the queue of the batch system, follow-ups included, and not started."""
        return [
            state
            for state in list(self.known.values())
            if ((state.is_active and not state.is_running) or state.attempt in self._just_submitted)
            and not is_inside_pilot(state.partition)
        ]

    def may_queue_ahead(self) -> bool:
        ahead = sum(state.is_early for state in self._waiting())
        return self._bounds is None or self._bounds.may_queue_ahead(ahead)

    def count_withdrawn(self, folder: AttemptFolder) -> None:
        if self._bounds and folder.native_id:
            self._bounds.count_withdrawn()

    def report_again(self, tasks: Iterable[str]) -> None:
        """Repeat all facts of these tasks, from memory or from their folders."""
        for task in tasks:
            for folder in self._folders.attempts(task):
                state = self.known.get(folder.attempt)
                if state is None:
                    self.load(folder)
                    continue
                for event in () if state.is_unannounced else state.facts:
                    self._report(task, event)

    def close(self, attempt: str, endpoint: str) -> None:
        """The service that calls this endpoint `endpoint` has the final state and all bytes: nothing is left to do."""
        state = self.known.pop(attempt)
        try:
            self.folder(state).write_closed(endpoint)
        except OSError as error:
            log.warning("%s could not be closed: %s", attempt, error)

    def report_as_is(self, attempt: str, event: Event) -> None:
        """Also for an event that names another attempt of the task: it is repeated with those of this one."""
        event = replace(event, at=event.at or time.time())
        for each in self._take(reports.record(self.known[attempt], event)):
            self._report(self.known[attempt].task, each)

    def _add(self, folder: AttemptFolder) -> AttemptState:
        self._sequence += 1
        placement = folder.order().placement
        partition = partition_of(placement) or self._profile().partition(placement.partition)
        state = replace(read_attempt(folder), partition=partition, sequence=self._sequence)
        self.save(state)
        self.save(
            replace(
                self.known[folder.attempt], is_unannounced=self.chains.begins_unannounced(state)
            )
        )
        return state

    def _take(self, outcome: Outcome) -> tuple[Event, ...]:
        """Save the next state; returns the events that go with it."""
        self.save(outcome.state)
        return outcome.events

    def _continue_submitted(self, folder: AttemptFolder, native_id: str) -> None:
        attempt, submitted_at = folder.attempt, folder.submitted_at
        self.save(replace(self.known[attempt], phase=AttemptPhase.SUBMITTED, native_id=native_id))
        submitted = Submitted(native_id=native_id, script=folder.script_digest)
        self._report_all(attempt, [replace(submitted, at=submitted_at)])
        self.look_at(attempt, earliest=submitted_at)
        if folder.is_cancelled:
            self._report_all(attempt, self._take(verdicts.cancel(self.known[attempt])))
            if not self.known[attempt].over:
                self._ask_for_end(attempt)

    def _queue(self, folder: AttemptFolder, *, is_uncertain: bool = False) -> None:
        self.save(replace(self.known[folder.attempt], phase=AttemptPhase.READY))
        state = self.known[folder.attempt]
        self._work.submissions.put(
            folder,
            partition=state.partition,
            sequence=state.sequence,
            is_uncertain=is_uncertain,
        )

    def _end_now_or_soon(self, folder: AttemptFolder, grace: float) -> None:
        """A program that runs may get the stop flag first, and some seconds to save. Without grace, a job that the site
        requeued after its end was judged is ended too."""
        state = self.known[folder.attempt]
        if state.kill_at is not None or (grace and state.over):
            return
        if not grace or not state.is_running:
            self._ask_for_end(folder.attempt)
            return
        mark(folder.path / "stop")
        self.save(verdicts.flag(state, now=time.monotonic(), grace=grace))
        self.note(folder, f"the stop flag is set; it is killed in {grace:g} s", STOP_FLAG)

    def _ask_for_end(self, attempt: str, *, at_once: bool = False) -> None:
        asked = replace(self.known[attempt], cancel_asked_at=time.monotonic(), kill_at=None)
        self.save(asked)
        state = self.known[attempt]
        folder = self.folder(state)
        ids = sorted({state.native_id, folder.owner, folder.native_id} - {""})
        self._work.cancel(ids, at_once=at_once)

    def _heard(self, attempt: str, status: NativeStatus | None, now: float) -> None:
        if status is None or status.status == "ended":
            self._look_before_an_end(attempt)
        if self.known[attempt].over:
            return
        self._follow_limit(attempt, status)
        is_requeued = verdicts.is_requeued(self.known[attempt], status)
        if is_requeued and self.chains.cancel_if_decided(attempt):
            return
        events = self._take(verdicts.after_status(self.known[attempt], status, now=now))
        self._report_all(attempt, events)

    def _follow_limit(self, attempt: str, status: NativeStatus | None) -> None:
        """Pass a changed time limit on to the batch script."""
        before, state = self.known[attempt], verdicts.follow_limit(self.known[attempt], status)
        self.save(state)
        if state is not before:
            try:
                self.folder(state).write_limit(state.limit_seconds)
            except OSError as error:
                log.warning("%s: its time limit could not be written: %s", attempt, error)

    def _look_at_arrival(self, attempt: str) -> None:
        state = self.known[attempt]
        arrival = self._take(read_arrival(self.folder(state), state))
        self._report_all(attempt, arrival)
        if arrival:
            self.chains.arrived(attempt)

    def _seen(self, attempt: str, events: Collection[Event], was_over: bool) -> None:
        self._report_all(attempt, events)
        has_started = any(isinstance(each, Started) for each in events)
        if has_started and self.known[attempt].is_running:
            self.chains.cancel_if_decided(attempt)
        if self.known[attempt].over and not was_over:
            self._over(attempt)

    def _look_before_an_end(self, attempt: str) -> None:
        """The files may say more: an exit file, or a claim by another job than the one asked about."""
        self.look_at(attempt)
        before = self.known[attempt]
        state = verdicts.follow_owner(before, self.folder(before).owner)
        self.save(state)
        if state is not before:
            self._report_all(attempt, [Submitted(native_id=state.native_id)])

    def _by_its_limit(self, attempt: str, event: Event) -> Event:
        """Where the batch system says nothing, the files may show that a run lasted until its time limit."""
        state = self.known[attempt]
        if verdicts.is_silent_end(state, event) and reached_limit(self.folder(state), state.run):
            return verdicts.ended_by_limit(state)
        return event

    def _over(self, attempt: str) -> None:
        """There may be room for another; and a script that was killed could not remove its secrets."""
        self.folder(self.known[attempt]).remove_secrets()
        self._work.submissions.look_again()

    def _end(self, attempt: str, event: Event) -> None:
        self.save(replace(self.known[attempt], phase=AttemptPhase.ENDED))
        self._report_all(attempt, [event])

    def _gone_if_cancelled(self, folder: AttemptFolder) -> None:
        if folder.is_cancelled:
            self._report_all(folder.attempt, [Gone()])

    def _report_all(self, attempt: str, events: Iterable[Event]) -> None:
        for event in events:
            event = replace(event, attempt=attempt, at=event.at or time.time())
            if self.chains.concerns(self.known[attempt], event):
                self._report_end(attempt, event)
            else:
                self.report_as_is(attempt, event)

    def _report_end(self, attempt: str, event: Event) -> None:
        for first in self.chains.before_end(attempt, event):
            self.report_as_is(attempt, replace(first, attempt=first.attempt or attempt))
        self.report_as_is(attempt, event)
        self.chains.after_end(attempt)
