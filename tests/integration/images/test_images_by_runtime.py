"""Every container runtime through the service: chosen by the environment or by the site's profile, and called off."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab.machine import ensure_users
from support.containers import skip_without
from support.docker import PREFIX, docker_daemon
from support.image_machines import Machine, machine
from support.service import RunningService
from support.waiting import wait_for

pytestmark = pytest.mark.slow
DOCKER = PREFIX / "bin"
RUNTIMES = {"podman": "podman run", "charliecloud": "ch-run", "apptainer": "apptainer exec"}


@pytest.fixture(params=sorted(RUNTIMES))
def runtime(request: pytest.FixtureRequest) -> str:
    skip_without(request.param)
    return str(request.param)


@pytest.fixture
def preferring(alpha: Machine, runtime: str) -> Iterator[Machine]:
    """alpha, whose site prefers this runtime."""
    alpha.correct(build={"runtime": runtime, "run_with": runtime})
    yield alpha
    alpha.correct(build=None)


def environment(folder: Path, text: str, **more: Any) -> dict[str, Any]:
    commands = [f"echo {text} >/opt/made"]
    return {"base": f"rootfs:{folder / 'busybox.tar'}", "commands": commands, **more}


def test_an_environment_names_its_runtime(alpha: Machine, folder: Path, runtime: str) -> None:
    given = environment(folder, "named", runtime=runtime, variables={"SEASON": "it's winter"})
    task = alpha.run(given, 'cat /opt/made; echo "$SEASON"; id -u; touch here')
    build = alpha.client.get(f"/images/builds/{task['awaits']}")
    assert (build["runtime"], build["task"]["kind"]) == (runtime, "build")
    alpha.ended(task["id"])
    assert alpha.output(task["id"]).split("\n")[:3] == ["named", "it's winter", _uid(alpha.user)]
    assert _found(alpha, "here").owner() == alpha.user


def test_a_sites_profile_names_the_runtime(preferring: Machine, folder: Path, runtime: str) -> None:
    task = preferring.run(environment(folder, f"by-{runtime}"), "cat /opt/made; touch there")
    preferring.ended(task["id"])
    assert preferring.output(task["id"]).startswith(f"by-{runtime}")
    entering = _found(preferring, "there").parents[1].rglob("enter.sh")
    assert RUNTIMES[runtime].split()[0] in next(entering).read_text()
    copies = [one["runtime"] for one in preferring.client.get("/images/inside")["copies"]]
    assert runtime in copies


def test_a_task_that_is_called_off_leaves_no_process(
    alpha: Machine, folder: Path, runtime: str
) -> None:
    mark = f"98{sorted(RUNTIMES).index(runtime)}765"
    given = environment(folder, "long", runtime=runtime)
    task = alpha.run(given, f"touch begun; sleep {mark}")["id"]
    wait_for(lambda: _sleeping(mark), what="the program inside")
    alpha.client.post(f"/tasks/{task}/cancel")
    ended = wait_for(lambda: alpha.final(task), what="the end of the task")
    assert ended["state"] == "cancelled"
    wait_for(lambda: not _sleeping(mark), what="the end of the program inside")


def test_a_failed_build_is_mended_and_used(alpha: Machine, folder: Path, runtime: str) -> None:
    name = f"mended-{runtime}"
    broken = _begin(alpha, name, folder, runtime, "no-such-program")
    failed = wait_for(lambda: alpha.final(broken), what="the end of the build")
    words = "step command-2 failed: A program that the step calls is not in the image"
    assert (failed["state"], failed["message"].startswith(words)) == ("failed", True), failed
    edits = {"edits": {"command-2": "echo mended >>/opt/made"}}
    again = alpha.client.post(f"/images/builds/{broken}/resume", edits)["build"]["task"]["id"]
    alpha.ended(again)
    steps = {
        one["name"]: one["state"] for one in alpha.client.get(f"/images/builds/{again}")["steps"]
    }
    assert (steps["command-1"], steps["command-2"]) == ("cached", "done")
    task = alpha.run(name, "cat /opt/made")
    assert not task["awaits"], "a build that succeeded has its image"
    alpha.ended(task["id"])
    assert alpha.output(task["id"]) == f"first-{runtime}\nmended\n"


def test_a_build_is_called_off_and_its_layers_are_pruned(
    alpha: Machine, folder: Path, runtime: str
) -> None:
    """What a runtime keeps in its own storage goes; an image that has a name stays and runs."""
    name, mark = f"kept-{runtime}", f"97{sorted(RUNTIMES).index(runtime)}654"
    alpha.ended(_begin(alpha, name, folder, runtime, "echo kept >>/opt/made"))
    unwanted = _begin(alpha, f"never-{runtime}", folder, runtime, f"sleep {mark}")
    wait_for(lambda: _sleeping(mark), what="the step")
    alpha.client.post(f"/tasks/{unwanted}/cancel")
    ended = wait_for(lambda: alpha.final(unwanted), what="the end of the build")
    assert ended["state"] == "cancelled"
    wait_for(lambda: not _sleeping(mark), what="the end of the step")
    assert alpha.client.call("GET", f"/images/never-{runtime}").status == 404
    shown = _prune(alpha, dry_run=True)
    assert {"layer", "cache"} & {one["kind"] for one in shown}, shown
    assert sum(one["bytes"] for one in shown) > 0
    _prune(alpha, dry_run=False)
    left = [one for one in _prune(alpha, dry_run=True) if one["kind"] in ("layer", "cache")]
    assert not left
    task = alpha.run(name, "cat /opt/made")
    alpha.ended(task["id"])
    assert alpha.output(task["id"]) == f"first-{runtime}\nkept\n"


def test_an_image_is_rebuilt_where_nothing_runs_its_file(
    alpha: Machine, service: RunningService, folder: Path
) -> None:
    """A machine with podman alone gets its own build of the same recipe, and is told why."""
    skip_without("podman")
    image = alpha.build("everywhere", environment(folder, "everywhere"), runtime="apptainer")
    only = _programs_without(folder / "programs", ("apptainer", "singularity", "ch-run"))
    variables = {"PATH": str(only)}
    with machine(service, "gamma", "bob", folder, variables=variables) as gamma:
        task = gamma.run("everywhere", "cat /opt/made")
        assert "rebuilt there: nothing there runs a squashfs image" in task["message"]
        gamma.ended(task["id"])
        assert gamma.output(task["id"]).startswith("everywhere")
        found = gamma.client.get("/images/everywhere")
        formats = {one["endpoint"]: one["format"] for one in found["copies"]}
        assert formats == {"alpha": "squashfs", "gamma": "docker-archive"}
        assert found["identity"] == image["identity"]


def test_docker_builds_runs_and_is_called_off(service: RunningService, folder: Path) -> None:
    """Its daemon runs programs as root would; they are the person's all the same, and end with her job."""
    ensure_users(["dave"])
    place = folder / "docker"
    place.mkdir(mode=0o755)
    with docker_daemon(place, "dave") as variables:
        only = _programs_without(
            folder / "docker-alone", ("apptainer", "singularity", "ch-run", "podman")
        )
        given = {**variables, "PATH": f"{only}:{DOCKER}"}
        with machine(service, "delta", "dave", folder, variables=given) as delta:
            task = delta.run(environment(folder, "by-docker"), "cat /opt/made; id -u; touch mine")
            delta.ended(task["id"])
            assert delta.output(task["id"]).split() == ["by-docker", _uid("dave")]
            assert _found(delta, "mine").owner() == "dave"
            long = delta.run(environment(folder, "by-docker"), "sleep 982764")["id"]
            wait_for(lambda: _sleeping("982764"), what="the program inside")
            delta.client.post(f"/tasks/{long}/cancel")
            ended = wait_for(lambda: delta.final(long), what="the end of the task")
            assert ended["state"] == "cancelled"
            wait_for(lambda: not _sleeping("982764"), what="the end of the program inside")
            shown = _prune(delta, dry_run=False)
            assert "layer" in {one["kind"] for one in shown}
            assert not [one for one in _prune(delta, dry_run=True) if one["kind"] == "layer"]


def _begin(alpha: Machine, name: str, folder: Path, runtime: str, command: str) -> str:
    """A build of two commands, for this runtime alone: others may run the same file. Its task."""
    given = environment(folder, f"first-{runtime}", runtime=runtime)
    given["commands"].append(command)
    body = {"name": name, "environment": given, "endpoint": alpha.name}
    return str(alpha.client.post("/images/builds", body)["build"]["task"]["id"])


def _prune(alpha: Machine, *, dry_run: bool) -> list[dict[str, Any]]:
    body = {"endpoint": alpha.name, "unused_days": 0, "dry_run": dry_run}
    return list(alpha.client.post("/images/prune", body)["items"])


def _programs_without(folder: Path, left_out: tuple[str, ...]) -> Path:
    """A folder for PATH that leads to all of the system's programs but some."""
    folder.mkdir()
    for place in ("/usr/local/bin", "/usr/bin", "/usr/sbin"):
        for program in Path(place).iterdir():
            link = folder / program.name
            if program.name not in left_out and not link.is_symlink():
                link.symlink_to(program)
    folder.chmod(0o755)
    return folder


def _uid(user: str) -> str:
    return subprocess.check_output(["id", "-u", user], text=True).strip()


def _found(machine: Machine, name: str) -> Path:
    """A file that a task left in its run directory."""
    found = wait_for(lambda: sorted(machine.work.rglob(f"run/{name}")), what=name)
    return Path(max(found, key=lambda one: one.stat().st_mtime))


def _sleeping(mark: str) -> bool:
    return any(
        _words(one)[:3][-2:] == [mark.encode(), b""] for one in Path("/proc").glob("[0-9]*/cmdline")
    )


def _words(file: Path) -> list[bytes]:
    """None of a process that has ended since it was listed."""
    try:
        return file.read_bytes().split(b"\0")
    except OSError:
        return []
