"""Fill parameters into a command so that no value is ever interpreted as shell code.

A plain value is inserted as it is. Any other value becomes a variable of the script, and `{name}` becomes its expansion,
quoted for its position: the shell treats the result of an expansion as data, whatever it contains.

`{name}` is always one word. `{name:--option %}` appears only if the value is something, with the value in place of `%`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9_.,:/@%+=-]+")
_NAME = r"\{([A-Za-z_][A-Za-z0-9_]*)"
OPTION_TEXT = r"[A-Za-z0-9_.,:/@%+= -]+"
_FIELD = re.compile(_NAME + r"(?::(" + OPTION_TEXT + r"))?\}")
_NAMED = re.compile(r"(?<!\$)" + _FIELD.pattern)
_NUMBER_FORMAT = re.compile(r"-?\d*\.\d+[A-Za-z%]")
"""Of Python, such as `.3f` and `.1%`: no option."""
_USES_BRACES = re.compile(r"\b(?:[gmn]?awk|sed|jq|perl|find|xargs|parallel|curl|printf)\b|\bf['\"]")
"""Programs whose own syntax uses braces, and Python f-strings."""
_VALUE = re.compile(r"(?:^|[\s=])\{([A-Za-z_][A-Za-z0-9_]*)\}(?=$|\s)")
"""A placeholder that is a whole word, or all behind an equals sign."""
RESUME = "resume"
_CHECKPOINT = "DIAMOND_RESUME_FROM"
_DATA = "DIAMOND_DATA"


def fill_command(
    command: str,
    params: Mapping[str, Any],
    *,
    resumes: bool = False,
    data: Collection[str] = (),
) -> str:
    """The command with `{name}` and `{name:--option %}` filled in; braces that name neither a param nor data stay unchanged."""
    used: dict[str, str] = {}
    pieces: list[str] = []
    quote, at = "", 0
    while at < len(command):
        field = _field_at(command, at)
        text = None
        if field and field[1] in params:
            text = _filled_field(field, params[field[1]], quote, used)
        elif field and resumes and field[1] == RESUME:
            text = _resume_field(field[2], quote)
        elif field and field[1] in data:
            text = _data_field(field, quote)
        if field and text is not None:
            pieces.append(text)
            at = field.end()
        else:
            length, quote = _advance(command, at, quote)
            pieces.append(command[at : at + length])
            at += length
    prelude = "".join(f"{name}={shlex.quote(value)}\n" for name, value in used.items())
    return prelude + "".join(pieces)


def fill_arguments(arguments: list[str], params: Mapping[str, Any]) -> list[str]:
    """The same for an argument list, which no shell reads; `{name:--option %}` alone may become none or several."""
    return [word for argument in arguments for word in _argument_words(argument, params)]


def late_command(
    arguments: list[str],
    params: Mapping[str, Any],
    *,
    resumes: bool = False,
    data: Collection[str] = (),
) -> str:
    """The arguments as a bash command, because checkpoint and data paths are known only at the start; '' if none is used."""
    late = {*data, RESUME} if resumes else set(data)
    late -= params.keys()
    if not any(_late_fields(argument, late) for argument in arguments):
        return ""
    quoted: list[str] = []
    for argument in arguments:
        fields = _late_fields(argument, late)
        if not fields:
            quoted += map(shlex.quote, _argument_words(argument, params))
        elif fields[0].group(0) == argument:
            quoted.append(_late_field(fields[0], ""))
        else:
            quoted.append(_joined(argument, fields, params))
    return " ".join(quoted)


def placeholder_warnings(
    run: str | list[str],
    params: Mapping[str, Any],
    *,
    resumes: bool = False,
    data: Collection[str] = (),
) -> list[str]:
    """Warnings about `{name}` without a parameter, parameters that `run` never uses, and empty arguments."""
    command = run if isinstance(run, str) else "\n".join(run)
    if not params:
        return []
    fields = [field for field in _NAMED.finditer(command) if _is_ours(field)]
    names = list(dict.fromkeys(field[1] for field in fields))
    known = {*params, *data, RESUME} if resumes else {*params, *data}
    known |= set(missing_params(run, params, resumes=resumes, data=data))
    unknown = [] if _USES_BRACES.search(command) else [name for name in names if name not in known]
    return [
        *(_unknown_placeholder(name, params) for name in unknown),
        *_unused(names, command, params),
        *_empty(fields, params),
    ]


def _field_at(command: str, at: int) -> re.Match[str] | None:
    if command[at] != "{" or command[at - 1 : at] == "$":
        return None
    field = _FIELD.match(command, at)
    return field if field and _is_ours(field) else None


def _is_ours(field: re.Match[str]) -> bool:
    """Whether this is not a format of Python, such as `{lr:>8}` or `{lr:.3f}`."""
    name, text = field[1], field[2]
    if text is None or name == RESUME:
        return True
    return ("%" in text or text.startswith("-")) and not _NUMBER_FORMAT.fullmatch(text)


def _filled_field(field: re.Match[str], value: Any, quote: str, used: dict[str, str]) -> str:
    if field[2] is None:
        return _filled(field[1], show_value(value), quote, used)
    if _is_absent(value):
        return ""
    if "%" not in field[2]:
        return field[2]
    return field[2].replace("%", _filled(field[1], show_value(value), quote, used))


def _is_absent(value: Any) -> bool:
    """An option with this value is left out; a zero is a value."""
    return value is None or value is False or value in ("", [])


def _resume_field(text: str | None, quote: str) -> str:
    """`text` appears only if there is a checkpoint, by the shell's own `${name:+text}`."""
    if text is None:
        return _expansion(_CHECKPOINT, quote)
    inner = '"' if quote == "" else ""
    option = text.replace("%", f"{inner}${{{_CHECKPOINT}}}{inner}")
    whole = f"${{{_CHECKPOINT}:+{option}}}"
    return f"'\"{whole}\"'" if quote == "'" else whole


def _data_field(field: re.Match[str], quote: str) -> str:
    """The path of data: a folder of links that the job makes."""
    path = f"{_expansion(_DATA, quote)}/{field[1]}"
    return path if field[2] is None else field[2].replace("%", path)


def _late_field(field: re.Match[str], quote: str) -> str:
    return _resume_field(field[2], quote) if field[1] == RESUME else _data_field(field, quote)


def _late_fields(argument: str, late: Collection[str]) -> list[re.Match[str]]:
    return [field for field in _FIELD.finditer(argument) if field[1] in late and _is_ours(field)]


def _joined(argument: str, fields: list[re.Match[str]], params: Mapping[str, Any]) -> str:
    """One word of the shell, with the checkpoint or the path of data inside."""
    pieces, at = [], 0
    for field in fields:
        pieces += [_quoted(argument[at : field.start()], params)]
        pieces += [f'"{_late_field(field, chr(34))}"']
        at = field.end()
    return "".join([*pieces, _quoted(argument[at:], params)])


def _quoted(text: str, params: Mapping[str, Any]) -> str:
    return shlex.quote(_filled_text(text, params)) if text else ""


def _argument_words(argument: str, params: Mapping[str, Any]) -> list[str]:
    field = _FIELD.fullmatch(argument)
    if field and field[2] is not None and field[1] in params and _is_ours(field):
        if _is_absent(params[field[1]]):
            return []
        value = show_value(params[field[1]])
        return [word.replace("%", value) for word in field[2].split()]
    return [_filled_text(argument, params)]


def _filled_text(text: str, params: Mapping[str, Any]) -> str:
    def fill(field: re.Match[str]) -> str:
        if field[1] not in params or not _is_ours(field):
            return field.group(0)
        value = show_value(params[field[1]])
        if field[2] is None:
            return value
        return "" if _is_absent(params[field[1]]) else field[2].replace("%", value)

    return _FIELD.sub(fill, text)


def missing_params(
    run: str | list[str],
    params: Mapping[str, Any],
    *,
    resumes: bool = False,
    data: Collection[str] = (),
) -> list[str]:
    """Names of `{name}` outside quotes without a param or data: no shell has a use for them, so they are mistakes."""
    text = _unquoted(run) if isinstance(run, str) else "\n".join(run)
    if _USES_BRACES.search(text):
        return []
    known = {*params, *data, RESUME} if resumes else {*params, *data}
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


def _unused(names: list[str], command: str, params: Mapping[str, Any]) -> list[str]:
    if "DIAMOND_PARAMS" in command:
        return []
    return [unused_param(name) for name in params if name not in names]


def unused_param(name: str) -> str:
    return f"`run` does not contain `{{{name}}}`: the param {name} only reaches programs that read $DIAMOND_PARAMS"


def _empty(fields: list[re.Match[str]], params: Mapping[str, Any]) -> list[str]:
    plain = dict.fromkeys(field[1] for field in fields if field[2] is None)
    return [
        f"the param {name} is empty, and `{{{name}}}` passes it as an empty argument. "
        f"To leave it out, write `{{{name}:%}}`, or `{{{name}:--option %}}` with its option"
        for name in plain
        if name in params and show_value(params[name]) == ""
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
