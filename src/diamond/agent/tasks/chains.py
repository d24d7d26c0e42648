"""Which attempt of a task comes next: decided here as the service would decide it, so that a chain continues while the service is down.

The rules are those of `core.lifecycle`; how far a chain may go by itself is granted by the service (`chain.json`).
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from diamond.agent.disk import mark
from diamond.agent.tasks.folders import AttemptFolder, Standing, TaskFolders
from diamond.agent.tasks.lifetimes import lasted
from diamond.agent.tasks.progress import reached_by
from diamond.agent.tasks.queue_ahead import WaitingFollowUps
from diamond.agent.tasks.ranks import nodes_to_leave_out
from diamond.agent.tasks.stop_flag import StopFlagSupport
from diamond.agent.tasks.verdicts import GO, STOP, judge_end
from diamond.core import ids
from diamond.core.endings import doubts_checkpoint
from diamond.core.events import (
    AttemptKnown,
    Event,
    Exited,
    Gone,
    Lost,
    NoWord,
    Observed,
    Progressed,
)
from diamond.core.lifecycle import policy_of
from diamond.core.task import CONTINUE_EXIT_CODE, Attempt, Task
from diamond.planning.follow_ups import Arrival, Chain, FollowUpPolicy, decide_arrival

if TYPE_CHECKING:
    from diamond.agent.tasks.attempts import Attempts, Tracked

log = logging.getLogger(__name__)

REJECTED_SECONDS = 60.0


class Chains:
    """Called from the agent's main thread."""

    def __init__(
        self,
        folders: TaskFolders,
        attempts: Attempts,
        rejection: Callable[[AttemptFolder, int], str],
    ) -> None:
        self._folders, self._attempts = folders, attempts
        self._stop_flag = StopFlagSupport(folders)
        self._waiting = WaitingFollowUps(folders, attempts, self._stop_flag)
        self._followed: dict[str, float] = {}
        """When the next look at a follow-up of an attempt is due, on our own clock; for most there is none."""
        self._undecided: set[str] = set()
        """Attempts with nodes whose decision could not be saved."""
        self._rejection = rejection
        """Why this machine accepts no attempt of this number after this one, or ''."""
        self._rejected: dict[str, float] = {}

    def concerns(self, tracked: Tracked, event: Event) -> bool:
        """Whether the event ends an attempt after which another may come.

        The end of one that was withdrawn decides nothing: the chain continues, or ends, without it.
        """
        may_go_on = _is_end(event) and _may_go_on(tracked, event)
        return may_go_on and not tracked.folder.is_withdrawn

    def before_end(self, tracked: Tracked, event: Event) -> list[Event]:
        """What is reported before an end: how far the attempt came, and which one continues."""
        events = self._progress(tracked)
        self._leave_out_nodes(tracked.folder)
        word = self._judge(tracked, [*events, event])
        successor = self._settle(tracked, word) if word else self._successor(tracked.folder)
        if successor is None or word == STOP or not successor.after:
            return events
        return [*events, AttemptKnown(attempt=successor.attempt, number=successor.number)]

    def _leave_out_nodes(self, folder: AttemptFolder) -> None:
        """Those that failed the task twice, before the next attempt begins: it may have been queued before the second time."""
        bad = nodes_to_leave_out(folder)
        for tracked in self._waiting.waiting(folder.task) if bad else ():
            if not tracked.folder.has_arrived:
                self.queued(tracked)
            elif set(bad) & {*tracked.watched.nodes, *tracked.folder.arrived_at}:
                self._withdraw(tracked.folder)

    def queued(self, tracked: Tracked) -> None:
        """The script of a follow-up names the nodes that had failed when it was written; there may be more since."""
        native_id = tracked.watched.native_id
        if native_id and tracked.folder.is_early and nodes_to_leave_out(tracked.folder):
            self._attempts.exclude_nodes(tracked.folder, native_id)

    def after_end(self, tracked: Tracked) -> None:
        """Once the end is reported, the attempt that was made for it is loaded."""
        successor = self._successor(tracked.folder) if tracked.folder.verdict == GO else None
        if successor is None:
            return
        known = self._attempts.known.get(successor.attempt)
        self._attempts.announce(known if known is not None else self._attempts.load(successor))

    def look(self) -> None:
        """Queue the follow-ups that are due, and decide what could not be decided before."""
        for tracked in self._attempts.active():
            if tracked.folder.attempt in self._undecided:
                self.arrived(tracked)
            if self._wants_follow_up(tracked):
                self._queue_ahead(tracked)
            if tracked.folder.order().resume.may_line_up:
                self._look_at_line(tracked)
            if tracked.folder.is_early and not self._may_wait(tracked):
                self._withdraw(tracked.folder)
                self._follow_again(tracked.folder.after, REJECTED_SECONDS)

    def arrived(self, tracked: Tracked) -> None:
        """A follow-up has nodes: hand over to it now, let it wait, or give them back. What fails is tried again."""
        attempt = tracked.folder.attempt
        try:
            self._decide(tracked)
        except OSError as error:
            self._undecided.add(attempt)
            log.error(
                "%s has nodes, and it could not be decided what to do with them: %s", attempt, error
            )
        else:
            self._undecided.discard(attempt)

    def _decide(self, tracked: Tracked) -> None:
        if tracked.watched.run or tracked.watched.cancelled:
            return
        running = self._still_running(tracked.folder.task)
        if self._waiting.is_behind_one_with_nodes(tracked):
            self._withdraw(tracked.folder)
        elif running is not None and running.number < tracked.number:
            self._carry_out(self._choose(running, tracked), running, tracked)
        elif running is None:
            self._let_overtake(tracked)

    def _still_running(self, task: str) -> Tracked | None:
        """Looked at once more: these nodes may be the very ones that its program has left."""
        running = self._waiting.running(task)
        if running is not None:
            self._attempts.look_at(running)
        return self._waiting.running(task)

    def begins_unannounced(self, folder: AttemptFolder) -> bool:
        """Whether an attempt that is loaded waits behind others."""
        if not folder.order().resume.may_line_up or not folder.is_early:
            return False
        before = [
            each for each in self._folders.attempts(folder.task) if each.attempt == folder.after
        ]
        has_turn = any(each.verdict == GO for each in before)
        return not has_turn and not any(folder.start_of(run) for run in folder.runs())

    def cancelled(self, folder: AttemptFolder) -> None:
        """The service ended a task by this attempt: it may know nothing of those that come after it."""
        for tracked in self._attempts.of_task(folder.task):
            is_later = tracked.number > folder.number or tracked.is_unannounced
            if is_later and not tracked.is_over and not tracked.folder.is_cancelled:
                self._withdraw(tracked.folder)

    def cancel_if_decided(self, tracked: Tracked) -> bool:
        """The site runs an attempt again, or wants to. If its end was already decided, it is cancelled: another continues, or none."""
        if not tracked.folder.verdict:
            return False
        if not tracked.folder.is_cancelled:
            message = "the site requeued this attempt after its end, so it is cancelled"
            self._attempts.note(tracked.folder, message, "came-back")
        self._withdraw(tracked.folder)
        return True

    def _look_at_line(self, tracked: Tracked) -> None:
        self._waiting.announce(tracked.folder.task)
        if self._waiting.is_due(tracked):
            self._queue_behind(tracked)
        for passed in self._waiting.passed_by(tracked) if tracked.watched.is_running else []:
            self._withdraw(passed)

    def _carry_out(self, choice: Arrival, running: Tracked, tracked: Tracked) -> None:
        log.info("%s has its nodes early: %s", tracked.folder.attempt, choice.value)
        if choice is Arrival.GIVE_BACK:
            self._withdraw(tracked.folder)
            left = running.asked_seconds - _running_for(running)
            self._follow_again(running.folder.attempt, left / 2)
            return
        self._let_overtake(tracked)
        if choice is Arrival.HAND_OVER:
            mark(running.folder.path / "stop")
            message = "the follow-up has its nodes: this attempt is asked to save and exit"
            self._note(running, message)

    def _follow_again(self, attempt: str, seconds: float) -> None:
        """One whose nodes came far too early is queued again later, not at the end."""
        self._followed[attempt] = time.monotonic() + max(0.0, seconds)

    def _let_overtake(self, tracked: Tracked) -> None:
        """Where it was made to follow attempts that have no nodes yet, it takes their place."""
        if not self._waiting.overtake(tracked):
            return
        before = self._folders.attempts(tracked.folder.task)
        barred = [each for each in before if each.is_barred and each.number < tracked.number]
        running = self._waiting.running(tracked.folder.task)
        for each in barred:
            if running is None:
                each.write_verdict(GO)
            else:
                self._withdraw(each)

    def _progress(self, tracked: Tracked) -> list[Event]:
        reached = reached_by(tracked.folder)
        if reached == tracked.reached:
            return []
        tracked.reached = reached
        return [
            Progressed(checkpoint=reached.checkpoint, modified=reached.modified, step=reached.step)
        ]

    def _judge(self, tracked: Tracked, fresh: list[Event]) -> str:
        """Whether the life cycle continues after these facts, ends, or needs to know more ('')."""
        folder = tracked.folder
        known = folder.verdict
        if known:
            return known
        before = self._task(tracked)
        own = [fact for fact in [*tracked.facts, *fresh] if not isinstance(fact, AttemptKnown)]
        verdict, task = judge_end(before, [replace(fact, attempt=folder.attempt) for fact in own])
        if verdict == GO:
            self._doubt(tracked, before, task)
        return self._written(folder, verdict, task) if verdict else ""

    def _task(self, tracked: Tracked) -> Task:
        folder = tracked.folder
        before = self._folders.standing_before(folder)
        return Task(
            id=folder.task,
            attempt=Attempt(id=folder.attempt, number=tracked.number),
            cancel_requested=folder.is_cancelled,
            policy=policy_of(folder.order().resume),
            reached=before.reached,
            stalled=before.stalled,
            ended=before.ended,
        )

    def _doubt(self, tracked: Tracked, before: Task, after: Task) -> None:
        """A checkpoint with which a program failed at once may be half written: the next attempt gets the one before it."""
        judged = replace(before, attempt=after.attempt, exit_code=after.exit_code)
        newest = after.reached.checkpoint
        if not doubts_checkpoint(judged, after.reason) or not self._folders.doubt(
            tracked.folder, newest
        ):
            return
        message = (
            f"no progress with the checkpoint {newest}: the next attempt gets the one before it"
        )
        self._attempts.note(tracked.folder, message, "doubted")

    def _written(self, folder: AttemptFolder, word: str, task: Task) -> str:
        try:
            reached = task.reached.farthest(task.attempt.reached)
            folder.write_standing(Standing(reached, task.stalled, task.ended + 1))
            folder.write_verdict(word)
            for later in self._later(folder):
                if later.is_barred or later.is_withdrawn:
                    later.write_verdict(word)
        except OSError as error:
            log.error("%s: its end could not be saved: %s", folder.attempt, error)
        return word

    def _settle(self, tracked: Tracked, word: str) -> AttemptFolder | None:
        if word == STOP:
            for each in self._not_needed_after(tracked):
                self._withdraw(each)
            return None
        return self._successor(tracked.folder) or self._make(tracked.folder, early=False)

    def _successor(self, folder: AttemptFolder) -> AttemptFolder | None:
        """The attempt that continues after this one, if there is one that was not cancelled."""
        later = [each for each in self._later(folder) if not each.is_barred]
        alive = [each for each in later if not each.is_cancelled and each.failure is None]
        return min(alive, key=lambda each: each.number, default=None)

    def _not_needed_after(self, last: Tracked) -> list[AttemptFolder]:
        """Those that come later, and those that were overtaken and still wait."""
        mine = self._attempts.of_task(last.folder.task)
        waiting = [each for each in mine if each is not last and not each.is_over]
        overtaken = [each.folder for each in waiting if each.folder.is_barred]
        later = [each for each in self._later(last.folder) if each.failure is None]
        return [each for each in {*overtaken, *later} if not each.is_cancelled]

    def _later(self, folder: AttemptFolder) -> list[AttemptFolder]:
        number = folder.number
        return [each for each in self._folders.attempts(folder.task) if each.number > number]

    def _make(
        self, folder: AttemptFolder, *, early: bool, instead: AttemptFolder | None = None
    ) -> AttemptFolder | None:
        """A new attempt of our own, if the service has granted one more and the machine's policy allows it.

        Where it does not, the service will ask for the attempt, and its owner learns why it is rejected.
        """
        until = int(self._folders.grant(folder.task).get("until") or 0)
        if self._folders.is_ended(folder.task) or self._is_rejected(folder):
            return None
        try:
            return self._folders.record_next(
                folder, ids.new_id(ids.ATTEMPT), until=until, early=early, instead=instead
            )
        except OSError as error:
            log.error("%s: no next attempt could be written: %s", folder.attempt, error)
            return None

    def _is_rejected(self, folder: AttemptFolder) -> bool:
        """Checked again after a while: a policy may be changed, a pairing renewed."""
        if time.monotonic() < self._rejected.get(folder.task, 0.0):
            return True
        why = self._rejection(folder, folder.number + 1)
        if why:
            self._rejected[folder.task] = time.monotonic() + REJECTED_SECONDS
            log.warning("%s is not followed: %s", folder.attempt, why)
        return bool(why)

    def _wants_follow_up(self, tracked: Tracked) -> bool:
        due = self._followed.get(tracked.folder.attempt, 0.0)
        if time.monotonic() < due or not tracked.watched.is_running:
            return False
        if not tracked.folder.order().resume.ahead or tracked.watched.cancelled:
            return False
        after = self._stop_flag.grant_of(tracked.folder).get("queue_after_seconds")
        return after is not None and _running_for(tracked) >= float(after)

    def _queue_ahead(self, tracked: Tracked) -> None:
        self._followed[tracked.folder.attempt] = math.inf
        if self._successor(tracked.folder) is not None:
            return
        made = self._make(tracked.folder, early=True)
        if made is None:
            self._follow_again(tracked.folder.attempt, REJECTED_SECONDS)
        else:
            log.info("%s is queued to follow %s", made.attempt, tracked.folder.attempt)
            known = AttemptKnown(attempt=made.attempt, number=made.number)
            self._attempts.report_as_is(tracked, known)
            self._attempts.load(made)

    def _queue_behind(self, last: Tracked) -> None:
        """Where every place is taken, the youngest makes room: age counts in queues."""
        line = self._waiting.waiting(last.folder.task)
        youngest = last.folder if self._waiting.is_full(last) and len(line) > 1 else None
        before = line[-2] if youngest is not None else last
        made = self._make(before.folder, early=True, instead=youngest)
        if made is None:
            return
        log.info("%s is queued behind %s", made.attempt, before.folder.attempt)
        if youngest is not None:
            self._withdraw(youngest)
        self._attempts.load(made)

    def _may_wait(self, tracked: Tracked) -> bool:
        """False once the service has withdrawn what it granted: the budget has no more room for this follow-up."""
        grant, folder = self._folders.grant(tracked.folder.task), tracked.folder
        if tracked.watched.run or tracked.watched.cancelled or folder.is_barred:
            return True
        if int(grant.get("until") or 0) >= int(grant.get("counted") or 0):
            return True
        has_turn = bool(self._folders.attempt(folder.task, folder.after).verdict)
        return has_turn or tracked.number <= int(grant.get("until") or 0)

    def _choose(self, before: Tracked, tracked: Tracked) -> Arrival:
        limit = tracked.asked_seconds
        grant = self._folders.grant(tracked.folder.task)
        policy = FollowUpPolicy(
            float(grant.get("hand_over_seconds") or 60.0),
            can_hand_over=self._stop_flag.is_supported(before.folder),
        )
        now = Chain(
            now=_running_for(before),
            limit_seconds=limit,
            work_seconds_left=math.inf,
            waiting_since=(),
            last_queued=0.0,
            program_ends=before.asked_seconds,
        )
        return decide_arrival(now, policy)

    def _withdraw(self, folder: AttemptFolder) -> None:
        """Of a follow-up it is reported at once: if the present attempt ends meanwhile, nobody must wait for this one."""
        self._folders.record_cancel(folder.task, folder.attempt)
        tracked = self._attempts.known.get(folder.attempt)
        if tracked is not None and folder.is_withdrawn:
            self._attempts.report_as_is(tracked, Gone(attempt=folder.attempt))
        self._attempts.cancel(folder)

    def _note(self, tracked: Tracked, message: str) -> None:
        self._attempts.note(tracked.folder, message, "hand-over")


def _is_end(event: Event) -> bool:
    if isinstance(event, Observed):
        return event.status == "ended"
    return isinstance(event, (Exited, NoWord, Lost))


def _may_go_on(tracked: Tracked, event: Event) -> bool:
    """Most tasks have one attempt and never ask for another: they cost nothing here."""
    asks = isinstance(event, Exited) and event.exit_code == CONTINUE_EXIT_CODE
    resume = tracked.folder.order().resume
    return asks or tracked.number > 1 or resume.ahead > 0 or bool(resume.pattern)


def _running_for(tracked: Tracked) -> float:
    """By the heartbeats of the run, late by one at most; before the first by our own clock."""
    beaten = lasted(tracked.folder, tracked.watched.run)
    if beaten is not None:
        return beaten
    start = tracked.folder.start_of(tracked.watched.run)
    return time.time() - start.seen_at if start is not None else 0.0
