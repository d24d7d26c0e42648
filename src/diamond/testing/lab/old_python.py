"""An older Python for login nodes, because real ones have one too."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

from .machine import say
from .processes import SYSTEM_PATH, call
from .shape import ClusterShape

VERSIONS = ("3.9", "3.8")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
TRIAL = ("-c", "import ctypes, json, ssl, sqlite3")
IN_PLACE = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
# A build in root's home is mounted where all users can read it; its libpython must be found there too.
WRAPPER = """\
#!/bin/sh
LD_LIBRARY_PATH={place}/lib exec {place}/bin/{name} "$@"
"""


def offer_old_python(cluster: ClusterShape) -> None:
    """Put an older `python3` first on the PATH of sessions, if users can run one."""
    if not cluster.is_strict or python_folder(cluster):
        return
    for folder in (cluster.root / "python", cluster.root / "python-build"):
        folder.mkdir(exist_ok=True)
    for python in candidates():
        if link(cluster, python) or wrap(cluster, python):
            return
    (cluster.root / "python" / "python3").unlink(missing_ok=True)
    say(
        f"{cluster.name}: no Python {' or '.join(VERSIONS)} that ordinary users can run; "
        "sessions use the machine's own"
    )


def python_folder(cluster: ClusterShape) -> Path | None:
    folder = cluster.root / "python"
    return folder if os.path.lexists(folder / "python3") else None


def python_binds(cluster: ClusterShape) -> list[tuple[Path, Path]]:
    """Where login and compute nodes see the build."""
    build = cluster.root / "python" / "build"
    return [(build.readlink(), cluster.root / "python-build")] if build.is_symlink() else []


def candidates() -> list[Path]:
    paths = [shutil.which(f"python{version}", path=SYSTEM_PATH) for version in VERSIONS]
    built = [
        path
        for pyenv in pyenvs()
        for version in VERSIONS
        for path in sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    ]
    return [*(Path(path) for path in paths if path), *built]


def pyenvs() -> list[Path]:
    """Folders of pyenv, including root's own, whatever HOME is."""
    homes = [Path.home(), Path(pwd.getpwuid(os.getuid()).pw_dir)]
    configured = [Path(os.environ["PYENV_ROOT"])] if os.environ.get("PYENV_ROOT") else []
    usual = [*(home / ".pyenv" for home in homes), Path("/opt/pyenv"), Path("/usr/local/pyenv")]
    return list(dict.fromkeys([*configured, *usual]))


def link(cluster: ClusterShape, python: Path) -> bool:
    if call(*NOBODY, python, *TRIAL, check=False).returncode:
        return False
    (cluster.root / "python" / "python3").symlink_to(python)
    return True


def wrap(cluster: ClusterShape, python: Path) -> bool:
    place, wrapper = cluster.root / "python-build", cluster.root / "python" / "python3"
    wrapper.write_text(WRAPPER.format(place=place, name=python.name))
    wrapper.chmod(0o755)
    build = python.parents[1]
    trial = ("unshare", "--mount", "sh", "-c", IN_PLACE, "sh", build, place, *NOBODY)
    if call(*trial, wrapper, *TRIAL, check=False).returncode:
        return False
    (cluster.root / "python" / "build").symlink_to(build)
    return True
