"""Whatever a machine sends, the service answers with a problem that names the field, never with a failure of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.http import Answer, Client
from support.scene import new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

HUGE = 10**300
EVENT = {"n": 1, "type": "note", "task": "t1", "at": 1.0}
PART = {"task": "t1", "attempt": "a1", "run": 1, "stream": "stdout", "offset": 0, "length": 0}
MALFORMED: list[tuple[str, Any]] = [
    ("hello", {"last_generation": HUGE}),
    ("hello", {"confirmed": "many"}),
    ("hello", {"epoch": "x" * 1000}),
    ("hello", {"folders": ["/work"]}),
    ("hello", {"secrets": [1]}),
    ("hello", []),
    ("events", {"epoch": "e", "events": [{**EVENT, "n": HUGE}]}),
    ("events", {"epoch": "e", "events": [{**EVENT, "n": None}]}),
    ("events", {"epoch": "e", "events": ["note"]}),
    ("events", {"epoch": "e", "events": {"n": 1}}),
    ("events", {"epoch": "e", "now": "noon", "events": [EVENT]}),
    ("events", {"epoch": "e", "events": [{**EVENT, "type": "exited", "exit_code": "1"}]}),
    ("adopt", {"task_json": {"task": "../x", "job": "j1"}, "attempts": []}),
    ("adopt", {"task_json": {"task": "t1", "job": "j1", "name": "n", "order": {}}, "attempts": []}),
    ("adopt", {"task_json": [], "attempts": 3}),
    ("commands", {"done": "c1", "wait": 0}),
    ("commands", {"done": [], "wait": "long"}),
    ("blobs", {"digests": ["../../etc/passwd"]}),
    ("blobs", {}),
    ("images", {"items": "all"}),
    ("images", {"items": [], "age": HUGE}),
    ("moves", {"items": [{"move": "m1", "state": "flying"}]}),
    ("moves", {"items": [{"move": "m1", "state": "done", "bytes": -1}]}),
    ("image-part", {"sha256": "../x", "offset": 0}),
    ("image-part", {"sha256": "0" * 64, "offset": -1}),
    ("profile", {"facts": []}),
    ("profile", {"facts": {}, "probed_at": "yesterday"}),
]
HEADS: list[Any] = [
    {"parts": [{**PART, "offset": HUGE}]},
    {"parts": [{**PART, "run": 2**40}]},
    {"parts": [{**PART, "stream": "thoughts"}]},
    {"parts": [{**PART, "task": "../x"}]},
    {"parts": [{**PART, "length": 5}]},
    {"parts": 3},
    [],
]


@pytest.fixture(scope="module")
def agent(service: RunningService) -> ScriptedAgent:
    agent: ScriptedAgent = new_scene(service).agent
    return agent


@pytest.mark.parametrize(("call", "body"), MALFORMED)
def test_a_malformed_message_is_a_problem_of_its_sender(
    agent: ScriptedAgent, call: str, body: Any
) -> None:
    _is_problem(agent.call(call, body))


@pytest.mark.parametrize("head", HEADS)
def test_a_malformed_line_in_front_of_bytes_is_a_problem_of_its_sender(
    agent: ScriptedAgent, head: Any
) -> None:
    _is_problem(agent.call("bytes", json.dumps(head).encode() + b"\n"))


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\n", b"[" * 100_000, b"9" * 5000])
def test_bytes_that_are_not_json_are_a_problem_of_their_sender(
    agent: ScriptedAgent, body: bytes
) -> None:
    for call in ("bytes", "events", "hello"):
        _is_problem(_send(agent, call, body))


@pytest.mark.parametrize("generation", ["9" * 5000, "-1", "1.5", "x"])
def test_a_generation_must_be_a_number(agent: ScriptedAgent, generation: str) -> None:
    _is_problem(_send(agent, "events", b"{}", generation=generation))


def test_an_inventory_leaves_out_a_record_that_cannot_be_read(agent: ScriptedAgent) -> None:
    body = {"items": [{"identity": "other"}, {}], "age": 0}
    agent.good("images", body)


def _send(agent: ScriptedAgent, call: str, body: bytes, *, generation: str = "") -> Answer:
    headers = {
        "Content-Type": "application/json",
        "Diamond-Generation": generation or str(agent.generation),
    }
    return Client(agent.url, agent.key, headers).call("POST", f"/sync/{call}", body)


def _is_problem(answer: Answer) -> None:
    assert 400 <= answer.status < 500, (answer.status, answer.body)
    assert answer.json["code"] and answer.json["title"]
