"""Names and expressions in DuckDB's SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

_SIMPLE = re.compile(r"\s*(count|sum|min|max|avg|mean)\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_NOT_SPLIT = re.compile(r"\b(distinct|order\s+by|filter|over)\b", re.IGNORECASE)


def name_of(column: str) -> str:
    """Quoted, so that any name is a name."""
    return '"' + column.replace('"', '""') + '"'


def text_of(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def names(columns: Sequence[str]) -> str:
    return ", ".join(map(name_of, columns))


def named(expressions: Dict[str, str]) -> str:
    return ", ".join(f"{text} AS {name_of(name)}" for name, text in expressions.items())


@dataclass(frozen=True)
class Split:
    """An aggregate as a part that each rank computes from its own rows, and how the parts are put together."""

    parts: Dict[str, str]
    whole: str


def split(name: str, aggregate: str) -> Optional[Split]:
    """None if the aggregate needs all rows of a group in one place, as a median does."""
    match = _SIMPLE.fullmatch(aggregate)
    if match is None or not _is_balanced(match[2]) or _NOT_SPLIT.search(match[2]):
        return None
    function, argument = match[1].lower(), match[2].strip()
    part = f"{name}__{function}"
    if function in ("avg", "mean"):
        count = f"{name}__count"
        parts = {part: f"sum({argument})", count: f"count({argument})"}
        return Split(parts, f"sum({name_of(part)})::DOUBLE / nullif(sum({name_of(count)}), 0)")
    if function == "count":
        return Split({part: f"count({argument})"}, f"coalesce(sum({name_of(part)}), 0)::BIGINT")
    return Split({part: f"{function}({argument})"}, f"{function}({name_of(part)})")


def _is_balanced(text: str) -> bool:
    """Whether the outer brackets belong together: not in `sum(a) / sum(b)`. Quoted text may hold anything."""
    depth = 0
    for character in re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def sort_terms(by: Sequence[str]) -> List[Tuple[str, str]]:
    """Columns with their direction: `time`, `-time` or `time desc`."""
    terms = []
    for term in by:
        column, _, direction = term.rpartition(" ")
        if column and direction.lower() in ("asc", "desc"):
            terms.append((column.strip(), direction.upper()))
        elif term.startswith("-"):
            terms.append((term[1:], "DESC"))
        else:
            terms.append((term, "ASC"))
    return terms
