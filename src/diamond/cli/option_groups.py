"""Commands with many options take them as a few frozen dataclasses instead of one parameter each.

    @dataclass(frozen=True)
    class SizeOptions:
        nodes: Annotated[int, typer.Option("--nodes")] = 1

    @app.command()
    @option_groups
    def run(size: SizeOptions) -> None: ...

Typer sees one parameter per field, in order; the function gets the filled dataclass.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Expand each parameter whose type is a dataclass into one parameter per field."""
    hints = typing.get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }

    def call(**values: Any) -> None:
        filled = {name: _take(group, values) for name, group in groups.items()}
        command(**values, **filled)

    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _field_parameters(groups[name])
        else:
            parameters.append(_keyword(name, hints[name], parameter.default))
    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _take(group: Any, values: dict[str, Any]) -> Any:
    names = [field.name for field in dataclasses.fields(group)]
    return group(**{name: values.pop(name) for name in names})


@functools.cache
def _field_parameters(group: Any) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(group, include_extras=True)
    return [
        _keyword(field.name, hints[field.name], field.default)
        for field in dataclasses.fields(group)
    ]


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    missing = default in (dataclasses.MISSING, inspect.Parameter.empty)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=annotation,
        default=inspect.Parameter.empty if missing else default,
    )
