from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from diamond.service.access.rules import RULES
from diamond.service.openapi import openapi_text
from diamond.service.platform.http.routing import PREFIX

COMMITTED = Path(__file__).parents[2] / "web" / "openapi.json"


def test_the_committed_description_is_the_app_s_own() -> None:
    again = "rewrite it: python -m diamond.service.openapi web/openapi.json"
    assert COMMITTED.read_text() == openapi_text(), again


def test_every_call_declares_its_errors_as_problems() -> None:
    for path, method, call in _calls():
        failures = {code: one for code, one in call["responses"].items() if code >= "400"}
        assert {"400", "401", "403", "422", "500"} <= set(failures), (method, path)
        for code, one in failures.items():
            assert list(one["content"]) == ["application/problem+json"], (method, path, code)


def test_a_call_that_acts_once_declares_that_a_key_may_be_taken() -> None:
    for path, method, call in _calls():
        if any(one["name"] == "Idempotency-Key" for one in call.get("parameters", [])):
            assert "409" in call["responses"], (method, path)


def test_every_call_has_a_stated_rule_and_every_rule_a_call() -> None:
    calls = {f"{method.upper()} {path.removeprefix(PREFIX)}" for path, method, _ in _calls()}
    assert calls == set(RULES), "say in service/access/rules.py who may make the call"


def _calls() -> list[tuple[str, str, dict[str, Any]]]:
    paths = json.loads(openapi_text())["paths"]
    return [(path, method, call) for path, one in paths.items() for method, call in one.items()]
