"""Fill parameters into a command so that no value is ever interpreted as shell code.

A plain value is inserted as it is. Any other value becomes a variable of the script, and `{name}` becomes its expansion,
quoted for its position: the shell treats the result of an expansion as data, whatever it contains.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9_.,:/@%+=-]+")
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NAMED = re.compile(r"(?<!\$)\{([A-Za-z_][A-Za-z0-9_]*)\}")
_USES_BRACES = re.compile(r"\b(?:[gmn]?awk|sed|jq|perl|find|xargs|parallel|curl|printf)\b|\bf['\"]")
"""Programs whose own syntax uses braces, and Python f-strings."""
_VALUE = re.compile(r"(?:^|[\s=])\{([A-Za-z_][A-Za-z0-9_]*)\}(?=$|\s)")
"""A placeholder that is a whole word, or all behind an equals sign."""
RESUME = "resume"


def fill_command(command: str, params: Mapping[str, Any], *, resumes: bool = False) -> str:
    """The command with `{name}` filled in; braces that name no parameter stay unchanged."""
    variables = {name: show_value(value) for name, value in params.items()}
    used: dict[str, str] = {}
    pieces: list[str] = []
    quote, at = "", 0
    while at < len(command):
        field = _FIELD.match(command, at)
        if field and not command[:at].endswith("$") and (name := field.group(1)) in variables:
            pieces.append(_filled(name, variables[name], quote, used))
            at = field.end()
        elif field and resumes and field.group(1) == RESUME:
            pieces.append(_expansion("DIAMOND_RESUME_FROM", quote))
            at = field.end()
        else:
            length, quote = _advance(command, at, quote)
            pieces.append(command[at : at + length])
            at += length
    prelude = "".join(f"{name}={shlex.quote(value)}\n" for name, value in used.items())
    return prelude + "".join(pieces)


def fill_arguments(arguments: list[str], params: Mapping[str, Any]) -> list[str]:
    """The same for an argument list, which no shell reads."""
    values = {name: show_value(value) for name, value in params.items()}
    return [
        _FIELD.sub(lambda m: values.get(m.group(1), m.group(0)), argument) for argument in arguments
    ]


def command_with_resume(arguments: list[str], params: Mapping[str, Any]) -> str:
    """The arguments as a bash command, because the checkpoint is known only at the start; '' if `{resume}` is not used."""
    field = f"{{{RESUME}}}"
    if RESUME in params or not any(field in argument for argument in arguments):
        return ""
    cut = [fill_arguments(argument.split(field), params) for argument in arguments]
    checkpoint = _expansion("DIAMOND_RESUME_FROM", "")
    return " ".join(checkpoint.join(map(shlex.quote, pieces)) for pieces in cut)


def placeholder_warnings(
    run: str | list[str], params: Mapping[str, Any], *, resumes: bool = False
) -> list[str]:
    """Warnings about `{name}` without a parameter, and about parameters that `run` never uses."""
    command = run if isinstance(run, str) else "\n".join(run)
    found = list(dict.fromkeys(_NAMED.findall(command)))
    known = {*params, RESUME} if resumes else set(params)
    missing = missing_params(run, params, resumes=resumes)
    unknown = [] if _USES_BRACES.search(command) or not params else found
    unknown = [name for name in unknown if name not in known and name not in missing]
    return [_unknown_placeholder(name, params) for name in unknown] + _unused(
        found, command, params
    )


def missing_params(
    run: str | list[str], params: Mapping[str, Any], *, resumes: bool = False
) -> list[str]:
    """Names of `{name}` outside quotes without a parameter: no shell has a use for them, so they are mistakes."""
    text = _unquoted(run) if isinstance(run, str) else "\n".join(run)
    if _USES_BRACES.search(text):
        return []
    known = {*params, RESUME} if resumes else set(params)
    names = [name for line in text.splitlines() for name in _VALUE.findall(line)]
    return [name for name in dict.fromkeys(names) if name not in known]


def _unquoted(command: str) -> str:
    pieces: list[str] = []
    quote, at = "", 0
    while at < len(command):
        length, after = _advance(command, at, quote)
        pieces.append(command[at : at + length] if not quote and not after else "'" * length)
        at, quote = at + length, after
    return "".join(pieces)


def _unknown_placeholder(name: str, params: Mapping[str, Any]) -> str:
    near = get_close_matches(name, list(params), n=1)
    guess = f". Did you mean `{{{near[0]}}}`?" if near else ""
    return f"`{{{name}}}` is not a param ({', '.join(params)}), so it is left unchanged{guess}"


def _unused(found: list[str], command: str, params: Mapping[str, Any]) -> list[str]:
    if "DIAMOND_PARAMS" in command:
        return []
    return [
        f"`run` does not contain `{{{name}}}`: the param {name} only reaches programs that read $DIAMOND_PARAMS"
        for name in params
        if name not in found
    ]


def show_value(value: Any) -> str:
    """A parameter value as text for the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return str(value)


def _filled(name: str, value: str, quote: str, used: dict[str, str]) -> str:
    if _PLAIN.fullmatch(value):
        return value
    variable = f"DIAMOND_PARAM_{name}"
    used[variable] = value
    return _expansion(variable, quote)


def _expansion(variable: str, quote: str) -> str:
    if quote == '"':
        return f"${{{variable}}}"
    if quote == "'":
        return f"'\"${{{variable}}}\"'"
    return f'"${{{variable}}}"'


def _advance(command: str, at: int, quote: str) -> tuple[int, str]:
    """How many characters to copy unchanged here, and the quote state after them."""
    char = command[at]
    if char == "\\" and quote != "'" and at + 1 < len(command):
        return 2, quote
    if char in "'\"" and quote in ("", char):
        return 1, "" if quote else char
    return 1, quote
