"""Every field of a spec with every kind of wrong value: each answer names the field in plain words, and nothing breaks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from diamond.compose import raw_spec
from diamond.compose.spec import Spec
from diamond.compose.spec_check import EndpointFacts, check
from diamond.core.code_facts import CodeFacts
from diamond.core.errors import InvalidSpec
from diamond.service.composer.spec_text import render

NESTED: Any = []
for _ in range(40):
    NESTED = [NESTED]
WRONG: dict[str, Any] = {
    "none": None,
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "negative": -1,
    "large": 10**6,
    "huge": 10**30,
    "endless integer": 10**400,
    "fraction": 1.5,
    "large float": 1e308,
    "small float": 1e-320,
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "nan": float("nan"),
    "empty text": "",
    "space": " ",
    "text": "word",
    "sentence": "two words, and more",
    "number as text": "5",
    "negative as text": "-5",
    "infinity as text": "inf",
    "nan as text": ".nan",
    "exponent as text": "1e308GB",
    "size": "4GB",
    "huge size": "9" * 30 + "GB",
    "time": "2h",
    "huge time": "9" * 30 + "h",
    "colon time": "12:00:00",
    "unicode": "é💎",
    "half a character": "\ud800",
    "nul": "a\0b",
    "newline": "a\nb",
    "escape": "\x1b[31m",
    "bidi": "a\u202eb",
    "long text": "x" * 5_000,
    "climbing path": "../../../etc/passwd",
    "climbing pattern": "../../../**/*",
    "absolute path": "/etc/passwd",
    "home path": "~/x",
    "url": "https://user:secret@example.org/x.git",
    "shell": "$(touch x); `y`",
    "placeholder": "{nothing}",
    "quote": "'\"",
    "empty list": [],
    "empty mapping": {},
    "list of none": [None],
    "list of numbers": [1, 2],
    "list of texts": ["a", "b"],
    "list of lists": [["a"], ["b"]],
    "list of mappings": [{"a": 1}],
    "mapping": {"a": 1},
    "mapping of none": {"a": None},
    "mapping with number": {1: "a"},
    "mapping with empty name": {"": "a"},
    "nested": NESTED,
    "mapping of lists": {"a": [{"b": [1]}]},
}
FOREIGN = re.compile(
    r"pydantic|[Ii]nput should|[Vv]alue error|validation|NoneType|<class|Traceback|[Uu]nion|constraint of|"
    r"\bdict\b|\bstr\b|\bint\b|\bbool\b|\btuple\b|Field required|isinstance|object at 0x|invalid literal|cannot convert|"
    r"out of range|keyword|Unable to|unable to|argument of type|subscriptable|Extra inputs|inf_nan|tagged|ensure"
)


def fields_of(model: type[BaseModel], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, info in model.model_fields.items():
        path = (*above, info.alias or name)
        yield path
        for kind in [info.annotation, *get_args(info.annotation)]:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from fields_of(kind, path)


FIELDS = [
    *fields_of(Spec),
    ("environment", "files", "0"),
    ("environment", "variables", "A"),
    ("params", "lr"),
    ("data", "train"),
    ("options", "slurm"),
    ("options", "slurm", "mem"),
    ("run", "0"),
    ("on", "0"),
    ("no_such_field",),
    ("resources", "no_such_field"),
]
NUMBERS = frozenset(
    {
        "nodes",
        "gpus_per_node",
        "cpus_per_task",
        "memory",
        "tasks_per_node",
        "walltime",
        "lead",
        "max_attempts",
        "hang",
        "mode",
    }
)
READERS: tuple[Callable[[dict[str, Any]], object], ...] = (
    raw_spec.has_auto_nodes,
    raw_spec.written_nodes,
    raw_spec.params_of,
    raw_spec.environment_name,
    raw_spec.continues,
    raw_spec.runs_something,
    raw_spec.names_repository,
    raw_spec.needs_image_file,
    raw_spec.written_launch,
    raw_spec.speed_fields,
    render,
)
"""What reads a spec before it is checked."""
PARTITION = {
    "name": "gpu",
    "default": True,
    "nodes_total": 4,
    "cpus_per_node": 8,
    "memory_mb_per_node": 8192,
}
SITE = EndpointFacts(
    "lab", "online", True, {"scheduler": {"name": "slurm"}, "partitions": [PARTITION]}, []
)


@pytest.mark.parametrize("path", FIELDS, ids=".".join)
def test_every_wrong_value_of_a_field_is_answered_in_plain_words(path: tuple[str, ...]) -> None:
    wrong = {name: list(_wrong_answers(path, value)) for name, value in WRONG.items()}
    assert not {name: found for name, found in wrong.items() if found}


def _wrong_answers(path: tuple[str, ...], value: Any) -> Iterator[str]:
    spec = _spec_with(path, value)
    for read in READERS:
        try:
            read(spec)
        except Exception as error:
            yield f"{read}: {error!r}"
    try:
        composed = check(spec, endpoints=[SITE], code=CodeFacts())
        json.dumps([composed.spec, asdict(composed.order)], allow_nan=False)
    except InvalidSpec as error:
        yield from (words for fault in error.faults for words in _bad_fault(fault, path, value))
    except Exception as error:
        yield f"{type(error).__name__}: {str(error)[:150]}"
    else:
        if isinstance(value, bool) and path[-1] in NUMBERS:
            yield "taken as a number"


def _bad_fault(fault: dict[str, str], path: tuple[str, ...], value: Any) -> Iterator[str]:
    top, words = fault["field"].split(".")[0], f"{fault['message']} {fault['hint']}"
    if top != path[0] and {top, path[0]} != {"run", "notebook"}:
        yield f"names another field: {fault}"
    if FOREIGN.search(words) and not FOREIGN.search(_as_text(value)):
        yield f"foreign words: {fault}"
    if len(words) > 1000:
        yield f"a long answer: {words[:100]}"
    try:
        words.encode()
    except UnicodeEncodeError:
        yield "an answer that cannot be sent"


def _as_text(value: Any) -> str:
    return "" if isinstance(value, int) else str(value)


def _spec_with(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": "job"}
    if path[0] not in ("run", "notebook"):
        spec["run"] = "python train.py"
    here: Any = spec
    for part, following in pairwise(path):
        here[part] = [] if following.isdigit() else {}
        here = here[part]
    if path[-1].isdigit():
        here.append(value)
    else:
        here[path[-1]] = value
    return spec
