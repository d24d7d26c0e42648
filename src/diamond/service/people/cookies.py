"""The cookie by which a browser is known."""

from __future__ import annotations

import time
from dataclasses import replace

from fastapi import Request, Response

from diamond.service.people.caller import cookie_name
from diamond.service.people.session_store import Proof
from diamond.service.platform.http.routing import address_of
from diamond.service.platform.services import Services


def set_cookie(response: Response, services: Services, secret: str) -> None:
    """Out of reach of scripts, never sent in the clear beyond this machine, nor with a foreign page's calls."""
    response.set_cookie(
        cookie_name(services.instance),
        secret,
        max_age=int(services.settings.session_seconds),
        httponly=True,
        samesite="strict",
        secure=services.settings.url.startswith("https:"),
    )


def drop_cookie(response: Response, services: Services) -> None:
    response.delete_cookie(
        cookie_name(services.instance),
        httponly=True,
        samesite="strict",
        secure=services.settings.url.startswith("https:"),
    )


def proof_of(request: Request, proof: Proof | None = None) -> Proof:
    """With where the browser is, for its person to recognise it by."""
    found = proof or Proof(signed_in=time.time())
    browser = request.headers.get("user-agent", "")[:200]
    return replace(found, address=address_of(request), browser=browser)
