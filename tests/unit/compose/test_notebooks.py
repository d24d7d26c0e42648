"""A job runs a command or a notebook; which of them is missing is said where it was begun."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose.faults import Faults
from diamond.compose.notebooks import check_what_runs
from diamond.compose.spec import Spec


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"notebook": ""}, "notebook"),
        ({}, "run"),
        ({"run": "true", "notebook": "a.ipynb"}, "notebook"),
        ({"notebook": "../a.ipynb"}, "notebook"),
        ({"notebook": "a.py"}, "notebook"),
    ],
)
def test_a_fault_stands_at_the_field_that_was_begun(raw: dict[str, Any], field: str) -> None:
    faults = Faults()
    check_what_runs(Spec.model_validate(raw), faults)
    assert [item["field"] for item in faults.items] == [field]


def test_a_notebook_in_the_code_needs_no_command() -> None:
    faults = Faults()
    check_what_runs(Spec.model_validate({"notebook": "deep/a.ipynb"}), faults)
    assert not faults.items
