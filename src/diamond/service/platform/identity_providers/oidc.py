"""One OpenID provider: its addresses, its keys, and the proof that a token is from it and for us."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, JsonValue

from diamond.core.errors import Forbidden
from diamond.service.platform.identity_providers.client import (
    ProviderAway,
    client_for,
    get_json,
    in_our_words,
)
from diamond.service.platform.identity_providers.identity import Identity, read_identity
from diamond.service.platform.people_settings import Provider, is_safe_address

if TYPE_CHECKING:
    from joserfc.jwt import Token

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
"""Signed with a key that only the provider has: neither `none` nor a shared secret."""
KEPT_SECONDS = 3600.0
LEEWAY_SECONDS = 60
Document = dict[str, JsonValue]


class Discovery(BaseModel):
    """What a provider publishes about itself, as far as it is used."""

    model_config = ConfigDict(extra="ignore")

    issuer: str = ""
    authorization_endpoint: str = ""
    token_endpoint: str = ""
    jwks_uri: str = ""
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None

    @property
    def required(self) -> dict[str, str]:
        return {
            "authorization_endpoint": self.authorization_endpoint,
            "token_endpoint": self.token_endpoint,
            "jwks_uri": self.jwks_uri,
        }


@dataclass(frozen=True)
class Trip:
    """One visit to the provider: what was sent along, to be checked against its answer."""

    redirect: str
    state: str
    nonce: str
    verifier: str
    is_fresh: bool = False
    """The person had to sign in again, even with a session at the provider."""


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
                about.authorization_endpoint,
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
                    about.token_endpoint,
                    authorization_response=url,
                    state=trip.state,
                    code_verifier=trip.verifier,
                )
            id_token = str(token.get("id_token", ""))
            claims = await self._verified(id_token, trip, token.get("access_token"))
            claims = {**await self._userinfo(client, about, claims), **claims}
        return read_identity(self.provider, claims, id_token)

    async def logout_url(self, id_token: str, back: str) -> str | None:
        """Where a browser ends its session at the provider too; None where there is no such place."""
        from authlib.common.urls import add_params_to_uri

        try:
            end = (await self._discovery()).end_session_endpoint
        except ProviderAway:
            return None
        if not end:
            return None
        parameters = [
            ("id_token_hint", id_token),
            ("client_id", self.provider.client_id),
            ("post_logout_redirect_uri", back),
        ]
        return str(add_params_to_uri(end, parameters))

    async def _verified(self, id_token: str, trip: Trip, access_token: object) -> Document:
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        try:
            decoded = await self._decoded(id_token)
            wanted = {
                "iss": {"essential": True, "value": self.provider.issuer},
                "aud": {"essential": True, "value": self.provider.client_id},
            }
            sent = {
                "nonce": trip.nonce,
                "client_id": self.provider.client_id,
                "access_token": access_token,
                "max_age": trip.is_fresh,
            }
            claims = CodeIDToken(decoded.claims, decoded.header, wanted, sent)
            claims.validate(leeway=LEEWAY_SECONDS)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise Forbidden(
                f"The answer of {self.provider.title} cannot be trusted: {error}",
                "Try again. If it happens twice, tell an administrator of this Diamond.",
                code="bad-id-token",
            ) from None
        return dict(claims)

    async def _decoded(self, id_token: str) -> Token:
        """With a key of the provider. They are fetched again when none fits, since providers rotate keys."""
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError
        from joserfc.jwk import KeySet

        for is_last in (False, True):
            keys = KeySet.import_key_set(await self._keys(again=is_last))  # type: ignore[arg-type]
            try:
                return jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
            except (InvalidKeyIdError, JoseError, ValueError):
                if is_last:
                    raise
        raise AssertionError("unreachable")

    async def _userinfo(self, client: Any, about: Discovery, claims: Document) -> Document:
        """What the token does not say, such as an address or groups; about the same person only."""
        if not about.userinfo_endpoint:
            return {}
        with in_our_words(self.provider):
            answer = await client.get(about.userinfo_endpoint)
            more = answer.json() if answer.status_code == 200 else {}
        if not isinstance(more, dict) or more.get("sub") != claims["sub"]:
            return {}
        return _without_other_address(more, claims)

    async def _discovery(self) -> Discovery:
        address = f"{self.provider.issuer.rstrip('/')}/.well-known/openid-configuration"
        with in_our_words(self.provider):
            about = Discovery.model_validate(await self._document(address))
        if about.issuer != self.provider.issuer:
            raise ProviderAway(
                f"{self.provider.title} calls itself {about.issuer!r}",
                f"diamond.toml says {self.provider.issuer!r}.",
            )
        unsafe = [name for name, url in about.required.items() if not is_safe_address(url)]
        if unsafe:
            message = f"{self.provider.title} names no https:// address for {unsafe[0]}"
            raise ProviderAway(message, "Tell an administrator of this Diamond.")
        return about

    async def _keys(self, *, again: bool) -> Document:
        return await self._document((await self._discovery()).jwks_uri, again=again)

    async def _document(self, address: str, *, again: bool = False) -> Document:
        at, kept = self._kept.get(address, (0.0, {}))
        if kept and not again and time.monotonic() - at < KEPT_SECONDS:
            return kept
        with in_our_words(self.provider):
            document = await get_json(address)
        self._kept[address] = time.monotonic(), document
        return document


def _without_other_address(more: Document, claims: Document) -> Document:
    """That one address is verified says nothing about another."""
    is_same = "email" not in claims or more.get("email") == claims["email"]
    return {key: more[key] for key in more if is_same or key not in ("email", "email_verified")}
