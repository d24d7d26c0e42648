"""`diamond admin backup` and `restore`, as separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.service import SOURCE


def run_backup(
    act: str, file: Path, home: Path, database_url: str
) -> subprocess.CompletedProcess[str]:
    """`act`: backup or restore."""
    words = [
        sys.executable,
        "-m",
        "diamond.service.maintenance.backup",
        act,
        str(file),
        "--home",
        str(home),
    ]
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "DIAMOND_DATABASE_URL": database_url}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)
