"""Carries out what the machine decides about the chain of a task: makes, withdraws and announces attempts.

An end is saved in this order, so that a new agent decides the same: `progress.json`, `over`, the intent of the next attempt;
only then is it reported.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from diamond.agent.disk import mark
from diamond.agent.tasks.chain_facts import ran_seconds, read_loaded_chain, read_whole_chain
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.machine import chain as machine
from diamond.agent.tasks.machine.chain import (
    ChainState,
    ExcludeNodes,
    ForFollowUp,
    Judgement,
    LineFacts,
    OnArrival,
    RunningProgram,
)
from diamond.agent.tasks.machine.reports import report_progress
from diamond.agent.tasks.machine.state import GO, STOP, AttemptState
from diamond.agent.tasks.progress import reached_by
from diamond.agent.tasks.ranks import nodes_to_leave_out
from diamond.agent.tasks.stop_flag import StopFlagSupport
from diamond.core import ids
from diamond.core.events import AttemptKnown, Event, Gone

log = logging.getLogger(__name__)

REJECTED_SECONDS = 60.0


class LoadedAttempts(Protocol):
    """The attempts in memory, and what can be done with them (`attempts.Attempts`)."""

    @property
    def known(self) -> Mapping[str, AttemptState]: ...
    def save(self, state: AttemptState) -> None: ...
    def active(self) -> list[AttemptState]: ...
    def of_task(self, task: str) -> list[AttemptState]: ...
    def load(self, folder: AttemptFolder) -> None: ...
    def announce(self, attempt: str) -> None: ...
    def look_at(self, attempt: str) -> None: ...
    def cancel(self, folder: AttemptFolder) -> None: ...
    def note(self, folder: AttemptFolder, message: str, code: str) -> None: ...
    def report_as_is(self, attempt: str, event: Event) -> None: ...
    def exclude_nodes(self, folder: AttemptFolder, native_id: str) -> None: ...
    def room(self, partition: str) -> str: ...
    def has_queue(self) -> bool: ...
    def may_queue_ahead(self) -> bool: ...
    def count_withdrawn(self, folder: AttemptFolder) -> None: ...


class Chains:
    """Called from the agent's main thread."""

    def __init__(
        self,
        folders: TaskFolders,
        attempts: LoadedAttempts,
        rejection: Callable[[AttemptFolder, int], str],
    ) -> None:
        self._folders, self._attempts = folders, attempts
        self._stop_flag = StopFlagSupport(folders)
        self._followed: dict[str, float] = {}
        """When the next look at a follow-up of an attempt is due, on our own clock; for most there is none."""
        self._undecided: set[str] = set()
        """Attempts with nodes whose decision could not be saved."""
        self._rejection = rejection
        """Why this machine accepts no attempt of this number after this one, or ''."""
        self._rejected: dict[str, float] = {}
        self._begun: set[str] = set()
        """Tasks that have run at least once. Remembered, because every look asks for it."""

    def concerns(self, state: AttemptState, event: Event) -> bool:
        """Whether the event ends an attempt after which another may come.

        The end of one that was withdrawn decides nothing: the chain continues, or ends, without it.
        """
        return machine.may_be_followed(state, event) and not self._folder(state).is_withdrawn

    def before_end(self, attempt: str, event: Event) -> list[Event]:
        """What is reported before an end: how far the attempt came, and which one continues."""
        folder = self._folder(self._attempts.known[attempt])
        events = self._progress(folder)
        self._avoid_nodes(folder)
        verdict = self._judge(folder, [*events, event])
        successor = self._settle(folder, verdict)
        if successor is None or not successor.after:
            return events
        return [*events, AttemptKnown(attempt=successor.attempt, number=successor.number)]

    def after_end(self, attempt: str) -> None:
        """Once the end is reported, the attempt that was made for it is loaded."""
        state = self._attempts.known[attempt]
        if self._folder(state).verdict != GO:
            return
        successor = self._with_later(state).successor_of(state)
        if successor is not None:
            if successor.attempt not in self._attempts.known:
                self._attempts.load(self._folder(successor))
            self._attempts.announce(successor.attempt)

    def queued(self, attempt: str) -> None:
        """A follow-up is in the queue now: keep it off nodes that failed since its script was written."""
        state = self._attempts.known[attempt]
        if machine.can_exclude_nodes(state) and nodes_to_leave_out(self._folder(state)):
            self._attempts.exclude_nodes(self._folder(state), state.native_id)

    def look(self) -> None:
        """Queue the follow-ups that are due, and decide what could not be decided before."""
        for attempt in [state.attempt for state in self._attempts.active()]:
            if attempt in self._undecided:
                self.arrived(attempt)
            self._queue_ahead_if_due(self._attempts.known[attempt])
            if self._attempts.known[attempt].resume.may_line_up:
                self._look_at_line(self._attempts.known[attempt])
            self._withdraw_if_over_budget(self._attempts.known[attempt])

    def arrived(self, attempt: str) -> None:
        """A follow-up has nodes: hand over to it now, let it wait, or give them back. What fails is tried again."""
        try:
            self._decide_arrival(attempt)
        except OSError as error:
            self._undecided.add(attempt)
            log.error(
                "%s has nodes, and it could not be decided what to do with them: %s", attempt, error
            )
        else:
            self._undecided.discard(attempt)

    def begins_unannounced(self, state: AttemptState) -> bool:
        """Whether an attempt that is loaded waits behind others."""
        if not machine.begins_unannounced(state, has_turn=False, has_begun=False):
            return False
        folder, every = self._folder(state), self._folders.attempts(state.task)
        has_turn = any(each.verdict == GO for each in every if each.attempt == state.after)
        has_begun = any(folder.start_of(run) for run in folder.runs())
        return machine.begins_unannounced(state, has_turn=has_turn, has_begun=has_begun)

    def cancelled(self, folder: AttemptFolder) -> None:
        """The service ended a task by this attempt: those that come after it are not needed."""
        chain = self._loaded(folder.task)
        self._carry_out(folder.task, machine.not_needed_after_cancel(chain, folder.number))

    def cancel_if_decided(self, attempt: str) -> bool:
        """The site runs an attempt again, or wants to. If its end was already decided, it is cancelled: another continues, or none."""
        folder = self._folder(self._attempts.known[attempt])
        if not folder.verdict:
            return False
        if not folder.is_cancelled:
            message = "the site requeued this attempt after its end, so it is cancelled"
            self._attempts.note(folder, message, "came-back")
        self._withdraw(folder)
        return True

    def _progress(self, folder: AttemptFolder) -> list[Event]:
        state, events = report_progress(self._attempts.known[folder.attempt], reached_by(folder))
        self._attempts.save(state)
        return list(events)

    def _avoid_nodes(self, folder: AttemptFolder) -> None:
        """Before the next attempt begins: it may have been queued before a node failed the task a second time."""
        bad = nodes_to_leave_out(folder)
        if bad:
            self._carry_out(folder.task, machine.avoid_nodes(self._loaded(folder.task), bad))

    def _judge(self, folder: AttemptFolder, fresh: list[Event]) -> str:
        """Whether the life cycle continues after these facts, ends, or needs to know more (''). Decided once."""
        known = folder.verdict
        if known:
            return known
        judged = machine.judge(
            self._attempts.known[folder.attempt],
            fresh,
            before=self._folders.standing_before(folder),
            is_cancelled=folder.is_cancelled,
        )
        if judged.doubted is not None and self._folders.doubt(folder, judged.doubted):
            message = f"no progress with the checkpoint {judged.doubted}: the next attempt gets the one before it"
            self._attempts.note(folder, message, "doubted")
        if judged.verdict:
            self._save_end(folder, judged)
        return judged.verdict

    def _save_end(self, folder: AttemptFolder, judged: Judgement) -> None:
        try:
            folder.write_standing(judged.standing)
            folder.write_verdict(judged.verdict)
            state = self._attempts.known[folder.attempt]
            for attempt in machine.bound_by_end(self._with_later(state), state):
                self._folders.attempt(folder.task, attempt).write_verdict(judged.verdict)
        except OSError as error:
            log.error("%s: its end could not be saved: %s", folder.attempt, error)

    def _settle(self, folder: AttemptFolder, verdict: str) -> AttemptFolder | None:
        """Withdraw what is not needed after the last attempt; or the attempt that continues, made if there is none."""
        state = self._attempts.known[folder.attempt]
        chain = self._with_later(state)
        if verdict == STOP:
            self._carry_out(folder.task, machine.not_needed_after(chain, state))
            return None
        successor = chain.successor_of(state)
        if successor is not None:
            return self._folder(successor)
        return self._make(folder, early=False) if verdict == GO else None

    def _decide_arrival(self, attempt: str) -> None:
        state = self._attempts.known[attempt]
        if not machine.decides_arrival(state):
            return
        running = self._loaded(state.task).running
        if running is not None:
            # Once more: these nodes may be the very ones that its program has left.
            self._attempts.look_at(running.attempt)
        chain, state = self._loaded(state.task), self._attempts.known[attempt]
        program, grant = self._program(chain.running), self._folders.grant(state.task)
        choice = machine.on_arrival(chain, state, program=program, grant=grant)
        log.info("%s has its nodes: %s", attempt, choice.value)
        if choice in (OnArrival.LEAVE, OnArrival.GIVE_BACK):
            self._withdraw(self._folder(state))
        if choice in (OnArrival.START, OnArrival.WAIT, OnArrival.HAND_OVER):
            self._let_overtake(chain, state)
        if chain.running is not None and choice is OnArrival.GIVE_BACK:
            seconds = machine.queue_again_seconds(chain.running, program)
            self._follow_again(chain.running.attempt, seconds)
        if chain.running is not None and choice is OnArrival.HAND_OVER:
            self._ask_to_hand_over(self._folder(chain.running))

    def _program(self, running: AttemptState | None) -> RunningProgram:
        if running is None:
            return RunningProgram()
        folder = self._folder(running)
        return RunningProgram(
            ran_seconds=ran_seconds(folder, running.run),
            can_hand_over=self._stop_flag.is_supported(folder),
        )

    def _ask_to_hand_over(self, folder: AttemptFolder) -> None:
        mark(folder.path / "stop")
        message = "the follow-up has its nodes: this attempt is asked to save and exit"
        self._attempts.note(folder, message, "hand-over")

    def _let_overtake(self, chain: ChainState, state: AttemptState) -> None:
        """Where it was made to follow attempts that have no nodes yet, it takes their place; unless one of them has got nodes meanwhile."""
        if not all(self._folder(each).bar() for each in chain.waiting_before(state)):
            return
        whole = self._whole(state.task)
        for overtaken in machine.overtaken_by(whole, state):
            if whole.running is None:
                self._folder(overtaken).write_verdict(GO)
            else:
                self._withdraw(self._folder(overtaken))

    def _queue_ahead_if_due(self, state: AttemptState) -> None:
        due = self._followed.get(state.attempt, 0.0)
        if not machine.wants_follow_up(state, due=due, now=time.monotonic()):
            return
        folder = self._folder(state)
        granted = self._stop_flag.queue_rules(folder)
        if machine.is_follow_up_due(granted, ran_seconds(folder, state.run)):
            self._queue_ahead(folder, state)

    def _queue_ahead(self, folder: AttemptFolder, state: AttemptState) -> None:
        self._followed[state.attempt] = math.inf
        if self._with_later(state).successor_of(state) is not None:
            return
        made = self._make(folder, early=True)
        if made is None:
            self._follow_again(state.attempt, REJECTED_SECONDS)
        else:
            log.info("%s is queued to follow %s", made.attempt, state.attempt)
            known = AttemptKnown(attempt=made.attempt, number=made.number)
            self._attempts.report_as_is(state.attempt, known)
            self._attempts.load(made)

    def _follow_again(self, attempt: str, seconds: float) -> None:
        self._followed[attempt] = time.monotonic() + max(0.0, seconds)

    def _look_at_line(self, state: AttemptState) -> None:
        chain = self._loaded(state.task)
        for attempt in machine.to_announce(chain):
            self._attempts.announce(attempt)
        if machine.is_last_in_line(chain, state):
            self._queue_behind(chain, state)
        if state.is_running:
            self._carry_out(state.task, machine.passed_by(chain, state))

    def _queue_behind(self, chain: ChainState, last: AttemptState) -> None:
        if self._attempts.room(last.partition) or not self._attempts.has_queue():
            return
        wanted = machine.queue_behind(chain, last, self._line_facts(chain, last))
        if wanted is None or machine.has_failed_behind(self._with_later(last), last):
            return
        before = self._folders.attempt(last.task, wanted.after)
        youngest = self._folders.attempt(last.task, wanted.instead) if wanted.instead else None
        made = self._make(before, early=True, instead=youngest)
        if made is None:
            return
        log.info("%s is queued behind %s", made.attempt, before.attempt)
        if youngest is not None:
            self._withdraw(youngest)
        self._attempts.load(made)

    def _line_facts(self, chain: ChainState, last: AttemptState) -> LineFacts:
        granted = self._stop_flag.queue_rules(self._folder(last))
        return LineFacts(
            now=time.time(),
            cushion_seconds=granted.cushion_seconds or 0.0,
            has_started=self._has_started(last.task),
            last_exit=None if chain.running else self._folders.last_exit(last.task),
        )

    def _has_started(self, task: str) -> bool:
        if task not in self._begun and any(each.runs() for each in self._folders.attempts(task)):
            self._begun.add(task)
        return task in self._begun

    def _withdraw_if_over_budget(self, state: AttemptState) -> None:
        if not machine.may_lose_its_turn(state):
            return
        folder = self._folder(state)
        if not machine.is_over_budget(self._folders.grant(state.task), state.number):
            return
        has_turn = bool(self._folders.attempt(state.task, state.after).verdict)
        if not has_turn and not folder.is_barred:
            self._withdraw(folder)
            self._follow_again(state.after, REJECTED_SECONDS)

    def _make(
        self, folder: AttemptFolder, *, early: bool, instead: AttemptFolder | None = None
    ) -> AttemptFolder | None:
        """A new attempt of our own, if the service has granted one more and the machine's policy allows it.

        Where it does not, the service will ask for the attempt, and its owner learns why it is rejected.
        """
        until = self._folders.grant(folder.task).until or 0
        if self._folders.is_ended(folder.task) or self._is_rejected(folder):
            return None
        if early and not self._attempts.may_queue_ahead():
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

    def _carry_out(self, task: str, actions: Iterable[ForFollowUp]) -> None:
        for action in actions:
            folder = self._folders.attempt(task, action.attempt)
            if isinstance(action, ExcludeNodes):
                native_id = self._attempts.known[action.attempt].native_id
                self._attempts.exclude_nodes(folder, native_id)
            else:
                self._withdraw(folder)

    def _withdraw(self, folder: AttemptFolder) -> None:
        """Of a follow-up it is reported at once: if the present attempt ends meanwhile, nobody must wait for this one."""
        if not folder.is_cancelled:
            self._attempts.count_withdrawn(folder)
        self._folders.record_cancel(folder.task, folder.attempt)
        if folder.attempt in self._attempts.known and folder.is_withdrawn:
            self._attempts.report_as_is(folder.attempt, Gone(attempt=folder.attempt))
        self._attempts.cancel(folder)

    def _folder(self, state: AttemptState) -> AttemptFolder:
        return self._folders.attempt(state.task, state.attempt)

    def _loaded(self, task: str) -> ChainState:
        return read_loaded_chain(self._folders, self._attempts.of_task(task))

    def _with_later(self, state: AttemptState) -> ChainState:
        """Those in memory, and all that come after this one."""
        loaded = self._attempts.of_task(state.task)
        return read_whole_chain(self._folders, state.task, loaded, above=state.number)

    def _whole(self, task: str) -> ChainState:
        return read_whole_chain(self._folders, task, self._attempts.of_task(task))
