"""docs/internals/sync-protocol.md names every message and field of core/protocol.py and core/agent_messages.py, and no others."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from diamond.core import agent_messages, protocol
from diamond.core.data_commands import DATA_ACTS
from diamond.core.protocol import COMMANDS, IMAGE_ACTS, REQUESTS
from diamond.core.sync_calls import SYNC_CALLS, Nothing

DOCS = Path(__file__).parents[2] / "docs" / "internals" / "sync-protocol.md"
ROW = re.compile(r"^\| `POST ([a-z-]+)[^`]*`[^|]*\|(.*)\|$", re.MULTILINE)
CALLS = {call.name: call.body for call in SYNC_CALLS.values() if call.body}
ANSWERS = {
    call.name: call.answer for call in SYNC_CALLS.values() if call.answer not in (None, Nothing)
}
COMMON = {"id", "by", "task", "attempt"}
"""Of every command; described once."""


def calls() -> dict[str, str]:
    return dict(ROW.findall(DOCS.read_text()))


def sections() -> dict[str, str]:
    parts = re.split(r"^## (\w+).*$", DOCS.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def field_names(cls: Any) -> set[str]:
    """Its own and those of dataclasses inside; what is passed on as it is has none."""
    names = set()
    hints = get_type_hints(cls)
    for field in fields(cls):
        names.add(field.name)
        for inner in (hints[field.name], *get_args(hints[field.name])):
            if is_dataclass(inner):
                names |= field_names(inner)
    return names | (
        field_names(agent_messages.NumberedEvent) if cls is agent_messages.Events else set()
    )


def quoted(text: str) -> set[str]:
    return set(re.findall(r'"(\w+)"', text))


def test_every_call_is_described() -> None:
    assert set(calls()) == set(SYNC_CALLS)


@pytest.mark.parametrize("call", sorted(CALLS))
def test_the_body_of_a_call_has_the_described_fields(call: str) -> None:
    if call == "profile":
        assert "site-profile.md" in calls()[call]
        return
    body = re.findall(r"`([^`]*)`", calls()[call].partition("→")[0])[0]
    assert quoted(body) == field_names(CALLS[call])


@pytest.mark.parametrize("call", sorted(ANSWERS))
def test_the_answer_to_a_call_has_the_described_fields(call: str) -> None:
    answer = re.findall(r"`([^`]*)`", calls()[call].partition("→")[2])[0]
    assert quoted(answer) == field_names(ANSWERS[call])


def test_every_command_is_described_with_its_fields() -> None:
    text = sections()["Commands"]
    known: set[str] = {"type", "act"} | field_names(protocol.Grant)
    for cls in (*COMMANDS.values(), *IMAGE_ACTS.values(), *DATA_ACTS.values()):
        known |= field_names(cls)
    assert quoted(text) <= known
    for name, cls in COMMANDS.items():
        assert f"`{name}`" in text
        missing = {field.name for field in fields(cls)} - COMMON - quoted(text)
        assert not missing, f"{name}: {missing}"
    for acts in (IMAGE_ACTS, DATA_ACTS):
        assert {act for act in acts if not re.search(rf"\b{act}\b", text)} == set()
        assert {field.name for cls in acts.values() for field in fields(cls)} <= quoted(text)


@pytest.mark.parametrize("request_type", sorted(REQUESTS))
def test_a_request_is_described_with_its_fields(request_type: str) -> None:
    text = sections()["Requests"]
    spans = re.findall(rf"`{request_type}(?: (\{{[^`]*\}}))?`", text)
    assert spans, f"{request_type} is not described"
    described = set(re.findall(r"\w+", spans[0]))
    assert described == shallow_names(REQUESTS[request_type]) - {"id"}


def shallow_names(cls: Any) -> set[str]:
    """An order is described elsewhere."""
    return {"order", "id"} if cls is protocol.Script else field_names(cls)


def test_every_described_request_is_known() -> None:
    spans = re.findall(r"`([a-z]+-?[a-z]*) \{", sections()["Requests"])
    assert set(spans) <= set(REQUESTS)
