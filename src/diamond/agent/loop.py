"""The agent: one main thread that decides, and threads that send, ask, stage and submit."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diamond.agent.data.places import TreePlaces
from diamond.agent.data.setup import DataSetup
from diamond.agent.data.work import assemble_data_work
from diamond.agent.folders import Folders
from diamond.agent.forwarding.forwarder import Forwarder
from diamond.agent.guard.bounds import SubmissionBounds
from diamond.agent.guard.fence import Fence, Superseded
from diamond.agent.guard.ledger import Ledger
from diamond.agent.guard.policy import Policy
from diamond.agent.guard.signatures import UsedSignatures
from diamond.agent.images.transfers import Transfers
from diamond.agent.link.carriers import Link
from diamond.agent.link.lease import Lease
from diamond.agent.link.reconnect import STALE_EXIT, Reconnection
from diamond.agent.link.session import (
    BURST_SECONDS,
    TOGETHER_SECONDS,
    Caller,
    Hooks,
    Outbox,
    Session,
)
from diamond.agent.output.collector import OutputCollector
from diamond.agent.output.logs import Streams
from diamond.agent.requests import ACTS, RequestHandler, RequestQueue
from diamond.agent.site.housekeeping import Housekeeping
from diamond.agent.site.presence import CONNECTION, tables
from diamond.agent.site.profile import SiteProfile
from diamond.agent.site.resting import Resting
from diamond.agent.site.upgrade import upgrade
from diamond.agent.tasks.admission import Admission
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.commands import CommandHandler
from diamond.agent.tasks.folders import TaskFolders
from diamond.agent.tasks.machine.state import AttemptState
from diamond.agent.tasks.orphans import Orphans
from diamond.agent.tasks.pace import Pace
from diamond.agent.tasks.pilots import KnownPilots
from diamond.agent.tasks.recovery import Recovery
from diamond.agent.tasks.redaction import EventRedaction
from diamond.agent.tasks.results import PostedResults
from diamond.agent.tasks.retention import Retention
from diamond.agent.tasks.staging import Stager
from diamond.agent.tasks.status import Answers, Asker, Budget
from diamond.agent.tasks.submission import Submitter
from diamond.agent.tasks.watching import Mark, is_seen, look_at_inbox
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.agent.tasks.workers import Workers
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.protocol import By, Orders, Welcome
from diamond.schedulers.base import RunsItsOwnQueue, Scheduler
from diamond.schedulers.pilot import PilotScheduler, is_of_pilot
from diamond.schedulers.routed import route

log = logging.getLogger(__name__)

QUICK_TICK_SECONDS, TICK_SECONDS, IDLE_TICK_SECONDS = 0.05, 0.2, 1.0
SWEEP_SECONDS = 10.0
CONCLUDE_SECONDS = 0.5
FENCE_SECONDS = 1.0
ADVANCE_SECONDS = 10.0


class Agent:
    """Everything one endpoint process holds. `run` returns its exit code."""

    def __init__(
        self,
        folders: Folders,
        link: Link,
        scheduler: Scheduler,
        *,
        stays: str,
        pace: Pace | None = None,
    ) -> None:
        self._folders, self._link = folders, link
        self._pilots = PilotScheduler(
            folders.tasks,
            KnownPilots(folders.tasks, lambda: self._attempts),
            scheduler.script_variables(),
        )
        self._scheduler = route(scheduler, self._pilots)
        self._pace = pace or Pace()
        self._posted: queue.Queue[Callable[[], None]] = queue.Queue()
        self._stopping, self._is_linked = threading.Event(), True
        self._exit_code = 0
        self._lively_until = self._advanced_at = 0.0
        self._swept_at = self._concluded_at = self._fenced_at = self._looked_at = 0.0
        self._assemble_site(stays)
        self._assemble_link(stays)
        self._assemble_tasks()
        self._assemble_output()
        self._assemble_data()
        self._assemble_handlers()

    def run(self) -> int:
        """Say hello, rebuild, then work until stopped or superseded."""
        predecessor = self._fence.acting()
        welcome = self._reconnection.first_hello()
        if welcome is None:
            return self._exit_code
        self._fence.wait_for_predecessor(*predecessor)
        self._fence.sign()
        log.info("generation %d of endpoint %s", welcome.generation, welcome.name)
        self._apply_welcome(welcome)
        self._recovery.rebuild(welcome)
        self._start_threads()
        self._work_until_stopped()
        self._outbox.wait_until_empty(2.0 if self._is_linked and not self._exit_code else 0)
        return self._exit_code

    def stop(self, code: int = 0) -> None:
        """Stop acting; jobs are left alone."""
        self._exit_code = self._exit_code or code
        self._stopping.set()
        self._posted.put(lambda: None)

    def _post(self, act: Callable[[], None]) -> None:
        """Have the main thread do something."""
        self._posted.put(act)

    def _assemble_site(self, stays: str) -> None:
        keep, scheduler = self._folders.keep, self._scheduler
        self._fence, self._policy = Fence(keep), Policy(keep)
        self._lease, self._ledger = Lease(keep, self._policy), Ledger(keep, self._policy)
        is_paired = stays != CONNECTION and (keep / "agent.json").exists()
        self._resting = Resting(
            keep,
            hours=lambda: self._policy.idle_hours if is_paired else 0.0,
            by_table=stays in tables(),
        )
        self._profile = SiteProfile(self._folders, self._policy, self._ledger)
        self._advance = scheduler.advance if isinstance(scheduler, RunsItsOwnQueue) else None
        fixed = self._pace.questions_per_minute
        self._budget = Budget(unlimited=self._advance is not None, fixed=fixed)

    def _assemble_link(self, stays: str) -> None:
        self._tasks, self._work = TaskFolders(self._folders), WorkQueue()
        self._outbox = Outbox(
            pause=self._pause, redact=EventRedaction(self._policy, self._tasks).redact
        )
        self._session = Session(
            self._link,
            self._outbox,
            folders=self._folders,
            fence=self._fence,
            stays=stays,
            policy=self._lease.policy_report,
        )
        self._reconnection = Reconnection(
            self._session, stopping=self._stopping, stop=self.stop, welcomed=self._welcomed
        )

    def _assemble_tasks(self) -> None:
        self._stager = Stager(self._folders, self._scheduler, self._link, self._profile.current)
        signatures = UsedSignatures(self._folders.keep, self._folders.tasks)
        self._admission = Admission(
            self._policy, self._lease, signatures, profile=self._profile.current
        )
        self._attempts = Attempts(
            self._tasks,
            report=self._outbox.put,
            profile=self._profile.current,
            work=self._work,
            follow_up_rejection=self._admission.follow_up_rejection,
            bounds=SubmissionBounds(self._folders.keep, self._policy),
        )
        results = PostedResults(self._attempts, self._ledger, self._post)
        self._workers = Workers(self._work, self._stager, self._scheduler, self._fence, results)
        self._submitter = Submitter(
            self._work.submissions,
            self._scheduler,
            self._stager.submission,
            self._fence,
            self._budget,
            results,
            room=self._attempts.room,
            turn=self._attempts.turn,
            pace=self._pace,
        )
        self._asker = Asker(self._scheduler, self._budget, answered=self._answered)
        self._orphans = Orphans(self._tasks, self._scheduler, self._budget, self._outbox.put)

    def _assemble_output(self) -> None:
        self._streams = Streams(lambda: self._policy.allows_logs)
        self._forwarder = Forwarder(
            self._folders,
            allowed=lambda: self._policy.allows_files and not self._policy.is_community,
            note=PostedResults(self._attempts, self._ledger, self._post).note,
            stopping=self._stopping,
        )
        self._output = OutputCollector(
            self._streams, self._attempts, self._stopping, forward=self._forwarder.look
        )
        self._recovery = Recovery(
            self._tasks,
            self._attempts,
            self._orphans,
            self._link,
            follow_output=self._output.follow,
            send_output_again=self._streams.start_again,
        )
        self._retention = Retention(
            self._tasks,
            self._folders.settings,
            profile=self._profile.current,
            report=self._outbox.put,
            is_tracked=self._attempts.is_tracked,
            is_needed=TreePlaces(self._folders).is_pinned_within,
        )
        self._housekeeping = Housekeeping(
            scheduler=self._scheduler,
            folders=self._folders,
            link=self._link,
            profile=self._profile,
            run_directories=self._retention,
            free=self._asker.free,
            is_idle=lambda: not self._attempts.active(),
            allows_pilots=lambda: self._policy.allows_pilots,
        )

    def _assemble_data(self) -> None:
        setup = DataSetup(self._folders, self._policy, self._profile.current)
        self._data = assemble_data_work(setup, self._link, self._scheduler, self._stopping)

    def _assemble_handlers(self) -> None:
        self._transfers = Transfers(
            self._folders,
            self._link,
            self._stager.images,
            self._stopping,
            tells_all=lambda: self._policy.allows_logs,
        )
        self._commands = CommandHandler(
            self._tasks,
            self._attempts,
            self._post,
            self._outbox.put,
            probe=self._housekeeping.probe_soon,
            upgrade=self._upgrade,
            clean=self._housekeeping.clean_soon,
            image=self._transfers.handle,
            data=self._data.handle,
            reached=self._pace.reached,
            rejection=self._admission.rejection,
            record=self._ledger.command,
            accepted=self._admission.accepted,
            close_pilot=self._pilots.close,
        )
        handler = RequestHandler(self._folders, self._tasks, self._stager, self._policy)
        self._requests = RequestQueue(handler, self._link)

    def _start_threads(self) -> None:
        hooks = Hooks(
            stopping=self._stopping,
            generation=lambda: self._link.generation,
            is_greeting=lambda: self._session.is_greeting,
            stale=self._superseded,
            closed=self._link_closed,
            failed=self._reconnection.link_failed,
        )
        self._workers.start()
        self._submitter.start()
        self._asker.start()
        self._requests.start()
        self._transfers.start()
        self._forwarder.start()
        self._data.start()
        self._housekeeping.start()
        Caller("commands", self._commands_once, hooks).start()
        Caller("events", self._events_once, hooks).start()
        quiet = replace(hooks, closed=lambda: None, failed=lambda: None)
        Caller("bytes", self._bytes_once, quiet).start()

    def _work_until_stopped(self) -> None:
        while not self._stopping.is_set():
            try:
                self._tick()
            except Superseded as error:
                self._superseded(str(error))
            except Exception:
                log.exception("a tick failed")
                self._stopping.wait(1.0)

    def _tick(self) -> None:
        self._do_posted()
        now = time.monotonic()
        if now - self._looked_at >= QUICK_TICK_SECONDS:
            self._looked_at = now
            self._look_at_inbox()
        if now - self._concluded_at >= CONCLUDE_SECONDS:
            self._concluded_at = now
            self._conclude(now)
        if not self._is_linked and self._is_idle():
            log.info("the connection ended and nothing is left to do")
            self.stop()
        self._rest_if_unneeded()

    def _rest_if_unneeded(self) -> None:
        if not self._is_idle():
            self._resting.needed()
        elif self._resting.is_over():
            log.info("nobody needed this agent for hours: it ends, and comes back when started")
            self.stop()

    def _do_posted(self) -> None:
        """Wait for the next act or tick, then do all that is there."""
        with contextlib.suppress(queue.Empty):
            act = self._next_act()
            while True:
                act()
                act = self._posted.get_nowait()

    def _next_act(self) -> Callable[[], None]:
        if self._posted.empty():
            return self._posted.get(timeout=self._tick_seconds())
        return self._posted.get_nowait()

    def _tick_seconds(self) -> float:
        """Short after something has started or ended, since more may follow soon."""
        if self._is_idle():
            return IDLE_TICK_SECONDS
        return QUICK_TICK_SECONDS if time.monotonic() < self._lively_until else TICK_SECONDS

    def _conclude(self, now: float) -> None:
        if now - self._fenced_at >= FENCE_SECONDS:
            self._fenced_at = now
            self._fence.check()
        self._advance_own_queue(now)
        if now - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = now
            self._sweep(now)
        self._attempts.time_passed()
        self._attempts.chains.look()
        active = self._attempts.active()
        self._ask(active)
        for state in list(self._attempts.known.values()):
            self._output.follow(state)
            self._close(state)
        self._output.look_at_scalars(active)

    def _sweep(self, now: float) -> None:
        """Read the folders themselves, in case a mark in the inbox was lost."""
        for state in [*self._attempts.active(), *self._attempts.late(now)]:
            self._attempts.look_at(state.attempt)
        self._orphans.look(now)
        self._submitter.report_silence()

    def _advance_own_queue(self, now: float) -> None:
        """Often for a while after something happened, else rarely: checking many jobs costs time."""
        interval = CONCLUDE_SECONDS if now < self._lively_until else ADVANCE_SECONDS
        if self._advance and not self._is_idle() and now - self._advanced_at >= interval:
            self._advanced_at = now
            self._advance()

    def _look_at_inbox(self) -> None:
        for mark in look_at_inbox(self._folders.inbox):
            folder = self._tasks.attempt(mark.task, mark.attempt)
            if mark.attempt in self._attempts.known:
                self._look_at_mark(mark)
            state = self._attempts.known.get(mark.attempt)
            if (state and is_seen(mark, state, folder)) or not folder.path.exists():
                mark.path.unlink()

    def _look_at_mark(self, mark: Mark) -> None:
        if mark.kind in ("duplicate", "arrived"):
            self._attempts.look_at(mark.attempt)
        else:
            self._attempts.look_at_run(mark.attempt, mark.run)
        self._output.follow(self._attempts.known[mark.attempt])
        self._lively_until = time.monotonic() + ADVANCE_SECONDS

    def _ask(self, active: list[AttemptState]) -> None:
        """What a pilot says costs nothing to read; the site is asked within its budget."""
        inside = [state.native_id for state in active if is_of_pilot(state.native_id)]
        if inside:
            self._attempts.answered(dict(self._pilots.status(inside)))
        active = [state for state in active if not is_of_pilot(state.native_id)]
        ids = {state.native_id for state in active} - {""}
        awaited = any(state.awaits_answer for state in active)
        if ids and self._asker.is_due(awaited=awaited, hurry=self._work.wants_status):
            self._work.status_asked()
            self._asker.ask(ids)

    def _answered(self, answers: Answers) -> None:
        self._post(lambda: self._attempts.answered(answers))

    def _close(self, state: AttemptState) -> None:
        """Once the service has the final state and every byte, and no file can still appear."""
        if (
            state.is_confirmed
            and state.is_over
            and self._outbox.is_empty
            and not self._attempts.is_late(state.attempt, time.monotonic())
            and self._output.is_complete(state.attempt)
        ):
            self._output.forget(state.attempt)
            self._attempts.close(state.attempt, self._session.endpoint)
            self._retention.closed(state.task)

    def _is_idle(self) -> bool:
        return self._attempts.is_idle() and self._posted.empty()

    def _commands_once(self) -> None:
        self._reconnection.hello_again()
        done = self._commands.done()
        orders = self._session.poll(done)
        self._commands.acknowledged(done)
        if orders.commands or orders.requests:
            self._resting.needed()
        self._apply(orders)
        for command in orders.commands:
            self._commands.handle(command)
        for request in orders.requests:
            if isinstance(request, dict):
                self._record_act(request)
                self._requests.put(request)

    def _record_act(self, request: dict[str, Any]) -> None:
        if request.get("type") in ACTS:
            with contextlib.suppress(BadRequest):
                self._ledger.act(str(request["type"]), decode(By, request.get("by") or {}))

    def _apply(self, orders: Orders) -> None:
        if orders.status_questions_per_minute:
            self._budget.set_rate(orders.status_questions_per_minute)
        if self._profile.apply_settings(orders.settings.given):
            self._housekeeping.limits_changed()
        closed = frozenset(orders.closed)
        if closed:
            self._post(lambda: self._attempts.confirm(closed))

    def _welcomed(self, welcome: Welcome) -> None:
        """After the link was down."""

        def report() -> None:
            self._apply_welcome(welcome)
            self._recovery.report_all(welcome)

        self._post(report)

    def _apply_welcome(self, welcome: Welcome) -> None:
        self._budget.set_rate(welcome.status_questions_per_minute)
        self._profile.apply_settings(welcome.settings.given)
        self._streams.take_facts(welcome.takes_facts)

    def _events_once(self) -> None:
        events = self._outbox.wait(1.0)
        if events:
            self._output.wait_for_output(events)
            unknown = self._session.send_events(events)
            if unknown:
                self._post(lambda: self._recovery.adopt(unknown))

    def _bytes_once(self) -> None:
        if not self._streams.send(self._link):
            self._stopping.wait(self._streams.pause)

    def _pause(self) -> float:
        return BURST_SECONDS if self._work.submissions.is_bursting else TOGETHER_SECONDS

    def _upgrade(self, digest: str) -> None:
        endpoint, scheduler = self._folders.keep.name, self._scheduler.name
        upgrade(digest, link=self._link, endpoint=endpoint, scheduler=scheduler)

    def _link_closed(self) -> None:
        self._is_linked = False

    def _superseded(self, reason: str) -> None:
        log.error("stopping: another agent of this endpoint has taken over (%s)", reason)
        self.stop(STALE_EXIT)
