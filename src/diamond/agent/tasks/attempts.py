"""All attempts that the agent knows, and what happens to them. Runs in the agent's main thread.

Other threads (staging, submitting, asking, cancelling) report through `results.PostedResults`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from diamond.agent.site.profile import Profile
from diamond.agent.tasks import verdicts
from diamond.agent.tasks.chains import Chains
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.lifetimes import reached_limit
from diamond.agent.tasks.verdicts import LATE_SECONDS, Watched
from diamond.agent.tasks.watching import read_arrival, read_duplicates, read_run, read_runs
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.core.batch_systems import read_abilities
from diamond.core.events import (
    AttemptKnown,
    Event,
    Exited,
    Gone,
    Held,
    Lost,
    Note,
    NoWord,
    Observed,
    PrepareFailed,
    Staging,
    Started,
    Submitted,
)
from diamond.core.task import Reached, Reason

log = logging.getLogger(__name__)

STAGING, READY, SUBMITTED, ENDED = "staging", "ready", "submitted", "ended"
CANCEL_AGAIN_SECONDS = 30.0


@dataclass
class Tracked:
    """One attempt in memory; all of it can be rebuilt from its folder."""

    folder: AttemptFolder
    number: int
    order: int
    partition: str = ""
    phase: str = STAGING
    watched: Watched = field(default_factory=Watched)
    facts: list[Event] = field(default_factory=list)
    """What was reported to the service, to be repeated to one that has forgotten it."""
    duplicates: set[str] = field(default_factory=set)
    cancel_asked_at: float | None = None
    is_confirmed: bool = False
    """The service has recorded the task's final state."""

    over_at: float | None = None
    reached: Reached = field(default_factory=Reached)
    """As it was reported last."""
    limit_seconds: float = 0.0
    """The time limit as the batch system has it now; 0: as asked."""
    is_unannounced: bool = False
    """It waits behind others, and the service knows only of those."""

    @property
    def is_active(self) -> bool:
        return self.phase == SUBMITTED and not self.watched.over

    @property
    def is_over(self) -> bool:
        return self.phase == ENDED or self.watched.over

    @property
    def asked_seconds(self) -> float:
        return self.limit_seconds or 60.0 * self.folder.order().resources.walltime_minutes

    def is_late(self, now: float) -> bool:
        """Only the batch system has reported its end, a short while ago: its files may still appear."""
        if (
            self.phase != SUBMITTED
            or not self.watched.over
            or self.watched.run in self.watched.exits
        ):
            return False
        self.over_at = self.over_at or now
        return now - self.over_at < LATE_SECONDS


class Attempts:
    """`report` sends an event; `work` takes what needs time."""

    def __init__(
        self,
        folders: TaskFolders,
        *,
        report: Callable[[str, Event], None],
        profile: Callable[[], Profile],
        work: WorkQueue[Tracked],
        follow_up_rejection: Callable[[AttemptFolder, int], str],
    ) -> None:
        self._folders, self._report, self._profile, self._work = folders, report, profile, work
        self.known: dict[str, Tracked] = {}
        self.chains = Chains(folders, self, follow_up_rejection)
        self._order = 0

    def submit(self, folder: AttemptFolder, number: int, rival: AttemptFolder | None) -> None:
        """The intent is on disk, or the intent of a `rival` with its number: stage and submit it. Repeats are harmless."""
        if rival is not None:
            self._report(folder.task, AttemptKnown(attempt=rival.attempt, number=number))
            if rival.attempt in self.known:
                self.announce(self.known[rival.attempt])
            self.report_again([folder.task])
        elif folder.attempt in self.known:
            self.report_again([folder.task])
        else:
            self.load(folder)

    def cancel(self, folder: AttemptFolder) -> None:
        """The tombstone is on disk: end whatever there is of the attempt."""
        tracked = self.known.get(folder.attempt)
        if tracked is None:
            self.load(folder)
        elif tracked.is_over:
            self._report_all(tracked, [Gone()])
        elif tracked.phase == SUBMITTED:
            self._report_all(tracked, verdicts.cancel(tracked.watched))
            self._ask_for_end(tracked)
        else:
            self._work.submissions.look_again()

    def load(self, folder: AttemptFolder) -> Tracked:
        """Continue an attempt from what is in its folder, wherever it was left."""
        tracked = self._track(folder)
        tracked.is_unannounced = self.chains.begins_unannounced(folder)
        if tracked.number > 1 and folder.after and not folder.is_withdrawn:
            self._report_all(tracked, [AttemptKnown(number=tracked.number)])
        native_id, failure = folder.native_id or folder.owner, folder.failure
        if native_id:
            self._continue_submitted(tracked, native_id)
        elif failure is not None:
            self._end(tracked, PrepareFailed(reason=failure["reason"], message=failure["message"]))
            self._gone_if_cancelled(tracked)
        elif folder.was_submitting:
            tracked.phase = READY
            self._queue(tracked, is_uncertain=True)
        elif folder.is_cancelled:
            self._end(tracked, Gone())
        else:
            self._work.stage(tracked)
        return tracked

    def staged(self, tracked: Tracked) -> None:
        tracked.phase = READY
        self._queue(tracked)

    def submitted(self, folder: AttemptFolder, native_id: str) -> None:
        tracked = self.known[folder.attempt]
        tracked.phase, tracked.watched.native_id = SUBMITTED, native_id
        self._report_all(tracked, [Submitted(native_id=native_id)])
        self._work.ask_soon()
        self.chains.queued(tracked)
        if folder.is_cancelled:
            self.cancel(folder)

    def exclude_nodes(self, folder: AttemptFolder, native_id: str) -> None:
        self._work.exclude_nodes(folder, native_id)

    def count_submitted(self, folder: AttemptFolder, native_id: str) -> None:
        """The job counts against limits from now on. Called from the submitting thread."""
        tracked = self.known[folder.attempt]
        tracked.watched.native_id, tracked.phase = native_id, SUBMITTED

    def failed(self, folder: AttemptFolder, reason: Reason, message: str) -> None:
        """Saved first: an attempt that was reported as failed must never be tried again."""
        try:
            folder.write_failure(reason.value, message)
        except OSError as error:
            log.error("%s: failed.json could not be written: %s", folder.attempt, error)
        tracked = self.known[folder.attempt]
        self._end(tracked, PrepareFailed(reason=reason.value, message=message))
        self._gone_if_cancelled(tracked)

    def held(self, folder: AttemptFolder, message: str) -> None:
        held = Held(reason=Reason.SITE_LIMIT.value, message=message)
        self._report_all(self.known[folder.attempt], [held])

    def ended_unsubmitted(self, folder: AttemptFolder) -> None:
        """It was cancelled before it was submitted."""
        self._end(self.known[folder.attempt], Gone())

    def note(self, folder: AttemptFolder, message: str, code: str) -> None:
        self._report_all(self.known[folder.attempt], [Note(message=message, code=code)])

    def staging(self, tracked: Tracked, what: str, message: str) -> None:
        self._report_all(tracked, [Staging(what=what, message=message)])

    def look_at(self, tracked: Tracked, *, earliest: float = 0.0) -> None:
        """Read the attempt's folder for news."""
        was_over = tracked.watched.over
        events = read_runs(tracked.folder, tracked.watched, earliest=earliest)
        events += read_duplicates(tracked.folder, tracked.duplicates)
        self.look_at_arrival(tracked)
        self._seen(tracked, events, was_over)

    def look_at_run(self, tracked: Tracked, run: int) -> None:
        """Read what a mark is about, and nothing else; the rest is checked now and then."""
        was_over = tracked.watched.over
        self._seen(tracked, read_run(tracked.folder, tracked.watched, run), was_over)

    def look_at_arrival(self, tracked: Tracked) -> None:
        arrival = read_arrival(tracked.folder, tracked.watched)
        self._report_all(tracked, arrival)
        if arrival:
            self.chains.arrived(tracked)

    def answered(self, answers: dict[str, Any]) -> None:
        """The batch system's answer about many jobs."""
        now = time.monotonic()
        for tracked in self.active():
            if tracked.watched.native_id in answers:
                self._heard(tracked, answers[tracked.watched.native_id], now)

    def time_passed(self) -> None:
        """Draw the conclusions that only need time."""
        now = time.monotonic()
        for tracked in self.active():
            watched = tracked.watched
            if watched.ended is not None or watched.absent_since is not None:
                self._look_before_an_end(tracked)
            events = verdicts.time_passed(watched, now=now)
            self._report_all(tracked, [_by_its_limit(tracked, event) for event in events])
            if watched.over:
                self._over(tracked)
            elif watched.cancelled and now - (tracked.cancel_asked_at or 0) > CANCEL_AGAIN_SECONDS:
                self._ask_for_end(tracked)

    def confirm(self, tasks: Collection[str]) -> None:
        """The service has recorded the final state of these tasks."""
        for tracked in list(self.known.values()):
            if tracked.folder.task in tasks:
                tracked.is_confirmed = True

    def unconfirm(self, task: str) -> None:
        """The service does not know this task, so it cannot have recorded its end."""
        for tracked in self.known.values():
            if tracked.folder.task == task:
                tracked.is_confirmed = False

    def is_tracked(self, task: str) -> bool:
        """Whether anything of a task is still to be watched, reported or sent."""
        return any(tracked.folder.task == task for tracked in list(self.known.values()))

    def of_task(self, task: str) -> list[Tracked]:
        mine = [each for each in list(self.known.values()) if each.folder.task == task]
        return sorted(mine, key=lambda each: each.number)

    def announce(self, tracked: Tracked) -> None:
        """Report it to the service from now on."""
        if tracked.is_unannounced:
            tracked.is_unannounced = False
            for event in tracked.facts:
                self._report(tracked.folder.task, event)

    def has_queue(self) -> bool:
        """Whether jobs wait for their turn behind other people's, as far as this site has been probed."""
        facts = self._profile().facts
        return "scheduler" in facts and read_abilities(facts).has_queue

    def active(self) -> list[Tracked]:
        return [tracked for tracked in list(self.known.values()) if tracked.is_active]

    def late(self, now: float) -> list[Tracked]:
        return [tracked for tracked in list(self.known.values()) if tracked.is_late(now)]

    def is_idle(self) -> bool:
        return all(tracked.is_over for tracked in list(self.known.values()))

    def room(self, partition: str) -> str:
        """Why a partition accepts no more jobs now, or ''. Called from the submitting thread."""
        limit = self._profile().submit_limit(partition)
        if limit is None:
            return ""
        used = sum(1 for tracked in self.active() if tracked.partition == partition)
        return f"the site lets you have {limit} jobs in {partition}" if used >= limit else ""

    def report_again(self, tasks: Iterable[str]) -> None:
        """Repeat all facts of these tasks, from memory or from their folders."""
        for task in tasks:
            for folder in self._folders.attempts(task):
                tracked = self.known.get(folder.attempt)
                if tracked is None:
                    self.load(folder)
                    continue
                for event in [] if tracked.is_unannounced else tracked.facts:
                    self._report(task, event)

    def close(self, tracked: Tracked, endpoint: str) -> None:
        """The service that calls this endpoint `endpoint` has the final state and all bytes: nothing is left to do."""
        self.known.pop(tracked.folder.attempt, None)
        try:
            tracked.folder.write_closed(endpoint)
        except OSError as error:
            log.warning("%s could not be closed: %s", tracked.folder.attempt, error)

    def _track(self, folder: AttemptFolder) -> Tracked:
        self._order += 1
        partition = self._profile().partition(folder.order().placement.partition)
        tracked = Tracked(folder, number=folder.number, order=self._order, partition=partition)
        tracked.limit_seconds = folder.limit_seconds
        tracked.watched.is_patient = bool(set(folder.order().resume.on) - {"exit-75"})
        self.known[folder.attempt] = tracked
        return tracked

    def _continue_submitted(self, tracked: Tracked, native_id: str) -> None:
        tracked.phase, tracked.watched.native_id = SUBMITTED, native_id
        submitted_at = tracked.folder.submitted_at
        self._report_all(tracked, [replace(Submitted(native_id=native_id), at=submitted_at)])
        self.look_at(tracked, earliest=submitted_at)
        if tracked.folder.is_cancelled:
            self._report_all(tracked, verdicts.cancel(tracked.watched))
            if not tracked.watched.over:
                self._ask_for_end(tracked)

    def _queue(self, tracked: Tracked, *, is_uncertain: bool = False) -> None:
        self._work.submissions.put(
            tracked.folder,
            partition=tracked.partition,
            order=tracked.order,
            is_uncertain=is_uncertain,
        )

    def _ask_for_end(self, tracked: Tracked) -> None:
        tracked.cancel_asked_at = time.monotonic()
        ids = {tracked.watched.native_id, tracked.folder.owner, tracked.folder.native_id} - {""}
        self._work.cancel(sorted(ids))

    def _heard(self, tracked: Tracked, status: Any, now: float) -> None:
        if status is None or status.status == "ended":
            self._look_before_an_end(tracked)
        if tracked.watched.over:
            return
        self._follow_limit(tracked, status)
        if verdicts.is_requeued(tracked.watched, status) and self.chains.cancel_if_decided(tracked):
            return
        self._report_all(tracked, verdicts.heard(tracked.watched, status, now=now))

    def _follow_limit(self, tracked: Tracked, status: Any) -> None:
        """Pass a changed time limit on to the batch script."""
        limit = status.limit_seconds if status is not None else 0.0
        asked = 60.0 * tracked.folder.order().resources.walltime_minutes
        if limit and limit != (tracked.limit_seconds or asked):
            tracked.limit_seconds = limit
            try:
                tracked.folder.write_limit(limit)
            except OSError as error:
                log.warning("%s: its time limit could not be written: %s", tracked.folder, error)

    def _seen(self, tracked: Tracked, events: list[Event], was_over: bool) -> None:
        self._report_all(tracked, events)
        if tracked.watched.is_running and any(isinstance(each, Started) for each in events):
            self.chains.cancel_if_decided(tracked)
        if tracked.watched.over and not was_over:
            self._over(tracked)

    def _look_before_an_end(self, tracked: Tracked) -> None:
        """The files may say more: an exit file, or a claim by another job than the one asked about."""
        self.look_at(tracked)
        if verdicts.follow_owner(tracked.watched, tracked.folder.owner):
            self._report_all(tracked, [Submitted(native_id=tracked.watched.native_id)])

    def _over(self, tracked: Tracked) -> None:
        """There may be room for another; and a script that was killed could not remove its secrets."""
        tracked.folder.remove_secrets()
        self._work.submissions.look_again()

    def _end(self, tracked: Tracked, event: Event) -> None:
        tracked.phase = ENDED
        self._report_all(tracked, [event])

    def _gone_if_cancelled(self, tracked: Tracked) -> None:
        if tracked.folder.is_cancelled:
            self._report_all(tracked, [Gone()])

    def _report_all(self, tracked: Tracked, events: Iterable[Event]) -> None:
        for event in events:
            event = replace(event, attempt=tracked.folder.attempt, at=event.at or time.time())
            if self.chains.concerns(tracked, event):
                self._report_end(tracked, event)
            else:
                self.report_as_is(tracked, event)

    def _report_end(self, tracked: Tracked, event: Event) -> None:
        for first in self.chains.before_end(tracked, event):
            own = replace(first, attempt=first.attempt or tracked.folder.attempt)
            self.report_as_is(tracked, own)
        self.report_as_is(tracked, event)
        self.chains.after_end(tracked)

    def report_as_is(self, tracked: Tracked, event: Event) -> None:
        """Also for an event that names another attempt of the task: it is repeated with those of this one."""
        event = replace(event, at=event.at or time.time())
        if isinstance(event, (Started, Exited)):
            self.announce(tracked)
        _remember(tracked.facts, event)
        if not tracked.is_unannounced:
            self._report(tracked.folder.task, event)


def _by_its_limit(tracked: Tracked, event: Event) -> Event:
    """Where the batch system says nothing, a run that lasted until its time limit was ended by the limit."""
    run = tracked.watched.run
    if not isinstance(event, (NoWord, Lost)) or not run or not reached_limit(tracked.folder, run):
        return event
    return Observed(
        status="ended",
        reason=Reason.WALL_TIME.value,
        run=run,
        native_id=tracked.watched.native_id,
        message="it ran until its time limit, and the batch system gives no other reason",
    )


def _remember(facts: list[Event], event: Event) -> None:
    """Of events that replace each other, only the last is kept."""
    if isinstance(event, (Staging, Observed, Held)):
        facts[:] = [fact for fact in facts if not isinstance(fact, type(event))]
    facts.append(event)
