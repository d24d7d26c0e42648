"""schemathesis makes calls from the API's own description, and bad ones beside it: no fault of ours, nothing undeclared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from support.scene import new_scene
from support.service import RunningService

LEFT_OUT = {"/api/v1/events", "/api/v1/blobs", "/api/v1/records/imports"}
"""A stream has no end to wait for, and no tar or zip is made from a schema; they have tests of their own."""
EVERY = 7
"""The fast set makes one call of so many; `make test-all` makes all, also with bad input."""


@pytest.fixture(scope="module")
def service(first_sqlite: RunningService) -> RunningService:
    new_scene(first_sqlite)
    return first_sqlite


def operations(service: RunningService) -> Iterator[Any]:
    schema = schemathesis.openapi.from_url(
        f"{service.url}/api/v1/openapi.json", headers=_headers(service)
    )
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if operation.path not in LEFT_OUT:
            yield operation


def _headers(service: RunningService) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.token}"}


def _try(operation: Any, service: RunningService, mode: GenerationMode, examples: int) -> None:
    wanted = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
    load_all_checks()
    checks = CHECKS.get_by_names(list(wanted))

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def one(case: Any) -> None:
        answer = case.call(base_url=service.url, headers=_headers(service), timeout=60)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        case.validate_response(answer, checks=checks)

    one()


@pytest.mark.slow
def test_some_calls_are_answered_as_described(service: RunningService) -> None:
    for operation in list(operations(service))[::EVERY]:
        _try(operation, service, GenerationMode.POSITIVE, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_all_calls_are_answered_as_described(service: RunningService) -> None:
    faults = []
    for operation in operations(service):
        for mode in GenerationMode:
            try:
                _try(operation, service, mode, 15)
            except Unsatisfiable:
                continue  # there is no bad input to a call that takes none
            except (Exception, BaseExceptionGroup) as error:
                faults.append(f"{operation.label} ({mode}): {error}")
    assert not faults, "\n\n".join(faults)
