"""Which service is spoken to, and what happens when the connection is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond.core.errors import (
    BadRequest,
    Conflict,
    InvalidRequest,
    NotFound,
    NotSignedIn,
    ServiceUnreachable,
)
from diamond.sdk.client_config import ServiceAddress, check_url, find_address
from diamond.sdk.transport import Transport, error_from_response, path_segment, path_with
from support.small_server import Reply, Request, serving


def saved(home: Path, url: str, token: str = "saved-token") -> dict[str, str]:
    home.mkdir(exist_ok=True)
    (home / "token.json").write_text(json.dumps({"url": url, "token": token}))
    return {"DIAMOND_HOME": str(home)}


def test_the_saved_token_is_used_for_its_own_address(tmp_path: Path) -> None:
    env = saved(tmp_path, "http://127.0.0.1:8642/")
    assert find_address(env=env) == ServiceAddress("http://127.0.0.1:8642", "saved-token")


def test_the_saved_token_never_goes_elsewhere(tmp_path: Path) -> None:
    env = {**saved(tmp_path, "http://127.0.0.1:8642"), "DIAMOND_URL": "https://diamond.example.org"}
    with pytest.raises(NotSignedIn, match=r"diamond\.example\.org"):
        find_address(env=env)
    assert find_address(env={**env, "DIAMOND_TOKEN": "other"}).token == "other"


def test_without_any_address_the_next_step_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnreachable) as caught:
        find_address(env={"DIAMOND_HOME": str(tmp_path)})
    assert "diamond up" in caught.value.hint


@pytest.mark.parametrize(
    "url", ["http://example.org", "ftp://127.0.0.1", "127.0.0.1:8642", "http://"]
)
def test_an_unsafe_address_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        check_url(url)


def test_an_address_does_not_show_its_token() -> None:
    assert "secret" not in repr(ServiceAddress("http://127.0.0.1:1", "secret"))


def test_a_lost_answer_is_asked_for_again_under_the_same_key() -> None:
    replies = iter([Reply(drop=True), Reply(b'{"id": "j1"}', 201)])
    with serving(lambda request: next(replies)) as server:
        made = Transport(ServiceAddress(server.url, "t")).post("/jobs", {"a": 1}, creates=True)
    assert made == {"id": "j1"}
    first, second = server.requests
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.body == second.body == b'{"a": 1}'


def test_a_service_that_never_answers_is_told_in_words() -> None:
    with (
        serving(lambda request: Reply(drop=True)) as server,
        pytest.raises(ServiceUnreachable, match=server.url) as caught,
    ):
        Transport(ServiceAddress(server.url, "t")).post("/x")
    assert len(server.requests) == 3 and "diamond doctor" in caught.value.hint


def test_the_services_own_error_is_raised_again() -> None:
    problem = {"title": "Taken", "status": 409, "code": "conflict", "hint": "Another name"}
    with (
        serving(lambda request: Reply(json.dumps(problem).encode(), 409)) as server,
        pytest.raises(Conflict) as caught,
    ):
        Transport(ServiceAddress(server.url, "t")).get("/x")
    assert (caught.value.message, caught.value.hint) == ("Taken", "Another name")


def test_a_proxys_page_becomes_an_error_too() -> None:
    with (
        serving(lambda request: Reply(b"<html>gone</html>", 404)) as server,
        pytest.raises(NotFound, match="404"),
    ):
        Transport(ServiceAddress(server.url, "t")).get("/x")


def test_one_connection_serves_many_calls() -> None:
    seen: set[str] = set()

    def answer(request: Request) -> Reply:
        seen.add(request.headers["authorization"])
        return Reply()

    with serving(answer) as server:
        transport = Transport(ServiceAddress(server.url, "t"))
        for _ in range(3):
            transport.get("/x")
    assert seen == {"Bearer t"}


def test_what_a_person_typed_stays_one_part_of_the_path() -> None:
    assert path_segment("a/../b?c") == "a%2F..%2Fb%3Fc"
    assert path_with("/t", {"a": ["1", "2"], "b": None, "c": "", "d": True}) == "/t?a=1&a=2&d=true"


def test_a_connection_that_ended_with_an_earlier_service_is_replaced_at_once() -> None:
    replies = iter([Reply(), Reply(drop=True), Reply(b"again")])
    with serving(lambda request: next(replies)) as server:
        transport = Transport(ServiceAddress(server.url, "t"))
        transport.forward("/x", b"1", {})
        assert transport.forward("/x", b"2", {}).body == b"again"
    assert [one.body for one in server.requests] == [b"1", b"2", b"2"]


def test_a_fresh_connection_that_is_lost_is_told_at_once() -> None:
    with serving(lambda request: Reply(drop=True)) as server, pytest.raises(ServiceUnreachable):
        Transport(ServiceAddress(server.url, "t")).forward("/x", b"", {})
    assert len(server.requests) == 1


def test_a_field_that_is_no_such_number_is_raised_as_what_it_is() -> None:
    problem = b'{"title": "steps: too few", "code": "invalid-request", "status": 422}'
    assert type(error_from_response(422, problem)) is InvalidRequest
