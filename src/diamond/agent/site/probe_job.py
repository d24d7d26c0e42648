"""What a compute node offers, learned by one short job that bears its purpose in its name."""

from __future__ import annotations

import json
import logging
import shlex
import shutil
import time
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json, write_whole
from diamond.agent.folders import Folders
from diamond.agent.site.bundle import builder_file
from diamond.agent.site.probe import RUNTIMES, Fact, index_host
from diamond.agent.site.profile import Profile
from diamond.core.ids import new_id
from diamond.core.order import Resources
from diamond.schedulers.base import Scheduler, Submission

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 900.0
MEMORY_MB = 200
_BODY = r"""
say() { printf '%s"%s": %s' "$comma" "$1" "$2"; comma=', '; }
version() { "$1" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1; }
{
  printf '{'
  for name in $runtimes; do
    program=$name
    [ "$name" != charliecloud ] || program=ch-run
    if command -v "$program" >/dev/null; then say "$name" "\"$(version "$program")\""; fi
  done
  if command -v python3 >/dev/null; then
    say python "\"$(version python3)\""
    if able=$(python3 "$builder" build probe "$work" "$tmp" 2>/dev/null); then say builders "$able"; fi
  fi
  if [ -r /proc/net/route ] && ! grep -qE '^[^[:space:]]+[[:space:]]+00000000[[:space:]]' /proc/net/route && ! grep -s '^0\{32\} 00 ' /proc/net/ipv6_route | grep -qv ' lo$'; then
    say internet false
  elif [ -n "$host" ]; then
    if timeout 5 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$host" "$port" 2>/dev/null; then say internet true; else say internet false; fi
  fi
  printf '}\n'
} >"$folder/facts.new" && mv "$folder/facts.new" "$folder/facts.json"
"""


def probe_compute(scheduler: Scheduler, folders: Folders, profile: Profile) -> dict[str, Fact]:
    """Run the job and read its facts; {} when it did not get to run in a quarter of an hour."""
    folder = folders.work / "probes" / new_id("p")
    folder.mkdir(parents=True, mode=0o700)
    native_id = scheduler.submit(_submission(scheduler, folder, folders, profile))
    log.info("a short job (%s) looks at a compute node", native_id)
    learned = _wait_for(folder / "facts.json")
    if learned is None:
        scheduler.cancel(native_id)
        return {}
    shutil.rmtree(folder, ignore_errors=True)
    return _facts(learned)


def _submission(
    scheduler: Scheduler, folder: Path, folders: Folders, profile: Profile
) -> Submission:
    submission = Submission(
        name=f"diamond-probe-{folder.name}",
        script=folder / "script.sh",
        folder=folder,
        resources=Resources(walltime_minutes=2, memory_mb=MEMORY_MB),
        placement=profile.own_placement(),
    )
    host, port = index_host()
    values = {
        "folder": str(folder),
        "host": host,
        "port": str(port),
        "builder": builder_file(folders.work / "builder"),
        "work": str(folders.work),
        "tmp": str(folders.tmp),
        "runtimes": " ".join(RUNTIMES),
    }
    head = [f"{name}={shlex.quote(value)}" for name, value in values.items()]
    lines = ["#!/bin/bash", *scheduler.directives(submission, profile.flags), *head]
    write_whole(submission.script, ("\n".join(lines) + _BODY).encode(), mode=0o700)
    return submission


def _wait_for(file: Path) -> dict[str, Any] | None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        learned = read_json(file)
        if learned is not None:
            return learned
        time.sleep(0.5)
    return None


def _facts(learned: dict[str, Any]) -> dict[str, Fact]:
    now = time.time()
    runtimes = {name: learned[name] for name in RUNTIMES if name in learned}
    values = {
        "runtimes": runtimes,
        "python": learned.get("python"),
        "internet": learned.get("internet"),
        "builders": learned.get("builders"),
    }
    log.info("a compute node has %s", json.dumps(values))
    return {
        name: {"value": {"compute": value}, "source": "a short job", "at": now}
        for name, value in values.items()
    }
