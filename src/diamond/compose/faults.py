"""Collect all faults of a spec, each with the valid values, before raising an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from diamond.compose.allocation_spec import AllocationSpec
from diamond.compose.spec import Spec
from diamond.core.errors import InvalidSpec

_EXAMPLES = {
    "run": "Write a command, such as: run: python train.py, or a list of arguments.",
    "budget": "Write for example: budget: 200 node-hours",
    "environment": "Write for example: environment: {requirements: [torch]}",
    "python": "Write a version such as 3.11.",
}


_ALIASES = {
    "cpu": "cpus_per_task",
    "cpus": "cpus_per_task",
    "cores": "cpus_per_task",
    "gpu": "gpus_per_node",
    "gpus": "gpus_per_node",
    "mem": "memory",
    "ram": "memory",
    "time": "walltime",
    "node": "nodes",
}
"""Common names that users try for fields of `resources`."""
_PLAIN_WORDS = {
    "greater_than_equal": "{input!r} is too small: the minimum is {ge}",
    "less_than_equal": "{input!r} is too large: the maximum is {le}",
    "int_type": "{input!r} is not a whole number",
    "int_parsing": "{input!r} is not a whole number",
    "int_from_float": "{input!r} is not a whole number",
    "int_parsing_size": "{input!r} is too large",
    "finite_number": "{input!r} is not a finite number",
    "bool_type": "{input!r} is neither true nor false",
    "bool_parsing": "{input!r} is neither true nor false",
    "string_type": "{input!r} is not text; put it in quotes",
    "list_type": "{input!r} is not a list; write [one, two]",
    "dict_type": "{input!r} is not a mapping; write {{name: value}}",
    "model_type": "{input!r} is not a mapping; write {{name: value}}",
    "model_attributes_type": "{input!r} is not a mapping; write {{name: value}}",
    "literal_error": "{input!r} is not valid here: use one of {expected}",
}
"""Pydantic error types that users may see, in plain words."""


LONGEST_MESSAGE = 400


def shorten(text: str) -> str:
    """A message that repeats a value of a megabyte helps nobody."""
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]} … {text[-half:]}"


class Faults:
    def __init__(self) -> None:
        self.items: list[dict[str, str]] = []
        self.unread: set[str] = set()
        """Fields that could not be read: their absence is not reported as another fault."""

    def add(
        self,
        where: str,
        message: str,
        hint: str = "",
        *,
        near: tuple[str, Collection[str]] | None = None,
    ) -> None:
        if where in self.unread:
            return
        match = get_close_matches(near[0], list(near[1]), n=1) if near else []
        if match:
            hint = f"Did you mean {match[0]}? {hint}"
        self.items.append({"field": where, "message": shorten(message), "hint": shorten(hint)})

    def take_as_unread(self, fields: Iterable[str]) -> None:
        """Also marks the enclosing fields: after a fault in `run.1`, a missing `run` is not reported too."""
        for name in fields:
            parts = name.split(".")
            self.unread |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}

    def raise_if_any(self) -> None:
        if self.items:
            raise invalid(self.items)


def invalid(items: list[dict[str, str]]) -> InvalidSpec:
    count = "one fault" if len(items) == 1 else f"{len(items)} faults"
    first = items[0]
    message = (
        f"{first['field']}: {first['message']}" if len(items) == 1 else f"The spec has {count}"
    )
    return InvalidSpec(
        message,
        first["hint"] if len(items) == 1 else "Each fault is listed with the valid values.",
        faults=items,
    )


def from_validation(error: ValidationError, below: Sequence[str] = ()) -> list[dict[str, str]]:
    """Pydantic's errors in plain words; unknown fields are answered with the valid ones.

    `below` is the path to the part of the spec that was validated separately.
    """
    faults = Faults()
    for detail in error.errors():
        inner = [str(part) for part in detail["loc"] if not _is_union_branch(part)]
        path = [*below, *inner]
        where = ".".join(path)
        if detail["type"] == "extra_forbidden":
            _unknown_field(faults, path)
        elif detail["type"] == "missing":
            faults.add(
                where, f"{where} is missing", "Add a command, for example: run: python train.py"
            )
        elif detail["type"] == "string_pattern_mismatch":
            faults.add(where, f"{detail['input']!r} is not valid here", _EXAMPLES.get(path[-1], ""))
        else:
            faults.add(where, _plain_words(detail), _EXAMPLES.get(path[-1], ""))
    return _without_repeats(faults.items)


def _unknown_field(faults: Faults, path: list[str]) -> None:
    name, valid = path[-1], _valid_in(path[:-1])
    hint = f"Valid here: {', '.join(valid)}"
    meant = _ALIASES.get(name) if path[:-1] in ([], ["resources"]) else None
    if meant:
        faults.add(
            ".".join(path), f"Unknown field {name!r}", f"Did you mean resources.{meant}? {hint}"
        )
    else:
        faults.add(".".join(path), f"Unknown field {name!r}", hint, near=(name, valid))


def _valid_in(path: list[str]) -> list[str]:
    if path == ["together"] or path[:1] == ["groups"]:
        return sorted(AllocationSpec.model_fields)
    return valid_fields(path)


def _plain_words(detail: ErrorDetails) -> str:
    """Pydantic's own words are for programmers: a type of error without plain words only says that the value is wrong."""
    if detail["type"] == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    template = _PLAIN_WORDS.get(detail["type"], "{input!r} is not valid here")
    return template.format(input=_Shown(detail["input"]), **(detail.get("ctx") or {}))


class _Shown:
    """A value in a message; one that is too long even to be written out is only described."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        try:
            return repr(self._value)
        except ValueError:
            return "This number"


def drop_field(raw: Any, loc: tuple[int | str, ...]) -> None:
    """Remove the innermost mapping entry on the path `loc`."""
    parts = [part for part in loc if not _is_union_branch(part)]
    for part in parts[:-1]:
        inner = raw.get(part) if isinstance(raw, dict) else None
        if not isinstance(inner, dict):
            break
        raw = inner
    else:
        part = parts[-1]
    if isinstance(raw, dict):
        raw.pop(part, None)


def valid_fields(path: list[str]) -> list[str]:
    """The valid field names at a path inside the spec."""
    model: type[BaseModel] = Spec
    for part in path:
        inner = next((f for n, f in model.model_fields.items() if part in (n, f.alias)), None)
        candidates = [inner.annotation, *get_args(inner.annotation)] if inner else []
        models = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        if not models:
            return []
        model = models[0]
    return [info.alias or name for name, info in model.model_fields.items()]


UNION_BRANCHES = ("str", "int", "float", "bool", "none", "constrained-int")


def _is_union_branch(part: Any) -> bool:
    """Pydantic includes the union branch it tried in the path; users do not know about branches."""
    return isinstance(part, str) and (
        part in UNION_BRANCHES or "[" in part or part.endswith("Spec")
    )


def _is_type_error(message: str) -> bool:
    kinds = ("not a whole number", "not text", "not a list", "not a mapping", "neither true nor")
    return any(f" is {kind}" in message for kind in kinds)


def _without_repeats(items: list[dict[str, str]]) -> list[dict[str, str]]:
    """A value that fits no branch of a union is reported once per branch; keep the most helpful report."""
    best: dict[str, dict[str, str]] = {}
    for item in items:
        kept = best.get(item["field"])
        if kept is None or (_is_type_error(kept["message"]) and item["hint"]):
            best[item["field"]] = item
    wholes = {f for f in best if any(other.startswith(f + ".") for other in best)}
    return [item for name, item in best.items() if name not in wholes]
