"""An older Python for login nodes, since that is what real ones have."""

from __future__ import annotations

import shutil
from pathlib import Path

from .machine import say
from .processes import SYSTEM_PATH, call
from .shape import ClusterShape

VERSIONS = ("3.9", "3.8")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def offer_old_python(cluster: ClusterShape) -> None:
    """Put an older `python3` first on the PATH of sessions, where users can run one."""
    if not cluster.is_strict or python_folder(cluster):
        return
    found = next((path for path in candidates() if is_for_everyone(path)), None)
    if not found:
        say(f"{cluster.name}: no Python {' or '.join(VERSIONS)} that ordinary users can run; "
            "sessions have the machine's own")  # fmt: skip
        return
    folder = cluster.root / "python"
    folder.mkdir(exist_ok=True)
    (folder / "python3").symlink_to(found)


def python_folder(cluster: ClusterShape) -> Path | None:
    folder = cluster.root / "python"
    return folder if (folder / "python3").exists() else None


def candidates() -> list[Path]:
    paths = [shutil.which(f"python{version}", path=SYSTEM_PATH) for version in VERSIONS]
    pyenvs = [Path.home() / ".pyenv", Path("/opt/pyenv"), Path("/usr/local/pyenv")]
    built = [
        path
        for pyenv in pyenvs
        for version in VERSIONS
        for path in sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    ]
    return [*(Path(path) for path in paths if path), *built]


def is_for_everyone(python: Path) -> bool:
    return call(*NOBODY, python, "-c", "import ssl, json", check=False).returncode == 0
