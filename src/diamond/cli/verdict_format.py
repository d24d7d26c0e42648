"""A verdict on two runs, for the terminal."""

from __future__ import annotations

from typing import Any

from diamond.cli.output import color, print_table

COLORS = {
    "identical": "green",
    "within-tolerance": "green",
    "different": "red",
    "not-reproducible": "yellow",
}
WORDS = {
    "identical": "Identical",
    "within-tolerance": "Within tolerance",
    "different": "Different",
    "not-reproducible": "Not reproducible",
}
SHOWN = 20


def print_verdict(verdict: dict[str, Any]) -> None:
    level = verdict["level"]
    print(f"{color(WORDS[level], COLORS[level])}: {verdict['sentence']}")
    for cause in verdict["causes"]:
        print(f"  Likely cause: {cause['text']}")
    odd = [each for each in verdict["files"] if each["finding"] != "identical"]
    for each in odd[:SHOWN]:
        print(f"  {each['path']}  {each['finding']}")
    metrics = [each for each in verdict["metrics"] if each["finding"] not in ("equal",)]
    if metrics:
        print_table(
            ("METRIC", "FIRST", "SECOND", "APART", "ALLOWED", ""),
            [
                (
                    each["name"],
                    _number(each["first"]),
                    _number(each["second"]),
                    _number(each["difference"]),
                    _number(each["allowed"]),
                    each["finding"],
                )
                for each in metrics[:SHOWN]
            ],
        )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"
