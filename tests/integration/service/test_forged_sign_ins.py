from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from diamond.service.platform.identity_providers.client import ProviderAway
from diamond.service.platform.identity_providers.oidc import OpenId
from diamond.service.platform.identity_providers.trips import new_trip
from diamond.service.platform.people_settings import read_people
from support.http import Client
from support.lying_provider import LyingProvider, lying_provider, new_key, unsigned
from support.openid import Browser, OpenedPage
from support.service import RunningService, running_service

TOML = """
[people]
email_domains = ["example.org"]
mfa = true

[people.providers.liar]
issuer = "{issuer}"
client_id = "diamond"
"""


@pytest.fixture(scope="module")
def liar() -> Iterator[LyingProvider]:
    with lying_provider() as one:
        yield one


@pytest.fixture(scope="module")
def service(
    liar: LyingProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("lied")
    config = home / "diamond.toml"
    config.write_text(TOML.format(issuer=liar.issuer))
    with running_service(home, people=config) as running:
        yield running


@pytest.fixture(autouse=True)
def honest_again(liar: LyingProvider) -> Iterator[None]:
    yield
    liar.claims, liar.sign, liar.published = (lambda honest: honest), None, []
    liar.userinfo, liar.about = {}, {}


def sign_in(service: RunningService) -> tuple[OpenedPage, Client]:
    browser = Browser()
    seen = browser.open(f"{service.url}/auth/liar")
    headers = {"Cookie": browser.header(f"{service.url}/"), "Origin": service.url}
    return seen, Client(service.url, headers=headers)


def test_an_honest_answer_is_believed(service: RunningService) -> None:
    seen, client = sign_in(service)
    assert seen.status == 200
    assert client.get("/me")["email"] == "eve@example.org"


LIES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "over": lambda honest: {**honest, "exp": honest["iat"] - 3600},
    "of another issuer": lambda honest: {**honest, "iss": "https://accounts.google.com"},
    "for another audience": lambda honest: {**honest, "aud": "somebody-else"},
    "for several and another's": lambda honest: {
        **honest,
        "aud": ["diamond", "other"],
        "azp": "other",
    },
    "with another nonce": lambda honest: {**honest, "nonce": "replayed"},
    "without a nonce": lambda honest: {k: v for k, v in honest.items() if k != "nonce"},
    "without an end": lambda honest: {k: v for k, v in honest.items() if k != "exp"},
    "without a subject": lambda honest: {k: v for k, v in honest.items() if k != "sub"},
    "not yet": lambda honest: {**honest, "nbf": honest["iat"] + 3600},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_is_wrong_signs_nobody_in(
    service: RunningService, liar: LyingProvider, lie: str
) -> None:
    liar.claims = LIES[lie]
    refused(service)


def test_a_token_of_a_key_that_is_not_the_provider_s_signs_nobody_in(
    service: RunningService, liar: LyingProvider
) -> None:
    stolen_id = new_key()
    liar.sign = lambda claims: liar.signed(claims, stolen_id)
    refused(service)
    liar.sign = unsigned
    refused(service)
    liar.sign = lambda claims: "not.a.token"
    refused(service)
    public = OctKey.import_key(json.dumps(liar.key.as_dict(private=False)))
    header = {"alg": "HS256", "kid": liar.key.kid}
    liar.sign = lambda claims: jwt.encode(header, claims, public)
    refused(service)


def test_what_a_provider_tells_apart_from_its_token_counts_for_the_same_person_and_address(
    service: RunningService, liar: LyingProvider
) -> None:
    bare = {"email": "eve@example.org"}
    liar.claims = lambda honest: (
        {k: v for k, v in honest.items() if k != "email_verified"}
        | {
            "sub": "someone",
            **bare,
        }
    )
    for told in (
        {"sub": "another", "email": "eve@example.org", "email_verified": True},
        {"sub": "someone", "email": "mine@elsewhere.example", "email_verified": True},
        {"sub": "someone", "email_verified": True},
    ):
        liar.userinfo = told
        assert sign_in(service)[0].headers["diamond-problem"] == "no-account"
    liar.userinfo = {"sub": "someone", **bare, "email_verified": True}
    assert sign_in(service)[0].status == 200


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
def test_a_provider_that_would_have_us_speak_in_the_clear_is_not_called(
    liar: LyingProvider, tmp_path: Path, name: str
) -> None:
    config = tmp_path / "diamond.toml"
    config.write_text(TOML.format(issuer=liar.issuer))
    for address in ("http://provider.example.org/x", "file:///etc/passwd", None):
        liar.about = {name: address}
        provider = OpenId(read_people(config).providers[0])
        with pytest.raises(ProviderAway):
            asyncio.run(provider.leave(new_trip("https://d.example.org/back", is_fresh=False)))


def test_changed_keys_are_fetched_anew(service: RunningService, liar: LyingProvider) -> None:
    assert sign_in(service)[0].status == 200
    liar.key = new_key()
    assert sign_in(service)[0].status == 200


def test_work_asks_for_a_second_factor_where_the_settings_say_so(
    service: RunningService, liar: LyingProvider
) -> None:
    _, weak = sign_in(service)
    assert weak.call("POST", "/tokens", {"name": "x"}).json["code"] == "mfa-needed"
    assert weak.call("POST", "/jobs", {"spec": {"run": "true"}}).json["code"] == "mfa-needed"
    liar.claims = lambda honest: {**honest, "amr": ["pwd", "otp"]}
    _, strong = sign_in(service)
    assert strong.call("POST", "/tokens", {"name": "x"}).status == 201


def test_calls_are_counted_in_the_standard_headers(service: RunningService) -> None:
    answer = service.client.call("GET", "/me")
    assert answer.headers["ratelimit-policy"] == '"calls";q=1200;w=60'
    assert answer.headers["ratelimit"].startswith('"calls";r=')


def test_too_many_calls_are_told_when_to_come_again(liar: LyingProvider, tmp_path: Path) -> None:
    config = tmp_path / "diamond.toml"
    text = TOML.format(issuer=liar.issuer).replace("mfa = true", "calls_per_minute = 5")
    config.write_text(text)
    with running_service(tmp_path / "home", people=config) as small:
        asked = (small.client.call("GET", "/me") for _ in range(60))
        refused = next(one for one in asked if one.status != 200)
    assert (refused.status, refused.json["code"], refused.json["retryable"]) == (
        429,
        "too-many",
        True,
    )
    assert 1 <= int(refused.headers["retry-after"]) <= 13


def refused(service: RunningService) -> None:
    seen, client = sign_in(service)
    assert (seen.status, seen.headers["diamond-problem"]) == (403, "bad-id-token")
    assert client.call("GET", "/me").status == 401
