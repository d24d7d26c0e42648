"""A service that was taken over: it speaks the sync protocol and lies. docs/security.md names each of these."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.guard.policy import OWN_NAME
from diamond.core.ids import new_id
from diamond.core.order import order_from
from diamond.sdk.signing_key import make_key, sign_order
from support.agents import AgentProcess
from support.image_scene import image_of, record_of
from support.sync_service import SyncService, eventually

IDENTITY = "sha256:" + "7" * 64
GOOD, EVIL = b"the image that was built", b"other bytes"


def write_policy(endpoint: AgentProcess, text: str) -> None:
    (endpoint.keep / OWN_NAME).write_text(text)


def fetched(liar: SyncService, content: bytes, **more: Any) -> dict[str, Any]:
    """Have the agent fetch a file, with a record of the service's own making."""
    sha256 = hashlib.sha256(content).hexdigest()
    liar.image_files[sha256] = content
    told = {"identity": IDENTITY, "sha256": sha256, "size": len(content), **more}
    record = record_of(1, **told)
    move = new_id("m")
    liar.send("image", act="fetch", move=move, record=record)
    eventually(
        lambda: [one for one in liar.moves if one["move"] == move and one["state"] == "done"]
    )
    return record


def snapshot(liar: SyncService, **files: str) -> str:
    entries = [
        {"path": name.replace("__", "."), "mode": "644", "size": len(text)}
        | {"sha256": liar.put_blob(text.encode())}
        for name, text in files.items()
    ]
    manifest = json.dumps({"version": 1, "files": entries}).encode()
    return f"sha256:{liar.put_blob(manifest)}"


def named(folder: Path, start: str) -> list[str]:
    """Files below a folder whose names begin so."""
    return [one for _, _, names in os.walk(folder) for one in names if one.startswith(start)]


def done(liar: SyncService, command: str) -> None:
    """Until the agent has acted on a command or turned it away."""
    eventually(lambda: all(one["id"] != command for one in liar.commands))


def outcome(endpoint: AgentProcess, liar: SyncService, order: dict[str, Any], **more: Any) -> str:
    """Why a task failed; '' if it succeeded."""
    task = liar.submit(order, **more)
    ended = liar.until(task.id, "succeeded", "failed")
    return ended.message if ended.state.value == "failed" else ""


# Paths (A4)


def test_deleting_an_image_removes_no_folder_outside_the_store(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path
) -> None:
    """A record that came with the code names any folder; a climbing identity leads to it. Under any policy."""
    write_policy(endpoint, 'commands = ["true"]')
    victim = tmp_path / "thesis"
    victim.mkdir()
    (victim / "chapter1").write_text("years of work")
    endpoint.start()
    task = new_id("t")[:6]
    place = endpoint.work / "tasks" / task / "run"
    record = record_of(1, format="venv", file=str(victim), size=1)
    code = snapshot(
        liar,
        p__venv__json=json.dumps({"record": str(place / "r.json")}),
        r__json=json.dumps(record),
    )
    liar.submit({"command": "true", "code": {"snapshot": code}}, task=task)
    liar.until(task, "succeeded")
    assert (place / "p.venv.json").exists()
    for identity, form in ((f"../../tasks/{task}/run/p", "venv"), ("x", f"/../{task}")):
        assert len(identity) <= 24
        told = {"sha256": "0" * 64, "identity": identity, "format": form}
        done(liar, liar.send("image", act="delete", **told))
    liar.until(liar.submit({"command": "true"}).id, "succeeded")
    assert (victim / "chapter1").read_text() == "years of work"


@pytest.mark.parametrize("identity", ["../../../outside", "/outside", "sha256:../../../outside"])
def test_fetching_an_image_writes_no_file_outside_the_store(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path, identity: str
) -> None:
    endpoint.start()
    sha256 = hashlib.sha256(EVIL).hexdigest()
    liar.image_files[sha256] = EVIL
    record = record_of(1, identity=identity, sha256=sha256, size=len(EVIL))
    done(liar, liar.send("image", act="fetch", move=new_id("m"), record=record))
    liar.until(liar.submit({"command": "true"}).id, "succeeded")
    assert not named(tmp_path, "outside")


@pytest.mark.parametrize(
    "order",
    [
        {"command": "true", "data": {"../../../../../escaped": "/etc"}},
        {"command": "true", "secrets": ["../generation"]},
        {"command": "true", "name": "two\nlines"},
        {"command": "true", "image": {"identity": "../../../x", "format": "venv"}},
        {"command": "true", "placement": {"options": {"qos": "x\ntouch escaped"}}},
    ],
)
def test_a_name_that_leads_elsewhere_makes_the_order_unreadable(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path, order: dict[str, Any]
) -> None:
    endpoint.start()
    assert "cannot read this order" in outcome(endpoint, liar, order)
    assert not named(tmp_path, "escaped")


# Commands (A2)


@pytest.mark.parametrize(
    "more",
    [
        {"argv": ["touch", "{owned}"]},
        {"environment": {"variables": {"BASH_ENV": "$(touch {owned})"}}},
        {"environment": {"variables": {"PATH": "{folder}"}}},
        {"environment": {"variables": {"LD_PRELOAD": "{folder}/x.so"}}},
        {"environment": {"requirements": ["evil @ file://{folder}"]}},
        {"image": {"identity": IDENTITY, "sha256": "7" * 64, "format": "squashfs"}},
        {"build": {"environment": {"commands": ["touch {owned}"]}}},
    ],
)
def test_a_listed_command_is_all_that_runs(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path, more: dict[str, Any]
) -> None:
    write_policy(endpoint, 'commands = ["true", ""]')
    owned = tmp_path / "owned"
    text = json.dumps(more).replace("{owned}", str(owned)).replace("{folder}", str(tmp_path))
    endpoint.start()
    assert outcome(endpoint, liar, {"command": "true", **json.loads(text)})
    assert outcome(endpoint, liar, {"command": "true"}) == ""
    assert not owned.exists()


def test_a_listed_variable_is_allowed(endpoint: AgentProcess, liar: SyncService) -> None:
    write_policy(endpoint, 'commands = ["true"]\nvariables = ["OMP_NUM_THREADS"]')
    endpoint.start()
    variables = {"variables": {"OMP_NUM_THREADS": "2"}}
    assert outcome(endpoint, liar, {"command": "true", "environment": variables}) == ""


# Variables (A1)

SLY = {
    "BASH_ENV": "$(touch {owned})",
    "ENV": "$(touch {owned})",
    "PS4": "$(touch {owned})",
    "PROMPT_COMMAND": "touch {owned}",
    "SHELLOPTS": "xtrace",
    "IFS": "/",
    "GREETING": "hello",
}


@pytest.mark.parametrize("launch", [{}, {"kind": "per-rank"}], ids=["single", "ranks"])
def test_a_variable_of_a_spec_reaches_its_program_and_no_shell_of_ours(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path, launch: dict[str, Any]
) -> None:
    owned = tmp_path / "owned"
    sly = {name: value.replace("{owned}", str(owned)) for name, value in SLY.items()}
    endpoint.start()
    order: dict[str, Any] = {"argv": ["printenv", *SLY], "environment": {"variables": sly}}
    if launch:
        order |= {"launch": launch, "resources": {"tasks_per_node": 2}}
    task = liar.submit(order)
    liar.until(task.id, "succeeded")
    eventually(lambda: "hello\n" in liar.text(task.id))
    assert not owned.exists()
    for value in sly.values():
        assert value in liar.text(task.id)


def test_a_record_of_the_service_sets_nothing_outside_the_container(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path
) -> None:
    owned = tmp_path / "owned"
    sly = {name: value.replace("{owned}", str(owned)) for name, value in SLY.items()}
    endpoint.start()
    record = fetched(liar, GOOD, variables=sly, path=[str(tmp_path)])
    assert outcome(endpoint, liar, {"argv": ["true"], "image": image_of(record)}) == ""
    assert (tmp_path / "entered").read_text() == f"{GOOD.decode()}|\n"
    plain = {**image_of(record), "variables": {}, "path": []}
    task = liar.submit({"argv": ["printenv", "PATH"], "image": plain})
    liar.until(task.id, "succeeded")
    eventually(lambda: "/usr/bin" in liar.text(task.id))
    assert str(tmp_path) + ":" not in liar.text(task.id).replace(str(tmp_path / "bin"), "")
    assert not owned.exists()


# Images and signatures (A1, A3)


def test_an_order_enters_the_file_that_it_names_or_none(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path
) -> None:
    """Never another one that claims the same recipe, and never the first that is there."""
    endpoint.start()
    evil, good = fetched(liar, EVIL), hashlib.sha256(GOOD).hexdigest()
    assert evil["identity"] == IDENTITY
    for image in (
        {"identity": IDENTITY, "sha256": good, "format": "squashfs"},
        {"identity": IDENTITY, "format": "squashfs"},
        {"identity": IDENTITY},
        {"identity": IDENTITY, "sha256": good, "format": "venv"},
    ):
        assert outcome(endpoint, liar, {"command": "true", "image": image})
    assert not (tmp_path / "entered").exists()


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "laptop"))
    return make_key()


def signed(order: dict[str, Any]) -> dict[str, Any]:
    return sign_order({"name": "a-test", **order})


def test_a_signed_image_is_not_replaced_by_another_of_its_recipe(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path, signer: str
) -> None:
    write_policy(endpoint, f'require_signed = true\nsigners = ["{signer}"]')
    endpoint.start()
    good = fetched(liar, GOOD)
    order = {"command": "true", "image": image_of(good)}
    assert outcome(endpoint, liar, order, signature=signed(order)) == ""
    told = {"sha256": good["sha256"], "identity": IDENTITY, "format": "squashfs"}
    done(liar, liar.send("image", act="delete", **told))
    fetched(liar, EVIL)
    assert "not on this machine" in outcome(endpoint, liar, order, signature=signed(order))
    assert (tmp_path / "entered").read_text() == f"{GOOD.decode()}|\n"


def test_a_signature_covers_what_is_beside_the_order(
    endpoint: AgentProcess, liar: SyncService, signer: str
) -> None:
    write_policy(endpoint, f'require_signed = true\nsigners = ["{signer}"]')
    endpoint.start()
    first = {"command": "touch mine"}
    before = liar.submit(first, signature=signed(first))
    liar.until(before.id, "succeeded")
    order = {"command": "ls"}
    words = outcome(endpoint, liar, order, signature=signed(order), continues=before.id)
    assert "signature" in words
    assert (endpoint.work / "tasks" / before.id / "run" / "mine").exists()
    old = {**signed(order), "version": 1}
    assert "version 1" in outcome(endpoint, liar, order, signature=old)
    assert order_from({"name": "a-test", **order}).digest == old["digest"]


def test_a_listed_image_is_its_bytes(
    endpoint: AgentProcess, liar: SyncService, tmp_path: Path
) -> None:
    good = hashlib.sha256(GOOD).hexdigest()
    write_policy(endpoint, f'images = ["{good}"]')
    endpoint.start()
    fetched(liar, EVIL)
    image = {"identity": IDENTITY, "sha256": good, "format": "squashfs"}
    assert "not on this machine" in outcome(endpoint, liar, {"command": "true", "image": image})
    assert not (tmp_path / "entered").exists()


# What leaves (A14)


def test_with_states_alone_nothing_of_an_image_leaves_but_that_it_is_there(
    endpoint: AgentProcess, liar: SyncService
) -> None:
    """In the answer to a transfer, in the list of images, in the message of a transfer that fails."""
    write_policy(endpoint, 'egress = "states"')
    endpoint.start()
    record = fetched(liar, GOOD)
    failing = new_id("m")
    liar.send("image", act="pull", move=failing, reference="no-such-thing://private-77/x:1")
    liar.send("image", act="delete", sha256="9" * 64, format="squashfs", identity=IDENTITY)
    eventually(lambda: [one for one in liar.moves if one["move"] == failing])
    eventually(lambda: liar.images)
    [reported] = [one["record"] for one in liar.moves if one.get("record")]
    public = {"identity", "sha256", "format", "platform", "size", "runtime"}
    for told in (reported, *liar.images):
        assert told["sha256"] == record["sha256"] and told["file"] == ""
        assert set(told) == public | {"file", "arrived", "version"}
    [ended] = [one for one in liar.moves if one["move"] == failing]
    assert (ended["state"], ended["message"]) == (
        "failed",
        "the message stays on the machine, as its policy requires",
    )
