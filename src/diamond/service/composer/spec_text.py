"""A spec as YAML: read with every fault at its line, written as a person would."""

from __future__ import annotations

from pydantic import ValidationError

from diamond.compose.faults import Faults, from_validation
from diamond.compose.notebooks import check_what_runs
from diamond.compose.pipeline_check import pipeline_faults
from diamond.compose.raw_spec import RawSpec
from diamond.compose.spec import Spec
from diamond.compose.spec_writer import written_spec
from diamond.compose.stages import is_pipeline
from diamond.notation.yaml_reader import ParsedYaml, Position, YamlSyntaxError, read_text
from diamond.notation.yaml_writer import write_text
from diamond.service.composer.schemas import ParsedSpec, TextFault
from diamond.service.platform.http.schemas import Fault


def parse(text: str) -> ParsedSpec:
    """The spec as written, and its faults with their lines."""
    try:
        read = read_text(text)
    except YamlSyntaxError as error:
        fault = Fault(message=error.message, hint="Check indentation and quotes.")
        return ParsedSpec(spec=None, faults=[_at(error.position, fault)])
    if not isinstance(read.data, dict):
        fault = Fault(
            message="A spec is a mapping of fields", hint="Start with: name, run, resources."
        )
        return ParsedSpec(spec=None, faults=[_at(Position(1, 1), fault)])
    return ParsedSpec(
        spec=read.data, faults=[_in_text(read, fault) for fault in _faults(read.data)]
    )


def render(spec: RawSpec) -> str:
    """Short when the spec is valid; else its fields as they are, in their usual order."""
    try:
        written = written_spec(Spec.model_validate(spec), without_defaults=True)
    except ValidationError:
        usual = [info.alias or name for name, info in Spec.model_fields.items()]
        known = {name: spec[name] for name in usual if name in spec}
        written = {**known, **{name: spec[name] for name in spec if name not in known}}
    return write_text(written)


def _faults(data: RawSpec) -> list[Fault]:
    if is_pipeline(data):
        return [Fault.model_validate(fault) for fault in pipeline_faults(data)]
    try:
        spec = Spec.model_validate(data)
    except ValidationError as error:
        return [Fault.model_validate(fault) for fault in from_validation(error)]
    faults = Faults()
    check_what_runs(spec, faults)
    return [Fault.model_validate(fault) for fault in faults.items]


def _in_text(read: ParsedYaml, fault: Fault) -> TextFault:
    return _at(read.position_of(fault.field), fault)


def _at(position: Position | None, fault: Fault) -> TextFault:
    return TextFault(
        field=fault.field,
        message=fault.message,
        hint=fault.hint,
        line=position.line if position else None,
        column=position.column if position else None,
    )
