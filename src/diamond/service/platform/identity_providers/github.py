"""GitHub: OAuth2 without OpenID Connect; its API says who somebody is."""

from __future__ import annotations

from pydantic import BaseModel, JsonValue

from diamond.core.errors import Forbidden
from diamond.service.platform.identity_providers.client import client_for, in_our_words
from diamond.service.platform.identity_providers.identity import Identity, read_identity
from diamond.service.platform.identity_providers.oidc import Trip
from diamond.service.platform.people_settings import Provider


class Account(BaseModel):
    id: int | str
    login: str | None = None
    name: str | None = None


class Address(BaseModel):
    email: str | None = None
    primary: bool = False
    verified: bool = False


class GitHub:
    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._place = provider.issuer.rstrip("/")

    async def leave(self, trip: Trip) -> str:
        async with client_for(self.provider, trip.redirect) as client:
            url, _ = client.create_authorization_url(
                f"{self._place}/login/oauth/authorize",
                state=trip.state,
                code_verifier=trip.verifier,
            )
        return str(url)

    async def arrive(self, trip: Trip, url: str) -> Identity:
        async with client_for(self.provider, trip.redirect) as client:
            with in_our_words(self.provider):
                await client.fetch_token(
                    f"{self._place}/login/oauth/access_token",
                    authorization_response=url,
                    state=trip.state,
                    code_verifier=trip.verifier,
                    headers={"Accept": "application/json"},
                )
                person = (await client.get(f"{self._api}/user")).json()
                addresses = (await client.get(f"{self._api}/user/emails")).json()
        if not isinstance(person, dict) or not person.get("id"):
            raise Forbidden("GitHub did not say who you are", "Try again.", code="sign-in-refused")
        with in_our_words(self.provider):
            known = addresses if isinstance(addresses, list) else []
            claims = self._claims(
                Account.model_validate(person),
                [Address.model_validate(entry) for entry in known if isinstance(entry, dict)],
            )
        return read_identity(self.provider, claims)

    async def logout_url(self, id_token: str, back: str) -> str | None:
        return None

    @property
    def _api(self) -> str:
        """An enterprise server has its API below its own address."""
        is_public = self._place == "https://github.com"
        return "https://api.github.com" if is_public else f"{self._place}/api/v3"

    def _claims(self, person: Account, addresses: list[Address]) -> dict[str, JsonValue]:
        primary = next(
            (address.email for address in addresses if address.primary and address.verified), ""
        )
        return {
            "iss": self._place,
            "sub": str(person.id),
            "name": person.name or person.login,
            "email": primary,
            "email_verified": bool(primary),
        }
