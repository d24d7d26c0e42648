"""The ssh command that installs and starts the agent in a single connection, so there is one MFA prompt.

The remote command is a fixed text; the agent's bytes follow on its standard input.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence

from diamond.core.errors import BadRequest

MARK = b"diamond-agent-begins\n"
"""Printed when the agent starts; anything before it is noise from the login shell."""
NO_PYTHON = 67
NO_AGENT = 68
PYTHONS = "python3 python3.13 python3.12 python3.11 python3.10 python3.9 /usr/bin/python3"

# No quotes, backslashes or line breaks, because the login shell may be bash, csh or fish. Reads one line byte by
# byte (nothing after it may be taken from the pipe) and runs it.
_READER = "import os; exec(bytes().join(iter(lambda: os.read(0, 1), bytes([10]))))"
_TEST = "import sys; sys.exit(sys.version_info < (3, 9))"

_INSTALL = """
import hashlib, os, sys
folder = os.environ.get("DIAMOND_KEEP") or os.path.expanduser("~/.diamond-agent/" + {endpoint!r})
os.umask(0o077)
os.makedirs(folder, exist_ok=True)
left, digest, path = {size}, hashlib.sha256(), os.path.join(folder, "agent.pyz")
with open(path + ".new", "wb") as file:
    while left:
        chunk = os.read(0, min(left, 65536))
        if not chunk:
            sys.exit("diamond: the connection ended during the upload of the agent")
        digest.update(chunk)
        file.write(chunk)
        left -= len(chunk)
if digest.hexdigest() != {digest!r}:
    sys.exit("diamond: the agent was damaged during the upload")
os.replace(path + ".new", path)
os.write(1, {mark!r})
os.execv(sys.executable, [sys.executable, path, "run", "--stdio", "--endpoint", {endpoint!r}])
"""


def remote_command(python: str = "") -> str:
    """The command for the remote login shell."""
    script = (
        f"for p in {_checked_python(python) or PYTHONS}; do "
        f'if "$p" -c "{_TEST}" 2>/dev/null; then exec "$p" -c "{_READER}"; fi; done; '
        f'echo "diamond: no Python 3.9 or newer found (tried {python or PYTHONS})" >&2; exit {NO_PYTHON}'
    )
    return "exec /bin/sh -c " + shlex.quote(script)


def _checked_python(python: str) -> str:
    if python and not re.fullmatch(r"[A-Za-z0-9_./+-]+", python):
        raise BadRequest(
            f"{python!r} is not the path of a program",
            "Write for example /opt/python/3.11/bin/python3",
        )
    return python


def agent_line(endpoint: str, arguments: Sequence[str], *, python: str = "") -> str:
    """A line for the remote login shell that starts the agent's own file there, wherever it was put: by ssh or by pairing."""
    command = shlex.join([*arguments[:1], "--endpoint", _checked_id(endpoint), *arguments[1:]])
    script = (
        f'keep="${{DIAMOND_KEEP:-$HOME/.diamond-agent/{endpoint}}}"; '
        'for file in "$keep/agent.pyz" "$HOME/.diamond-agent/agent.pyz"; do [ ! -f "$file" ] || break; done; '
        f'[ -f "$file" ] || {{ echo "diamond: there is no agent of this endpoint on $(hostname)" >&2; exit {NO_AGENT}; }}; '
        f"for p in {_checked_python(python) or PYTHONS}; do "
        f'if "$p" -c "{_TEST}" 2>/dev/null; then exec "$p" "$file" {command}; fi; done; '
        f'echo "diamond: no Python 3.9 or newer found (tried {python or PYTHONS})" >&2; exit {NO_PYTHON}'
    )
    return "exec /bin/sh -c " + shlex.quote(script)


def _checked_id(endpoint: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", endpoint):
        raise BadRequest(f"{endpoint[:80]!r} is not the id of an endpoint")
    return endpoint


def bootstrap_input(agent: bytes, endpoint: str) -> bytes:
    """One line of Python that installs and starts the agent, then the agent itself."""
    digest = hashlib.sha256(agent).hexdigest()
    program = _INSTALL.format(size=len(agent), digest=digest, mark=MARK, endpoint=endpoint)
    return f"exec({program!r})\n".encode() + agent


def ssh_command(
    host: str, *, ssh: str = "ssh", config: str = "", options: Sequence[str] = (), python: str = ""
) -> list[str]:
    """The command that starts an agent; `ssh` is the user's own, from $DIAMOND_SSH."""
    keep_alive = ["-T", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"]
    start = [*shlex.split(ssh), *keep_alive, *_ssh_options(host, config, options)]
    return [*start, "--", host, remote_command(python)]


def terminal_command(
    host: str,
    line: str,
    *,
    ssh: str = "ssh",
    config: str = "",
    options: Sequence[str] = (),
    terminal: bool = True,
) -> list[str]:
    """The command for a command line on the remote machine; `terminal`: somebody types."""
    return [
        *shlex.split(ssh),
        "-t" if terminal else "-T",
        *_ssh_options(host, config, options),
        "--",
        host,
        line,
    ]


def _ssh_options(host: str, config: str, options: Sequence[str]) -> list[str]:
    if not host or host.startswith("-"):
        raise BadRequest(f"{host!r} is not a host", "Write it as for ssh: HOST or USER@HOST.")
    arguments = ["-F", config] if config else []
    for option in options:
        arguments += ["-o", option]
    return arguments
