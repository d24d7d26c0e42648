"""Fixtures that every test may ask for."""

from __future__ import annotations

import signal

pytest_plugins = ["support.slurm"]

# A shell script that starts the tests with `&` has them ignore Ctrl-C, and so would every `diamond up` that a test ends with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
