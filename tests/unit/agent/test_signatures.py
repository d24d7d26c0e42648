"""Signed orders, with OpenSSH's own keys on both sides."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.folders import Folders
from diamond.agent.guard.policy import OWN_NAME, Policy
from diamond.agent.guard.signatures import UsedSignatures
from diamond.agent.tasks.cleaning import remove_task
from diamond.agent.tasks.folders import TaskFolders
from diamond.core.decoding import decode
from diamond.core.order import Image, Order, order_data
from diamond.core.protocol import Signature, TaskRequest
from diamond.sdk.signing_key import make_key, sign_order

ORDER = Order(name="x", command="python train.py")


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A person's machine with a fresh key; gives its public line."""
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "home"))
    return make_key()


def policy_of(tmp_path: Path, own: str, site: str = "") -> Policy:
    keep, file = tmp_path / "keep", tmp_path / "site.toml"
    keep.mkdir()
    (keep / OWN_NAME).write_text(own)
    if site:
        file.write_text(site)
        file.chmod(0o644)
    return Policy(keep, file)


def signed(order: Order, **changes: Any) -> dict[str, Any]:
    return {**sign_order(order_data(order)), **changes}


def task_request(
    order: Order, signature: dict[str, Any] | None, continues: str = ""
) -> TaskRequest:
    return TaskRequest(order, continues, decode(Signature, signature) if signature else None)


def test_what_a_listed_key_signed_is_taken_and_nothing_else(tmp_path: Path, signer: str) -> None:
    policy = policy_of(tmp_path, f'require_signed = true\nsigners = ["{signer}"]')
    good = signed(ORDER)
    assert policy.rejection(task_request(ORDER, good), "") == ""
    other = replace(ORDER, command="python train.py; curl evil.example")
    assert "listed key" in policy.rejection(task_request(other, good), "")
    assert "listed key" in policy.rejection(
        task_request(ORDER, {**good, "until": good["until"] + 1}), ""
    )
    assert "listed key" in policy.rejection(
        task_request(ORDER, {**good, "signature": "nonsense"}), ""
    )
    assert "no signature" in policy.rejection(task_request(ORDER, None), "")
    assert "version" in policy.rejection(task_request(ORDER, {**good, "version": 1}), "")
    assert "listed key" in policy.rejection(task_request(ORDER, good, continues="t7"), "")


def test_a_signature_is_good_for_one_task_also_after_its_folder_was_removed(
    tmp_path: Path, signer: str
) -> None:
    folders = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    folders.make()
    tasks = TaskFolders(folders)
    once, again = signed(ORDER), signed(ORDER)
    used = UsedSignatures(tmp_path, tasks.root)
    assert used.fault(task_request(ORDER, once), "t1", 1) == ""
    tasks.record("t1", "a1", 1, {"order": order_data(ORDER), "signature": once})
    died_here = UsedSignatures(tmp_path, tasks.root)
    assert "used before" in died_here.fault(task_request(ORDER, once), "t2", 1)
    used.add(task_request(ORDER, once), "t1")
    spaced = {**once, "signature": once["signature"] + "\n"}
    assert "used before" in used.fault(task_request(ORDER, spaced), "t2", 1)
    assert used.fault(task_request(ORDER, once), "t1", 2) == ""
    assert "attempts were signed" in used.fault(
        task_request(ORDER, once), "t1", ORDER.resume.max_attempts + 1
    )
    remove_task(tasks, "t1")
    assert "used before" in UsedSignatures(tmp_path, tasks.root).fault(
        task_request(ORDER, once), "t1", 1
    )
    assert used.fault(task_request(ORDER, again), "t2", 1) == ""


def test_an_old_signature_and_a_key_that_is_not_listed_count_for_nothing(
    tmp_path: Path, signer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_of(tmp_path, f'require_signed = true\nsigners = ["{signer}"]')
    assert "expired" in policy.rejection(
        task_request(ORDER, signed(ORDER, until=time.time() - 1)), ""
    )
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "thief"))
    assert make_key() != signer
    assert "listed key" in policy.rejection(task_request(ORDER, signed(ORDER)), "")


def test_the_person_adds_no_key_to_a_site_that_lists_its_own(tmp_path: Path, signer: str) -> None:
    policy = policy_of(
        tmp_path, f'signers = ["{signer}"]', site="require_signed = true\nsigners = []"
    )
    assert "no key is listed" in policy.rejection(task_request(ORDER, signed(ORDER)), "")
    assert policy.require_signed


def test_a_signature_covers_the_image_its_variables_and_its_path(
    tmp_path: Path, signer: str
) -> None:
    """A record that a service makes up can change none of them."""
    policy = policy_of(tmp_path, f'require_signed = true\nsigners = ["{signer}"]')
    image = Image(identity="sha256:" + "1" * 64, sha256="a" * 64, format="squashfs")
    order = replace(ORDER, image=image)
    good = signed(order)
    assert policy.rejection(task_request(order, good), "") == ""
    for sly in (
        replace(image, sha256="b" * 64),
        replace(image, sha256=""),
        replace(image, variables={"LD_PRELOAD": "/tmp/x.so"}),
        replace(image, path=["/tmp"]),
        replace(image, format="venv"),
    ):
        assert "listed key" in policy.rejection(task_request(replace(order, image=sly), good), "")
