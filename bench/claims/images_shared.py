"""Images through the service: found again, built once for many, transferred as fast as a manual copy."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.numbers import median, seconds
from bench.processes import free_port, running
from bench.waiting import wait_for
from diamond.agent.site.bundle import build_bundle
from diamond.testing.lab.machine import ensure_users

sys.path.append(str(Path(__file__).parents[2] / "tests"))
TASKS, PEOPLE, ROUNDS, MEGABYTES = 20, 10, 3, 500
MOST_AGAIN, LEAST_SPEED = 1.0, 0.7


def measure(options: Options) -> Findings:
    from support.containers import busybox
    from support.image_machines import machine
    from support.service import running_service

    folder = options.folder
    folder.chmod(0o777)
    busybox(folder)
    found = Findings()
    with ExitStack() as stack:
        service = stack.enter_context(running_service(folder / "home"))
        alpha = stack.enter_context(machine(service, "alpha", "alice", folder))
        beta = stack.enter_context(machine(service, "beta", "bob", folder))
        _again(found, alpha, folder)
        _once_for_tasks(found, alpha, folder)
        _moved(found, alpha, beta, folder, options.samples(ROUNDS))
        _broken_off(found, alpha, beta, folder)
    _once_for_people(found, folder)
    return found


def _environment(folder: Path, *commands: str) -> dict[str, Any]:
    return {"base": f"rootfs:{folder / 'busybox.tar'}", "commands": list(commands)}


def _again(found: Findings, alpha: Any, folder: Path) -> None:
    environment = _environment(folder, "echo again")
    alpha.build("again", environment)
    spent = []
    for _ in range(10):
        began = time.perf_counter()
        alpha.build("again", environment)
        spent.append(time.perf_counter() - began)
    middle = median(spent)
    found.add("the same environment asked for again", seconds(spent), "< 1 s", middle < MOST_AGAIN)


def _once_for_tasks(found: Findings, alpha: Any, folder: Path) -> None:
    environment = _environment(folder, "sleep 2; echo once >/opt/once")
    before, had = len(_builds(alpha)), len(_files(alpha))
    with ThreadPoolExecutor(TASKS) as pool:
        tasks = list(pool.map(lambda _: alpha.run(environment, "cat /opt/once"), range(TASKS)))
    for task in tasks:
        alpha.ended(task["id"])
    builds, files = len(_builds(alpha)) - before, len(_files(alpha)) - had
    holds = (builds, files) == (1, 1)
    what = f"builds and files for {TASKS} tasks that ask at once"
    found.add(what, f"{builds}, {files}", "1, 1", holds)


def _builds(machine: Any) -> list[Any]:
    return list(machine.client.get("/tasks?kind=build&limit=500")["items"])


def _files(machine: Any) -> list[Path]:
    return list((machine.work / "images" / "store").glob("*.sqfs"))


def _moved(found: Findings, alpha: Any, beta: Any, folder: Path, rounds: int) -> None:
    """In turn, so that both see the same load; the first round of each is not counted."""
    ours, theirs = [], []
    with _sshd(folder) as copy:
        for number in range(rounds + 1):
            fill = f"dd if=/dev/urandom of=/opt/big bs=1M count={MEGABYTES}; echo {number}"
            image = alpha.build(f"big{number}", _environment(folder, fill))
            file = Path(image["copies"][0]["file"])
            theirs.append(_timed(partial(copy, file)))
            ours.append(_timed(partial(_move, beta, image["name"])))
            words = "round %d: scp %.2f s, transferred and verified %.2f s"
            print(words % (number, theirs[-1], ours[-1]), file=sys.stderr, flush=True)
            alpha.client.call("DELETE", f"/images/{image['id']}")
    ratio = median([one / other for one, other in zip(theirs[1:], ours[1:], strict=True)])
    found.add(f"scp of {MEGABYTES} MB on loopback", seconds(theirs[1:]))
    found.add("transferred through the service, verified", seconds(ours[1:]))
    what = "speed relative to scp, pair by pair"
    found.add(what, f"{ratio:.2f}", f">= {LEAST_SPEED}", ratio >= LEAST_SPEED)
    found.note(
        "scp does not verify; Diamond reads the whole file again on arrival and compares its digest"
    )


def _move(beta: Any, name: str) -> None:
    body = {"endpoint": "beta", "how": "move"}
    move = beta.client.post(f"/images/{name}/copies", body)["move"]
    assert beta.moved(move["id"], every=0.05)["state"] == "done"


def _broken_off(found: Findings, alpha: Any, beta: Any, folder: Path) -> None:
    """The destination's agent is killed with -9 while bytes arrive, and started again."""
    fill = f"dd if=/dev/urandom of=/opt/big bs=1M count={MEGABYTES}; echo broken off"
    image = alpha.build("broken", _environment(folder, fill))
    sha256 = image["copies"][0]["sha256"]
    part = beta.work / "images" / "arriving" / f"{sha256}.part"
    body = {"endpoint": "beta", "how": "move"}
    move = beta.client.post("/images/broken/copies", body)["move"]
    wait_for(lambda: part.exists() and part.stat().st_size > image["size"] // 4, within=60)
    beta.kill()
    there, inode = part.stat().st_size, part.stat().st_ino
    beta.start()
    state = beta.moved(move["id"])["state"]
    file = beta.work / "images" / "store" / f"{sha256}.sqfs"
    goes_on = state == "done" and file.stat().st_ino == inode
    words = f"{state}, from {there / 1e6:.0f} of {image['size'] / 1e6:.0f} MB on"
    found.add("an interrupted transfer", words, "resumes", goes_on)


def _timed(act: Any) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


@contextmanager
def _sshd(folder: Path) -> Iterator[Any]:
    """A daemon on loopback for this account, and a function that copies a file through it."""
    place, port = folder / "ssh", free_port()
    place.mkdir(mode=0o700)
    for name in ("host", "own"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / name)]
        subprocess.run(words, check=True)
    (place / "authorized").write_text((place / "own.pub").read_text())
    Path("/run/sshd").mkdir(exist_ok=True)
    options = [f"HostKey={place / 'host'}", f"AuthorizedKeysFile={place / 'authorized'}"]
    options += ["StrictModes=no", "UsePAM=no", "PermitRootLogin=yes", "ListenAddress=127.0.0.1"]
    options += ["Subsystem=sftp internal-sftp"]
    words = ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", str(port)]
    target = folder / "copied.bin"
    client = ["scp", "-q", "-P", str(port), "-i", str(place / "own")]
    client += ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]

    def copy(file: Path) -> None:
        subprocess.run([*client, str(file), f"root@127.0.0.1:{target}"], check=True)
        target.unlink()

    with running(
        [*words, *(f"-o{one}" for one in options)], env=os.environ, log=folder / "sshd.log"
    ):
        wait_for(lambda: _listens(port), within=30)
        yield copy


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _once_for_people(found: Findings, folder: Path) -> None:
    """Accounts of one Unix group start at the same moment, each with an agent's own builder."""
    from support.image_machines import as_user

    users = [f"diamond{number:02d}" for number in range(PEOPLE)]
    ensure_users(users)
    _ensure_group("diamond-lab", users)
    own = folder / "group"
    own.mkdir()
    own.chmod(0o777)
    build_bundle(own / "builder.pyz")
    shared = own / "shared"
    shared.mkdir()
    shutil.chown(shared, group="diamond-lab")
    shared.chmod(0o3770)
    builds = [_started(own, shared, user, as_user(user, {}), folder) for user in users]
    codes = [one.wait() for one in builds]
    told = [json.loads((own / user / "steps").read_text().splitlines()[-1]) for user in users]
    made = sum(not one["reused"] for one in told)
    files = len(list((shared / "store").glob("*.sqfs")))
    holds = (made, files) == (1, 1) and not any(codes)
    found.add(f"builds and files for {PEOPLE} people at once", f"{made}, {files}", "1, 1", holds)


def _started(
    own: Path, shared: Path, user: str, account: list[str], folder: Path
) -> subprocess.Popen[bytes]:
    place = own / user
    place.mkdir()
    place.chmod(0o777)
    told = {
        "version": 1,
        "name": f"a{user}",
        "work": str(place / "work"),
        "tmp": "/tmp",
        "uv": "",
        "build": {"environment": _environment(folder, "sleep 2; echo shared >/opt/shared")},
        "site": {"shared": str(shared)},
    }
    (place / "build.json").write_text(json.dumps(told))
    words = ["/usr/bin/python3", str(own / "builder.pyz"), "build", "run"]
    words += [str(place / "build.json"), "--steps", str(place / "steps")]
    with (place / "log").open("wb") as log:
        return subprocess.Popen([*account, *words], stdout=log, stderr=log, cwd="/")


def _ensure_group(name: str, users: list[str]) -> None:
    subprocess.run(["groupadd", "-f", name], check=True)
    for user in users:
        subprocess.run(["usermod", "-aG", name, user], check=True)


CLAIM = Claim(
    "images-shared", "images through the service: found, built once, transferred", measure
)
