"""The `diamond` command of this Python."""

from __future__ import annotations

import sys
from pathlib import Path


def diamond_words() -> list[str]:
    installed = Path(sys.executable).parent / "diamond"
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "diamond.cli"]
