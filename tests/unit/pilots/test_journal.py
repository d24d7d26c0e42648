"""Requests and journal survive torn lines, garbage and repetition."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond.pilots.journal import (
    EXIT,
    NODE_LOST,
    Claimed,
    Closed,
    Closing,
    Ended,
    Entry,
    History,
    Node,
    Opened,
    Returned,
    Share,
    Started,
    entry_line,
    read_entry,
)
from diamond.pilots.json_lines import MOST_BYTES, Appender, Tail
from diamond.pilots.requests import Cancel, Close, Execution, Lean, Run, read_request, request_line

ENTRIES: list[Entry] = [
    Opened("77", [Node("n1", [0, 1], 4000, [0])], 600, at=1.0),
    Claimed("a1", "77", [Share("n1", [1], [0], 100)], at=2.0),
    Claimed("a3", "77", [Share("n1", [1])], at=2.1),
    Returned("a3", at=2.2),
    Started("a1", at=2.5),
    Ended("a1", EXIT, 0, at=3.0),
    Ended("a2", EXIT, None, 9, at=3.5),
    Closing("asked to close", at=4.0),
    Closed(120, continues=True, at=5.0),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda each: type(each).__name__)
def test_an_entry_survives_its_line(entry: Entry) -> None:
    assert read_entry(json.loads(json.dumps(entry_line(entry)))) == entry


@pytest.mark.parametrize(
    "request_",
    [
        Run(Execution("a1", "/x/a b/script.sh", "/x/a b", lean=Lean("t1", ["true"], "/x", "/i"))),
        Cancel("a1", kill=True),
        Close(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_request_survives_its_line(request_: Run | Cancel | Close) -> None:
    assert read_request(json.loads(json.dumps(request_line(request_)))) == request_


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"run": 1},
        {"run": {"id": "../x", "script": "/x", "folder": "/x"}},
        {"run": {"id": "a1", "script": "x", "folder": "/x"}},
        {"run": {"id": "a1", "script": "/x", "folder": "/x", "nodes": 0}},
        {"run": {"id": "a1", "script": "/x", "folder": "/x", "cpus_per_task": -1}},
        {"run": {"id": "a1", "script": "/x", "folder": "/x", "seconds": 10**12}},
        {"cancel": []},
        {"explode": {}},
    ],
)
def test_a_request_that_is_none_is_passed_over(line: dict[str, object]) -> None:
    assert read_request(line) is None


@pytest.mark.parametrize(
    "line",
    [
        {"claimed": {"id": "a/b", "allocation": "1"}},
        {"ended": {"id": "a1", "reason": "boredom"}},
        {"opened": {"allocation": "1", "nodes": [{"name": "x\ny"}]}},
        {"opened": {"allocation": "1", "nodes": [{"name": "n", "cores": ["0"]}]}},
        {"ended": {"id": "a1", "at": float("nan")}},
        {"later": {}},
    ],
)
def test_an_entry_that_is_none_is_passed_over(line: dict[str, object]) -> None:
    assert read_entry(line) is None


def test_a_reader_goes_on_where_it_was_and_leaves_a_torn_line_for_later(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    tail = Tail(str(file))
    assert tail.read() == []
    file.write_bytes(b'{"a":1}\nnonsense\n[1]\n{"b":2}\n{"c"')
    assert [line for _, line in tail.read()] == [{"a": 1}, {"b": 2}]
    assert tail.read() == []
    with file.open("ab") as more:
        more.write(b":3}\n")
    assert tail.read() == [(29, {"c": 3})]


def test_a_line_without_an_end_is_passed_over_and_holds_nobody_up(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a":"' + MOST_BYTES * b"x" + b'"}\n{"b":2}\n')
    assert [line for _, line in Tail(str(file)).read()] == [{"b": 2}]
    file.write_bytes((17 << 20) * b"x" + b'\n{"b":2}\n')
    tail, seen = Tail(str(file)), []
    for _ in range(3):
        seen += tail.read()
    assert [line for _, line in seen] == [{"b": 2}]


def test_a_writer_ends_the_line_that_a_dead_one_left(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a":1}\n{"torn')
    appender = Appender(str(file))
    appender.write([{"b": 2}], durable=True)
    appender.close()
    assert [line for _, line in Tail(str(file)).read()] == [{"a": 1}, {"b": 2}]


def test_the_first_end_of_an_execution_counts_and_it_is_claimed_once() -> None:
    history = History()
    for entry in ENTRIES:
        history.add(entry)
    history.add(Opened("78", at=6.0))
    history.add(Claimed("a1", "78", at=7.0))
    history.add(Ended("a1", NODE_LOST, at=8.0))
    assert not history.executions["a3"].is_claimed
    first = history.executions["a1"]
    assert (first.allocation, first.ended and first.ended.reason) == ("77", EXIT)
    assert (history.allocation, history.closing, history.closed) == ("78", None, None)
