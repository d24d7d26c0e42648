"""What a request asks for: its own spec and code, or those of a recipe."""

from __future__ import annotations

from typing import Any

from diamond.service import schemas
from diamond.service.services import Services


async def asked_for(
    services: Services, body: schemas.JobRequest
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    code = body.code.model_dump() if body.code else None
    return body.spec or {}, code
