"""Starts the sampler on each node but the first, where the batch script has one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from diamond.launchers.ranks.rank_files import RankFiles
from diamond.launchers.starters.identity import Identity

_PROGRAM = """import sys
sys.path.insert(0, sys.argv.pop(1))
from diamond.training.sampler import main
main()"""


@contextlib.contextmanager
def sampled(me: Identity, files: RankFiles) -> Iterator[None]:
    """The first rank of a node has it sampled as long as its own program runs."""
    if me.local_rank != 0 or me.node_rank == 0:
        yield
        return
    library = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-E", "-S", "-c", _PROGRAM, str(library)]
    command += ["--run-folder", str(files.run_folder), "--pid", str(os.getpid()), "--node", me.node]
    null = subprocess.DEVNULL
    with contextlib.ExitStack() as ends:
        with contextlib.suppress(OSError):
            sampler = subprocess.Popen(command, stdin=null, stdout=null, stderr=null)
            ends.callback(sampler.kill)
        yield
