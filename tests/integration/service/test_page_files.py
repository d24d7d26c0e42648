"""The built pages are handed out without sign-in, safely and packed."""

from __future__ import annotations

import gzip
import re

import pytest

from support.http import Client
from support.service import RunningService


@pytest.fixture
def stranger(service: RunningService) -> Client:
    return Client(service.url)


@pytest.mark.parametrize("path", ["", "tasks/0123abcd", "endpoints/my.cluster", "no/such/page"])
def test_every_address_outside_of_the_api_gives_the_one_document(
    stranger: Client, path: str
) -> None:
    answer = stranger.call("GET", f"//{path}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'<div id="root">' in answer.body
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self';" in policy


def test_the_parts_of_the_document_are_packed_and_kept_for_ever(stranger: Client) -> None:
    document = stranger.call("GET", "//").body.decode()
    (script,) = re.findall(r'src="/(assets/[^"]+\.js)"', document)
    packed = stranger.call("GET", f"//{script}", headers={"Accept-Encoding": "gzip"})
    plain = stranger.call("GET", f"//{script}", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert "immutable" in packed.headers["cache-control"]


@pytest.mark.parametrize("path", ["assets/gone-123.js", "assets/../../app.py", "api/v1/nowhere"])
def test_a_file_or_call_that_is_not_there_is_a_problem_not_a_page(
    stranger: Client, path: str
) -> None:
    answer = stranger.call("GET", f"//{path}")
    assert (answer.status, answer.json["code"]) == (404, "not-found")


def test_no_path_leads_out_of_the_folder_of_the_pages(stranger: Client) -> None:
    for path in ("//%2e%2e/app.py", "//..%2fapp.py", "//assets/%2e%2e/%2e%2e/app.py"):
        answer = stranger.call("GET", path)
        assert b"create_app" not in answer.body
