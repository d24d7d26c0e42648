"""Write YAML, short and plain, as a person would."""

from __future__ import annotations

from typing import Any

import yaml

from diamond.notation.yaml_rules import use_rules_of_1_2

WIDTH = 100


class Dumper(yaml.SafeDumper):
    """Short lists on one line, multi-line text as a block, no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def write_text(data: Any) -> str:
    """Mappings keep their order."""
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def _text(dumper: Dumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    # `yes` or 12:00 is text here, but a boolean or number to YAML 1.1 readers: quoted for them.
    read_by_1_1 = yaml.SafeDumper.yaml_implicit_resolvers.get(text[:1], [])
    is_doubtful = text not in PLAIN and any(pattern.match(text) for _, pattern in read_by_1_1)
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="'" if is_doubtful else None
    )


def _list(dumper: Dumper, items: list[Any]) -> yaml.SequenceNode:
    is_short = not any(isinstance(item, (dict, list)) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_short)


PLAIN = frozenset({"on"})
"""A field name, not a boolean."""
use_rules_of_1_2(Dumper)
Dumper.add_representer(str, _text)
Dumper.add_representer(list, _list)
