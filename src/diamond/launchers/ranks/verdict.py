"""How a run ended and which rank caused it, decided from the files of the ranks alone. No disk, no clock."""

from __future__ import annotations

import re
import signal as signals
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from diamond.launchers.ranks.rank_files import CONTINUE, Ending, Start

HUNG_CODE = 70
ASKED_CODE = 128 + int(signals.SIGTERM)
KILLED_CODE = 128 + int(signals.SIGKILL)
_HARD_SIGNALS = {signals.SIGKILL, signals.SIGSEGV, signals.SIGBUS, signals.SIGILL, signals.SIGFPE}
"""No launcher sends these to a rank because another has died."""
_CONSEQUENCE = re.compile(
    r"connection (was )?(closed|reset|refused)|broken pipe|remote process exited|communicator was aborted"
    r"|connection closed by (remote )?peer|DistNetworkError|DistBackendError|socket timeout|MPI_ABORT"
    r"|coordination service|heartbeat timeout",
    re.IGNORECASE,
)
"""What a rank writes when it has lost the connection to another."""
_EXCEPTION = re.compile(
    r"^(?:\[rank\d+\]: *)?[A-Za-z_][\w.]*(?:Error|Exception|Exit|Abort)\b(?:$|:)"
)
"""The line of a traceback that names what went wrong, also as torch writes it."""
_OF_SIGNAL = re.compile(r"SIG[A-Z]+|Signal|Interrupt|SystemExit")
"""Exceptions that a request to end raises."""
_MEMORY = re.compile(
    r"out of memory|OutOfMemoryError|MemoryError|bad_alloc|RESOURCE_EXHAUSTED|cannot allocate memory"
    r"|oom[-_ ]kill",
    re.IGNORECASE,
)
MOST_LINES, MOST_CHARACTERS = 6, 300


@dataclass(frozen=True)
class Culprit:
    """The rank that ended the run. `reason` is a value of `core.task.Reason`; `blames_node`: another node might have worked."""

    rank: int
    node: str
    reason: str
    message: str
    code: int = 0
    signal: int = 0
    blames_node: bool = False

    def data(self) -> Dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Verdict:
    code: int
    culprit: Optional[Culprit] = None
    note: str = ""
    warning: str = ""
    """What the person should know although the run went well."""


def judge(
    endings: Mapping[int, Ending],
    unended: Mapping[int, Start],
    *,
    expected: int,
    launcher: int,
    asked: bool = False,
    memory_killed: bool = False,
) -> Verdict:
    """The ranks' own files decide; the launcher's exit code only where there are none.

    `unended` started and left no exit file; `asked`: all were asked to end, by a cancel or the time limit;
    `memory_killed`: the batch system reported that it killed some process for lack of memory.
    """
    if not unended and not endings:
        return Verdict(launcher)
    bad = [ending for ending in endings.values() if not ending.is_good]
    if bad and not unended and len(bad) < len(endings) and all(map(_is_teardown, bad)):
        return _after_teardown(endings, bad, expected)
    culprits = [ending for ending in bad if not ending.was_asked]
    if not asked and all(map(_is_consequence, culprits)):
        first = [ending for ending in bad if ending.was_asked and _has_own_error(ending)]
        if first:
            return _blame(_first(first), expected, memory_killed)
        if unended:
            return _vanished(unended, launcher, memory_killed)
    if culprits:
        return _blame(_first(culprits), expected, memory_killed)
    if bad or unended:
        return Verdict(ASKED_CODE)
    if launcher and len(endings) < expected:
        message = f"the launcher ended with {launcher} before every rank had started"
        return Verdict(launcher, Culprit(-1, "", "exit-code", message, launcher))
    code = CONTINUE if any(rank_ending.code == CONTINUE for rank_ending in endings.values()) else 0
    note = f"the launcher ended with {launcher}, but every rank finished" if launcher else ""
    return Verdict(code, None, note, _warning(endings, expected))


def _is_teardown(ending: Ending) -> bool:
    return ending.is_teardown_abort and not ending.was_asked


def _after_teardown(endings: Mapping[int, Ending], bad: Sequence[Ending], expected: int) -> Verdict:
    """All others went well, and ranks that train together cannot do so unless all have come to their end."""
    asks = any(ending.code == CONTINUE for ending in endings.values())
    ranks = ", ".join(str(ending.rank) for ending in bad)
    note = f"rank {ranks} was aborted by its libraries as it shut down; the others finished, so the work was done"
    return Verdict(CONTINUE if asks else 0, None, note, _warning(endings, expected))


def _warning(endings: Mapping[int, Ending], expected: int) -> str:
    """Ranks that went well but did not work together."""
    if len(endings) < expected:
        return (
            f"only {len(endings)} of {expected} processes were started. "
            "Remove options for the number of processes from `run`: Diamond passes them to the launcher"
        )
    if len(endings) > 1 and all(ending.alone for ending in endings.values()):
        return (
            f"the {len(endings)} processes never connected to each other, so each worked alone and saw a world size of 1. "
            "If they should train one model together, check how the script sets up torch.distributed or jax.distributed"
        )
    return ""


def hung(rank: int, node: str, message: str, *, lost: bool = False) -> Verdict:
    """Ended by the overseer."""
    reason = "node-lost" if lost else "hung"
    return Verdict(HUNG_CODE, Culprit(rank, node, reason, message, HUNG_CODE, blames_node=True))


def _first(bad: List[Ending]) -> Ending:
    """A hard signal is not a consequence of another failure; then a rank that lost no other; then the first.

    A launcher sends TERM to a program when another has failed, and the program may end before its shim hears of it.
    """
    return min(
        bad,
        key=lambda ending: (
            ending.signal not in _HARD_SIGNALS,
            ending.signal == signals.SIGTERM,
            _complains(ending),
            ending.at,
            ending.rank,
        ),
    )


def _is_consequence(ending: Ending) -> bool:
    if ending.signal in _HARD_SIGNALS:
        return False
    return ending.signal == signals.SIGTERM or _complains(ending)


def _complains(ending: Ending) -> bool:
    """By its exception where it wrote one: after that, libraries may complain about what they lost as they shut down."""
    exceptions = _exceptions(ending)
    lines = exceptions[-1:] or ending.lines[-MOST_LINES:]
    return any(_CONSEQUENCE.search(line) for line in lines)


def _has_own_error(ending: Ending) -> bool:
    """A rank that failed first may take so long to shut down that it is asked to end meanwhile."""
    exceptions = _exceptions(ending)
    return bool(exceptions) and not (
        _CONSEQUENCE.search(exceptions[-1]) or _OF_SIGNAL.search(exceptions[-1])
    )


def _exceptions(ending: Ending) -> List[str]:
    return [line for line in ending.lines if _EXCEPTION.search(line)]


def _blame(ending: Ending, expected: int, memory_killed: bool) -> Verdict:
    code = 128 + ending.signal if ending.signal else ending.code
    ran_out = ending.memory or any(_MEMORY.search(line) for line in ending.lines)
    ran_out = ran_out or (memory_killed and code == KILLED_CODE)
    reason = "out-of-memory" if ran_out else ("signal" if ending.signal else "exit-code")
    message = f"{_place(ending.rank, ending.node)} {_how(ending, ran_out)}{_others(expected)}"
    blames = bool(ending.signal) and ending.signal in _HARD_SIGNALS and not ran_out
    culprit = Culprit(
        ending.rank,
        ending.node,
        reason,
        message + _quoted(ending.lines),
        ending.code,
        ending.signal,
        blames,
    )
    return Verdict(code, culprit)


def _vanished(unended: Mapping[int, Start], launcher: int, memory_killed: bool) -> Verdict:
    """A launcher that ended with 0 has lost track of it too."""
    first = unended[min(unended)]
    message = f"{_place(first.rank, first.node)} disappeared: it was killed together with the process that watched it"
    reason, why = ("out-of-memory", ", because memory ran out") if memory_killed else ("signal", "")
    code = launcher or KILLED_CODE
    culprit = Culprit(first.rank, first.node, reason, message + why, code, 9, not memory_killed)
    return Verdict(code, culprit)


def _how(ending: Ending, ran_out: bool) -> str:
    memory = " because memory ran out" if ran_out else ""
    if not ending.signal:
        return f"ended with exit code {ending.code}{memory}"
    return f"was killed by signal {ending.signal}{_signal_name(ending.signal)}{memory}"


def _signal_name(number: int) -> str:
    known = {signal.value: signal.name for signal in signals.Signals}
    return f" ({known[number]})" if number in known else ""


def _place(rank: int, node: str) -> str:
    return f"rank {rank} on {node}" if node else f"rank {rank}"


def _others(expected: int) -> str:
    if expected <= 1:
        return ""
    return (
        "; the other one was ended" if expected == 2 else f"; the {expected - 1} others were ended"
    )


def _quoted(lines: Sequence[str]) -> str:
    shown = [line[:MOST_CHARACTERS] for line in lines[-MOST_LINES:]]
    return ". Its last lines:\n" + "\n".join(shown) if shown else ""
