"""Every command of the service that this machine accepted or rejected, in a file that stays here."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.guard.policy import Policy
from diamond.core.protocol import By, Command, Submit, command_type

MOST_BYTES = 10_000_000


@dataclass(frozen=True)
class Ledger:
    keep: Path
    policy: Policy

    def command(self, command: Command, rejection: str = "") -> None:
        """Who asked by which token, for what, by its digest; never what the spec itself says."""
        line = {
            "type": command_type(command),
            "task": str(getattr(command, "task", "")),
            "attempt": str(getattr(command, "attempt", "")),
            "person": command.by.name,
            "user": command.by.user,
            "token": command.by.token,
            "digest": command.request.order.digest if isinstance(command, Submit) else "",
            "refused": rejection,
        }
        self._write(line)

    def act(self, kind: str, by: By | None = None) -> None:
        """Something the service changed without a command: settings, a secret."""
        who = by or By()
        self._write({"type": kind, "person": who.name, "user": who.user, "token": who.token})

    def submitted(self, attempt: str, native_id: str) -> None:
        self._write({"type": "submitted", "attempt": attempt, "job": native_id})

    def _write(self, line: dict[str, str]) -> None:
        """A full disk must not stop a cancel: what cannot be written goes to syslog, if anywhere."""
        filled = {name: value for name, value in line.items() if value}
        text = json.dumps({"at": round(time.time(), 3), **filled})
        file = self.keep / "commands.log"
        try:
            if file.exists() and file.stat().st_size > MOST_BYTES:
                file.replace(file.with_suffix(".log.1"))
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "a") as out:
                out.write(text + "\n")
        except OSError:
            pass
        if self.policy.syslog:
            _to_syslog(text)


def _to_syslog(text: str) -> None:
    import syslog

    syslog.openlog("diamond-agent", syslog.LOG_PID, syslog.LOG_USER)
    syslog.syslog(syslog.LOG_INFO, text)
