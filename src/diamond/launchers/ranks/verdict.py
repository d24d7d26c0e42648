"""How a run ended, and whose doing it was: decided from the ranks' marks alone. No disk, no clock."""

from __future__ import annotations

import re
import signal as signals
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from diamond.launchers.ranks.marks import CONTINUE, Ending, Start

HUNG_CODE = 70
TOLD_CODE = 128 + int(signals.SIGTERM)
KILLED_CODE = 128 + int(signals.SIGKILL)
_HARD_SIGNALS = {signals.SIGKILL, signals.SIGSEGV, signals.SIGBUS, signals.SIGILL, signals.SIGFPE}
"""Nobody sends these to a rank because another has died."""
_CONSEQUENCE = re.compile(
    r"connection (was )?(closed|reset|refused)|broken pipe|remote process exited|communicator was aborted"
    r"|connection closed by (remote )?peer|DistNetworkError|DistBackendError|socket timeout|MPI_ABORT"
    r"|coordination service|heartbeat timeout",
    re.IGNORECASE,
)
"""What a rank writes when it has lost another."""
_MEMORY = re.compile(
    r"out of memory|OutOfMemoryError|MemoryError|bad_alloc|RESOURCE_EXHAUSTED|cannot allocate memory"
    r"|oom[-_ ]kill",
    re.IGNORECASE,
)
_MEMORY_KILL = re.compile(
    r"^(slurmstepd|srun): error: .*(oom[-_ ]kill|out of memory|exceeded .*memory limit)",
    re.IGNORECASE,
)
"""The batch system's own words, which stand among the lines of the ranks; it names a node or a step, and no process."""
MOST_LINES, MOST_CHARACTERS = 6, 300


@dataclass(frozen=True)
class Culprit:
    """Who ended the run. `reason` is a word of `core.task.Reason`; `blames_node`: another node might have done."""

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


def judge(
    endings: Mapping[int, Ending],
    unended: Mapping[int, Start],
    *,
    expected: int,
    launcher: int,
    asked: bool = False,
    said: Sequence[str] = (),
) -> Verdict:
    """The marks decide; the launcher's own exit code only where there are none.

    `unended` began and left no mark of their end; `asked`: all were to end, by a cancel or the time limit;
    `said`: the last lines of the run, with those of the batch system.
    """
    if not unended and not endings:
        return Verdict(launcher)
    bad = [one for one in endings.values() if not one.is_good]
    culprits = [one for one in bad if not one.told]
    killed = any(_MEMORY_KILL.search(line) for line in said)
    if unended and not asked and all(_lost_another(one) for one in culprits):
        return _vanished(unended, launcher, killed)
    if culprits:
        return _blame(_first(culprits), expected, killed)
    if bad or unended:
        return Verdict(TOLD_CODE)
    if launcher and len(endings) < expected:
        words = f"the launcher ended with {launcher} before every rank had started"
        return Verdict(launcher, Culprit(-1, "", "exit-code", words, launcher))
    code = CONTINUE if any(one.code == CONTINUE for one in endings.values()) else 0
    note = f"the launcher ended with {launcher}, but every rank came to its end" if launcher else ""
    return Verdict(code, None, note)


def hung(rank: int, node: str, words: str, *, lost: bool = False) -> Verdict:
    """Ended by the overseer."""
    reason = "node-lost" if lost else "hung"
    return Verdict(HUNG_CODE, Culprit(rank, node, reason, words, HUNG_CODE, blames_node=True))


def _first(bad: List[Ending]) -> Ending:
    """A hard signal is nobody's consequence; then who did not complain of others; then who was first."""
    return min(
        bad, key=lambda one: (one.signal not in _HARD_SIGNALS, _complains(one), one.at, one.rank)
    )


def _lost_another(one: Ending) -> bool:
    return one.signal not in _HARD_SIGNALS and _complains(one)


def _complains(one: Ending) -> bool:
    return any(_CONSEQUENCE.search(line) for line in one.lines[-MOST_LINES:])


def _blame(one: Ending, expected: int, killed: bool) -> Verdict:
    code = 128 + one.signal if one.signal else one.code
    ran_out = one.memory or any(_MEMORY.search(line) for line in one.lines)
    ran_out = ran_out or (killed and code == KILLED_CODE)
    reason = "out-of-memory" if ran_out else ("signal" if one.signal else "exit-code")
    words = f"{_place(one.rank, one.node)} {_how(one, ran_out)}{_others(expected)}"
    blames = bool(one.signal) and one.signal in _HARD_SIGNALS and not ran_out
    culprit = Culprit(
        one.rank, one.node, reason, words + _quoted(one.lines), one.code, one.signal, blames
    )
    return Verdict(code, culprit)


def _vanished(unended: Mapping[int, Start], launcher: int, killed: bool) -> Verdict:
    """A launcher that says 0 has lost sight of it too."""
    first = unended[min(unended)]
    words = f"{_place(first.rank, first.node)} vanished without a word: it was killed together with what watched it"
    reason, why = ("out-of-memory", ", for want of memory") if killed else ("signal", "")
    code = launcher or KILLED_CODE
    culprit = Culprit(first.rank, first.node, reason, words + why, code, 9, not killed)
    return Verdict(code, culprit)


def _how(one: Ending, ran_out: bool) -> str:
    memory = " for want of memory" if ran_out else ""
    if not one.signal:
        return f"ended with exit code {one.code}{memory}"
    return f"was killed by signal {one.signal}{_signal_name(one.signal)}{memory}"


def _signal_name(number: int) -> str:
    known = {one.value: one.name for one in signals.Signals}
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
    return ". It wrote last:\n" + "\n".join(shown) if shown else ""
