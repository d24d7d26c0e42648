"""Commands of the service: the intent is on disk before a command is acknowledged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Optional

from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.data_commands import DataCommand
from diamond.core.decoding import Id, decode
from diamond.core.errors import BadRequest
from diamond.core.events import Event, PrepareFailed
from diamond.core.protocol import (
    IMAGE_COMMANDS,
    Cancel,
    Chain,
    Clean,
    ClosePilot,
    Command,
    ImageCommand,
    Probe,
    Submit,
    Upgrade,
    command_type,
    read_command,
)
from diamond.core.task import Reason

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Named:
    """Of a submission that cannot be read: enough to say so."""

    task: Id
    attempt: Id


@dataclass
class CommandHandler:
    """Saves intents in the thread that fetched the commands, then has the main thread act on them."""

    tasks: TaskFolders
    attempts: Attempts
    post: Callable[[Callable[[], None]], None]
    report: Callable[[str, Event], None]
    probe: Callable[[bool], None]
    upgrade: Callable[[str], None]
    clean: Callable[[str], None]
    image: Callable[[ImageCommand], None]
    data: Callable[[DataCommand], None]
    rejection: Callable[[Command], str]
    """Why this machine rejects a command, or ''."""
    record: Callable[[Command, str], None]
    """Writes a command and why it was rejected into the ledger."""
    accepted: Callable[[Submit], None]
    """Called with a submission whose intent is on disk."""
    reached: Callable[[str], None]
    """Called when a step of a submission is done."""
    close_pilot: Callable[[str], None]
    """Called with the task of a pilot that is to finish what it has begun and go."""
    _done: set[str] = field(default_factory=set)

    def done(self) -> frozenset[str]:
        """Ids to acknowledge with the next call."""
        return frozenset(self._done)

    def acknowledged(self, ids: Collection[str]) -> None:
        self._done.difference_update(ids)

    def handle(self, data: Any) -> None:
        """Save one command; a malformed one is logged and acknowledged, since repeating would not help."""
        number = str(data.get("id")) if isinstance(data, dict) else ""
        command: Optional[Command] = None
        try:
            command = read_command(data)
            if command is None:
                log.warning("a command of an unknown type %.80r is ignored", data.get("type"))
            else:
                self._check_and_act(command)
        except (BadRequest, KeyError, ValueError, TypeError) as error:
            log.exception("the command %.80s is malformed", number)
            self._cannot_read(data, error)
        except OSError as error:
            if not self._disk_failed(command, error):
                return
        self._done.add(number)

    def _check_and_act(self, command: Command) -> None:
        """Unless the machine's policy rejects it; what was accepted before is accepted again."""
        is_known = isinstance(command, Submit) and self._folder(command).is_known
        why = "" if is_known else self.rejection(command)
        if not is_known:
            self.record(command, why)
        if not why:
            self._act(command)
            return
        log.warning("%s was rejected: %s", command_type(command), why)
        if isinstance(command, Submit):
            self._report_failed(command, Reason.POLICY, why)

    def _act(self, command: Command) -> None:
        if isinstance(command, Submit):
            self._submit(command)
        elif isinstance(command, Cancel):
            self._cancel(command)
        elif isinstance(command, Chain):
            self.tasks.write_grant(command.task, command.chain)
        elif isinstance(command, ClosePilot):
            self.close_pilot(command.task)
        elif isinstance(command, Probe):
            self.probe(command.compute)
        elif isinstance(command, Clean):
            for task in command.tasks:
                self.clean(task)
        elif isinstance(command, Upgrade):
            self.upgrade(command.digest)
        elif isinstance(command, IMAGE_COMMANDS):
            self.image(command)
        else:
            self.data(command)

    def _folder(self, command: Submit | Cancel | _Named) -> AttemptFolder:
        return self.tasks.attempt(command.task, command.attempt)

    def _submit(self, command: Submit) -> None:
        number, folder = command.number, self._folder(command)
        taken = self.tasks.take(command.task, command.attempt, number, command.task_json)
        rival = None if taken else self.tasks.rival(folder, number)
        if taken is not None:
            self.tasks.write_grant(command.task, command.chain)
            self.accepted(command)
            self.reached("intent-written")
        self.post(lambda: self.attempts.submit(folder, number, rival))

    def _cancel(self, command: Cancel) -> None:
        folder = self.tasks.record_cancel(command.task, command.attempt, ends_task=True)
        self.post(lambda: self.attempts.chains.cancelled(folder))
        self.post(lambda: self.attempts.cancel(folder, grace=command.grace))

    def _disk_failed(self, command: Optional[Command], error: OSError) -> bool:
        """Nothing could be saved. A submit fails, and its owner learns why; one whose intent was saved may be queued, so
        it is accepted again. A cancel is carried out from memory, and accepted again until its tombstone is saved.
        True if the command is done with that."""
        log.error("%s: %s", error.filename, error.strerror)
        if isinstance(command, Cancel):
            folder = self._folder(command)
            self.post(lambda: self.attempts.cancel(folder))
            return False
        if isinstance(command, Submit) and self._folder(command).is_known:
            return False
        if isinstance(command, Submit):
            message = f"the agent cannot write in its work folder: {error.strerror}"
            self._report_failed(command, Reason.DISK, message)
        return True

    def _cannot_read(self, data: Any, error: Exception) -> None:
        """A submission that is acknowledged and not done would stay in preparation forever."""
        if not isinstance(data, dict) or data.get("type") != "submit":
            return
        try:
            named = decode(_Named, data)
            if self._folder(named).is_known:
                return
        except BadRequest:
            return
        message = f"the agent cannot read this order ({error}); a newer agent may"
        self._report_failed(named, Reason.REFUSED, message)

    def _report_failed(self, command: Submit | _Named, reason: Reason, message: str) -> None:
        failed = PrepareFailed(attempt=command.attempt, reason=reason.value, message=message)
        self.report(command.task, failed)
