"""The API's own description: FastAPI's, with the one shape of every error."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from diamond.service.schemas import Problem

REFERENCE = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """Give `app.openapi` the schema that every declared problem refers to."""
    made_by_fastapi = app.openapi

    def openapi() -> dict[str, Any]:
        description = made_by_fastapi()
        schemas = description.setdefault("components", {}).setdefault("schemas", {})
        problem = Problem.model_json_schema(ref_template=REFERENCE)
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        return description

    app.openapi = openapi  # type: ignore[method-assign]
