from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from support.http import Client
from support.openid import SECRET, Browser, OpenedPage, OpenIdServer, running_provider
from support.people import disable
from support.postgres import Postgres
from support.service import RunningService, free_port, running_service

TOML = """
[people]
admins = ["root@example.org"]
email_domains = ["example.org"]
groups = ["astro"]
idps = ["https://idp.campus.example"]
fresh_minutes = {fresh}

[people.providers.campus]
issuer = "{issuer}"
title = "Campus"
client_id = "diamond"
client_secret_file = "{secret}"
"""


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def provider(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenIdServer]:
    url = f"http://127.0.0.1:{port}"
    folder = tmp_path_factory.mktemp("provider")
    with running_provider(folder, [f"{url}/auth/campus/callback"], [f"{url}/"]) as server:
        yield server


@pytest.fixture(scope="module")
def shared(
    port: int,
    provider: OpenIdServer,
    postgres: Postgres,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningService]:
    """A service as a group runs it: PostgreSQL, and people known by their provider."""
    home = tmp_path_factory.mktemp("shared")
    config = write_config(home, provider, fresh=0)
    url = postgres.new_database()
    with running_service(home, port=port, database_url=url, people=config) as running:
        yield running


def write_config(home: Path, provider: OpenIdServer, *, fresh: float) -> Path:
    secret = home / "secret"
    secret.write_text(SECRET)
    config = home / "diamond.toml"
    config.write_text(TOML.format(issuer=provider.issuer, secret=secret, fresh=fresh))
    return config


def sign_in(service: RunningService, login: str, query: str = "") -> tuple[OpenedPage, Client]:
    browser = Browser()
    seen = browser.sign_in(f"{service.url}/auth/campus{query}", login)
    return seen, client_of(service, browser)


def client_of(service: RunningService, browser: Browser) -> Client:
    headers = {"Cookie": browser.header(f"{service.url}/"), "Origin": service.url}
    return Client(service.url, headers=headers)


def test_a_person_signs_in_with_her_institution(shared: RunningService) -> None:
    assert Client(shared.url).get("/sign-in")["items"][0]["title"] == "Campus"
    browser = Browser()
    seen = browser.sign_in(f"{shared.url}/auth/campus?next=/tasks", "ada@example.org")
    assert (seen.status, seen.url) == (200, f"{shared.url}/tasks")
    me = client_of(shared, browser).get("/me")
    assert (me["name"], me["email"], me["is_admin"]) == ("ada", "ada@example.org", False)
    cookie = next(one for one in browser.set_cookies if "_trip" not in one and "diamond_" in one)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    again = client_of(shared, _signed_in(shared, "ada@example.org")).get("/me")
    assert again["id"] == me["id"]


def _signed_in(service: RunningService, login: str) -> Browser:
    browser = Browser()
    browser.sign_in(f"{service.url}/auth/campus", login)
    return browser


def test_signing_in_makes_no_account_for_whom_nothing_lets_in(shared: RunningService) -> None:
    seen, client = sign_in(shared, "mallory@elsewhere.example")
    assert (seen.status, seen.headers["diamond-problem"]) == (403, "no-account")
    assert client.call("GET", "/me").status == 401


def test_an_address_counts_only_if_the_provider_has_verified_it(shared: RunningService) -> None:
    seen, _ = sign_in(shared, "mallory.unverified@example.org")
    assert seen.headers["diamond-problem"] == "no-account"
    seen, _ = sign_in(shared, "root.unverified@example.org")
    assert seen.headers["diamond-problem"] == "no-account"


@pytest.mark.parametrize("login", ["kim.astro@elsewhere.example", "lee@campus.example"])
def test_a_group_or_an_institution_lets_in(shared: RunningService, login: str) -> None:
    seen, client = sign_in(shared, login)
    assert seen.status == 200
    assert client.get("/me")["email"] == login


def test_an_invitation_lets_one_person_in_once_and_into_its_project(
    shared: RunningService,
) -> None:
    _, ada = sign_in(shared, "ada@example.org")
    ada.post("/projects", {"name": "climate"})
    wanted = {"email": "bob@elsewhere.example", "role": "viewer"}
    code = ada.post("/projects/climate/invitations", wanted)["code"]
    seen, _ = sign_in(shared, "mallory@elsewhere.example", f"?invitation={code}")
    assert seen.headers["diamond-problem"] == "no-account"
    seen, bob = sign_in(shared, "bob@elsewhere.example", f"?invitation={code}")
    assert seen.status == 200
    assert [(one["name"], one["role"]) for one in bob.get("/projects")["items"]] == [
        ("climate", "viewer")
    ]
    seen, _ = sign_in(shared, "carol@elsewhere.example", f"?invitation={code}")
    assert seen.headers["diamond-problem"] == "no-account"


def test_who_is_invited_by_her_address_gets_in_by_signing_in_with_it(
    shared: RunningService,
) -> None:
    _, ada = sign_in(shared, "ada@example.org")
    for name in ("river", "delta"):
        ada.post("/projects", {"name": name})
        ada.post(f"/projects/{name}/invitations", {"email": "Dora@elsewhere.example"})
    seen, _ = sign_in(shared, "dora.unverified@elsewhere.example")
    assert seen.headers["diamond-problem"] == "no-account"
    _, dora = sign_in(shared, "dora@elsewhere.example")
    assert {one["name"] for one in dora.get("/projects")["items"]} == {"river", "delta"}


def test_an_invitation_is_void_once_its_sender_may_not_invite_any_more(
    shared: RunningService,
) -> None:
    _, ada = sign_in(shared, "ada@example.org")
    _, ben = sign_in(shared, "ben@example.org")
    ada.post("/projects", {"name": "reef"})
    member = f"/projects/reef/members/{ben.get('/me')['id']}"
    ada.call("PUT", member, {"role": "manager"})
    to_address = {"email": "erin@elsewhere.example"}
    link = ben.post("/projects/reef/invitations")["code"]
    ben.post("/projects/reef/invitations", to_address)
    ada.call("PUT", member, {"role": "member"})
    seen, _ = sign_in(shared, "erin@elsewhere.example", f"?invitation={link}")
    assert seen.headers["diamond-problem"] == "no-account"
    ada.call("PUT", member, {"role": "manager"})
    disable(shared, ben.get("/me")["id"])
    seen, _ = sign_in(shared, "erin@elsewhere.example", f"?invitation={link}")
    assert seen.headers["diamond-problem"] == "no-account"


def test_only_who_is_signed_in_adds_a_second_identity(shared: RunningService) -> None:
    browser = _signed_in(shared, "ada@example.org")
    seen, _ = sign_in(shared, "ada@home.example", "?link=true")
    assert seen.status == 401
    ada = client_of(shared, browser).get("/me")["id"]
    second = Browser()
    second.cookies = {key: one for key, one in browser.cookies.items() if "diamond_" in key[2]}
    second.sign_in(f"{shared.url}/auth/campus?link=true", "ada@home.example")
    assert client_of(shared, second).get("/me")["id"] == ada
    known = client_of(shared, second).get("/me/identities")["items"]
    assert {one["subject"] for one in known} == {"ada@example.org", "ada@home.example"}
    _, alone = sign_in(shared, "ada@home.example")
    assert alone.get("/me")["id"] == ada


def test_a_session_is_seen_ended_and_signed_out_at_the_provider_too(
    shared: RunningService, provider: OpenIdServer
) -> None:
    first, second = (_signed_in(shared, "grace@example.org") for _ in range(2))
    grace = client_of(shared, second)
    other = next(one for one in grace.get("/me/sessions")["items"] if not one["is_this"])
    assert grace.call("DELETE", f"/me/sessions/{other['id']}").status == 204
    assert client_of(shared, first).call("GET", "/me").status == 401
    url = grace.post("/sign-out")["url"]
    assert url.startswith(f"{provider.issuer}/session/end?")
    assert "id_token_hint" in parse_qs(urlsplit(url).query)
    assert grace.call("GET", "/me").status == 401


def test_a_browser_that_signs_in_again_has_one_session(shared: RunningService) -> None:
    browser = Browser()
    browser.sign_in(f"{shared.url}/auth/campus", "nora@example.org")
    before = client_of(shared, browser)
    assert before.call("GET", "/me").status == 200
    browser.sign_in(f"{shared.url}/auth/campus?fresh=true", "nora@example.org")
    assert before.call("GET", "/me").status == 401
    assert len(client_of(shared, browser).get("/me/sessions")["items"]) == 1


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(shared: RunningService) -> None:
    callback = f"{shared.url}/auth/campus/callback"
    stranger = Browser()
    assert stranger.open(f"{callback}?code=x&state=y").headers["diamond-problem"] == "bad-state"
    attacker, victim = Browser(), Browser()
    back = attacker.sign_in(f"{shared.url}/auth/campus", "eve@example.org", stop_at=callback)
    assert victim.open(back.url).headers["diamond-problem"] == "bad-state"
    victim.open(f"{shared.url}/auth/campus", stop_at="http://nowhere")
    assert victim.open(back.url).headers["diamond-problem"] == "bad-state"


def test_nobody_is_sent_to_another_site_after_signing_in(shared: RunningService) -> None:
    for path in ("//evil.example", "https://evil.example", "/\\evil.example"):
        seen, _ = sign_in(shared, "ada@example.org", f"?next={path}")
        assert seen.url.startswith(f"{shared.url}/")


def test_an_administrator_sees_the_settings_and_no_secret(shared: RunningService) -> None:
    _, root = sign_in(shared, "root@example.org")
    told = root.call("GET", "/settings")
    assert (told.json["email_domains"], told.json["database"]) == (["example.org"], "PostgreSQL")
    assert [one["title"] for one in told.json["providers"]] == ["Campus"]
    assert SECRET.encode() not in told.body
    _, ada = sign_in(shared, "ada@example.org")
    assert ada.call("GET", "/settings").status == 403


def test_an_administrator_is_who_the_settings_name_and_disables_people(
    shared: RunningService,
) -> None:
    _, root = sign_in(shared, "root@example.org")
    assert root.get("/me")["is_admin"]
    _, dan = sign_in(shared, "dan@example.org")
    token = Client(shared.url, dan.post("/tokens", {"name": "x"})["token"])
    user = dan.get("/me")["id"]
    assert root.call("PATCH", f"/users/{user}", {"disabled": True}).status == 200
    assert dan.call("GET", "/me").status == 401
    assert token.call("GET", "/me").json["code"] == "account-disabled"
    seen, _ = sign_in(shared, "dan@example.org")
    assert seen.headers["diamond-problem"] == "account-disabled"
    root.call("PATCH", f"/users/{user}", {"disabled": False})
    assert token.get("/me")["id"] == user
    lines = root.get(f"/audit?user={root.get('/me')['id']}")["items"]
    assert ("PATCH /users/{user}", {"user": user}) in [(x["action"], x["about"]) for x in lines]


def test_a_provider_with_new_keys_is_believed_and_one_that_is_down_stops_nobody(
    shared: RunningService, provider: OpenIdServer
) -> None:
    _, ada = sign_in(shared, "ada@example.org")
    provider.stop()
    assert ada.get("/me")["name"] == "ada"
    provider.start()
    seen, _ = sign_in(shared, "ada@example.org")
    assert seen.status == 200


def test_a_token_asks_for_a_fresh_sign_in_where_the_settings_say_so(
    tmp_path: Path, provider: OpenIdServer
) -> None:
    """Its own service on SQLite: the settings are another."""
    config = write_config(tmp_path, provider, fresh=0.0001)
    with running_service(tmp_path, people=config) as service:
        link = service.client.post("/open")["url"]
        browser = Browser()
        browser.confirm(link)
        local = client_of(service, browser)
        assert local.call("POST", "/tokens", {"name": "x"}).json["code"] == "fresh-sign-in"
        assert service.client.call("POST", "/tokens", {"name": "x"}).status == 201
