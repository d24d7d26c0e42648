"""The one router of the calls of agents."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/sync", tags=["sync"])
