"""What the ending and the last lines of a program say about why it failed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from diamond.core.task import Reason

LONGEST_LINE = 2_000
"""No error message that is read here is longer; a longer line is read up to here."""


class Cause(StrEnum):
    MISSING_PACKAGE = "missing-package"
    COMMAND_NOT_FOUND = "command-not-found"
    NO_GPU = "no-gpu"
    GPU_MEMORY = "gpu-memory"
    OUT_OF_MEMORY = "out-of-memory"
    TIME_LIMIT = "time-limit"
    FILE_NOT_FOUND = "file-not-found"
    PERMISSION = "permission"
    DISK_FULL = "disk-full"
    ENDED_BY_SITE = "ended-by-site"


@dataclass(frozen=True)
class Found:
    """A cause, with what the message names (a module, a program, a path) and the line that says it."""

    cause: Cause
    name: str = ""
    line: str = ""


BY_REASON = {
    Reason.OUT_OF_MEMORY: Cause.OUT_OF_MEMORY,
    Reason.WALL_TIME: Cause.TIME_LIMIT,
    Reason.PREEMPTED: Cause.ENDED_BY_SITE,
    Reason.NODE_LOST: Cause.ENDED_BY_SITE,
    Reason.BY_SITE: Cause.ENDED_BY_SITE,
    Reason.DISK: Cause.DISK_FULL,
}
"""These endings are known for sure; the program's own lines add nothing."""
FROM_LINES = frozenset(
    {Reason.EXIT_CODE, Reason.SIGNAL, Reason.HUNG, Reason.CODE, Reason.NO_PROGRESS}
)
_QUOTED = r"""['"](?P<name>[^'"]{1,500})['"]"""
_LINES: tuple[tuple[Cause, str], ...] = (
    (Cause.MISSING_PACKAGE, rf"(?:ModuleNotFoundError|ImportError): No module named {_QUOTED}"),
    (Cause.MISSING_PACKAGE, r"(?:^|/)python[\d.]*: No module named (?P<name>[\w.]{1,100})"),
    (
        Cause.MISSING_PACKAGE,
        r"Error: package or namespace .there is no package called (?P<name>\S{1,100})",
    ),
    (Cause.COMMAND_NOT_FOUND, r"(?:line \d+: )(?P<name>[\w./+-]{1,200}): command not found"),
    (
        Cause.COMMAND_NOT_FOUND,
        r"(?:exec|env|execvp?\(\)?|execve\(\)):? [‘'\"]?(?P<name>[\w./+-]{1,200})[’'\"]?: (?:not found|No such file or directory)",
    ),
    (Cause.NO_GPU, r"Torch not compiled with CUDA enabled"),
    (Cause.NO_GPU, r"No CUDA GPUs are available|Found no NVIDIA driver on your system"),
    (
        Cause.NO_GPU,
        r"CUDA driver (?:initialization failed|version is insufficient)|no CUDA-capable device is detected",
    ),
    (Cause.NO_GPU, r"torch\.cuda\.is_available\(\) is False|No HIP GPUs are available"),
    (
        Cause.NO_GPU,
        r"No supported gpu backend found|MisconfigurationException: No supported gpu|Unknown backend:? '?(?:cuda|gpu)",
    ),
    (Cause.NO_GPU, r"Unable to initialize backend '(?:cuda|gpu|rocm)'"),
    (
        Cause.GPU_MEMORY,
        r"CUDA out of memory|HIP out of memory|CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY",
    ),
    (Cause.GPU_MEMORY, r"RESOURCE_EXHAUSTED: Out of memory"),
    (
        Cause.OUT_OF_MEMORY,
        r"(?:^|\s)MemoryError(?::|$)|std::bad_alloc|Cannot allocate memory|oom[-_]kill|Unable to allocate [\d.]+ [KMGT]iB",
    ),
    (Cause.OUT_OF_MEMORY, r"DefaultCPUAllocator: (?:can't|not enough)"),
    (Cause.DISK_FULL, r"\[Errno (?:28|122)\]|No space left on device|Disk quota exceeded"),
    (Cause.FILE_NOT_FOUND, rf"FileNotFoundError: (?:\[Errno 2\] )?[^'\"]{{0,200}}{_QUOTED}"),
    (Cause.FILE_NOT_FOUND, r"can't open file '(?P<name>[^']{1,500})': \[Errno 2\]"),
    (
        Cause.FILE_NOT_FOUND,
        r"^(?:\[\d+\] )?(?:cat|ls|cp|mv|head|tail|tar|bash|sh|/bin/\w+): (?:cannot (?:access|stat|open) )?[‘'\"]?(?P<name>[^‘’'\":]{1,500})[’'\"]?: No such file or directory",
    ),
    (Cause.PERMISSION, rf"PermissionError: (?:\[Errno 1?3?\] )?[^'\"]{{0,200}}{_QUOTED}"),
    (Cause.PERMISSION, r"(?P<name>[^\s:]{1,500}): Permission denied$"),
    (Cause.PERMISSION, r"PermissionError: |Permission denied$"),
)
_KNOWN = tuple((cause, re.compile(pattern)) for cause, pattern in _LINES)
KILL = 9


def find_cause(
    reason: Reason, texts: Iterable[str], *, signal: int = 0, exit_code: int | None = None
) -> Found | None:
    """The last known error in the last lines; None for an error that only its author understands."""
    by_reason = BY_REASON.get(reason)
    if by_reason is not None:
        return Found(by_reason)
    if reason not in FROM_LINES:
        return None
    for text in texts:
        found = next(_errors_from_the_end(text), None)
        if found is not None:
            return found
    if signal == KILL or exit_code == 128 + KILL:
        return Found(Cause.OUT_OF_MEMORY, line="Killed")
    return None


def _errors_from_the_end(text: str) -> Iterator[Found]:
    for line in reversed(text.splitlines()):
        shown = line[:LONGEST_LINE].rstrip()
        for cause, pattern in _KNOWN:
            match = pattern.search(shown)
            if match:
                yield Found(cause, match.groupdict().get("name") or "", shown.strip())
                break
