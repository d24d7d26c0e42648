"""What one node can build and run with, for the site profile: login and compute nodes often differ."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Dict

from diamond.runtimes.adapters import RUNTIMES, runtime
from diamond.runtimes.namespaces import has_namespaces, has_sub_ids, takes_overlays


def abilities(work: Path, tmp: Path) -> Dict[str, Any]:
    """Asked by doing: a namespace is opened, an overlay is mounted."""
    probed = {name: runtime(name).probe(tmp) for name in RUNTIMES}
    return {
        "runtimes": {
            name: {
                "version": ability.version,
                "builds": ability.builds,
                "runs": ability.runs,
                "why": ability.why,
            }
            for name, ability in probed.items()
            if ability.version
        },
        "namespaces": has_namespaces(),
        "sub_ids": has_sub_ids(),
        "fakeroot": bool(shutil.which("fakeroot")),
        "fuse": os.access("/dev/fuse", os.R_OK | os.W_OK),
        "overlay": {"work": takes_overlays(work), "tmp": takes_overlays(tmp)},
        "tmp_free_bytes": _free_bytes(tmp),
    }


def _free_bytes(folder: Path) -> int:
    """A node-local folder need not exist on this node: 0."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
