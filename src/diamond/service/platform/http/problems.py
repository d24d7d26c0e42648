"""Every failure as problem+json, with a code, words and a next step."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from sqlalchemy.exc import DataError, DBAPIError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from diamond.core.errors import (
    BadRequest,
    Conflict,
    DiamondError,
    Forbidden,
    InvalidRequest,
    NotFound,
    TooLarge,
)
from diamond.service.platform.http.schemas import NAME_PATTERN

log = logging.getLogger("diamond.service")
MEDIA_TYPE = "application/problem+json"


class GenerationStale(Conflict):
    code = "generation-stale"


class AwaitingConfirmation(Forbidden):
    code = "awaiting-confirmation"
    retryable = True


class IdempotencyMismatch(Conflict):
    code = "idempotency-mismatch"


class MethodNotAllowed(BadRequest):
    code = "method-not-allowed"
    status = 405


def install(app: FastAPI) -> None:
    app.add_exception_handler(DiamondError, _diamond)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(Exception, _unforeseen)


def response(error: DiamondError) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return JSONResponse(
        error.as_problem(), status_code=error.status, media_type=MEDIA_TYPE, headers=headers
    )


async def _diamond(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, DiamondError)
    return response(error)


async def _validation(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [BadField.model_validate(fault) for fault in error.errors()]
    if any(fault.type == "json_invalid" for fault in faults):
        return response(BadRequest("The body is not JSON", faults[0].context("error")))
    return response(InvalidRequest(_title(faults), faults=[_fault(fault) for fault in faults]))


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return response(
            NotFound(f"There is nothing at {request.url.path}", "See /api/v1/openapi.json.")
        )
    if error.status_code == 405:
        message = f"{request.method} is not possible at {request.url.path}"
        return response(MethodNotAllowed(message, "See /api/v1/openapi.json."))
    if error.status_code == 413:
        return response(TooLarge(str(error.detail), "Send less at a time."))
    return response(BadRequest(str(error.detail)))


async def _database(request: Request, error: Exception) -> JSONResponse:
    """PostgreSQL rejects some text (a NUL, half a character) that a person or agent may send."""
    if isinstance(error, DataError) or _sqlstate(error).startswith("22"):
        return response(BadRequest("A value holds characters that cannot be stored"))
    return await _unforeseen(request, error)


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    hint = "It was written to the service's log; please report it with `diamond report`."
    return response(DiamondError("The service failed at this", hint))


def _sqlstate(error: Exception) -> str:
    return str(getattr(getattr(error, "orig", None), "sqlstate", "") or "")


class BadField(BaseModel):
    """What Pydantic reports about a field."""

    type: str
    loc: tuple[str | int, ...] = ()
    msg: str = ""
    input: object = None
    ctx: dict[str, object] = {}

    def context(self, name: str) -> str:
        return str(self.ctx.get(name, ""))


def _title(faults: list[BadField]) -> str:
    if len(faults) == 1:
        return f"{_field(faults[0])}: {_message(faults[0])}"
    return f"{len(faults)} fields are not valid"


def _fault(fault: BadField) -> dict[str, str]:
    return {
        "field": _field(fault),
        "message": _message(fault),
        "hint": fault.context("hint"),
    }


def _message(fault: BadField) -> str:
    """Pydantic's own, except for patterns, which people do not read."""
    if fault.type != "string_pattern_mismatch":
        return fault.msg
    return f"{str(fault.input)[:100]!a} is not usable here" + (
        ": use letters, digits and . _ - (at most 63, the first a letter or digit)"
        if fault.context("pattern") == NAME_PATTERN
        else ""
    )


def _field(fault: BadField) -> str:
    places = [str(part) for part in fault.loc if part not in ("body", "query", "path")]
    return ".".join(places) or str(fault.loc[0] if fault.loc else "body")
