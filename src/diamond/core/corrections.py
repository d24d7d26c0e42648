"""What is known of a site, overlaid by what a person corrected."""

from __future__ import annotations

from typing import Any, Dict, Mapping

FOLDERS = "folders"


def corrected(facts: Mapping[str, Any], corrections: Mapping[str, Any]) -> Dict[str, Any]:
    """A correction wins; for a folder only in what it says, as the free space there is measured each time."""
    merged = {**facts, **corrections}
    learned, said = facts.get(FOLDERS), corrections.get(FOLDERS)
    if isinstance(learned, dict) and isinstance(said, dict):
        merged[FOLDERS] = {
            **learned,
            **{name: _folder(learned.get(name), said[name]) for name in said},
        }
    return merged


def _folder(learned: Any, said: Any) -> Any:
    if not isinstance(learned, dict) or not isinstance(said, dict):
        return said
    same = said.get("path", learned.get("path")) == learned.get("path")
    return {**learned, **said} if same else said
