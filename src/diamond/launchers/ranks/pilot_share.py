"""What an execution inside a pilot has of this very node. Other executions have the rest of it."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Dict, List, Mapping, NamedTuple, Optional

SHARES = "DIAMOND_PILOT_SHARES"
VISIBLE_GPUS = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


class PilotShare(NamedTuple):
    cores: List[int]
    """Empty: they are only counted, and nothing is bound."""
    gpus: List[str]


def own_share(given: Mapping[str, str], node: str) -> Optional[PilotShare]:
    """None outside of a pilot."""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        cores, gpus = json.loads(given.get(SHARES, "{}")).get(node, (None, None))
        if cores is not None:
            return PilotShare(list(map(int, cores)), list(map(str, gpus)))
    return None


def keep_to_share(share: PilotShare) -> Dict[str, str]:
    """Bind this process, and what it starts, to the share's cores; returns the variables that name its GPUs."""
    if share.cores:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, share.cores)
    return dict.fromkeys(VISIBLE_GPUS, ",".join(share.gpus))
