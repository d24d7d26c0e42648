"""Commands of the service: the intent is on disk before a command counts as done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import TaskFolders
from diamond.core.errors import BadRequest
from diamond.core.events import Event, PrepareFailed
from diamond.core.task import Reason

log = logging.getLogger(__name__)

Command = dict[str, Any]


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
    image: Callable[[Command], None]
    refusal: Callable[[Command], str]
    """Why this machine does not take a command, or ''."""
    note: Callable[[Command, str], None]
    """Writes down what was taken or turned away."""
    accepted: Callable[[Command], None]
    """Hears of a submission whose intent is on disk."""
    reached: Callable[[str], None]
    """Hears of a step of a submission that is done."""
    done: set[str] = field(default_factory=set)
    """Ids to be acknowledged with the next call."""

    def take(self, command: Command) -> None:
        """Write one command down; a fault in it is logged and acknowledged, since repeating would not help."""
        kind, number = str(command.get("type")), str(command.get("id"))
        handlers = {
            "submit": self._submit,
            "cancel": self._cancel,
            "chain": self._chain,
            "probe": self._probe,
            "clean": self._clean,
            "image": self.image,
            "upgrade": self._upgrade,
        }
        try:
            handler = handlers.get(kind)
            if handler is None:
                log.warning("a command of an unknown type %r is passed over", kind)
            else:
                self._obey(handler, command)
        except (BadRequest, KeyError, ValueError, TypeError) as error:
            log.exception("the command %s (%s) makes no sense", number, kind)
            self._cannot_read(command, error)
        except OSError as error:
            if not self._no_room(command, error):
                return
        self.done.add(number)

    def _obey(self, handler: Callable[[Command], None], command: Command) -> None:
        """Unless the machine's policy says no; what was taken before is taken again."""
        kind = command.get("type")
        is_known = kind == "submit" and self._is_known(command)
        why = "" if is_known else self.refusal(command)
        if not is_known:
            self.note(command, why)
        if not why:
            handler(command)
            return
        log.warning("%s is refused: %s", kind, why)
        if kind == "submit":
            self._tell_failed(command, Reason.POLICY, why)

    def _is_known(self, command: Command) -> bool:
        """Taken before. A tombstone is no proof of that: it stands also where nothing was ever taken."""
        return self.tasks.attempt(command["task"], command["attempt"]).is_known

    def _submit(self, command: Command) -> None:
        number = int(command.get("number") or 1)
        folder = self.tasks.attempt(command["task"], command["attempt"])
        taken = self.tasks.take(command["task"], command["attempt"], number, command["task_json"])
        rival = None if taken else self.tasks.rival(folder, number)
        if taken is not None:
            self.tasks.write_grant(command["task"], dict(command.get("chain") or {}))
            self.accepted(command)
            self.reached("intent-written")
        self.post(lambda: self.attempts.submit(folder, number, rival))

    def _chain(self, command: Command) -> None:
        self.tasks.write_grant(command["task"], dict(command["chain"]))

    def _cancel(self, command: Command) -> None:
        task, attempt = command["task"], command["attempt"]
        folder = self.tasks.record_cancel(task, attempt, ends_task=True)
        self.post(lambda: self.attempts.chains.cancelled(folder))
        self.post(lambda: self.attempts.cancel(folder))

    def _probe(self, command: Command) -> None:
        self.probe(bool(command.get("compute")))

    def _clean(self, command: Command) -> None:
        for task in command.get("tasks") or []:
            self.clean(str(task))

    def _upgrade(self, command: Command) -> None:
        self.upgrade(str(command.get("digest", "")))

    def _no_room(self, command: Command, error: OSError) -> bool:
        """Nothing could be written down. A submit will not be done, and the person hears why; one whose intent stands
        may be in the queue, so it is taken again. A cancel is carried out from memory, and taken again until its
        tombstone stands. True if that was all."""
        log.error("%s: %s", error.filename, error.strerror)
        if command.get("type") == "cancel":
            folder = self.tasks.attempt(command["task"], command["attempt"])
            self.post(lambda: self.attempts.cancel(folder))
            return False
        if command.get("type") == "submit" and self._is_known(command):
            return False
        if command.get("type") == "submit":
            words = f"the agent cannot write in its work folder: {error.strerror}"
            self._tell_failed(command, Reason.DISK, words)
        return True

    def _cannot_read(self, command: Command, error: Exception) -> None:
        """A submission that is acknowledged and not done would be prepared for ever."""
        names_both = command.get("task") and command.get("attempt")
        if command.get("type") == "submit" and names_both and not self._is_there(command):
            words = f"the agent cannot take this order ({error}); a newer agent may"
            self._tell_failed(command, Reason.REFUSED, words)

    def _is_there(self, command: Command) -> bool:
        try:
            return self._is_known(command)
        except BadRequest:
            return False

    def _tell_failed(self, command: Command, reason: Reason, words: str) -> None:
        failed = PrepareFailed(attempt=str(command["attempt"]), reason=reason.value, message=words)
        self.tell(str(command["task"]), failed)
