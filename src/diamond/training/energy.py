"""How much energy this node has used since the run began, where the machine says it and an ordinary user may read it.

The counters of the node count everything on it: they say what a run used where it has the node for itself.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

CRAY = "sys/cray/pm_counters/energy"
"""Of the whole node, GPUs included, in joules. Slurm's own plugin for HPE Cray reads the same file."""
RAPL = "sys/class/powercap"
"""Of processors and memory, in microjoules. Most kernels since 5.10 let only root read it."""


class EnergyMeter:
    """Reads the counters at each sample and adds what the GPUs drew in between."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._cray, self._rapl = root / CRAY, root / RAPL
        self._before: Dict[str, float] = {}
        self._gpu_before: Optional[Tuple[float, float]] = None
        self._joules = 0.0
        self._is_known = False
        self.read([], now=0.0)
        self._joules, self._gpu_before, self._is_known = 0.0, None, False

    def read(self, gpu_watts: Sequence[float], *, now: float) -> Dict[str, float]:
        """`energy_joules` since the first reading; nothing where nobody says it."""
        whole = _cray_joules(self._cray)
        if whole is not None:
            self._add("node", whole, 0.0)
        else:
            for name, joules, limit in _rapl_joules(self._rapl):
                self._add(name, joules, limit)
            self._add_gpus(sum(gpu_watts), now, is_known=bool(gpu_watts))
        return {"energy_joules": round(self._joules, 1)} if self._is_known else {}

    def _add(self, name: str, joules: float, limit: float) -> None:
        """A counter that is smaller than before has begun again: `limit` is where it does, 0 if nobody says so."""
        before = self._before.get(name)
        self._before[name] = joules
        self._is_known = True
        if before is not None:
            grown = joules - before
            self._joules += grown if grown >= 0 else max(grown + limit, 0.0)

    def _add_gpus(self, watts: float, now: float, *, is_known: bool) -> None:
        if not is_known:
            return
        if self._gpu_before is not None:
            then, before = self._gpu_before
            self._joules += (before + watts) / 2 * max(now - then, 0.0)
        self._gpu_before, self._is_known = (now, watts), True


def _cray_joules(file: Path) -> Optional[float]:
    """A line such as `81429305 J 1699971402123456 us`."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return float(file.read_text().split()[0])
    return None


def _rapl_joules(folder: Path) -> List[Tuple[str, float, float]]:
    """Name, joules and where the counter begins again: of each processor, and of memory, which those leave out."""
    found = []
    with contextlib.suppress(OSError):
        for place in sorted(folder.glob("intel-rapl:*")):
            with contextlib.suppress(OSError, ValueError):
                kind = (place / "name").read_text().strip()
                if kind.startswith("package") or kind == "dram":
                    joules = float((place / "energy_uj").read_text()) / 1e6
                    limit = float((place / "max_energy_range_uj").read_text()) / 1e6
                    found.append((place.name, joules, limit))
    return found
