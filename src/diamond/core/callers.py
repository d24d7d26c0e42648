"""Whose call made a command, and for whom it is carried out."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.core.decoding import Line


@dataclass(frozen=True)
class By:
    """Whose call made a command."""

    user: Line = ""
    name: str = ""
    token: Line = ""


@dataclass(frozen=True)
class Person:
    """The real person behind work of a community account."""

    id: str = ""
    name: str = ""
