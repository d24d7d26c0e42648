"""The API's own description: FastAPI's, with the shapes of errors, stored data and events by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from diamond.service.platform.http.schemas import SHAPE, Problem

REFERENCE = "#/components/schemas/{model}"


def describe(app: FastAPI, shapes: Mapping[str, Any]) -> None:
    """Give `app.openapi` every schema that a call refers to by name; `shapes` are those no call answers with."""
    made_by_fastapi = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made_by_fastapi(), shapes)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _completed(description: dict[str, Any], shapes: Mapping[str, Any]) -> dict[str, Any]:
    schemas = description.setdefault("components", {}).setdefault("schemas", {})
    for name, kind in {"Problem": Problem, **shapes}.items():
        for part, schema in _schema(name, kind).items():
            schemas.setdefault(part, schema)
    _refer(description)
    return description


def _schema(name: str, kind: Any) -> dict[str, Any]:
    """The schema under its name, and its parts under theirs; parts of an order are `Order…`."""
    own = name if name in ("Order", "Spec") else ""
    schema = TypeAdapter(kind).json_schema(
        ref_template=f"#/components/schemas/{own}{{model}}",
        mode="validation" if name in ("Spec", "Profile", "Environment") else "serialization",
    )
    parts = {f"{own}{part}": definition for part, definition in schema.pop("$defs", {}).items()}
    return {**parts, name: schema}


def _refer(node: Any) -> None:
    """Put a reference wherever stored data is marked with the name of its shape."""
    if isinstance(node, dict):
        shape = node.pop(SHAPE, None)
        if shape is not None:
            node["$ref"] = REFERENCE.format(model=shape)
        for inner in node.values():
            _refer(inner)
    elif isinstance(node, list):
        for inner in node:
            _refer(inner)
