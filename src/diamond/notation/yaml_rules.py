"""YAML 1.2 with PyYAML, which follows 1.1, where `on` is true and 12:00:00 is 43200."""

from __future__ import annotations

import re
from typing import Any

import yaml

MOST_CHARACTERS = 1 << 20
MOST_VALUES = 20_000
"""With every alias written out; PyYAML reads about 15 000 values a second."""
MOST_LEVELS = 50
MOST_DIGITS = 300
PLAIN_TAGS = (None, "!", "tag:yaml.org,2002:str")
"""Other tags make dates, bytes and sets, which no spec has, or fail with PyYAML's own errors."""
_SCALARS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?$", "-+0123456789."),
    ("float", r"^[-+]?[0-9]+[eE][-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$", "-+."),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("merge", r"^<<$", "<"),
)


def use_rules_of_1_2(kind: Any) -> None:
    """Make a loader or dumper class recognize booleans, numbers and null as YAML 1.2 does."""
    kind.yaml_implicit_resolvers = {}
    for tag, pattern, first in _SCALARS:
        kind.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


class Loader(yaml.SafeLoader):
    """Rejects a key that occurs twice in a mapping, and a text that stands for more than a spec could need."""

    def __init__(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise yaml.YAMLError("the text has more than 1 MB")
        super().__init__(text)
        self._values = 0
        self._open: list[str] = []
        """Anchors of the nodes around the one being read; '' for a node without one."""
        self._sizes: dict[str, int] = {}
        """How many values each anchor stands for."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        anchor = event.anchor or ""
        if isinstance(event, yaml.AliasEvent):
            self._use_alias(anchor, event)
            return super().compose_node(parent, index)
        if event.tag not in PLAIN_TAGS:
            raise _fault(f"the tag {event.tag!r} is not supported: write a plain value", event)
        before = self._values
        self._count(1, event)
        if len(self._open) >= MOST_LEVELS:
            raise _fault(f"values are nested more than {MOST_LEVELS} levels deep", event)
        self._open.append(anchor)
        node = super().compose_node(parent, index)
        self._open.pop()
        self._sizes[anchor] = self._values - before
        return node

    def _use_alias(self, anchor: str, event: Any) -> None:
        if anchor in self._open:
            raise _fault(f"{anchor!r} contains itself", event)
        self._count(self._sizes.get(anchor, 1), event)

    def _count(self, values: int, event: Any) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            raise _fault(f"the text stands for more than {MOST_VALUES} values", event)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.MarkedYAMLError(None, None, f"{name!r} occurs twice", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: Any) -> int:
        if len(node.value) > MOST_DIGITS:
            raise _fault(f"a number of more than {MOST_DIGITS} digits", node)
        return super().construct_yaml_int(node)


def _fault(message: str, where: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, message, where.start_mark)


Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
use_rules_of_1_2(Loader)
