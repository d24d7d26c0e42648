"""When Slurm itself knew that a job had ended, from its completion log."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

from bench.waiting import wait_for

JOB_ID = re.compile(r"^JobId=(\d+) ")
EVERY_SECONDS = 0.02


class EndedJobs:
    """Follow jobcomp.txt from now on, in a thread that ends with the program."""

    def __init__(self, path: Path) -> None:
        self.times: dict[str, float] = {}
        self._path = path
        self._offset = path.stat().st_size if path.exists() else 0
        threading.Thread(target=self._follow, daemon=True).start()

    def wait_count(self, count: int, *, within: float) -> float:
        """When this many jobs had ended since watching started."""
        wait_for(lambda: len(self.times) >= count, within=within)
        return sorted(self.times.values())[count - 1]

    def wait_job(self, job: str, *, within: float) -> float:
        wait_for(lambda: job in self.times, within=within)
        return self.times[job]

    def _follow(self) -> None:
        while True:
            for line in self._fresh_lines():
                if match := JOB_ID.match(line):
                    self.times.setdefault(match.group(1), time.time())
            time.sleep(EVERY_SECONDS)

    def _fresh_lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                fresh = file.read()
        except FileNotFoundError:
            return []
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.decode(errors="replace").splitlines()
