"""What a browser carries, sealed, while the person is at their provider."""

from __future__ import annotations

import base64
import json
import secrets
import time
from dataclasses import asdict, dataclass

from diamond.service.platform.identity_providers.oidc import Trip
from diamond.service.platform.sealing import Seal, WrongSeal

SECONDS = 600.0
PURPOSE = "sign-in"


@dataclass(frozen=True)
class Journey:
    """A trip, and what happens after it."""

    provider: str
    trip: Trip
    at: float
    next: str = "/"
    link_to: str = ""
    """The account that this identity is added to."""
    invitation: str = ""
    replaces: str = ""
    """The session that this browser has now; it ends when the next one begins."""


def new_trip(redirect: str, *, is_fresh: bool) -> Trip:
    state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
    return Trip(redirect, state, nonce, verifier, is_fresh)


def seal_journey(seal: Seal, journey: Journey) -> str:
    sealed = seal.close(json.dumps(asdict(journey)).encode(), PURPOSE)
    return base64.urlsafe_b64encode(sealed).decode()


def open_journey(seal: Seal, text: str, provider: str) -> Journey | None:
    """None for one that is not ours, too old, or of another provider."""
    try:
        content = json.loads(seal.open(base64.urlsafe_b64decode(text), PURPOSE))
        journey = Journey(trip=Trip(**content.pop("trip")), **content)
    except (WrongSeal, ValueError, TypeError, KeyError):
        return None
    is_good = journey.provider == provider and time.time() - journey.at < SECONDS
    return journey if is_good else None


def own_path(path: str) -> str:
    """Where to go afterwards: a path of ours, never another site."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and "\n" not in path
    return path if is_own and "\r" not in path and "\t" not in path else "/"
