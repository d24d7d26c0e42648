"""The providers of this Diamond, by name."""

from __future__ import annotations

from typing import Protocol

from diamond.core.errors import NotFound
from diamond.service.platform.identity_providers.github import GitHub
from diamond.service.platform.identity_providers.identity import Identity
from diamond.service.platform.identity_providers.oidc import OpenId, Trip
from diamond.service.platform.people_settings import Provider
from diamond.service.platform.sealing import Seal, load_seal
from diamond.service.settings import Settings


class Way(Protocol):
    """To a provider and back."""

    provider: Provider

    async def leave(self, trip: Trip) -> str:
        """Where to send the browser."""

    async def arrive(self, trip: Trip, url: str) -> Identity:
        """Who came back; raises Forbidden unless the provider's word holds."""

    async def logout_url(self, id_token: str, back: str) -> str | None:
        """Where a browser ends its session there too."""


class Providers:
    def __init__(self, settings: Settings) -> None:
        self._ways: dict[str, Way] = {
            provider.name: _way(provider) for provider in settings.people.providers
        }
        self._key_file = settings.sign_in_key_file
        self._seal: Seal | None = None

    @property
    def seal(self) -> Seal:
        """What browsers carry on their way is sealed with it."""
        self._seal = self._seal or load_seal(self._key_file)
        return self._seal

    def get(self, name: str) -> Way:
        if name not in self._ways:
            known = ", ".join(self._ways) or "none: this Diamond belongs to one person"
            raise NotFound(f"There is no provider {name!r}", f"Providers: {known}.")
        return self._ways[name]

    def all(self) -> list[Provider]:
        return [way.provider for way in self._ways.values()]


def _way(provider: Provider) -> Way:
    return GitHub(provider) if provider.kind == "github" else OpenId(provider)
