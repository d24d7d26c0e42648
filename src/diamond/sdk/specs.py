"""Specs as users write them: a YAML file or a command, with `--set` on top."""

from __future__ import annotations

import json
import re
import shlex
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest, InvalidSpec

MOST_CHARACTERS = 1 << 20
FIELDS = (
    "name",
    "run",
    "notebook",
    "code",
    "environment",
    "on",
    "partition",
    "account",
    "qos",
    "reservation",
    "constraint",
    "budget",
    "on_failure",
)
GROUPS = ("params", "resources", "environment", "data", "continue", "options", "pipeline")


def load_spec(path: Path) -> dict[str, Any]:
    """Read a YAML 1.2 file: `on` is text, `1e-3` a number, `12:00` text."""
    try:
        text = _short_text(path)
    except FileNotFoundError:
        raise BadRequest(
            f"There is no file {str(path)!r}",
            "Give the path of a diamond.yaml, or put a command after --: diamond run -- python train.py",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"Cannot read {path}: {error}", "A spec is a UTF-8 text file.") from None
    return parse_spec(text, str(path))


def _short_text(path: Path) -> str:
    """A device such as /dev/zero has no end, and a data file given by mistake would fill the memory."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) and not stat.S_ISFIFO(about.st_mode):
        raise BadRequest(
            f"{str(path)!r} is not a regular file", "Give the path of a diamond.yaml, a text file."
        )
    with path.open(encoding="utf-8") as file:
        text = file.read(MOST_CHARACTERS + 1)
    if len(text) > MOST_CHARACTERS:
        raise BadRequest(
            f"{str(path)!r} has more than 1 MB, too much for a spec",
            "Give the path of a diamond.yaml, a text file.",
        )
    return text


def parse_spec(text: str, origin: str = "the spec") -> dict[str, Any]:
    """Read a spec from YAML text."""
    from diamond.notation.yaml_reader import read_spec

    return read_spec(text, origin)


def spec_from_command(arguments: Sequence[str], name: str = "") -> dict[str, Any]:
    """A spec for a command given as an argument list."""
    chosen = name or _usable_name(arguments)
    return {"name": chosen, "run": list(arguments)}


def with_name(spec: Mapping[str, Any], fallback: str = "") -> dict[str, Any]:
    """The spec with a name: its own, the fallback (a folder name), or the program's."""
    if "name" in spec:
        return dict(spec)
    return {"name": _clean_name(fallback) or _usable_name(split_command(spec.get("run"))), **spec}


def split_command(run: object) -> list[str]:
    """The arguments of a command, as well as possible without a shell."""
    if isinstance(run, str):
        try:
            return shlex.split(run, comments=True)
        except ValueError:
            return run.split()
    return [str(word) for word in run] if isinstance(run, list) else []


def with_settings(
    spec: Mapping[str, Any], settings: Sequence[str] | Mapping[str, Any]
) -> dict[str, Any]:
    """The spec with settings applied: `lr=0.1` (a parameter), `resources.nodes=2` or `account=x` (a field)."""
    changed: dict[str, Any] = json.loads(json.dumps(spec))
    pairs = settings.items() if isinstance(settings, Mapping) else map(_split, settings)
    for key, value in pairs:
        _set(changed, key, value)
    return changed


def with_fields(spec: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The spec with fields set by their full name, such as `resources.nodes`."""
    changed: dict[str, Any] = json.loads(json.dumps(spec))
    for key, value in values.items():
        _set_inside(changed, key.split("."), value)
    return changed


def _split(setting: str) -> tuple[str, Any]:
    key, equals, text = setting.partition("=")
    if not equals or not key:
        raise BadRequest(f"{setting!r} is not a setting", "Write NAME=VALUE, such as lr=0.01.")
    return key, parse_value(text)


def parse_value(text: str) -> Any:
    """A YAML scalar or list; text that is not valid YAML stays text."""
    from diamond.notation.yaml_reader import read_value

    return read_value(text)


def _set(spec: dict[str, Any], key: str, value: Any) -> None:
    first, *rest = key.split(".")
    params = spec.setdefault("params", {})
    if rest and first in GROUPS:
        _set_inside(spec, [first, *rest], value)
    elif key in params or f"{{{key}}}" in json.dumps([spec.get("run"), spec.get("pipeline")]):
        params[key] = value
    elif key in FIELDS:
        spec[key] = value
    else:
        known = ", ".join(sorted(params)) or "none"
        raise InvalidSpec(
            f"{key!r} is neither a parameter of this spec nor a field",
            f"Parameters: {known}. Fields: {', '.join(FIELDS)}, resources.nodes, …",
        )


def _set_inside(spec: dict[str, Any], parts: list[str], value: Any) -> None:
    group = spec
    for part in parts[:-1]:
        inner = group.get(part)
        group[part] = inner if isinstance(inner, dict) else {}
        group = group[part]
    group[parts[-1]] = value


def _usable_name(arguments: Sequence[str]) -> str:
    """Named after the script rather than the interpreter."""
    program = Path(arguments[0]).name if arguments else "job"
    script = next(
        (Path(w).stem for w in arguments[1:] if w.endswith((".py", ".sh", ".R", ".jl"))), ""
    )
    return _clean_name(script or program) or "job"


def _clean_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:60]


def spec_text(spec: Mapping[str, Any]) -> str:
    """A spec as YAML."""
    from diamond.notation.yaml_writer import write_text

    return write_text(dict(spec))
