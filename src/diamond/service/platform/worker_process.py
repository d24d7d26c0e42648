"""What a process of `workers.py` runs: calls come in on stdin, results go out on stdout, until stdin ends."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from dataclasses import dataclass
from typing import BinaryIO

HEAD = struct.Struct(">Q")


@dataclass(frozen=True)
class Failure:
    error: Exception


def serve(calls: BinaryIO, results: BinaryIO) -> None:
    while head := calls.read(HEAD.size):
        function, arguments, seconds = pickle.loads(calls.read(HEAD.unpack(head)[0]))
        # If the service dies meanwhile, this ends too.
        signal.setitimer(signal.ITIMER_REAL, seconds + 1.0)
        try:
            result = function(*arguments)
        except Exception as error:
            result = Failure(error)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        body = pickle.dumps(result)
        results.write(HEAD.pack(len(body)) + body)
        results.flush()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
    serve(sys.stdin.buffer, sys.stdout.buffer)
