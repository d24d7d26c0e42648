"""Read YAML, and keep the position of every field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from diamond.core.errors import InvalidSpec
from diamond.notation.yaml_rules import Loader

Path = tuple[str, ...]


@dataclass(frozen=True)
class Position:
    """Line and column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class ParsedYaml:
    """The data of a YAML text, and the position of each field."""

    data: Any
    positions: dict[Path, Position] = field(default_factory=dict)

    def position_of(self, dotted: str) -> Position | None:
        """The position of a field such as resources.nodes, or of the nearest enclosing field."""
        path = tuple(dotted.split("."))
        while path:
            if path in self.positions:
                return self.positions[path]
            path = path[:-1]
        return None


class YamlSyntaxError(Exception):
    """The text is not valid YAML; `position` says where."""

    def __init__(self, message: str, position: Position | None) -> None:
        super().__init__(message)
        self.message, self.position = message, position


def read_text(text: str) -> ParsedYaml:
    """Raises YamlSyntaxError."""
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        if node is None:
            return ParsedYaml(None)
        return ParsedYaml(loader.construct_document(node), dict(_positions(node, ())))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        problem = str(error.problem or error.context or "syntax error")
        raise YamlSyntaxError(
            problem, Position(mark.line + 1, mark.column + 1) if mark else None
        ) from None
    except yaml.YAMLError as error:
        raise YamlSyntaxError(str(error).splitlines()[0], None) from None


def read_value(text: str) -> Any:
    """A scalar or a list; text that is not valid YAML stays text."""
    try:
        return read_text(text).data
    except YamlSyntaxError:
        return text


def read_spec(text: str, origin: str = "the spec") -> dict[str, Any]:
    """The mapping of fields in a text; raises InvalidSpec."""
    try:
        read = read_text(text).data
    except YamlSyntaxError as error:
        where = (
            f" (line {error.position.line}, column {error.position.column})"
            if error.position
            else ""
        )
        raise InvalidSpec(
            f"{origin} is not valid YAML: {error.message}{where}", "Check indentation and quotes."
        ) from None
    if not isinstance(read, dict):
        raise InvalidSpec(
            f"{origin} is not a mapping of fields", "Start with: name, run, resources."
        )
    return read


def _positions(node: Any, path: Path) -> Iterator[tuple[Path, Position]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, str(key.value))
            yield inner, Position(key.start_mark.line + 1, key.start_mark.column + 1)
            yield from _positions(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            inner = (*path, str(number))
            yield inner, Position(value.start_mark.line + 1, value.start_mark.column + 1)
            yield from _positions(value, inner)
