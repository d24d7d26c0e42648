"""Replacing the agent's own file and restarting it; jobs are left alone."""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import zipfile
from pathlib import Path

from diamond.agent.disk import write_whole
from diamond.agent.link.carriers import HttpLink, Link

log = logging.getLogger(__name__)


def upgrade(digest: str, *, link: Link, endpoint: str, scheduler: str) -> None:
    """Fetch the served file, check it, put it in place and restart from it. Only where the agent is one file."""
    own = Path(sys.argv[0]).absolute()
    if not isinstance(link, HttpLink) or not zipfile.is_zipfile(own):
        log.warning(
            "this agent cannot upgrade itself: it is not a single file with its own connection"
        )
        return
    wanted = digest.rpartition(":")[2]
    if hashlib.sha256(own.read_bytes()).hexdigest() == wanted:
        return  # the command is repeated to the upgraded agent
    content = link.get("/agent.pyz")
    if hashlib.sha256(content).hexdigest() != wanted:
        log.error("the served agent is not the one announced; nothing was changed")
        return
    write_whole(own, content, mode=0o700, durable=True)
    log.info("upgraded; restarting")
    os.execv(sys.executable, [sys.executable, str(own), *_arguments(endpoint, scheduler)])


def _arguments(endpoint: str, scheduler: str) -> list[str]:
    """As it was started; one that was started by `pair` continues with `run`."""
    if sys.argv[1:2] == ["run"]:
        return sys.argv[1:]
    return ["run", "--endpoint", endpoint, "--scheduler", scheduler]
