"""Into a registry on loopback and out of it again, as the same file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.containers import skip_without
from support.image_machines import Machine
from support.registry import Registry, running_registry


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with running_registry(tmp_path) as found:
        yield found


def test_an_image_is_pushed_and_pulled_as_the_same_file(
    alpha: Machine, beta: Machine, folder: Path, registry: Registry
) -> None:
    environment: dict[str, Any] = {
        "base": f"rootfs:{folder / 'busybox.tar'}",
        "commands": ["echo from a registry >/opt/made"],
    }
    image = alpha.build("pushed", environment)
    reference = f"{registry.host}/lab/pushed:1"
    push = alpha.client.post("/images/pushed/push", {"reference": reference})
    assert alpha.moved(push["id"])["state"] == "done"

    body = {"reference": f"oras://{reference}", "endpoint": "beta", "name": "pulled"}
    pull = beta.client.post("/images/pull", body)["move"]
    done = beta.moved(pull["id"])
    assert done["state"] == "done", done
    found = beta.client.get("/images/pulled")
    assert found["identity"] == image["identity"]
    assert len({one["sha256"] for one in found["copies"]}) == 1
    assert {one["endpoint"] for one in found["copies"]} == {"alpha", "beta"}
    assert "base" in found["environment"]

    task = beta.run("pulled", "cat /opt/made")
    beta.ended(task["id"])
    assert "from a registry" in beta.output(task["id"])


def test_a_registry_that_says_no_is_heard(alpha: Machine, registry: Registry) -> None:
    body = {"reference": f"oras://{registry.host}/lab/nothing:1", "endpoint": "alpha"}
    pull = alpha.client.post("/images/pull", body)["move"]
    ended = alpha.moved(pull["id"])
    assert ended["state"] == "failed"
    assert "could not be pulled" in ended["message"]


@pytest.mark.slow
def test_an_archive_is_pushed_as_an_oci_image_that_others_build_on(
    alpha: Machine, beta: Machine, folder: Path, registry: Registry
) -> None:
    skip_without("podman")
    environment: dict[str, Any] = {
        "base": f"rootfs:{folder / 'busybox.tar'}",
        "commands": ["echo from an archive >/opt/made"],
        "variables": {"SEASON": "winter"},
        "runtime": "podman",
    }
    image = alpha.build("archived", environment)
    assert [one["format"] for one in image["copies"]] == ["docker-archive"]
    reference = f"{registry.host}/lab/archived:1"
    push = alpha.client.post("/images/archived/push", {"reference": reference})
    pushed = alpha.moved(push["id"])
    assert pushed["state"] == "done", pushed

    body = {"reference": f"docker://{reference}", "endpoint": "beta", "name": "from-archive"}
    build = beta.client.post("/images/pull", body)["build"]["task"]["id"]
    beta.ended(build)
    task = beta.run("from-archive", "cat /opt/made; echo $SEASON")
    beta.ended(task["id"])
    assert beta.output(task["id"]).split("\n")[:2] == ["from an archive", "winter"]
