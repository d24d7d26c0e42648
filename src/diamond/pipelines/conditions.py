"""`when: "{evaluate.accuracy} > 0.9"`: a comparison of values, and nothing else. Pure."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from diamond.core.errors import BadRequest

LONGEST = 500
EXAMPLE = 'Write a comparison, such as: when: "{evaluate.accuracy} > 0.9 and not {quick}"'
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?)\}")
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def names_in(text: str) -> list[str]:
    """What stands in braces: params, and outputs of stages."""
    return list(dict.fromkeys(_FIELD.findall(text)))


def check_condition(text: str) -> None:
    """Raises `BadRequest` for what is not a comparison of values."""
    for node in ast.walk(_parsed(text)):
        if not isinstance(node, _ALLOWED):
            raise BadRequest(f"{text!r} is not a condition", EXAMPLE)


def is_true(text: str, values: Mapping[str, Any]) -> bool:
    """By the values of its names. Raises `BadRequest` where they cannot be compared."""
    check_condition(text)
    known = {f"_{n}": values.get(name) for n, name in enumerate(names_in(text))}
    try:
        return bool(_value(_parsed(text).body, known))
    except TypeError as error:
        raise BadRequest(f"{text!r} cannot be decided: {error}", EXAMPLE) from None


_ALLOWED = (
    ast.Expression,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.Not,
    ast.USub,
    ast.Compare,
    *_COMPARE,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.List,
    ast.Tuple,
)


def _parsed(text: str) -> ast.Expression:
    if len(text) > LONGEST:
        raise BadRequest(f"A condition has at most {LONGEST} characters", EXAMPLE)
    names = names_in(text)
    try:
        tree = ast.parse(
            _FIELD.sub(lambda field: f" _{names.index(field[1])} ", text.strip()).strip(),
            mode="eval",
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadRequest(f"{text!r} is not a condition", EXAMPLE) from None
    known = {f"_{n}" for n in range(len(names))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known | {"true", "false", "null"}:
            raise BadRequest(
                f"{node.id!r} in {text!r} is neither a value nor in braces",
                f"Write {{{node.id}}} for a param, or put text in quotes.",
            )
    return tree


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        words = {"true": True, "false": False, "null": None}
        return words[node.id] if node.id in words else known[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item, known) for item in node.elts]
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, known)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.BoolOp):
        values = (_value(item, known) for item in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    assert isinstance(node, ast.Compare)
    left = _value(node.left, known)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node, known)
        if not _COMPARE[type(op)](left, right):
            return False
        left = right
    return True
