"""Commands of the service: the intent is on disk before a command counts as done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Optional

from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.decoding import Id, decode
from diamond.core.errors import BadRequest
from diamond.core.events import Event, PrepareFailed
from diamond.core.protocol import (
    Cancel,
    Chain,
    Clean,
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
class Clerk:
    """Writes intents in the thread that fetched the commands, then posts the act to the main thread."""

    tasks: TaskFolders
    attempts: Attempts
    post: Callable[[Callable[[], None]], None]
    tell: Callable[[str, Event], None]
    probe: Callable[[bool], None]
    upgrade: Callable[[str], None]
    clean: Callable[[str], None]
    image: Callable[[ImageCommand], None]
    refusal: Callable[[Command], str]
    """Why this machine does not take a command, or ''."""
    note: Callable[[Command, str], None]
    """Writes down what was taken or turned away."""
    accepted: Callable[[Submit], None]
    """Hears of a submission whose intent is on disk."""
    reached: Callable[[str], None]
    """Hears of a step of a submission that is done."""
    done: set[str] = field(default_factory=set)
    """Ids to be acknowledged with the next call."""

    def take(self, data: Any) -> None:
        """Write one command down; a fault in it is logged and acknowledged, since repeating would not help."""
        number = str(data.get("id")) if isinstance(data, dict) else ""
        command: Optional[Command] = None
        try:
            command = read_command(data)
            if command is None:
                log.warning("a command of an unknown type %.80r is ignored", data.get("type"))
            else:
                self._obey(command)
        except (BadRequest, KeyError, ValueError, TypeError) as error:
            log.exception("the command %.80s makes no sense", number)
            self._cannot_read(data, error)
        except OSError as error:
            if not self._no_room(command, error):
                return
        self.done.add(number)

    def _obey(self, command: Command) -> None:
        """Unless the machine's policy says no; what was taken before is taken again."""
        is_known = isinstance(command, Submit) and self._folder(command).is_known
        why = "" if is_known else self.refusal(command)
        if not is_known:
            self.note(command, why)
        if not why:
            self._act(command)
            return
        log.warning("%s is refused: %s", command_type(command), why)
        if isinstance(command, Submit):
            self._tell_failed(command, Reason.POLICY, why)

    def _act(self, command: Command) -> None:
        if isinstance(command, Submit):
            self._submit(command)
        elif isinstance(command, Cancel):
            self._cancel(command)
        elif isinstance(command, Chain):
            self.tasks.write_grant(command.task, command.chain)
        elif isinstance(command, Probe):
            self.probe(command.compute)
        elif isinstance(command, Clean):
            for task in command.tasks:
                self.clean(task)
        elif isinstance(command, Upgrade):
            self.upgrade(command.digest)
        else:
            self.image(command)

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
        self.post(lambda: self.attempts.cancel(folder))

    def _no_room(self, command: Optional[Command], error: OSError) -> bool:
        """Nothing could be written down. A submit will not be done, and the person hears why; one whose intent stands
        may be in the queue, so it is taken again. A cancel is carried out from memory, and taken again until its
        tombstone stands. True if that was all."""
        log.error("%s: %s", error.filename, error.strerror)
        if isinstance(command, Cancel):
            folder = self._folder(command)
            self.post(lambda: self.attempts.cancel(folder))
            return False
        if isinstance(command, Submit) and self._folder(command).is_known:
            return False
        if isinstance(command, Submit):
            words = f"the agent cannot write in its work folder: {error.strerror}"
            self._tell_failed(command, Reason.DISK, words)
        return True

    def _cannot_read(self, data: Any, error: Exception) -> None:
        """A submission that is acknowledged and not done would be prepared for ever."""
        if not isinstance(data, dict) or data.get("type") != "submit":
            return
        try:
            named = decode(_Named, data)
            if self._folder(named).is_known:
                return
        except BadRequest:
            return
        words = f"the agent cannot take this order ({error}); a newer agent may"
        self._tell_failed(named, Reason.REFUSED, words)

    def _tell_failed(self, command: Submit | _Named, reason: Reason, words: str) -> None:
        failed = PrepareFailed(attempt=command.attempt, reason=reason.value, message=words)
        self.tell(command.task, failed)
