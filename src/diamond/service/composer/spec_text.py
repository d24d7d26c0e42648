"""A spec as YAML: read with every fault at its line, written as a person would."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from diamond.compose.faults import Faults, from_validation
from diamond.compose.notebooks import check_what_runs
from diamond.compose.spec import Spec
from diamond.compose.spec_writer import written_spec
from diamond.notation.yaml_reader import ParsedYaml, Position, YamlSyntaxError, read_text
from diamond.notation.yaml_writer import write_text


def parse(text: str) -> dict[str, Any]:
    """The spec as written, and its faults with their places."""
    try:
        read = read_text(text)
    except YamlSyntaxError as error:
        fault = {"field": "", "message": error.message, "hint": "Check indentation and quotes."}
        return {"spec": None, "faults": [{**fault, **_shown(error.position)}]}
    if not isinstance(read.data, dict):
        fault = {
            "field": "",
            "message": "A spec is a mapping of fields",
            "hint": "Start with: name, run, resources.",
        }
        return {"spec": None, "faults": [{**fault, **_shown(Position(1, 1))}]}
    return {"spec": read.data, "faults": [_placed(read, one) for one in _faults(read.data)]}


def render(spec: dict[str, Any]) -> str:
    """Short when the spec is valid; else its fields as they are, in their usual order."""
    try:
        written = written_spec(Spec.model_validate(spec), without_defaults=True)
    except ValidationError:
        usual = [info.alias or name for name, info in Spec.model_fields.items()]
        known = {name: spec[name] for name in usual if name in spec}
        written = {**known, **{name: spec[name] for name in spec if name not in known}}
    return write_text(written)


def _faults(data: dict[str, Any]) -> list[dict[str, str]]:
    try:
        spec = Spec.model_validate(data)
    except ValidationError as error:
        return from_validation(error)
    found = Faults()
    check_what_runs(spec, found)
    return found.items


def _placed(read: ParsedYaml, fault: dict[str, str]) -> dict[str, Any]:
    return {**fault, **_shown(read.position_of(fault["field"]))}


def _shown(place: Position | None) -> dict[str, int | None]:
    return {"line": place.line if place else None, "column": place.column if place else None}
