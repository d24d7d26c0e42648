"""What two images hold otherwise: their recipes field by field, their packages name by name."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping

from diamond.images.recipe import Recipe, environment_data

Changes = List[Dict[str, str]]


def recipe_changes(a: Recipe, b: Recipe) -> Changes:
    """Fields of the recipes that differ, as short texts."""
    left, right = _facts(a), _facts(b)
    names = [name for name in {**left, **right} if left.get(name) != right.get(name)]
    return [
        {"field": field, "a": _text(left.get(field)), "b": _text(right.get(field))}
        for field in names
    ]


def package_changes(a: Mapping[str, str], b: Mapping[str, str]) -> Changes:
    """Packages that only one has, or in another version; '' stands for absent."""
    names = sorted(name for name in {**a, **b} if a.get(name) != b.get(name))
    return [
        {"name": package, "a": a.get(package, ""), "b": b.get(package, "")} for package in names
    ]


def build_differences(records: List[Mapping[str, Any]]) -> List[str]:
    """Sentences on how builds of one recipe came out otherwise; [] where they agree."""
    differences = []
    for other in records[1:]:
        for kind in ("python", "system"):
            first, second = _packages(records[0], kind), _packages(other, kind)
            for change in package_changes(first, second):
                versions = f"{change['a'] or 'absent'} and {change['b'] or 'absent'}"
                differences.append(f"{change['name']}: {versions}")
    return differences


def _packages(record: Mapping[str, Any], kind: str) -> Dict[str, str]:
    return dict((record.get("packages") or {}).get(kind) or {})


def _facts(recipe: Recipe) -> Dict[str, Any]:
    return {
        **environment_data(recipe.environment),
        "base_digest": recipe.base_digest,
        "platform": recipe.platform,
    }


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
