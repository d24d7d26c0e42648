"""The other side of a peer arm: one line in, one submission, one line out.

Runs in the peers' environment, so it imports nothing from Diamond.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def serve(submit: Callable[[str], object]) -> None:
    """Each line on standard input is the file that the job will stamp; the answer is when submit() was called."""
    print("ready", flush=True)
    for line in sys.stdin:
        called = time.time()
        submit(line.strip())
        print(called, flush=True)
