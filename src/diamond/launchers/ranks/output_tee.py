"""A program's output: as it is into the rank's own file, and by whole lines into the file of all ranks."""

from __future__ import annotations

import os
from typing import List, Optional

LONGEST_LINE = 64 << 10


class OutputTee:
    """One of the two streams of one rank."""

    def __init__(self, source: int, own: Optional[int], merged: int, tag: bytes) -> None:
        self.source, self._own, self._merged, self._tag = source, own, merged, tag
        self._rest = b""

    def copy(self) -> bool:
        """Copy what can be read now; False at the end."""
        try:
            data = os.read(self.source, 1 << 16)
        except OSError:
            return False
        if self._own is not None:
            _write(self._own, data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._put([line + b"\n" for line in lines])
        if len(self._rest) > LONGEST_LINE:
            self.close()
        return bool(data)

    def close(self) -> None:
        """Write an unfinished last line to the merged file, with a line end."""
        if self._rest:
            self._put([self._rest + b"\n"])
            self._rest = b""

    def _put(self, lines: List[bytes]) -> None:
        if lines:
            _write(self._merged, b"".join(self._tag + line for line in lines))


def _write(target: int, data: bytes) -> None:
    """The reader may be gone and the disk may be full: the program continues."""
    try:
        while data:
            data = data[os.write(target, data) :]
    except OSError:
        return
