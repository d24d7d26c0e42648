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
    """Hidden from scripts, sent unencrypted only on this machine, and never with calls of other sites."""
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
    """With the browser's address and name, by which its owner recognises it."""
    proof = proof or Proof(signed_in=time.time())
    browser = request.headers.get("user-agent", "")[:200]
    return replace(proof, address=address_of(request), browser=browser)
