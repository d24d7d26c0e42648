"""Parsl's SlurmProvider: a shell command. (Its executors would submit pilots, which start later still.)"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from loop import serve  # type: ignore[import-not-found,unused-ignore]
from parsl.providers import SlurmProvider  # type: ignore[import-not-found,unused-ignore]

folder, program = sys.argv[1:3]
provider = SlurmProvider(partition="batch", walltime="00:05:00", exclusive=False)
provider.script_dir = f"{folder}/parsl"
Path(provider.script_dir).mkdir()

serve(lambda path: provider.submit(shlex.join([program, path]), tasks_per_node=1))
