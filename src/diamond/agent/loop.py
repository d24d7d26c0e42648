"""The agent: one main thread that decides, and threads that carry, ask, stage and submit."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diamond.agent.folders import Folders
from diamond.agent.guard.fence import Fence, Superseded
from diamond.agent.guard.ledger import Ledger
from diamond.agent.guard.policy import Policy
from diamond.agent.guard.signatures import UsedSignatures
from diamond.agent.images.transfers import Movers
from diamond.agent.link.carriers import Link
from diamond.agent.link.lease import Lease
from diamond.agent.link.reconnect import STALE_EXIT, Reunion
from diamond.agent.link.session import BURST_SECONDS, TOGETHER_SECONDS, Caller, Hooks, Session
from diamond.agent.output.logs import Streams
from diamond.agent.output.tensorboard import Scalars
from diamond.agent.requests import ACTS, Answerers, Desk
from diamond.agent.site.housekeeping import Housekeeping
from diamond.agent.site.profile import Profile, load_profile, save_settings
from diamond.agent.site.upgrade import upgrade
from diamond.agent.tasks.attempts import SUBMITTED, Attempts, Tracked
from diamond.agent.tasks.commands import Clerk
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.orphans import Orphans
from diamond.agent.tasks.pace import Pace
from diamond.agent.tasks.staging import Stager
from diamond.agent.tasks.status import Answers, Asker, Budget
from diamond.agent.tasks.submission import Submitter
from diamond.agent.tasks.watching import Mark, is_seen, look_at_inbox
from diamond.agent.tasks.workers import Workers
from diamond.core.agent_messages import MachinePolicy
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.protocol import (
    Asked,
    By,
    Command,
    Orders,
    PushImage,
    SendImage,
    Submit,
    Upgrade,
    read_asked,
)
from diamond.core.task import Reason
from diamond.schedulers.base import RunsItsOwnQueue, Scheduler

log = logging.getLogger(__name__)

QUICK_TICK_SECONDS, TICK_SECONDS, IDLE_TICK_SECONDS = 0.05, 0.2, 1.0
SWEEP_SECONDS = 10.0
CONCLUDE_SECONDS = 0.5
STEPS_FIRST_SECONDS = 10.0
"""How long the end of a build may wait for its steps."""
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
        self.folders, self.link, self.scheduler = folders, link, scheduler
        self._pace = pace or Pace()
        self.fence = Fence(folders.keep)
        self.session = Session(link, folders=folders, fence=self.fence, stays=stays)
        self.policy = Policy(folders.keep)
        self.lease, self.ledger = (
            Lease(folders.keep, self.policy),
            Ledger(folders.keep, self.policy),
        )
        self.session.outbox.veil, self.session.about_policy = self._veil, self._about_policy
        self.tasks, self.streams = TaskFolders(folders), Streams(self._may_logs_leave)
        self.signatures = UsedSignatures(folders.keep, self.tasks)
        self._advance = scheduler.advance if isinstance(scheduler, RunsItsOwnQueue) else None
        fixed = self._pace.questions_per_minute
        self.budget = Budget(unlimited=self._advance is not None, fixed=fixed)
        self._posted: queue.Queue[Callable[[], None]] = queue.Queue()
        self.stopping, self._is_linked = threading.Event(), True
        self._exit_code, self._hurry = 0, False
        self._lively_until = self._advanced_at = 0.0
        self._swept_at = self._concluded_at = self._fenced_at = self._looked_at = 0.0
        self._profile = load_profile(folders)
        self._assemble()

    def run(self) -> int:
        """Greet, rebuild, then work until told to stop or superseded."""
        predecessor = self.fence.acting()
        welcome = self.reunion.first_hello()
        if welcome is None:
            return self._exit_code
        self.fence.wait_for_predecessor(*predecessor)
        self.fence.sign()
        log.info("generation %d of endpoint %s", welcome.generation, welcome.name)
        self.reunion.rebuild(welcome)
        self._start_threads()
        self._work()
        self.session.outbox.wait_until_empty(2.0 if self._is_linked and not self._exit_code else 0)
        return self._exit_code

    def stop(self, code: int = 0) -> None:
        """Stop acting; jobs are left alone."""
        self._exit_code = self._exit_code or code
        self.stopping.set()
        self._posted.put(lambda: None)

    def profile(self) -> Profile:
        return self._profile

    def reload_profile(self) -> None:
        self._profile = load_profile(self.folders)

    def post(self, act: Callable[[], None]) -> None:
        """Have the main thread do something."""
        self._posted.put(act)

    def _assemble(self) -> None:
        stager = Stager(self.folders, self.scheduler, self.link, self.profile)
        self.workers = Workers(
            stager, self.scheduler, self.fence, post=self.post, hurry=self._ask_soon
        )
        self.attempts = Attempts(
            self.tasks, tell=self.session.outbox.put, profile=self.profile, workers=self.workers
        )
        submitter = Submitter(
            self.scheduler,
            stager.submission,
            self.fence,
            self.budget,
            outcome=_Posted(self),
            room=self.attempts.room,
            pace=self._pace,
        )
        self.workers.bind(self.attempts, submitter)
        self.session.outbox.pause = lambda: (
            BURST_SECONDS if submitter.is_bursting else TOGETHER_SECONDS
        )
        self.asker = Asker(self.scheduler, self.budget, answered=self._answered)
        self.orphans = Orphans(self.tasks, self.scheduler, self.budget, self.session.outbox.put)
        self.house, self.reunion = Housekeeping(self), Reunion(self)
        self.movers = Movers(self.folders, self.link, stager.images, self.stopping)
        self.clerk = Clerk(
            self.tasks,
            self.attempts,
            self.post,
            self.session.outbox.put,
            probe=self.house.probe_soon,
            upgrade=lambda digest: upgrade(self, digest),
            clean=self.house.clean_soon,
            image=self.movers.take,
            reached=self._pace.reached,
            refusal=self._refusal,
            note=self.ledger.command,
            accepted=self._accepted,
        )
        self.attempts.chains.refusal = self._follow_refusal
        self.answerers = Answerers(Desk(self.folders, self.tasks, stager, self.policy), self.link)
        self.scalars = Scalars()

    def _refusal(self, command: Command) -> str:
        """Why this machine does not take a command; an end is never refused."""
        if isinstance(command, (SendImage, PushImage)):
            held = self.policy.egress != "all"
            return "the policy of this machine keeps images on it" if held else ""
        if isinstance(command, Upgrade):
            return self.policy.agent_fault()
        if not isinstance(command, Submit):
            return ""
        asked = command.asked
        partition = self.profile().partition(asked.order.placement.partition)
        return (
            self.lease.refusal()
            or self.policy.person_fault(asked.person, asked.order.secrets)
            or self.policy.refusal(asked, partition)
            or self._used(asked, command)
        )

    def _follow_refusal(self, folder: AttemptFolder, number: int) -> str:
        """Why no further attempt of a task is begun: each is a new batch job, whoever makes it."""
        asked = read_asked(folder.task_json())
        partition = self.profile().partition(asked.order.placement.partition)
        why = self.lease.refusal() or self.policy.refusal(asked, partition)
        if not why and self.policy.require_signed and number > asked.order.resume.max_attempts:
            why = f"{asked.order.resume.max_attempts} attempts were signed"
        return why

    def _used(self, asked: Asked, command: Submit) -> str:
        if not self.policy.require_signed:
            return ""
        why = self.signatures.fault(asked, command.task, command.number)
        return f"the policy of this machine does not allow it: {why}" if why else ""

    def _accepted(self, command: Submit) -> None:
        asked = command.asked
        if asked.signature is not None and self.policy.require_signed:
            self.signatures.add(asked, command.task)

    def _may_logs_leave(self) -> bool:
        return self.policy.egress != "states"

    def _veil(self, event: dict[str, Any]) -> dict[str, Any]:
        """Words about a task may quote what its program wrote; our own about the policy do not."""
        if self._may_logs_leave():
            return event
        if event["type"] == "progressed":
            return self._veil_progress(event)
        if not event.get("message") or event.get("reason") == "policy":
            return event
        return {**event, "message": "the words stay on the machine, by its policy"}

    def _veil_progress(self, event: dict[str, Any]) -> dict[str, Any]:
        """That it went on, not how far: its program chose the checkpoint's name and the number of the step."""
        tracked = self.attempts.known.get(str(event.get("attempt")))
        before = self.tasks.standing_before(tracked.folder).reached if tracked else None
        went_on = tracked and before and event["step"] > before.step
        return {**event, "checkpoint": "", "step": tracked.number if tracked and went_on else -1}

    def _about_policy(self) -> MachinePolicy:
        return MachinePolicy(
            egress=self.policy.egress,
            lease_until=self.lease.until,
            require_signed=self.policy.require_signed,
            community=self.policy.is_community,
            stands=self.policy.stands,
        )

    def _start_threads(self) -> None:
        hooks = Hooks(
            stopping=self.stopping,
            generation=lambda: self.link.generation,
            is_greeting=lambda: self.session.is_greeting,
            stale=lambda words: self._superseded(words),
            closed=self._link_closed,
            failed=self.reunion.link_failed,
        )
        self.workers.start()
        self.asker.start()
        self.answerers.start()
        self.movers.start()
        self.house.start()
        Caller("commands", self._commands_once, hooks).start()
        Caller("events", self._events_once, hooks).start()
        quiet = replace(hooks, closed=lambda: None, failed=lambda: None)
        Caller("bytes", self._bytes_once, quiet).start()

    def _work(self) -> None:
        while not self.stopping.is_set():
            try:
                self._tick()
            except Superseded as error:
                self._superseded(str(error))
            except Exception:
                log.exception("a tick failed")
                self.stopping.wait(1.0)

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
        """Where something has just started or ended, the next such news is near."""
        if self._is_idle():
            return IDLE_TICK_SECONDS
        return QUICK_TICK_SECONDS if time.monotonic() < self._lively_until else TICK_SECONDS

    def _conclude(self, now: float) -> None:
        if now - self._fenced_at >= 1.0:
            self._fenced_at = now
            self.fence.check()
        active = self.attempts.active()
        self._advance_own_queue(now)
        if now - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = now
            for tracked in [*active, *self.attempts.late(now)]:
                self.attempts.look_at(tracked)
            self.orphans.look(now)
            self.workers.submitter.tell_of_silence()
        self.attempts.time_passed()
        self.attempts.chains.look()
        self._ask(active)
        for tracked in list(self.attempts.known.values()):
            self.follow_streams(tracked)
            self._close(tracked)
        self.scalars.look(active)

    def _advance_own_queue(self, now: float) -> None:
        """Often for a while after something happened, else now and then: looking at many jobs costs time."""
        interval = CONCLUDE_SECONDS if now < self._lively_until else ADVANCE_SECONDS
        if self._advance and not self._is_idle() and now - self._advanced_at >= interval:
            self._advanced_at = now
            self._advance()

    def _look_at_inbox(self) -> None:
        for mark in look_at_inbox(self.folders.inbox):
            tracked = self.attempts.known.get(mark.attempt)
            folder = self.tasks.attempt(mark.task, mark.attempt)
            if tracked is not None:
                self._look_at_mark(mark, tracked)
            if (tracked and is_seen(mark, tracked.watched, folder)) or not folder.path.exists():
                mark.path.unlink()

    def _look_at_mark(self, mark: Mark, tracked: Tracked) -> None:
        if mark.kind in ("duplicate", "arrived"):
            self.attempts.look_at(tracked)
        else:
            self.attempts.look_at_run(tracked, mark.run)
        self.follow_streams(tracked)
        self._lively_until = time.monotonic() + ADVANCE_SECONDS

    def _ask(self, active: list[Tracked]) -> None:
        ids = {tracked.watched.native_id for tracked in active} - {""}
        awaited = any(tracked.watched.awaits_word for tracked in active)
        if ids and self.asker.is_due(awaited=awaited, hurry=self._hurry):
            self._hurry = False
            self.asker.ask(ids)

    def _answered(self, answers: Answers) -> None:
        self.post(lambda: self.attempts.answered(answers))

    def _ask_soon(self) -> None:
        self._hurry = True

    def follow_streams(self, tracked: Tracked) -> None:
        watched, folder = tracked.watched, tracked.folder
        known = (len(watched.starts), len(watched.exits), watched.over)
        if known == tracked.followed:
            return
        tracked.followed = known
        for run in watched.starts | set(watched.exits):
            place = folder.run_folder(run)
            order = folder.order()
            self.streams.follow(
                folder.task,
                folder.attempt,
                run,
                place,
                is_build=order.build is not None,
                ranks=order.ranks,
            )
            if watched.over or run < watched.run or run in watched.exits:
                self.scalars.finish(tracked)
                self.streams.ended(folder.attempt, run, exit_seen=run in watched.exits)

    def _close(self, tracked: Tracked) -> None:
        """Once the service has the final state and every byte, and no file can be on its way."""
        if (
            tracked.is_confirmed
            and tracked.is_over
            and self.session.outbox.is_empty
            and not tracked.is_late(time.monotonic())
            and self.streams.are_done(tracked.folder.attempt)
        ):
            self.streams.forget(tracked.folder.attempt)
            self.attempts.forget(tracked)

    def _is_idle(self) -> bool:
        return self.attempts.is_idle() and self._posted.empty()

    def _commands_once(self) -> None:
        self.reunion.hello_again()
        sent = set(self.clerk.done)
        orders = self.session.poll(sent)
        self.clerk.done -= sent
        self._heed(orders)
        for command in orders.commands:
            self.clerk.take(command)
        for request in orders.requests:
            if isinstance(request, dict):
                self._note_act(request)
                self.answerers.put(request)

    def _note_act(self, request: dict[str, Any]) -> None:
        if request.get("type") in ACTS:
            with contextlib.suppress(BadRequest):
                self.ledger.act(str(request["type"]), decode(By, request.get("by") or {}))

    def _heed(self, orders: Orders) -> None:
        if orders.status_questions_per_minute:
            self.budget.set_rate(orders.status_questions_per_minute)
        if save_settings(self.folders, orders.settings.given, own=self.policy.own_facts):
            self.ledger.act("settings")
            self.reload_profile()
            self.house.limits_changed()
        closed = set(orders.closed)
        if closed:
            self.post(lambda: self._confirmed(closed))

    def _confirmed(self, tasks: set[str]) -> None:
        for tracked in list(self.attempts.known.values()):
            if tracked.folder.task in tasks:
                tracked.is_confirmed = True

    def _events_once(self) -> None:
        events = self.session.outbox.wait(1.0)
        if events:
            self._let_steps_go_first(events)
            unknown = self.session.send_events(events)
            if unknown:
                self.post(lambda: self.reunion.adopt(unknown))

    def _let_steps_go_first(self, events: list[dict[str, Any]]) -> None:
        """A build tells of its image in its steps: who hears that it succeeded may use the image at once.

        For a while only: what others wait to hear is not held up by a file that cannot be read.
        """
        ended = [event for event in events if event["type"] == "exited" and self._is_build(event)]
        deadline = time.monotonic() + STEPS_FIRST_SECONDS if ended else 0.0
        for event in ended:
            while not self.streams.is_home(event["attempt"], event["run"], "steps"):
                if time.monotonic() > deadline or self.stopping.wait(0.05):
                    return

    def _is_build(self, event: dict[str, Any]) -> bool:
        tracked = self.attempts.known.get(event["attempt"])
        return tracked is not None and tracked.folder.order().build is not None

    def _bytes_once(self) -> None:
        if not self.streams.send(self.link):
            self.stopping.wait(self.streams.pause)

    def _link_closed(self) -> None:
        self._is_linked = False

    def _superseded(self, words: str) -> None:
        log.error("stopping: another agent of this endpoint has taken over (%s)", words)
        self.stop(STALE_EXIT)


class _Posted:
    """Hears from the submitting thread and passes it to the main thread."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def submitted(self, folder: AttemptFolder, native_id: str) -> None:
        """Counted at once: the next look for room comes before the main thread has heard."""
        tracked = self._agent.attempts.known[folder.attempt]
        tracked.watched.native_id, tracked.phase = native_id, SUBMITTED
        self._agent.ledger.submitted(folder.attempt, native_id)
        self._agent.post(lambda: self._agent.attempts.submitted(folder, native_id))

    def refused(self, folder: AttemptFolder, reason: Reason, message: str) -> None:
        self._agent.post(lambda: self._agent.attempts.refused(folder, reason, message))

    def held(self, folder: AttemptFolder, message: str) -> None:
        self._agent.post(lambda: self._agent.attempts.held(folder, message))

    def called_off(self, folder: AttemptFolder) -> None:
        self._agent.post(lambda: self._agent.attempts.called_off(folder))

    def note(self, folder: AttemptFolder, message: str, code: str) -> None:
        self._agent.post(lambda: self._agent.attempts.note(folder, message, code))
