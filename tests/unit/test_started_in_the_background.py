"""Tests that a script started with `&` end their commands as Ctrl-C does, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_ctrl_c_reaches_the_commands_of_tests_that_were_started_in_the_background() -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    loading = f"import runpy; runpy.run_path({str(ROOT / 'tests' / 'conftest.py')!r})"
    asking = (
        "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', sys.argv[1]]))"
    )
    child = "import signal, sys; sys.exit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    script = "; ".join([ignoring, loading, asking])
    assert subprocess.call([sys.executable, "-c", script, child], cwd=ROOT) == 0
