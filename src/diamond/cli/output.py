"""Print text, tables, JSON and errors. Colors only on a terminal; no heavy imports (Rich costs 0.1 s)."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from diamond.core.errors import DiamondError

COLORS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "dim": "2", "bold": "1"}
STATE_COLORS = {
    "running": "blue",
    "succeeded": "green",
    "failed": "red",
    "cancelled": "yellow",
    "online": "green",
    "offline": "yellow",
    "needs you to sign in": "yellow",
}
_CONTROL_CHARACTERS = re.compile(
    "\x1b(?!\\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


def say(message: str) -> None:
    """A message for the user, on stderr: stdout is for results."""
    print(without_control_characters(message), file=sys.stderr, flush=True)


def without_control_characters(text: str) -> str:
    """Names and messages may come from others: control codes are removed, colors and newlines stay."""
    return _CONTROL_CHARACTERS.sub(" ", text)


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_error(error: DiamondError, *, as_json: bool = False) -> None:
    """Message, all faults, and the next step; as JSON on stdout, where programs read."""
    if as_json:
        print_json({"error": error_json(error)})
        return
    say(f"{color('Error', 'red', sys.stderr)}: {error.message}")
    for fault in error.faults if len(error.faults) > 1 else []:
        say(f"  {fault.get('field', '')}: {fault.get('message', '')}")
        if fault.get("hint"):
            say(f"      {fault['hint']}")
    if error.hint:
        say(error.hint)


def error_json(error: DiamondError) -> dict[str, Any]:
    return {
        "code": error.detail_code,
        "message": error.message,
        "hint": error.hint,
        "faults": error.faults,
    }


def plural(number: int, noun: str, several: str = "") -> str:
    """1 node, 2 nodes."""
    return f"{number} {noun}" if number == 1 else f"{number} {several or noun + 's'}"


def color(text: str, name: str, stream: TextIO | None = None) -> str:
    """Colored text if the stream is a terminal, else the text itself."""
    target = stream or sys.stdout
    if name not in COLORS or not target.isatty() or "NO_COLOR" in os.environ:
        return text
    return f"\033[{COLORS[name]}m{text}\033[0m"


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Aligned columns; on a terminal, lines are cut at the edge."""
    cells = [[_on_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    edge = shutil.get_terminal_size((10_000, 24)).columns if sys.stdout.isatty() else 10_000
    print(color(_aligned(headings, widths, edge), "dim"))
    for row in cells:
        line = _aligned(row, widths, edge)
        state = next((cell for cell in row if cell in STATE_COLORS), "")
        colored = color(state, STATE_COLORS[state]) if state else ""
        print(line.replace(f" {state} ", f" {colored} ", 1) if state else line)


def _aligned(row: Sequence[str], widths: Sequence[int], edge: int) -> str:
    line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    return line if len(line) <= edge else line[: edge - 1] + "…"


def _on_one_line(text: str) -> str:
    """Names and messages come from others: no control character reaches the terminal."""
    return "".join(char if char.isprintable() else " " for char in text)
