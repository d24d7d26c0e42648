"""Lines about something that runs for a while, each printed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from diamond.cli.output import say

Lines = Callable[[dict[str, Any]], Iterable[str]]


def say_new_lines(lines: Lines) -> Callable[[dict[str, Any]], None]:
    """For each state that is heard of, say the lines that were not said yet."""
    said: set[str] = set()

    def say_news(now: dict[str, Any]) -> None:
        for line in lines(now):
            if line not in said:
                said.add(line)
                say(line)

    return say_news
