"""An agent and a service one minor version apart work together: unknown fields are ignored, missing ones have defaults."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import pytest

from diamond.core.data_commands import DATA_ACTS
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.protocol import (
    COMMANDS,
    IMAGE_ACTS,
    OLDEST,
    REQUESTS,
    VERSION,
    read_command,
    read_request,
)
from diamond.core.sync_calls import SYNC_CALLS, Nothing
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.sync.sync import NEW_WORK, withheld

NEWER = {"from_a_newer_version": {"a": [1]}}
MESSAGES: dict[str, type[Any]] = {
    **{f"call {call.name}": call.body for call in SYNC_CALLS.values() if call.body},
    **{
        f"answer {call.name}": call.answer
        for call in SYNC_CALLS.values()
        if call.answer not in (None, Nothing)
    },
    **{f"command {name}": kind for name, kind in COMMANDS.items()},
    **{f"image {name}": kind for name, kind in IMAGE_ACTS.items()},
    **{f"data {name}": kind for name, kind in DATA_ACTS.items()},
    **{f"request {name}": kind for name, kind in REQUESTS.items()},
}
REQUIRED = {
    "call pair": "code",
    "call hello": "",
    "call events": "",
    "call adopt": "task_json",
    "call commands": "",
    "call bytes": "parts",
    "call blobs": "digests",
    "call images": "",
    "call moves": "",
    "call image-part": "sha256",
    "call profile": "",
    "answer pair": "endpoint name key",
    "answer hello": "generation",
    "answer events": "",
    "answer commands": "",
    "answer bytes": "",
    "answer image-bytes": "have",
    "command submit": "id task attempt",
    "command cancel": "id task attempt",
    "command chain": "id task",
    "command close-pilot": "id task",
    "command probe": "id",
    "command clean": "id",
    "command upgrade": "id digest",
    "image send": "id record",
    "image fetch": "id move",
    "image push": "id move record",
    "image pull": "id move",
    "image delete": "id sha256 format identity",
    "image cancel": "id move",
    "call trees": "",
    "call data-reports": "",
    "call manifest-part": "tree",
    "call data-wants-part": "transfer round",
    "call data-part": "transfer round n",
    "answer manifest-bytes": "have",
    "answer data-wants": "round",
    "answer data-bytes": "next",
    "data scan": "id scan path",
    "data check": "id scan tree",
    "data import": "id scan source",
    "data preview": "id scan tree",
    "data fetch": "id transfer tree size files",
    "data send": "id transfer tree round",
    "data archive": "id transfer tree",
    "data store": "id transfer tree",
    "data remove": "id tree",
    "data pin": "id tree",
    "data cancel": "id name",
    "request list-files": "id task",
    "request browse": "id",
    "request list-media": "id task",
    "request stat-file": "id task path",
    "request read-file": "id task path",
    "request read-log": "id task attempt run stream",
    "request search-log": "id task attempt run stream text case limit start end",
    "request script": "id order",
    "request set-secret": "id name value",
    "request list-secrets": "id",
    "request delete-secret": "id name",
    "request prune-images": "id days",
    "request usage": "id",
    "request report": "id task",
}
"""Of version 2, and for data of version 3. A field that is added has a default, and one of these is sent for as long as version 2 is spoken to."""
SAMPLES: dict[str, Any] = {
    "id": "c1",
    "task": "t1",
    "attempt": "a1",
    "move": "m1",
    "sha256": 64 * "a",
    "digest": 64 * "a",
    "record": {"identity": 64 * "a", "sha256": 64 * "a", "format": "squashfs"},
    "identity": 64 * "a",
    "format": "squashfs",
    "reference": "docker.io/library/python",
    "name": "TOKEN",
    "tree": 64 * "a",
    "scan": "r1",
    "transfer": "x1",
    "source": "https://example.org/data",
    "size": 1,
    "files": 1,
    "round": 1,
    "n": 0,
    "next": 0,
    "stream": "stdout",
    "path": "out.txt",
    "run": 1,
    "offset": 0,
    "generation": 3,
    "have": 0,
    "now": 1.0,
    "digests": [],
    "parts": [],
    "images": [],
    "days": 1,
    "dry_run": True,
    "case": True,
    "limit": 1,
    "start": 0,
    "end": 1,
    "order": {"name": "digits", **NEWER},
    "task_json": {"order": {"name": "digits", "command": "true", **NEWER}, **NEWER},
}


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_no_message_demands_more_or_less_than_its_first_version(name: str) -> None:
    required = [
        one.name
        for one in fields(MESSAGES[name])
        if one.default is MISSING and one.default_factory is MISSING
    ]
    assert " ".join(required) == REQUIRED[name]


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_unknown_fields_are_ignored_and_missing_ones_defaulted(name: str) -> None:
    least = {one: sample(one, name) for one in REQUIRED[name].split()}
    assert decode(MESSAGES[name], {**least, **NEWER}) == decode(MESSAGES[name], least)


def sample(field: str, message: str) -> Any:
    if message == "answer bytes" and field == "have":
        return [0]
    if message == "data scan" and field == "path":
        return "/data"
    return SAMPLES.get(field, "x")


def test_a_newer_submit_is_read_down_to_its_order() -> None:
    words = {"id": "c1", "type": "submit", "task": "t1", "attempt": "a1", **NEWER}
    command = read_command({**words, "task_json": SAMPLES["task_json"], "by": NEWER})
    assert command is not None and command.id == "c1"


def test_a_newer_command_is_passed_over_and_a_newer_question_says_what_to_do() -> None:
    assert read_command({"id": "c1", "type": "hibernate"}) is None
    with pytest.raises(BadRequest) as answer:
        read_request({"id": "r1", "type": "weather"})
    assert "Upgrade the agent" in answer.value.hint


@pytest.mark.parametrize("protocol", [OLDEST, VERSION, VERSION + 1])
def test_a_neighbouring_agent_gets_work(protocol: int) -> None:
    assert withheld(endpoint(protocol)) == ()


def test_an_agent_before_the_oldest_gets_no_new_work() -> None:
    assert OLDEST <= VERSION
    assert withheld(endpoint(OLDEST - 1)) == NEW_WORK


def endpoint(protocol: int) -> EndpointRow:
    return EndpointRow(**ENDPOINT, protocol=protocol)


ENDPOINT: dict[str, Any] = {
    one.name: None
    for one in fields(EndpointRow)
    if one.default is MISSING and one.default_factory is MISSING
}
