"""YAML 1.2 with PyYAML, which follows 1.1, where `on` is true and 12:00:00 is 43200."""

from __future__ import annotations

import re
from typing import Any

import yaml

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
    """Rejects a key that occurs twice in a mapping."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.MarkedYAMLError(None, None, f"{name!r} occurs twice", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


use_rules_of_1_2(Loader)
