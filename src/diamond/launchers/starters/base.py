"""What every way of starting the processes of a run can do."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Protocol, Tuple

if TYPE_CHECKING:  # A rank imports this file too, and a dataclass would cost it 15 ms.
    from diamond.launchers.starters.plan import LaunchPlan

Names = Tuple[str, ...]
END_NOW = signal.SIGQUIT
"""Diamond ends the job without waiting for its programs: each shim kills its own."""
FORWARDED_SIGNALS = (
    END_NOW,
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
"""Those that the program of a rank gets too."""


class RankVariables(NamedTuple):
    """Names of the variables that a launcher sets in each process it starts; of several, the first that is set counts."""

    rank: Names
    world_size: Names = ()
    local_rank: Names = ()
    local_world_size: Names = ()
    node_rank: Names = ()


class Starter(Protocol):
    """Starts a program everywhere in a job, and signals all of it."""

    @property
    def gives_cores(self) -> bool:
        """Whether it binds each process that it starts to its own cores."""

    def command(self, plan: LaunchPlan, program: List[str]) -> List[str]:
        """The command that starts `program` once for each rank, or once on each node if the plan is per node.

        It ends once all have ended; when one fails, it ends the others.
        """

    def for_mpi(self, wanted: str) -> Starter:
        """The starter by which processes of MPI find each other; `wanted` is what the site says of it, or ''."""

    def signal(self, process: subprocess.Popen[bytes], number: int) -> None:
        """Pass a signal on to everything that `command`, running as `process`, has started. Never raises."""

    def on_each_node(self, cores: int) -> Dict[str, List[str]]:
        """For each node of the job, the words that start one process there, with `cores`, beside whatever runs."""

    def reports_memory_kill(self, line: str) -> bool:
        """Whether a line of the output is this starter's own report that processes were killed for lack of memory."""


def shim(act: str) -> List[str]:
    """By this very Python: looking for another costs each rank time. `-E -S`: nothing of the user's is loaded."""
    main = Path(__file__).parents[1] / "ranks" / "__main__.py"
    return [sys.executable, "-E", "-S", str(main), act]


def with_node_number(expression: str, program: List[str]) -> List[str]:
    """Tells torchrun and accelerate which node this is. Bash starts ten times as fast as Python."""
    return ["bash", "-c", f'export PET_NODE_RANK={expression}; exec "$@"', "bash", *program]


def send_signal(process: subprocess.Popen[bytes], number: int) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
