"""Commands of the service: the intent is on disk before a command counts as done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from diamond.agent.attempts import Attempts
from diamond.agent.tasks import TaskFolders
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
        except (BadRequest, KeyError, ValueError, TypeError):
            log.exception("the command %s (%s) makes no sense", number, kind)
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
        elif kind == "submit":
            failed = PrepareFailed(
                attempt=str(command["attempt"]), reason=Reason.POLICY.value, message=why
            )
            self.tell(str(command["task"]), failed)

    def _is_known(self, command: Command) -> bool:
        folder = self.tasks.attempt(command["task"], command["attempt"])
        return folder.is_known or folder.is_cancelled

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
        folder = self.tasks.record_cancel(command["task"], command["attempt"])
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
        """Nothing could be written down. A submit will not be done, and the person hears why; a cancel is
        carried out from memory, and taken again until its tombstone stands. True if that was all."""
        log.error("%s: %s", error.filename, error.strerror)
        if command.get("type") == "cancel":
            folder = self.tasks.attempt(command["task"], command["attempt"])
            self.post(lambda: self.attempts.cancel(folder))
            return False
        if command.get("type") == "submit":
            message = f"the agent cannot write in its work folder: {error.strerror}"
            failed = PrepareFailed(
                attempt=str(command["attempt"]), reason=Reason.DISK.value, message=message
            )
            self.tell(str(command["task"]), failed)
        return True
