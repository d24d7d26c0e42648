"""Which aggregates each rank can begin with its own rows, and how names are written."""

from __future__ import annotations

import duckdb
import pytest

from diamond.frames.sql import name_of, sort_terms, split

SIMPLE = ["count(*)", "sum(a)", "avg(a + b)", "MEAN( a )", "min(coalesce(a, (b)))", "max(')')"]
WHOLE = [
    "median(a)",
    "count(DISTINCT a)",
    "sum(a) / sum(b)",
    "sum(a) FILTER (a > 1)",
    "sum(a ORDER BY b)",
    "1 + count(*)",
    "stddev(a)",
]


@pytest.mark.parametrize("text", SIMPLE)
def test_a_simple_aggregate_is_put_together_from_parts(text: str) -> None:
    found = split("x", text)
    assert found is not None
    rows = "(SELECT range::INTEGER AS a, range * 2 AS b, range % 2 AS part FROM range(9))"
    parts = ", ".join(f"{part} AS {name_of(name)}" for name, part in found.parts.items())
    halves = f"(SELECT {parts} FROM {rows} GROUP BY part)"
    [together] = duckdb.sql(f"SELECT {found.whole} FROM {halves}").fetchall()
    assert [together] == duckdb.sql(f"SELECT {text} FROM {rows}").fetchall()


@pytest.mark.parametrize("text", WHOLE)
def test_others_need_all_rows_of_a_group(text: str) -> None:
    assert split("x", text) is None


def test_any_name_is_a_name() -> None:
    assert name_of('a"; DROP TABLE x') == '"a""; DROP TABLE x"'


def test_directions_of_a_sort() -> None:
    terms = sort_terms(["a", "-b", "c desc", "d e"])
    assert terms == [("a", "ASC"), ("b", "DESC"), ("c", "DESC"), ("d e", "ASC")]
