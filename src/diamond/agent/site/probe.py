"""The site profile: what the batch system says, and what this login node itself shows."""

from __future__ import annotations

import configparser
import contextlib
import importlib
import os
import platform
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from diamond.agent.folders import Folders
from diamond.core.batch_systems import BatchAbilities
from diamond.core.errors import BadRequest
from diamond.images.recipe import platform_of
from diamond.runtimes.abilities import abilities
from diamond.schedulers.base import Scheduler, abilities_of

RUNTIMES = ("apptainer", "singularity", "charliecloud", "podman", "enroot", "shifter")
_PROGRAMS = {"charliecloud": "ch-run"}
_VERSION = re.compile(r"\d+(?:\.\d+)+")

Fact = dict[str, Any]


def probe(scheduler: Scheduler, folders: Folders) -> dict[str, Fact]:
    """Each fact with its source and time; what cannot be learned is left out."""
    facts = with_abilities(scheduler.probe(), abilities_of(scheduler))
    facts["folders"] = room_fact(folders)
    facts["runtimes"] = _fact({"login": runtimes(), "compute": None}, "PATH")
    with contextlib.suppress(BadRequest):
        facts["platform"] = _fact(platform_of(platform.machine()), "the login node")
    able = abilities(folders.work, folders.tmp)
    facts["builders"] = _fact({"login": able, "compute": None}, "tried on the login node")
    facts["python"] = _fact({"login": platform.python_version(), "compute": None}, "the agent")
    facts["internet"] = _fact(
        {"login": internet(), "compute": None}, "one connection to pip's index"
    )
    return facts


def with_abilities(facts: Mapping[str, Fact], able: BatchAbilities) -> dict[str, Fact]:
    """What the adapter states goes into the fact that names it, so that the service decides by that."""
    learned = dict(facts)
    named = learned.get("scheduler")
    if named is not None:
        learned["scheduler"] = {**named, "value": {**named["value"], "abilities": able.data()}}
    return learned


def room_fact(folders: Folders) -> Fact:
    return _fact(probe_folders(folders), "statvfs, quota")


def probe_folders(folders: Folders) -> dict[str, Fact]:
    """Room and quota of keep, work and tmp."""
    paths = {"keep": folders.keep, "work": folders.work, "tmp": folders.tmp}
    return {name: _folder(path) for name, path in paths.items() if path.exists()}


def runtimes() -> dict[str, str]:
    """Container tools on PATH with their versions."""
    learned = {}
    for name in RUNTIMES:
        program = _PROGRAMS.get(name, name)
        if shutil.which(program):
            match = _VERSION.search(output_of([program, "--version"]))
            learned[name] = match.group() if match else ""
    return learned


def internet() -> bool | None:
    """Whether the host of pip's own index answers; None when no host is configured."""
    host, port = index_host()
    if not has_way_out():
        return False
    if not host:
        return None
    try:
        with socket.create_connection((host, port), timeout=3):
            return True
    except OSError:
        return False


def has_way_out(routes: Path = Path("/proc/net")) -> bool:
    """Whether the kernel shows a default route."""
    try:
        four = (routes / "route").read_text().splitlines()
    except OSError:
        return True
    with contextlib.suppress(OSError):
        six = (routes / "ipv6_route").read_text().splitlines()
        if any(line.startswith(f"{'0' * 32} 00 ") and not line.endswith(" lo") for line in six):
            return True
    return any(line.split()[1:2] == ["00000000"] for line in four)


def index_host() -> tuple[str, int]:
    """Host and port of the index that pip is set to, by variable or file, else by itself; ('', 0) without pip."""
    url = os.environ.get("PIP_INDEX_URL") or _index_from_files() or _index_of_pip()
    parts = urlsplit(url)
    return (
        (parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443))
        if url
        else ("", 0)
    )


def _index_of_pip() -> str:
    """Asked of pip itself, so that no address stands here; a login node may well have none."""
    try:
        learned = importlib.import_module("pip._internal.models.index")
    except Exception:  # A distribution's pip may lack any part of itself.
        return ""
    return str(getattr(getattr(learned, "PyPI", None), "simple_url", ""))


def output_of(command: list[str]) -> str:
    """What a quick command prints; '' when it fails or takes longer than five seconds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr) if done.returncode == 0 else ""


def _fact(value: Any, source: str) -> Fact:
    return {"value": value, "source": source, "at": time.time()}


def _index_from_files() -> str:
    home = Path.home()
    files = [Path("/etc/pip.conf"), home / ".pip/pip.conf", home / ".config/pip/pip.conf"]
    settings = configparser.ConfigParser(interpolation=None)
    try:
        settings.read(files)
    except configparser.Error:
        return ""
    return settings.get("global", "index-url", fallback="")


def _folder(path: Path) -> Fact:
    room = os.statvfs(path)
    mount, kind = mount_of(path)
    facts: Fact = {
        "path": str(path),
        "type": kind,
        "free_bytes": room.f_bavail * room.f_frsize,
        "free_files": room.f_favail if room.f_files else None,  # Some count no files.
        "quota_bytes": None,
        "quota_files": None,
        "purge_days": None,
    }
    return within_quota(facts, _quota(path, mount, kind))


def mount_of(path: Path) -> tuple[str, str]:
    """Where the file system that holds a path is mounted, and its type (Linux); '' elsewhere."""
    best, kind = "", ""
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return "", ""
    for line in lines:
        fields = line.split()
        mount = fields[1].replace("\\040", " ")
        if (str(path) + "/").startswith(mount.rstrip("/") + "/") and len(mount) >= len(best):
            best, kind = mount, fields[2]
    return best, kind


def _quota(path: Path, mount: str, kind: str) -> Fact:
    """Use and limits in bytes and files, by the tool of the file system, where there is one."""
    user = str(os.getuid())
    if kind == "lustre" and shutil.which("lfs"):
        return read_quota(output_of(["lfs", "quota", "-q", "-u", user, str(path)]))
    if shutil.which("quota"):
        # It knows file systems by their mount points, not by folders in them.
        return read_quota(output_of(["quota", "-w", "-p", "-f", mount or str(path)]))
    return {}


def read_quota(text: str) -> Fact:
    """Use and limits from the last eight columns of numbers: used, soft, hard, grace; files likewise.

    A long name of a file system stands on its own line. Without a hard limit the soft one counts.
    """
    for line in reversed(text.splitlines()):
        columns = [word.strip("*[]") for word in line.split()[-8:]]
        if len(columns) == 8 and all(columns[at].isdigit() for at in (0, 1, 2, 4, 5, 6)):
            used, soft, hard, _, files, soft_files, hard_files, _ = columns
            return {
                "quota_bytes": (int(hard) or int(soft)) * 1024 or None,
                "quota_files": int(hard_files) or int(soft_files) or None,
                "used_bytes": int(used) * 1024,
                "used_files": int(files),
            }
    return {}


def within_quota(facts: Fact, quota: Fact) -> Fact:
    """What is free to the user: a large file system does not help when the user's own quota is full."""
    limited = dict(facts)
    for unit in ("bytes", "files"):
        limit = quota.get(f"quota_{unit}")
        if limit:
            left = max(0, limit - quota[f"used_{unit}"])
            room = facts[f"free_{unit}"]
            limited[f"quota_{unit}"] = limit
            limited[f"free_{unit}"] = left if room is None else min(room, left)
    return limited
