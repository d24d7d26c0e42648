"""accelerate's own test program, once all processes that were asked for have met."""

from __future__ import annotations

import os
import runpy

from accelerate import Accelerator

asked = int(os.environ["DIAMOND_NODES"]) * int(os.environ["DIAMOND_RANKS_PER_NODE"])
met = Accelerator().num_processes
if met != asked:
    raise SystemExit(f"{met} of {asked} processes have met")
if met != 2:
    raise SystemExit(
        "accelerate's test program is written for 2 processes: ask for one node with 2, or two with 1"
    )
print(f"all {met} processes have met", flush=True)
runpy.run_module("accelerate.test_utils.scripts.test_script", run_name="__main__")
