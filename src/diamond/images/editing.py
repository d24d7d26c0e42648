"""A step of a build as text that a person edits, and the environment with the edit in it."""

from __future__ import annotations

from dataclasses import replace
from typing import List

from diamond.core.errors import BadRequest
from diamond.core.order import Environment
from diamond.images.plan import BASE, COMMAND, PYTHON, SYSTEM, TEST


def editable_text(environment: Environment, step: str) -> str:
    """'' for a step without text to edit."""
    texts = {
        BASE: environment.base,
        SYSTEM: "\n".join(environment.system),
        PYTHON: "\n".join(environment.requirements),
        TEST: environment.test,
    }
    if step in texts:
        return texts[step]
    number = _number(step)
    commands = environment.commands
    return commands[number - 1] if number and number <= len(commands) else ""


def edited(environment: Environment, step: str, text: str) -> Environment:
    """Raises `BadRequest` for a step that cannot be edited so. An empty command is taken out."""
    if step == BASE:
        return replace(environment, base=text.strip())
    if step == SYSTEM:
        return replace(environment, system=_lines(text))
    if step == PYTHON:
        return replace(environment, requirements=_lines(text), lock="")
    if step == TEST:
        return replace(environment, test=text)
    number, commands = _number(step), list(environment.commands)
    if not number or number > len(commands):
        names = [BASE, SYSTEM, PYTHON, *(f"{COMMAND}-{n + 1}" for n in range(len(commands))), TEST]
        raise BadRequest(
            f"The step {step!r} cannot be edited by itself",
            f"These can: {', '.join(names)}. For others give the whole environment.",
        )
    commands[number - 1 : number] = [text] if text.strip() else []
    return replace(environment, commands=commands)


def _number(step: str) -> int:
    kind, _, number = step.partition("-")
    return int(number) if kind == COMMAND and number.isdigit() else 0


def _lines(text: str) -> List[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
