"""Parse the corrections of `diamond endpoint set`."""

from __future__ import annotations

from typing import Any

from diamond.core.corrections import FOLDERS
from diamond.core.errors import BadRequest
from diamond.sdk.specs import parse_value


def changes_of(profile: dict[str, Any], settings: list[str]) -> dict[str, Any]:
    """The changes for settings such as `a.b=c`, which sets one key of the fact `a` and keeps the others."""
    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise BadRequest(
                f"{setting!r} is not a correction", "Write FACT=VALUE, such as flags.mem=refuses."
            )
        value = parse_value(text) if text else None
        if key == "default":
            changes["default"] = _parse_boolean(setting, value)
            continue
        fact, _, inner = key.partition(".")
        corrections = changes.setdefault("corrections", {})
        if inner and value is not None:
            known = corrections.get(fact) or _current_value(profile, fact)
            corrections[fact] = _with_value(known, inner.split("."), value)
        else:
            corrections[fact] = value
        if fact == FOLDERS and inner and value is not None:
            corrections[fact] = _folder_corrections(profile, corrections[fact], inner.split(".")[0])
    return changes


def _with_value(known: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    current = known if isinstance(known, dict) else {}
    return {**current, path[0]: _with_value(current.get(path[0]), path[1:], value)}


def _folder_corrections(profile: dict[str, Any], folders: Any, name: str) -> dict[str, Any]:
    """Only what the user corrected: free space is measured again each time."""
    before = (profile.get("corrections") or {}).get(FOLDERS) or {}
    corrected = {key: value for key, value in folders[name].items() if not key.startswith("free_")}
    return {**(before.get("value") or {}), name: corrected}


def _parse_boolean(setting: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadRequest(
            f"{setting!r} is neither true nor false", "Write default=true or default=false."
        )
    return value


def _current_value(profile: dict[str, Any], fact: str) -> Any:
    for kind in ("corrections", "facts"):
        known = (profile.get(kind) or {}).get(fact)
        if known is not None:
            return known.get("value") if isinstance(known, dict) and "value" in known else known
    return None
