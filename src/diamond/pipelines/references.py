"""`{prepare.features}`: how a stage names an output of an earlier one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_PLAIN = re.compile(rf"({_NAME})\.({_NAME})")
_FIELD = re.compile(rf"(?<!\$)\{{({_NAME})\.({_NAME})(:[^{{}}]*)?\}}")


@dataclass(frozen=True, order=True)
class Reference:
    stage: str
    output: str

    def __str__(self) -> str:
        return f"{self.stage}.{self.output}"

    @property
    def bound_name(self) -> str:
        """What the task calls it: a name under `data:` or `params:` of its spec."""
        return f"{self.stage}_{self.output}"


def read_reference(text: str) -> Reference | None:
    """`prepare.features`, with or without braces; None for anything else."""
    match = _PLAIN.fullmatch(text.strip().removeprefix("{").removesuffix("}"))
    return Reference(match[1], match[2]) if match else None


def references_in(text: str, stages: Collection[str]) -> list[Reference]:
    """Those that name a stage, and those that can mean nothing else: `{x.y}` outside of quotes.

    Inside quotes `{np.pi}` may belong to another language.
    """
    return list(
        dict.fromkeys(
            Reference(field[1], field[2])
            for field in _FIELD.finditer(text)
            if field[1] in stages or not _is_quoted(text, field.start())
        )
    )


NamesOf = Callable[[Reference], Sequence[str] | None]
"""The names that a reference has in a task: several for an output of a mapped stage, None to leave it as it is."""


def rename_references(text: str, names_of: NamesOf) -> str:
    """With `{prepare.features}` as `{NAME}`, or as `{NAME_0} {NAME_1}`."""
    return _FIELD.sub(lambda field: " ".join(_renamed(field, names_of)), text)


def rename_words(words: Sequence[str], names_of: NamesOf) -> list[str]:
    """Of a list of arguments: a reference that is a whole word may become several."""
    renamed: list[str] = []
    for word in words:
        field = _FIELD.fullmatch(word)
        renamed += _renamed(field, names_of) if field else [rename_references(word, names_of)]
    return renamed


def _renamed(field: re.Match[str], names_of: NamesOf) -> list[str]:
    names = names_of(Reference(field[1], field[2]))
    if names is None:
        return [field.group(0)]
    return [f"{{{name}{field[3] or ''}}}" for name in names]


def _is_quoted(text: str, at: int) -> bool:
    quote, n = "", 0
    while n < at:
        char = text[n]
        if char == "\\" and quote != "'":
            n += 1
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        n += 1
    return bool(quote)
