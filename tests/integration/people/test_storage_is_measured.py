"""Limits of storage are held against what really lies on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.stack import Stack, running_stack
from support.waiting import wait_for

MEGABYTE = 1 << 20
FILLS = f"head -c {8 * MEGABYTE} /dev/zero >results.bin\n"


@pytest.fixture
def stack(slurm_lab: Lab, tmp_path: Path) -> Iterator[Stack]:
    with running_stack(slurm_lab.cluster("alpha"), tmp_path / "stack") as made:
        yield made


@pytest.mark.slow
def test_a_limit_of_storage_counts_what_lies_on_the_machine_as_soon_as_it_is_set(
    stack: Stack,
) -> None:
    task = stack.submit(FILLS)
    stack.until(task, "succeeded")
    assert used(stack) == 0
    stack.client.call("PUT", "/users/local/limits", {"storage_bytes": MEGABYTE})
    wait_for(lambda: used(stack) > 8 * MEGABYTE, what="a measured size")
    spec = {"name": "more", "run": "true", "on": stack.name}
    refused = stack.client.call("POST", "/jobs", {"spec": spec})
    assert (refused.json["code"], "storage" in refused.json["title"]) == ("over-limit", True)
    stack.client.post(f"/endpoints/{stack.name}/clean", {"tasks": [task], "dry_run": False})
    wait_for(lambda: not stack.run_dir(task).exists(), what="a removed run directory")
    wait_for(lambda: used(stack) == 0, what="room")
    assert stack.client.call("POST", "/jobs", {"spec": spec}).status == 201


def used(stack: Stack) -> int:
    return int(stack.client.get("/me/usage")["use"]["storage_bytes"])
