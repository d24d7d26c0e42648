"""One OpenID provider: its addresses, its keys, and the proof that a token is its word to us."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import Forbidden
from diamond.service.platform.identity_providers.client import (
    ProviderAway,
    client_for,
    get_json,
    in_our_words,
)
from diamond.service.platform.identity_providers.identity import Identity, read_identity
from diamond.service.platform.people_settings import Provider, is_safe_address

ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Signed by a key that only the provider has: neither `none` nor a secret that two share."""
KEPT_SECONDS = 3600.0
LEEWAY_SECONDS = 60
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
Document = dict[str, Any]


@dataclass(frozen=True)
class Trip:
    """One visit to the provider: what was sent along, to be found again in its answer."""

    redirect: str
    state: str
    nonce: str
    verifier: str
    is_fresh: bool = False
    """The person was to prove herself anew."""


class OpenId:
    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._kept: dict[str, tuple[float, Document]] = {}

    async def leave(self, trip: Trip) -> str:
        """Where to send the browser."""
        about = await self._discovery()
        extra = {"prompt": "login", "max_age": "0"} if trip.is_fresh else {}
        async with client_for(self.provider, trip.redirect) as client:
            url, _ = client.create_authorization_url(
                about["authorization_endpoint"],
                state=trip.state,
                nonce=trip.nonce,
                code_verifier=trip.verifier,
                **extra,
            )
        return str(url)

    async def arrive(self, trip: Trip, url: str) -> Identity:
        """The person, from the address that the provider sent the browser back to."""
        about = await self._discovery()
        async with client_for(self.provider, trip.redirect) as client:
            with in_our_words(self.provider):
                token = await client.fetch_token(
                    about["token_endpoint"],
                    authorization_response=url,
                    state=trip.state,
                    code_verifier=trip.verifier,
                )
            claims = await self._verified(str(token.get("id_token", "")), trip, token)
            claims = {**await self._userinfo(client, about, claims), **claims}
        return read_identity(self.provider, claims, str(token["id_token"]))

    async def logout_url(self, id_token: str, back: str) -> str | None:
        """Where a browser ends its session at the provider too; None where there is no such place."""
        from authlib.common.urls import add_params_to_uri

        try:
            end = (await self._discovery()).get("end_session_endpoint")
        except ProviderAway:
            return None
        if not end:
            return None
        told = [("id_token_hint", id_token), ("client_id", self.provider.client_id)]
        return str(add_params_to_uri(end, [*told, ("post_logout_redirect_uri", back)]))

    async def _verified(self, id_token: str, trip: Trip, token: Document) -> Document:
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        try:
            found = await self._decoded(id_token)
            wanted = {
                "iss": {"essential": True, "value": self.provider.issuer},
                "aud": {"essential": True, "value": self.provider.client_id},
            }
            sent = {
                "nonce": trip.nonce,
                "client_id": self.provider.client_id,
                "access_token": token.get("access_token"),
                "max_age": trip.is_fresh,
            }
            claims = CodeIDToken(found.claims, found.header, wanted, sent)
            claims.validate(leeway=LEEWAY_SECONDS)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise Forbidden(
                f"The answer of {self.provider.title} is not to be trusted: {error}",
                "Try again. If it happens twice, tell those who run this Diamond.",
                code="bad-id-token",
            ) from None
        return dict(claims)

    async def _decoded(self, id_token: str) -> Any:
        """By a key of the provider; one that is not among those known is looked for once more: keys are changed."""
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError
        from joserfc.jwk import KeySet

        for is_last in (False, True):
            keys = KeySet.import_key_set(await self._keys(anew=is_last))  # type: ignore[arg-type]
            try:
                return jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
            except (InvalidKeyIdError, JoseError, ValueError):
                if is_last:
                    raise
        raise AssertionError("unreachable")

    async def _userinfo(self, client: Any, about: Document, claims: Document) -> Document:
        """What the token does not say, such as an address or groups; about the same person only."""
        if not about.get("userinfo_endpoint"):
            return {}
        with in_our_words(self.provider):
            answer = await client.get(about["userinfo_endpoint"])
            told = answer.json() if answer.status_code == 200 else {}
        if not isinstance(told, dict) or told.get("sub") != claims["sub"]:
            return {}
        return _without_other_address(told, claims)

    async def _discovery(self) -> Document:
        address = f"{self.provider.issuer.rstrip('/')}/.well-known/openid-configuration"
        about = await self._document(address)
        if about.get("issuer") != self.provider.issuer:
            raise ProviderAway(
                f"{self.provider.title} calls itself {about.get('issuer')!r}",
                f"diamond.toml says {self.provider.issuer!r}.",
            )
        unsafe = [name for name in ENDPOINTS if not is_safe_address(str(about.get(name, "")))]
        if unsafe:
            words = f"{self.provider.title} names no https:// address for {unsafe[0]}"
            raise ProviderAway(words, "Tell those who run it.")
        return about

    async def _keys(self, *, anew: bool) -> Document:
        return await self._document(str((await self._discovery())["jwks_uri"]), anew=anew)

    async def _document(self, address: str, *, anew: bool = False) -> Document:
        at, kept = self._kept.get(address, (0.0, {}))
        if kept and not anew and time.monotonic() - at < KEPT_SECONDS:
            return kept
        with in_our_words(self.provider):
            found = await get_json(address)
        self._kept[address] = time.monotonic(), found
        return found


def _without_other_address(told: Document, claims: Document) -> Document:
    """That one address is verified says nothing of another."""
    is_same = "email" not in claims or told.get("email") == claims["email"]
    return {key: told[key] for key in told if is_same or key not in ("email", "email_verified")}
