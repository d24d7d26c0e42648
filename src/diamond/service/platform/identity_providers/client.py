"""How a provider is called, and its failures in our words. The HTTP library is imported only when somebody signs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import JsonValue

from diamond.core.errors import DiamondError, Forbidden
from diamond.service.platform.people_settings import Provider

TIMEOUT_SECONDS = 10.0


class ProviderAway(DiamondError):
    """It cannot be reached now; people who are signed in stay signed in."""

    code = "provider-away"
    status = 503
    retryable = True


def client_for(provider: Provider, redirect: str) -> Any:
    from authlib.integrations.httpx_client import AsyncOAuth2Client

    return AsyncOAuth2Client(
        client_id=provider.client_id,
        client_secret=provider.client_secret or None,
        token_endpoint_auth_method=None if provider.client_secret else "none",
        scope=provider.scope,
        redirect_uri=redirect,
        code_challenge_method="S256",
        timeout=TIMEOUT_SECONDS,
    )


async def get_json(address: str) -> dict[str, JsonValue]:
    import httpx2

    async with httpx2.AsyncClient(timeout=TIMEOUT_SECONDS) as client:
        answer = await client.get(address)
        answer.raise_for_status()
        document = answer.json()
    if not isinstance(document, dict):
        raise ValueError(f"{address} is not a JSON object")
    return document


@contextmanager
def in_our_words(provider: Provider) -> Iterator[None]:
    import httpx2
    from authlib.common.errors import AuthlibBaseError

    try:
        yield
    except AuthlibBaseError as error:
        text = error.description or error.error
        raise Forbidden(
            f"{provider.title} did not sign you in: {text}", "Try again.", code="sign-in-refused"
        ) from None
    except (httpx2.HTTPError, ValueError):
        raise ProviderAway(
            f"{provider.title} does not answer as it should", "Try again later."
        ) from None
