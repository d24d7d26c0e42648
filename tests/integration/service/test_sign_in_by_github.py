"""GitHub speaks OAuth2 alone: who she is stands in its API. Here a server with GitHub's addresses and answers."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from support.http import Client
from support.openid import SECRET, Browser, OpenedPage
from support.service import RunningService, running_service
from support.small_server import Reply, Request, serving

TOML = """
[people]
email_domains = ["example.org"]
fresh_minutes = 15

[people.providers.github]
preset = "github"
issuer = "{issuer}"
client_id = "diamond"
client_secret_file = "{secret}"
"""
VERIFIED = {"email": "ada@example.org", "primary": True, "verified": True}


@dataclass
class GitHub:
    person: Any = field(default_factory=lambda: {"id": 7, "login": "ada"})
    addresses: Any = field(default_factory=lambda: [VERIFIED])
    challenge: str = ""
    asked: dict[str, list[str]] = field(default_factory=dict)

    def answer(self, request: Request) -> Reply:
        if request.path == "/login/oauth/authorize":
            self.asked, self.challenge = request.query, request.query["code_challenge"][0]
            back = f"{request.query['redirect_uri'][0]}?code=x&state={request.query['state'][0]}"
            return Reply(b"", 302, {"Location": back})
        told = {
            "/login/oauth/access_token": {"access_token": "a", "token_type": "bearer"},
            "/api/v3/user": self.person,
            "/api/v3/user/emails": self.addresses,
        }[request.path]
        if request.path == "/login/oauth/access_token" and not self._is_proven(request):
            told = {"error": "bad_verification_code"}
        return Reply(json.dumps(told).encode(), headers={"Content-Type": "application/json"})

    def _is_proven(self, request: Request) -> bool:
        verifier = parse_qs(request.body.decode())["code_verifier"][0].encode()
        packed = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).rstrip(b"=")
        return packed.decode() == self.challenge


@pytest.fixture(scope="module")
def github() -> Iterator[tuple[GitHub, str]]:
    one = GitHub()
    with serving(one.answer) as server:
        yield one, server.url


@pytest.fixture(scope="module")
def service(
    github: tuple[GitHub, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("github")
    (home / "secret").write_text(SECRET)
    config = home / "diamond.toml"
    config.write_text(TOML.format(issuer=github[1], secret=home / "secret"))
    with running_service(home, people=config) as running:
        yield running


@pytest.fixture(autouse=True)
def honest_again(github: tuple[GitHub, str]) -> Iterator[None]:
    yield
    github[0].person, github[0].addresses = {"id": 7, "login": "ada"}, [VERIFIED]


def sign_in(service: RunningService, query: str = "") -> tuple[OpenedPage, Client]:
    browser = Browser()
    seen = browser.open(f"{service.url}/auth/github{query}")
    headers = {"Cookie": browser.header(f"{service.url}/"), "Origin": service.url}
    return seen, Client(service.url, headers=headers)


def test_who_has_a_verified_address_there_is_let_in(
    service: RunningService, github: tuple[GitHub, str]
) -> None:
    seen, client = sign_in(service)
    assert (seen.status, client.get("/me")["email"]) == (200, "ada@example.org")
    assert github[0].asked["code_challenge_method"] == ["S256"]
    assert client.get("/me/identities")["items"][0]["subject"] == "7"


@pytest.mark.parametrize(
    "addresses",
    [
        [{**VERIFIED, "verified": False}],
        [{**VERIFIED, "primary": False}],
        [],
        {},
        ["x"],
        None,
        [{"email": "eve@elsewhere.example", "primary": True, "verified": True}],
    ],
)
def test_an_address_that_is_not_verified_lets_nobody_in(
    service: RunningService, github: tuple[GitHub, str], addresses: Any
) -> None:
    github[0].person, github[0].addresses = {"id": 8, "login": "eve"}, addresses
    assert sign_in(service)[0].headers["diamond-problem"] == "no-account"


@pytest.mark.parametrize("person", [{}, {"message": "Bad credentials"}, [], "x", None])
def test_an_answer_without_a_person_signs_nobody_in(
    service: RunningService, github: tuple[GitHub, str], person: Any
) -> None:
    github[0].person = person
    assert sign_in(service)[0].headers["diamond-problem"] == "sign-in-refused"


def test_github_s_silence_on_when_is_no_fresh_sign_in(service: RunningService) -> None:
    _, client = sign_in(service, "?fresh=true")
    assert client.call("POST", "/tokens", {"name": "x"}).json["code"] == "fresh-sign-in"
