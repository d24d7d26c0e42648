"""Tokens, browsers and programs that were let in: what made them, and what ends them."""

from __future__ import annotations

import threading
import urllib.request
from typing import Any

import pytest

from diamond.core.errors import Forbidden
from diamond.sdk.people import sign_in_here
from support.http import Client
from support.people import add_person
from support.service import RunningService


@pytest.fixture(scope="module")
def service(first_sqlite: RunningService) -> RunningService:
    return first_sqlite


def new_token(maker: Client, name: str, **more: Any) -> tuple[dict[str, Any], Client]:
    made = maker.post("/tokens", {"name": name, **more})
    return made, Client(maker.url, made["token"])


def browser_of(maker: Client) -> Client:
    link = maker.post("/open")["url"]
    cookie = maker.call("GET", "/" + link.removeprefix(maker.url)).headers["set-cookie"]
    return Client(maker.url, headers={"Cookie": cookie.partition(";")[0], "Origin": maker.url})


def is_in(client: Client) -> bool:
    return client.call("GET", "/me").status == 200


def test_all_that_a_stolen_token_made_ends_with_it(service: RunningService) -> None:
    user, ada = add_person(service, "ada")
    _, own = add_person(service, "ada", user=user)
    stolen, thief = new_token(ada, "stolen")
    _, second = new_token(thief, "second")
    page = browser_of(second)
    _, third = new_token(page, "third")
    asked = Client(service.url).post("/sign-in/device", {"name": "x"})
    third.call("POST", f"/sign-in/device/{asked['user_code']}", {"accept": True})
    assert all(map(is_in, (thief, second, page, third)))
    assert own.call("DELETE", f"/tokens/{stolen['id']}").status == 204
    assert not any(map(is_in, (thief, second, page, third)))
    body = {"device_code": asked["device_code"]}
    assert Client(service.url).call("POST", "/sign-in/device/token", body).status == 404
    assert is_in(ada) and is_in(own)


def test_who_signs_a_browser_out_keeps_the_tokens_that_she_made_in_it(
    service: RunningService,
) -> None:
    page = browser_of(add_person(service, "ada")[1])
    _, program = new_token(page, "program")
    assert page.call("POST", "/sign-out").status == 200
    assert not is_in(page) and is_in(program)


def test_a_token_makes_none_that_lasts_longer_than_itself(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    short, program = new_token(ada, "a day", days=1)
    for days in (None, 30, 0.5):
        made, _ = new_token(program, f"for {days}", days=days)
        assert made["expires"] <= short["expires"]
    page = browser_of(program).get("/me/sessions")["items"][0]
    assert page["expires"] < short["expires"] + 1


class Terminal:
    """`diamond login` in a thread of its own, as far as its page."""

    def __init__(self, url: str) -> None:
        self.code, self._shown = "", threading.Event()
        self.address: Any = None
        self._thread = threading.Thread(target=self._run, args=(url,))
        self._thread.start()
        assert self._shown.wait(60)

    def _run(self, url: str) -> None:
        try:
            self.address = sign_in_here(url, name="laptop", show=self._show)
        except Forbidden as error:
            self.address = error

    def _show(self, page: str, code: str) -> None:
        self.code = code
        self._shown.set()

    def end(self) -> Any:
        self._thread.join(60)
        return self.address


def test_a_terminal_is_let_in_by_the_browser_of_its_own_machine(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    terminal = Terminal(service.url)
    told = ada.post(f"/sign-in/device/{terminal.code}", {"accept": True})
    assert told["redirect"].startswith("http://127.0.0.1:")
    with pytest.raises(OSError, match="404"):
        urllib.request.urlopen(told["redirect"].replace("?code=", "x?code="))
    with urllib.request.urlopen(told["redirect"]) as page:
        assert b"signed in" in page.read()
    assert is_in(Client(service.url, terminal.end().token))


def test_a_no_on_the_page_reaches_the_terminal(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    terminal = Terminal(service.url)
    told = ada.post(f"/sign-in/device/{terminal.code}", {"accept": False})
    with urllib.request.urlopen(told["redirect"]) as page:
        assert b"was not signed in" in page.read()
    assert isinstance(terminal.end(), Forbidden)


def test_without_the_word_that_the_browser_brings_there_is_no_token(
    service: RunningService,
) -> None:
    """Somebody who has another agree to his own program gets nothing: the answer goes to the other's machine."""
    _, ada = add_person(service, "ada")
    nobody = Client(service.url)
    asked = nobody.post("/sign-in/device", {"redirect": "http://127.0.0.1:7/x"})
    told = ada.post(f"/sign-in/device/{asked['user_code']}", {"accept": True})
    body = {"device_code": asked["device_code"]}
    for word in ("", "guessed"):
        answer = nobody.post("/sign-in/device/token", {**body, "word": word})
        assert answer == {"state": "waiting", "token": None}
    word = told["redirect"].partition("code=")[2]
    assert nobody.post("/sign-in/device/token", {**body, "word": word})["token"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "http://evil.example/x",
        "https://127.0.0.1:7/x",
        "http://127.0.0.1:7@evil.example/",
        "http://127.0.0.1/x",
        "javascript:alert(1)",
        "http://127.0.0.1:7/x?a=b",
    ],
)
def test_an_answer_is_brought_nowhere_but_to_the_browsers_own_machine(
    service: RunningService, elsewhere: str
) -> None:
    answer = Client(service.url).call("POST", "/sign-in/device", {"redirect": elsewhere})
    assert answer.status == 422


def test_one_address_cannot_keep_others_from_signing_their_terminals_in(
    service: RunningService,
) -> None:
    def asked(address: str) -> int:
        headers = {"X-Forwarded-For": address}
        return Client(service.url).call("POST", "/sign-in/device", {}, headers).status

    answers = [asked("203.0.113.9") for _ in range(51)]
    assert (answers.count(201), answers[-1]) == (50, 413)
    assert asked("203.0.113.10") == 201
