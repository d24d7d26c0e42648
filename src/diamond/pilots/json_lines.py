"""Files of JSON lines that one process appends to and others read: whole lines in single writes, read on from where one stopped."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Iterator, List, Mapping, Tuple

MOST_BYTES = 1 << 20
"""Of one line; a longer one is skipped."""
MOST_AT_ONCE = 16 << 20
"""Read in one go: a reader that was away for long catches up in several."""


class Appender:
    """Appends lines. Whatever a writer that died left of its last line is ended first, so that it spoils no other."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")

    def write(self, lines: Iterable[Mapping[str, Any]], *, durable: bool) -> None:
        """In one write, so that no reader sees half of them but at the very end. Raises `OSError`."""
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        view = memoryview(text)
        while view:
            view = view[os.write(self._file, view) :]
        if durable:
            os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)


class Tail:
    """Reads what was appended since the last look. `position` is behind the last whole line."""

    def __init__(self, path: str, position: int = 0) -> None:
        self.path, self.position = path, position

    def read(self) -> List[Tuple[int, Mapping[str, Any]]]:
        """Each new line that is a JSON object, with the position of its first byte; anything else is skipped."""
        return list(_objects(self.position, self._fresh()))

    def _fresh(self) -> List[bytes]:
        """Opened each time: only then does a network file system ask its server for what is new."""
        try:
            with open(self.path, "rb") as file:  # noqa: PTH123
                file.seek(self.position)
                text = file.read(MOST_AT_ONCE)
        except OSError:
            return []
        end = text.rfind(b"\n") + 1
        if not end and len(text) == MOST_AT_ONCE:
            end = len(text)  # no line is as long: this is none of ours
        self.position += end
        return text[:end].splitlines(keepends=True)


def _objects(position: int, lines: List[bytes]) -> Iterator[Tuple[int, Mapping[str, Any]]]:
    for line in lines:
        at, position = position, position + len(line)
        if len(line) > MOST_BYTES:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield at, value
