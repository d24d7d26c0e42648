"""Lays out what starts the program of an attempt, as the agent does."""

from __future__ import annotations

from pathlib import Path

from diamond.core.order import Order
from diamond.launchers.script import start_program
from diamond.runtimes.base import Entered


def lay_out_program(order: Order, folder: Path, entered: Entered | None = None) -> list[str]:
    """Writes the files, and gives the words for `Batch.program`."""
    started = start_program(order, str(folder), entered=entered or Entered())
    for name, text in started.files.items():
        (folder / name).write_text(text)
    return list(started.words)
