"""A pilot's journal as its page shows it: read as data from a job, whatever stands in it."""

from __future__ import annotations

import json
from typing import Any

from diamond.service.pilots.timeline import MOST_SHOWN, Name, read_history, shown_timeline


def share(cores: int, gpus: int = 0) -> dict[str, Any]:
    return {"node": "n1", "cores": list(range(cores)), "gpus": list(range(gpus))}


def journal(*lines: Any) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


OPENED = {
    "opened": {
        "allocation": "7",
        "nodes": [{"name": "n1", "cores": [0, 1, 2, 3], "gpus": [0, 1]}],
        "seconds_left": 100,
        "at": 1000.0,
    }
}


def test_use_is_what_programs_had_of_what_the_allocation_has() -> None:
    text = journal(
        OPENED,
        {"claimed": {"id": "a1", "allocation": "7", "shares": [share(4, 1)], "at": 1000.0}},
        {"started": {"id": "a1", "at": 1001.0}},
        {"ended": {"id": "a1", "reason": "exit", "code": 0, "at": 1011.0}},
        {"claimed": {"id": "a2", "allocation": "7", "shares": [share(2)], "at": 1010.0}},
    )
    names = {"a1": Name("t1", "p.train", "f1", "train")}
    shown = shown_timeline(read_history(text), names, now=1020.0)
    assert shown.utilisation.cores == (10 * 4 + 10 * 2) / (20 * 4)
    assert shown.utilisation.gpus == 10 / (20 * 2)
    first, second = shown.items
    assert (first.task, first.stage, first.code, first.reason) == ("t1", "train", 0, "exit")
    assert (second.task, second.ended, second.reason) == ("", None, "")
    assert [(node.name, node.cores) for node in shown.allocations[0].nodes] == [("n1", 4)]


def test_an_allocation_counts_until_its_limit_or_the_next_one() -> None:
    later = {"opened": {**OPENED["opened"], "allocation": "8", "at": 2000.0}}
    text = journal(
        OPENED,
        {"claimed": {"id": "a1", "allocation": "7", "shares": [share(4)], "at": 1000.0}},
        later,
    )
    shown = shown_timeline(read_history(text), {}, now=2050.0)
    assert shown.utilisation.cores == (100 * 4) / (100 * 4 + 50 * 4), "it ended with its allocation"


def test_what_is_no_entry_is_passed_over() -> None:
    deep = b"[" * 100_000
    text = b"\n".join(
        [
            b"{}",
            b"no json",
            b"\xff\xfe",
            deep,
            b'{"opened": 3}',
            b'{"claimed": {"id": "../../x", "allocation": "7", "at": 1}}',
            b'{"claimed": {"id": "a1", "allocation": "7", "shares": [], "at": 1e400}}',
            journal(OPENED),
            b'{"claimed": {"id": "a1"',
        ]
    )
    shown = shown_timeline(read_history(text), {}, now=1010.0)
    assert len(shown.allocations) == 1 and shown.items == []
    assert shown_timeline(read_history(b""), {}, now=0.0).utilisation.cores is None


def test_a_journal_of_nothing_but_allocations_costs_little_and_is_cut() -> None:
    many = [{"opened": {"allocation": str(n), "at": float(n)}} for n in range(100_000)]
    shown = shown_timeline(read_history(journal(*many)), {}, now=200_000.0)
    assert [one.id for one in shown.allocations] == [str(n) for n in range(98_000, 100_000)]
    assert len(shown.allocations) == MOST_SHOWN
