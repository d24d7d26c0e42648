"""What Diamond is measured against, in a separate virtual environment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PEERS = ("submitit", "psij-python", "parsl")


def peers_python(cache: Path) -> Path:
    """A Python with all peers; created at the first call, then kept."""
    folder = cache / f"peers-py{sys.version_info[0]}{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *PEERS]
        subprocess.run(install, check=True)
        done.touch()
    return python


def dvc_program(cache: Path) -> Path:
    """dvc in an environment of its own; created at the first call, then kept."""
    folder = cache / f"dvc-py{sys.version_info[0]}{sys.version_info[1]}"
    program, done = folder / "bin" / "dvc", folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "dvc"]
        subprocess.run(pip, check=True)
        done.touch()
    return program


def versions(python: Path) -> str:
    """'submitit 1.5.4, psij-python 0.9.11, parsl …'."""
    words = [str(python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    listed = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    found = {one["name"].lower(): one["version"] for one in listed}
    return ", ".join(f"{name} {found[name]}" for name in PEERS)
