"""All attempts that the agent knows, and what happens to them. Runs in the agent's main thread.

Other threads (staging, submitting, asking, cancelling) hand their findings over through `post`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from diamond.agent.output.logs import LATE_SECONDS
from diamond.agent.site.profile import Profile
from diamond.agent.tasks import verdicts
from diamond.agent.tasks.chains import Chains
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.lifetimes import reached_limit
from diamond.agent.tasks.verdicts import Watched
from diamond.agent.tasks.watching import read_arrival, read_duplicates, read_run, read_runs
from diamond.agent.tasks.workers import Workers
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
    """What the service was told, to be told again to one that has forgotten."""
    duplicates: set[str] = field(default_factory=set)
    cancel_asked_at: float | None = None
    followed: tuple[int, int, bool] = (0, 0, False)
    """The runs whose streams are carried already: starts, exits, over."""
    is_confirmed: bool = False
    """The service has recorded the task's final state."""

    over_at: float | None = None
    reached: Reached = field(default_factory=Reached)
    """As it was told last."""
    limit_seconds: float = 0.0
    """The time limit as the batch system has it now; 0: as asked."""
    is_unannounced: bool = False
    """It waits behind others, and the service knows of those."""

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
        """It ended by the batch system's word alone, a short while ago: its files may still appear."""
        if (
            self.phase != SUBMITTED
            or not self.watched.over
            or self.watched.run in self.watched.exits
        ):
            return False
        self.over_at = self.over_at or now
        return now - self.over_at < LATE_SECONDS


class Attempts:
    """`tell` sends an event; `workers` do what takes time."""

    def __init__(
        self,
        folders: TaskFolders,
        *,
        tell: Callable[[str, Event], None],
        profile: Callable[[], Profile],
        workers: Workers,
    ) -> None:
        self._folders, self._tell, self._profile, self._workers = folders, tell, profile, workers
        self.known: dict[str, Tracked] = {}
        self.chains = Chains(folders, self)
        self.endpoint = ""
        self._order = 0

    def submit(self, folder: AttemptFolder, number: int, rival: AttemptFolder | None) -> None:
        """The intent is on disk, or a `rival` of its number is: make it ready and hand it over. Repeats are harmless."""
        if rival is not None:
            self._tell(folder.task, AttemptKnown(attempt=rival.attempt, number=number))
            if rival.attempt in self.known:
                self.announce(self.known[rival.attempt])
            self.tell_again([folder.task])
        elif folder.attempt in self.known:
            self.tell_again([folder.task])
        else:
            self.load(folder)

    def cancel(self, folder: AttemptFolder) -> None:
        """The tombstone is on disk: end whatever there is of the attempt."""
        tracked = self.known.get(folder.attempt)
        if tracked is None:
            self.load(folder)
        elif tracked.is_over:
            self._say(tracked, [Gone()])
        elif tracked.phase == SUBMITTED:
            self._say(tracked, verdicts.cancel(tracked.watched))
            self._ask_for_end(tracked)
        else:
            self._workers.submitter.look_again()

    def load(self, folder: AttemptFolder) -> Tracked:
        """Take up an attempt from what lies in its folder, wherever it was left."""
        tracked = self._track(folder)
        tracked.is_unannounced = self.chains.begins_unannounced(folder)
        if tracked.number > 1 and folder.after and not folder.is_withdrawn:
            self._say(tracked, [AttemptKnown(number=tracked.number)])
        native_id, failure = folder.native_id or folder.owner, folder.failure
        if native_id:
            self._take_up_submitted(tracked, native_id)
        elif failure is not None:
            self._end(tracked, PrepareFailed(reason=failure["reason"], message=failure["message"]))
            self._gone_if_cancelled(tracked)
        elif folder.was_submitting:
            tracked.phase = READY
            self._hand_over(tracked, is_uncertain=True)
        elif folder.is_cancelled:
            self._end(tracked, Gone())
        else:
            self._workers.stage(tracked)
        return tracked

    def staged(self, tracked: Tracked) -> None:
        tracked.phase = READY
        self._hand_over(tracked)

    def submitted(self, folder: AttemptFolder, native_id: str) -> None:
        tracked = self.known[folder.attempt]
        tracked.phase, tracked.watched.native_id = SUBMITTED, native_id
        self._say(tracked, [Submitted(native_id=native_id)])
        self._workers.asker_hint()
        self.chains.queued(tracked)
        if folder.is_cancelled:
            self.cancel(folder)

    def leave_out(self, folder: AttemptFolder, native_id: str) -> None:
        self._workers.leave_out(folder, native_id)

    def refused(self, folder: AttemptFolder, reason: Reason, message: str) -> None:
        """Written down first: an attempt that was called failed must never be tried again."""
        try:
            folder.write_failure(reason.value, message)
        except OSError as error:
            log.error("%s: failed.json could not be written: %s", folder.attempt, error)
        tracked = self.known[folder.attempt]
        self._end(tracked, PrepareFailed(reason=reason.value, message=message))
        self._gone_if_cancelled(tracked)

    def held(self, folder: AttemptFolder, message: str) -> None:
        held = Held(reason=Reason.SITE_LIMIT.value, message=message)
        self._say(self.known[folder.attempt], [held])

    def called_off(self, folder: AttemptFolder) -> None:
        self._end(self.known[folder.attempt], Gone())

    def note(self, folder: AttemptFolder, message: str, code: str) -> None:
        self._say(self.known[folder.attempt], [Note(message=message, code=code)])

    def staging(self, tracked: Tracked, what: str, message: str) -> None:
        self._say(tracked, [Staging(what=what, message=message)])

    def look_at(self, tracked: Tracked, *, earliest: float = 0.0) -> None:
        """Read the attempt's folder for news."""
        was_over = tracked.watched.over
        events = read_runs(tracked.folder, tracked.watched, earliest=earliest)
        events += read_duplicates(tracked.folder, tracked.duplicates)
        self.look_at_arrival(tracked)
        self._seen(tracked, events, was_over)

    def look_at_run(self, tracked: Tracked, run: int) -> None:
        """Read what a mark told of, and nothing else: the rest is looked at now and then."""
        was_over = tracked.watched.over
        self._seen(tracked, read_run(tracked.folder, tracked.watched, run), was_over)

    def look_at_arrival(self, tracked: Tracked) -> None:
        arrival = read_arrival(tracked.folder, tracked.watched)
        self._say(tracked, arrival)
        if arrival:
            self.chains.arrived(tracked)

    def answered(self, answers: dict[str, Any]) -> None:
        """The batch system's word on many jobs."""
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
            self._say(tracked, [_by_its_limit(tracked, event) for event in events])
            if watched.over:
                self._over(tracked)
            elif watched.cancelled and now - (tracked.cancel_asked_at or 0) > CANCEL_AGAIN_SECONDS:
                self._ask_for_end(tracked)

    def is_tracked(self, task: str) -> bool:
        """Whether anything of a task is still to be watched, told or carried home."""
        return any(tracked.folder.task == task for tracked in list(self.known.values()))

    def of_task(self, task: str) -> list[Tracked]:
        mine = [one for one in list(self.known.values()) if one.folder.task == task]
        return sorted(mine, key=lambda one: one.number)

    def announce(self, tracked: Tracked) -> None:
        """From now on the service hears of it."""
        if tracked.is_unannounced:
            tracked.is_unannounced = False
            for event in tracked.facts:
                self._tell(tracked.folder.task, event)

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
        """Why a partition takes no more jobs now, or ''. Called from the submitting thread."""
        limit = self._profile().submit_limit(partition)
        if limit is None:
            return ""
        used = sum(1 for tracked in self.active() if tracked.partition == partition)
        return f"the site lets you have {limit} jobs in {partition}" if used >= limit else ""

    def tell_again(self, tasks: Iterable[str]) -> None:
        """Repeat all facts of these tasks, from memory or from their folders."""
        for task in tasks:
            for folder in self._folders.attempts(task):
                tracked = self.known.get(folder.attempt)
                if tracked is None:
                    self.load(folder)
                    continue
                for event in [] if tracked.is_unannounced else tracked.facts:
                    self._tell(task, event)

    def forget(self, tracked: Tracked) -> None:
        """The service has the final state and all bytes: nothing is left to do."""
        self.known.pop(tracked.folder.attempt, None)
        try:
            tracked.folder.write_closed(self.endpoint)
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

    def _take_up_submitted(self, tracked: Tracked, native_id: str) -> None:
        tracked.phase, tracked.watched.native_id = SUBMITTED, native_id
        submitted_at = tracked.folder.submitted_at
        self._say(tracked, [replace(Submitted(native_id=native_id), at=submitted_at)])
        self.look_at(tracked, earliest=submitted_at)
        if tracked.folder.is_cancelled:
            self._say(tracked, verdicts.cancel(tracked.watched))
            if not tracked.watched.over:
                self._ask_for_end(tracked)

    def _hand_over(self, tracked: Tracked, *, is_uncertain: bool = False) -> None:
        self._workers.submitter.put(
            tracked.folder,
            partition=tracked.partition,
            order=tracked.order,
            is_uncertain=is_uncertain,
        )

    def _ask_for_end(self, tracked: Tracked) -> None:
        tracked.cancel_asked_at = time.monotonic()
        ids = {tracked.watched.native_id, tracked.folder.owner, tracked.folder.native_id} - {""}
        self._workers.cancel(sorted(ids))

    def _heard(self, tracked: Tracked, status: Any, now: float) -> None:
        if status is None or status.status == "ended":
            self._look_before_an_end(tracked)
        if tracked.watched.over:
            return
        self._follow_limit(tracked, status)
        if verdicts.is_requeued(tracked.watched, status) and self.chains.send_away(tracked):
            return
        self._say(tracked, verdicts.heard(tracked.watched, status, now=now))

    def _follow_limit(self, tracked: Tracked, status: Any) -> None:
        """A time limit that is not the one asked for: the batch script is told."""
        limit = status.limit_seconds if status is not None else 0.0
        asked = 60.0 * tracked.folder.order().resources.walltime_minutes
        if limit and limit != (tracked.limit_seconds or asked):
            tracked.limit_seconds = limit
            try:
                tracked.folder.write_limit(limit)
            except OSError as error:
                log.warning("%s: its time limit could not be written: %s", tracked.folder, error)

    def _seen(self, tracked: Tracked, events: list[Event], was_over: bool) -> None:
        self._say(tracked, events)
        if tracked.watched.is_running and any(isinstance(one, Started) for one in events):
            self.chains.send_away(tracked)
        if tracked.watched.over and not was_over:
            self._over(tracked)

    def _look_before_an_end(self, tracked: Tracked) -> None:
        """The files may know better: an exit file, or a claim by another job than the one asked about."""
        self.look_at(tracked)
        if verdicts.follow_owner(tracked.watched, tracked.folder.owner):
            self._say(tracked, [Submitted(native_id=tracked.watched.native_id)])

    def _over(self, tracked: Tracked) -> None:
        """There may be room for another; and a script that was killed could not take its secrets away."""
        tracked.folder.remove_secrets()
        self._workers.submitter.look_again()

    def _end(self, tracked: Tracked, event: Event) -> None:
        tracked.phase = ENDED
        self._say(tracked, [event])

    def _gone_if_cancelled(self, tracked: Tracked) -> None:
        if tracked.folder.is_cancelled:
            self._say(tracked, [Gone()])

    def _say(self, tracked: Tracked, events: Iterable[Event]) -> None:
        for event in events:
            event = replace(event, attempt=tracked.folder.attempt, at=event.at or time.time())
            if self.chains.concerns(tracked, event):
                self._say_end(tracked, event)
            else:
                self.say_as_it_is(tracked, event)

    def _say_end(self, tracked: Tracked, event: Event) -> None:
        for first in self.chains.before_end(tracked, event):
            own = replace(first, attempt=first.attempt or tracked.folder.attempt)
            self.say_as_it_is(tracked, own)
        self.say_as_it_is(tracked, event)
        self.chains.after_end(tracked)

    def say_as_it_is(self, tracked: Tracked, event: Event) -> None:
        """Also for an event that names another attempt of the task: it is told again with those of this one."""
        event = replace(event, at=event.at or time.time())
        if isinstance(event, (Started, Exited)):
            self.announce(tracked)
        _remember(tracked.facts, event)
        if not tracked.is_unannounced:
            self._tell(tracked.folder.task, event)


def _by_its_limit(tracked: Tracked, event: Event) -> Event:
    """Where the batch system says nothing, a run that lasted until its time limit was ended by it."""
    run = tracked.watched.run
    if not isinstance(event, (NoWord, Lost)) or not run or not reached_limit(tracked.folder, run):
        return event
    return Observed(
        status="ended",
        reason=Reason.WALL_TIME.value,
        run=run,
        native_id=tracked.watched.native_id,
        message="it lasted until its time limit, and the batch system tells nothing else",
    )


def _remember(facts: list[Event], event: Event) -> None:
    """Of words that replace each other only the last is kept."""
    if isinstance(event, (Staging, Observed, Held)):
        facts[:] = [fact for fact in facts if not isinstance(fact, type(event))]
    facts.append(event)
