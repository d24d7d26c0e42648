"""One image, built by alice on one endpoint, used by bob's account on another."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from diamond.images.travel import QUEUE_SECONDS, SLOWER_ELSEWHERE
from support.image_machines import Machine
from support.waiting import wait_for


def environment(folder: Path, *commands: str) -> dict[str, Any]:
    return {"base": f"rootfs:{folder / 'busybox.tar'}", "commands": list(commands)}


def test_an_image_is_used_on_another_endpoint_as_another_account(
    alpha: Machine, beta: Machine, folder: Path
) -> None:
    image = alpha.build("greeter", environment(folder, "echo made on alpha >/opt/made"))
    task = beta.run("greeter", "cat /opt/made; id -un")
    assert task["awaits"].startswith("m") and "moved" in task["message"]
    beta.ended(task["id"])
    assert "made on alpha" in beta.output(task["id"])

    found = beta.client.get("/images/greeter")
    copies = {one["endpoint"]: one for one in found["copies"]}
    assert copies["alpha"]["sha256"] == copies["beta"]["sha256"]
    assert copies["beta"]["file"].startswith(str(beta.work))
    assert (found["id"], found["uses"]) == (image["id"], 1)
    again = beta.client.post("/images/greeter/copies", {"endpoint": "beta"})
    assert again["how"] == "here"


def test_a_transfer_that_was_broken_off_goes_on_where_it_stopped(
    alpha: Machine, beta: Machine, folder: Path
) -> None:
    image = alpha.build("half", environment(folder, "echo half >/opt/half"))
    copy = image["copies"][0]
    part = _arriving(beta, copy["sha256"])
    part.write_bytes(Path(copy["file"]).read_bytes()[:100_000])
    _give(part, beta.user)
    inode = part.stat().st_ino
    move = beta.client.post("/images/half/copies", {"endpoint": "beta", "how": "move"})["move"]
    assert beta.moved(move["id"])["state"] == "done"
    arrived = beta.work / "images" / "store" / f"{copy['sha256']}.sqfs"
    assert arrived.stat().st_ino == inode


@pytest.mark.slow
def test_the_way_is_foretold_from_what_moves_and_builds_really_took(
    alpha: Machine, beta: Machine, folder: Path
) -> None:
    """Built a second time from the cache, an image still counts as much as all of its steps took."""
    fill = "dd if=/dev/urandom of=/opt/big bs=1M count=24; sleep 10"
    alpha.build("weighty", environment(folder, fill))
    alpha.build("weighty", environment(folder, fill, "echo more >/opt/more"))
    asked = {"endpoint": "beta", "how": "auto"}
    answer = beta.client.post("/images/weighty/copies", asked)
    assert answer["how"] == "move", answer
    told = re.search(r"moved: 2\d\.\d MB, about \d+ s; .*takes about (\d+) s", answer["words"])
    assert told and int(told[1]) >= QUEUE_SECONDS + 10 * SLOWER_ELSEWHERE, answer["words"]
    assert beta.moved(answer["move"]["id"])["state"] == "done"


@pytest.mark.slow
def test_a_move_that_is_called_off_leaves_nothing_behind(
    alpha: Machine, beta: Machine, folder: Path
) -> None:
    image = alpha.build("unwanted", environment(folder, "echo unwanted >/opt/unwanted"))
    copy = image["copies"][0]
    part = _arriving(beta, copy["sha256"])
    part.write_bytes(Path(copy["file"]).read_bytes()[:1000])
    _give(part, beta.user)
    alpha.kill()
    try:
        body = {"endpoint": "beta", "how": "move"}
        move = beta.client.post("/images/unwanted/copies", body)["move"]["id"]
        intents = beta.work / "images" / "moves"
        wait_for(lambda: list(intents.glob(f"{move}*")), what="the agent to take it")
        assert beta.client.post(f"/images/moves/{move}/cancel")["state"] == "cancelled"
        wait_for(lambda: not part.exists(), what="the part to be removed")
        assert not list(intents.glob(f"{move}*"))
    finally:
        alpha.start()


def test_a_file_that_is_not_what_its_digest_says_is_refused(
    alpha: Machine, beta: Machine, folder: Path
) -> None:
    image = alpha.build("bad", environment(folder, "echo bad >/opt/bad"))
    part = _arriving(beta, image["copies"][0]["sha256"])
    part.write_bytes(b"tampered with")
    _give(part, beta.user)
    task = beta.run("bad", "true")
    assert beta.moved(task["awaits"])["state"] == "failed"
    ended = wait_for(lambda: beta.final(task["id"]), what="the task's end")
    assert (ended["state"], ended["reason"]) == ("failed", "environment")
    assert "changed on its way" in ended["message"]

    again = beta.client.post(f"/tasks/{task['id']}/retry")
    beta.ended(again["id"])


def _arriving(machine: Machine, sha256: str) -> Path:
    """Where the file comes in; what is there already is taken for an earlier try."""
    folder = machine.work / "images" / "arriving"
    if not folder.exists():
        folder.mkdir(parents=True)
        _give(folder, machine.user)
    return folder / f"{sha256}.part"


def _give(path: Path, user: str) -> None:
    shutil.chown(path, user)
