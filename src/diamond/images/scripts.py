"""The text of each step, for `sh -eu` inside the image so far. It is self-contained: what it needs beyond
itself is in the site folder, bound on /mnt while building (without a container `diamond_site` names it)."""

from __future__ import annotations

import hashlib
import posixpath
import re
import shlex
from typing import List, Mapping, Sequence

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile

VENV = "/opt/venv"
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SITE = "/mnt"
NO_PACKAGE_MANAGER = 64
NO_PYTHON = 65
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._:=~*/-]*")

_HEAD = f"""\
umask 022
diamond_site=${{diamond_site:-{SITE}}}
diamond_venv=${{diamond_venv:-{VENV}}}
PATH=$PATH:$diamond_site
export HOME="${{HOME:-/root}}"
[ ! -r "$diamond_site/site.env" ] || . "$diamond_site/site.env"
"""

_SYSTEM = """\
if command -v apt-get >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  diamond_apt() {{ apt-get -q -y -o APT::Sandbox::User=root ${{SSL_CERT_FILE:+-o "Acquire::https::CaInfo=$SSL_CERT_FILE"}} "$@"; }}
  diamond_apt update
  diamond_apt install --no-install-recommends -- {packages}
  rm -rf /var/lib/apt/lists/*
elif command -v dnf >/dev/null 2>&1; then
  dnf -y install -- {packages}
  dnf clean all
elif command -v yum >/dev/null 2>&1; then
  yum -y install -- {packages}
  yum clean all
elif command -v zypper >/dev/null 2>&1; then
  zypper --non-interactive install -- {packages}
elif command -v apk >/dev/null 2>&1; then
  apk add --no-cache -- {packages}
else
  echo "diamond: this base has no package manager (apt-get, dnf, yum, zypper, apk), so nothing can be added to it" >&2
  exit {no_manager}
fi
"""

_FIND_UV = """\
diamond_uv=$diamond_site/uv
if [ ! -x "$diamond_uv" ]; then
  diamond_uv=$(command -v uv) || {
    python3 -m venv /tmp/diamond-uv
    /tmp/diamond-uv/bin/pip install --quiet uv
    diamond_uv=/tmp/diamond-uv/bin/uv
  }
fi
export UV_PYTHON_DOWNLOADS=${UV_PYTHON_DOWNLOADS:-never} UV_LINK_MODE=${UV_LINK_MODE:-copy}
"""
_READABLE = """\
find "$diamond_venv" ! -type l ! -perm -444 -exec chmod a+rX {} +
"""
"""A job runs as a person to whom the image's files are somebody else's; a cache or a wheel may have closed ones."""


def system_script(packages: Sequence[str]) -> str:
    """Install packages with whatever package manager the base has."""
    for name in packages:
        if not _PACKAGE.fullmatch(name):
            raise BadRequest(
                f"{name!r} is not the name of a system package",
                "Write names such as git or libgl1.",
            )
    quoted = " ".join(shlex.quote(name) for name in packages)
    return _HEAD + _SYSTEM.format(packages=quoted, no_manager=NO_PACKAGE_MANAGER)


def python_script(environment: Environment, lock: str) -> str:
    """A virtual environment at `VENV` with exactly what the lock names."""
    command = [f"--python {shlex.quote(environment.python)}"] if environment.python else []
    command += ["--system-site-packages"] if environment.inherit else []
    lines = [_HEAD + _FIND_UV + _find_python(environment.python)]
    lines.append(
        f'"$diamond_uv" venv --quiet --relocatable --allow-existing {" ".join(command)} "$diamond_venv"\n'
    )
    if lock:
        lines.append(_here('diamond_lock=$(mktemp)\ncat >"$diamond_lock"', lock))
        lines.append(
            '"$diamond_uv" pip install ${PIP_NO_INDEX:+--no-index} --python "$diamond_venv/bin/python" --require-hashes'
            ' --requirement "$diamond_lock"\nrm -f "$diamond_lock"\n'
        )
    lines.append(_READABLE)
    return "".join(lines)


def variables_script(variables: Mapping[str, str], *, has_venv: bool) -> str:
    """Written where apptainer and charliecloud look for them, for people who use the image without Diamond.

    Apptainer hands its own variables on when it comes to 99-base.sh (1.4), so that must be there too; until then PATH is empty.
    """
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    plain = "".join(f"{name}={value}\n" for name, value in variables.items())
    if has_venv:
        exports += f'export VIRTUAL_ENV={VENV} PATH="{VENV}/bin:${{PATH:-{DEFAULT_PATH}}}"\n'
        plain += f"VIRTUAL_ENV={VENV}\n"
    apptainer = _here(
        "mkdir -p /.singularity.d/env\ncat >/.singularity.d/env/91-diamond.sh", exports
    )
    apptainer += "[ -e /.singularity.d/env/99-base.sh ] || : >/.singularity.d/env/99-base.sh\n"
    charliecloud = _here("mkdir -p /ch\ncat >>/ch/environment", plain)
    return f'{_HEAD}[ -z "${{diamond_bare:-}}" ] || exit 0\n{apptainer}{charliecloud}'


def files_script(files: Sequence[EnvironmentFile]) -> str:
    """Copy from the site folder; a relative place is one in the virtual environment."""
    lines = [_HEAD]
    for file in files:
        place = f'"$diamond_venv"/{shlex.quote(file.to)}'
        place = shlex.quote(file.to) if posixpath.isabs(file.to) else place
        lines.append(f"diamond_to={place}\n")
        lines.append('mkdir -p "$(dirname "$diamond_to")"\n')
        lines.append(f'cp "$diamond_site/inputs/{input_name(file)}" "$diamond_to"\n')
        lines.append(f'chmod {file.mode & 0o7777:04o} "$diamond_to"\n')
    return "".join(lines)


def command_script(command: str, variables: Mapping[str, str], *, has_venv: bool) -> str:
    """A person's command, with the environment's variables set as they will be when the image runs."""
    lines = [_HEAD]
    lines += [f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()]
    if has_venv:
        lines.append('export VIRTUAL_ENV=$diamond_venv PATH="$diamond_venv/bin:$PATH"\n')
    return "".join(lines) + command.rstrip("\n") + "\n"


def input_name(file: EnvironmentFile) -> str:
    """The name under which a file's content is in the site folder: its sha256 in hex."""
    if file.digest:
        return file.digest.split(":")[-1]
    return hashlib.sha256(file.text.encode()).hexdigest()


def _find_python(version: str) -> str:
    program = f"python{version}" if version else "python3"
    wanted = f"Python {version}" if version else "Python"
    return (
        f'if [ -z "${{diamond_bare:-}}" ] && ! command -v {shlex.quote(program)} >/dev/null 2>&1'
        f' && ! "$diamond_uv" python find {shlex.quote(version or "3")} >/dev/null 2>&1; then\n'
        f'  echo "diamond: {wanted} is not in this base" >&2\n  exit {NO_PYTHON}\nfi\n'
    )


def _here(command: str, text: str) -> str:
    """A here-document that no line of `text` can end."""
    lines: List[str] = text.splitlines()
    mark = "END_OF_TEXT"
    while mark in lines:
        mark += "_"
    return f"{command} <<'{mark}'\n" + "".join(f"{line}\n" for line in lines) + f"{mark}\n"
