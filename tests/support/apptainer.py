"""Apptainer for the tests: Debian's own package from sid, with its own libc, under one folder.

No released Debian has it (2026-11), and its libc is newer than a stable one. The machine's apt state is left alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PREFIX = Path("/opt/diamond-apptainer")
LINKS = Path("/usr/local/bin")
PACKAGES = ("apptainer", "libc6", "libseccomp2", "libsqlite3-0")
RUNTIME = (
    *("ld-linux-*.so.*", "libc.so.*", "libm.so.*", "libpthread.so.*", "libresolv.so.*"),
    *("libdl.so.*", "librt.so.*", "libnss_*", "libseccomp*", "libsqlite3*"),
)


def install_apptainer() -> str:
    """Install it into PREFIX and link it; returns why that failed, or ''."""
    try:
        with tempfile.TemporaryDirectory(prefix="apptainer-") as folder:
            root = _unpack(Path(folder))
            _lay_out(root)
        _patch()
        for name in ("apptainer", "singularity"):
            _link(LINKS / name, PREFIX / "bin" / "apptainer")
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _unpack(folder: Path) -> Path:
    folder.chmod(0o755)
    options = _private_apt(folder)
    _run(["apt-get", "-qq", *options, "update"], folder)
    _run(["apt-get", "-qq", *options, "download", *PACKAGES], folder)
    for package in folder.glob("*.deb"):
        _run(["dpkg-deb", "-x", str(package), "root"], folder)
    return folder / "root"


def _private_apt(folder: Path) -> list[str]:
    """The mirror that the machine itself uses, with another suite."""
    listed = folder / "sid.list"
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    listed.write_text(f"deb [signed-by={key}] {mirror()} sid main\n")
    settings = {
        "Dir::Etc::sourcelist": listed,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "root",
    }
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def mirror() -> str:
    """Debian's keyring, not another project's that also has a file there."""
    files = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.[ls]*")]
    text = "\n".join(file.read_text() for file in files if file.is_file())
    found = re.search(r"(?:^URIs:|^deb(?: \[.*\])?)\s+(\S+/debian)/?\s", text, re.M)
    if not found:
        raise OSError("apt has no Debian mirror configured")
    return found.group(1)


def _lay_out(root: Path) -> None:
    shutil.rmtree(PREFIX, ignore_errors=True)
    libraries = next((root / "usr" / "lib").glob("*-linux-gnu"))
    inside = PREFIX / "lib" / libraries.name
    inside.mkdir(parents=True)
    (PREFIX / "bin").mkdir()
    (PREFIX / "etc").mkdir()
    shutil.copy2(root / "usr/bin/apptainer", PREFIX / "bin")
    shutil.copytree(libraries / "apptainer", inside / "apptainer", symlinks=True)
    shutil.copytree(root / "etc/apptainer", PREFIX / "etc/apptainer", symlinks=True)
    _copy_runtime(root)
    for name in ("session", "source"):
        (PREFIX / "var/lib/apptainer/mnt" / name).mkdir(parents=True)
    _help_it_find_itself()


def _copy_runtime(root: Path) -> None:
    runtime = PREFIX / "rt"
    runtime.mkdir()
    for pattern in RUNTIME:
        for file in root.rglob(pattern):
            if file.is_file() and file.parent.name != "audit":
                shutil.copy2(file, runtime / file.name)


def _help_it_find_itself() -> None:
    """Debian's multiarch libexec folder makes the starter guess a wrong prefix."""
    for name in ("etc", "var", "bin"):
        (PREFIX / "lib" / name).symlink_to(f"../{name}")
    (PREFIX / "lib" / "lib").symlink_to(".")


def _patch() -> None:
    loader = next((PREFIX / "rt").glob("ld-linux-*"))
    starter = next((PREFIX / "lib").glob("*-linux-gnu/apptainer/bin/starter"))
    for program in (PREFIX / "bin" / "apptainer", starter):
        words = ["--set-interpreter", str(loader), "--force-rpath", "--set-rpath"]
        _run(["patchelf", *words, str(PREFIX / "rt"), str(program)], PREFIX)


def _link(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def _run(words: list[str], folder: Path) -> None:
    subprocess.run(words, cwd=folder, check=True, stdin=subprocess.DEVNULL, timeout=300)
