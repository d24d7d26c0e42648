"""Endpoints with real agents, each under its own Unix account, that build and run images."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.agent.site.bundle import build_bundle
from diamond.testing.lab.machine import ensure_users
from support.containers import CONTAINERS_CONF, shared_uv
from support.http import Client
from support.service import RunningService
from support.waiting import wait_for

FINAL = ("succeeded", "failed", "cancelled")


@dataclass
class Machine:
    """One endpoint: an account, its folder, and the one-file agent as on a cluster."""

    service: RunningService
    name: str
    user: str
    folder: Path
    scheduler: str = "local"
    variables: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    key: str = ""
    address: str = ""
    """Where its agent reaches the service, if not by the service's own address."""

    @property
    def client(self) -> Client:
        return self.service.client

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def join(self) -> None:
        """Register as an endpoint, and start."""
        added = self.client.post("/endpoints", {"name": self.name, "carrier": "local"})
        self.key = added["key"]
        build_bundle(self.folder / "agent.pyz")
        (self.folder / "key").write_text(self.key)
        (self.folder / "containers.conf").write_text(CONTAINERS_CONF)
        shared_uv(self.folder)
        self.start()

    def start(self) -> None:
        words = as_user(self.user, {**self._variables(), **self.variables})
        agent = [
            "/usr/bin/python3",
            str(self.folder / "agent.pyz"),
            "run",
            "--url",
            self.address or self.service.url,
        ]
        agent += ["--key-file", str(self.folder / "key"), "--scheduler", self.scheduler]
        with (self.folder / "agent.out").open("ab") as log:
            self.process = subprocess.Popen(
                [*words, *agent], stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        wait_for(self._is_ready, what=f"the agent of {self.name}")

    def kill(self) -> None:
        """Like `kill -9`."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def correct(self, **facts: Any) -> None:
        """Set facts of the site profile by hand."""
        answer = self.client.call("PATCH", f"/endpoints/{self.name}", {"corrections": facts})
        assert answer.status == 200, answer.body

    def build(self, name: str, environment: Mapping[str, Any], **more: Any) -> Any:
        """The image, once it is built here."""
        body = {"name": name, "environment": environment, "endpoint": self.name, **more}
        answer = self.client.post("/images/builds", body)
        if answer["image"]:
            return answer["image"]
        self.ended(answer["build"]["task"]["id"])
        return wait_for(lambda: self._image(name), what=f"the image {name}")

    def run(self, environment: Any, command: str, **more: Any) -> Any:
        spec = {"name": "inside", "run": command, "environment": environment, "on": self.name}
        return self.client.post("/jobs", {"spec": {**spec, **more}})["tasks"][0]

    def ended(self, task: str) -> Any:
        """Wait for the task to succeed."""
        found = wait_for(lambda: self.final(task), what=f"the end of {task}")
        assert found["state"] == "succeeded", (found["message"], self.log())
        return found

    def moved(self, move: str, every: float = 0.05) -> Any:
        """Wait for a transfer to end, successfully or not."""

        def look() -> Any:
            found = self.client.get(f"/images/moves/{move}")
            return found if found["state"] in ("done", "failed") else None

        return wait_for(look, what="the move", every=every)

    def output(self, task: str) -> str:
        """Everything a task printed, once the service has all of it."""

        def read() -> str:
            answer = self.client.call("GET", f"/tasks/{task}/logs/stdout")
            return answer.body.decode() if answer.status == 200 else ""

        return wait_for(read, what=f"output of {task}")

    def log(self) -> str:
        return (self.folder / "agent.out").read_text(errors="replace")[-3000:]

    def _is_ready(self) -> bool:
        """Online, with a known site profile."""
        found = self.client.get(f"/endpoints/{self.name}")
        return found["state"] == "online" and "builders" in found["profile"]["facts"]

    def _image(self, name: str) -> Any:
        answer = self.client.call("GET", f"/images/{name}")
        return answer.json if answer.status == 200 else None

    def final(self, task: str) -> Any:
        found = self.client.get(f"/tasks/{task}")
        return found if found["state"] in FINAL else None

    def _variables(self) -> dict[str, str]:
        return {
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "DIAMOND_UV": str(self.folder / "uv"),
            "DIAMOND_KEEP": str(self.folder / "keep"),
            "DIAMOND_WORK": str(self.work),
            "DIAMOND_TMP": "/tmp",
        }


def as_user(user: str, variables: Mapping[str, str]) -> list[str]:
    """The command that starts a program as an account with a clean environment."""
    own = {
        "HOME": f"/home/{user}",
        "USER": user,
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        **variables,
    }
    words = ["runuser", "-u", user, "--", "env", "-i"]
    return [*words, *(f"{name}={value}" for name, value in own.items())]


@contextmanager
def machine(
    service: RunningService, name: str, user: str, folder: Path, **more: Any
) -> Iterator[Machine]:
    """`folder` must be open to every account."""
    ensure_users([user])
    own = folder / name
    own.mkdir()
    own.chmod(0o777)
    made = Machine(service, name, user, own, **more)
    try:
        made.join()
        yield made
    finally:
        made.kill()
        words = ["unshare", "--map-root-user", "--map-auto", "rm", "-rf", str(made.work)]
        subprocess.run([*as_user(user, {}), *words], check=False, capture_output=True)
