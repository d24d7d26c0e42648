"""Keep the service and this machine's agent running, and restart them when they die."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.cli.local_processes import log_tail, start_agent, start_service, wait_until_online
from diamond.cli.output import say
from diamond.core.errors import DiamondError
from diamond.sdk.client import Client

LOCAL = "local"
"""The endpoint of this machine itself."""
AGENT_REPLACED = 3
"""An agent's exit code when another agent took over."""
PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
QUIET_SECONDS = 2.0
"""A longer pause before a restart is announced."""
QUICK_SECONDS = 60.0
"""A process that dies within this time has died quickly."""


@dataclass
class RestartDelay:
    """When a process that died may restart: later each time, unless it had run for a while."""

    deaths: int = 0
    due: float = 0.0
    _since: float = field(default_factory=time.monotonic)

    def died(self) -> float:
        """The seconds until it may restart."""
        if time.monotonic() - self._since > QUICK_SECONDS:
            self.deaths = 0
        pause = PAUSES[min(self.deaths, len(PAUSES) - 1)]
        self.due = time.monotonic() + pause
        self.deaths += 1
        return pause

    def is_over(self) -> bool:
        return time.monotonic() >= self.due

    def started(self) -> None:
        self.due, self._since = 0.0, time.monotonic()


class Supervisor:
    """Runs the service and this machine's agent, and restarts them when they die."""

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self._home, self._settings = home, settings
        self._service: subprocess.Popen[bytes] | None = None
        self._agent: subprocess.Popen[bytes] | None = None
        self._service_delay, self._agent_delay = RestartDelay(), RestartDelay()
        self._service_log = home / "service.log"
        self._agent_log = home / "endpoints" / f"{LOCAL}.log"

    def start_service(self) -> subprocess.Popen[bytes]:
        self._service_delay.started()
        self._log_start = self._service_log.stat().st_size if self._service_log.exists() else 0
        self._service = start_service(self._home, self._settings)
        return self._service

    def start_agent(self, client: Client) -> None:
        self._agent_delay.started()
        self._agent = start_agent(client, self._home, LOCAL, is_this_machine=True, with_parent=True)
        if not wait_until_online(client, LOCAL, lambda: self._is_running(self._agent)):
            say(
                f"The agent of this machine is not online yet. Its log: {log_tail(self._agent_log)}"
            )

    def watch(self, client: Client | None) -> None:
        """Run until Ctrl-C."""
        while True:
            self._check_service()
            if client is not None:
                self._check_agent(client)
            time.sleep(0.3)

    def stop(self) -> None:
        for process in (self._agent, self._service):
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _check_service(self) -> None:
        if self._is_running(self._service):
            return
        if not self._service_delay.due:
            pause = self._service_delay.died()
            self._report_service_death(pause)
        elif self._service_delay.is_over():
            self.start_service()

    def _report_service_death(self, pause: float) -> None:
        assert self._service is not None
        ending = (
            f"The service exited with code {self._service.returncode}: {self._service_log_tail()}"
        )
        when = f" in {pause:.0f} s. Its log: {self._service_log}" if pause > QUIET_SECONDS else "."
        say(f"{ending}. Restarting it{when}")

    def _service_log_tail(self) -> str:
        """The last log lines since this start; older ones would be misleading."""
        with contextlib.suppress(OSError), self._service_log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").strip().splitlines()
            return " | ".join(lines[-5:]) or "its log is empty"
        return "its log is empty"

    def _check_agent(self, client: Client) -> None:
        if self._agent is None or self._is_running(self._agent):
            return
        if self._agent.returncode == AGENT_REPLACED:
            say("Another agent now runs for this machine.")
            self._agent = None
        elif not self._agent_delay.due:
            self._agent_delay.died()
            say(
                f"The agent exited with code {self._agent.returncode}: {log_tail(self._agent_log)}. "
                "Restarting it."
            )
        elif self._agent_delay.is_over():
            self._agent_delay.started()
            with contextlib.suppress(DiamondError):
                self._agent = start_agent(
                    client, self._home, LOCAL, is_this_machine=True, with_parent=True
                )

    @staticmethod
    def _is_running(process: subprocess.Popen[bytes] | None) -> bool:
        return process is not None and process.poll() is None
