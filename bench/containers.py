"""An ordinary account with apptainer, a base with Python, and the same recipe for Diamond and for plain apptainer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from diamond.agent.site.bundle import build_bundle
from diamond.core.order import Environment
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe
from diamond.images.rendering import definition_file
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.site import lay_out_site, read_site
from diamond.testing.lab.machine import ensure_users
from diamond.testing.runtimes import Account, Bench

SQUASH = "-comp zstd -Xcompression-level 3"
PYTHON = "/usr/bin/python3"
_LAY_OUT = """\
import pathlib, sys
from diamond.agent.site.bundle import builder_file
print(builder_file(pathlib.Path(sys.argv[1])))
"""
PYTHON_BASE = ["python3", "python3-venv", "ca-certificates"]


def account(folder: Path) -> Account:
    """alice, with the builder as one file and a uv that this account can run."""
    from uv import find_uv_bin

    ensure_users(["alice"])
    builder = [PYTHON, _builder(folder), "build"]
    shutil.copy2(find_uv_bin(), folder / "uv")
    (folder / "uv").chmod(0o755)
    variables = {
        "HOME": "/home/alice",
        "USER": "alice",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "DIAMOND_UV": str(folder / "uv"),
        **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
    }
    words = ["runuser", "-u", "alice", "--", "env", "-i"]
    words += [f"{name}={value}" for name, value in variables.items()]
    return Account(words, builder, patience=3600)


def _builder(folder: Path) -> str:
    """As an agent with that Python installs it."""
    build_bundle(folder / "agent.pyz")
    words = [PYTHON, "-c", _LAY_OUT, str(folder / "builder")]
    variables = {"PYTHONPATH": str(folder / "agent.pyz")}
    file = Path(subprocess.check_output(words, env=variables, text=True).strip())
    file.parent.chmod(0o755)
    file.chmod(0o755)
    return str(file)


def python_base(cache: Path) -> Path:
    """A small Debian with Python as a tar, made once by mmdebstrap."""
    target = cache / "python-base.tar"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PYTHON_BASE)}"]
        subprocess.run([*words, "bookworm", str(target), mirror()], check=True)
        target.chmod(0o644)
    return target


def mirror() -> str:
    """The mirror that this machine uses itself."""
    files = Path("/etc/apt").rglob("*.[ls]*")
    text = "\n".join(file.read_text(errors="replace") for file in files if file.is_file())
    found = re.search(r"(?:^URIs:|^deb(?: \[.*\])?)\s+(\S+/debian)/?\s", text, re.M)
    assert found, "apt has no Debian mirror configured"
    return found.group(1)


class PlainBuild:
    """`apptainer build` of the same recipe, with the same packages in the same cache."""

    def __init__(self, bench: Bench, lock: str, cache: Path) -> None:
        self._bench, self._lock, self._cache = bench, lock, cache
        self._folder = bench.folder / "plain"
        self._folder.mkdir()
        self._folder.chmod(0o777)

    def words(self, environment: dict[str, object]) -> list[str]:
        """The command line; also writes its files."""
        given = Environment(**environment)  # type: ignore[arg-type]
        recipe = Recipe(given, "", self._lock)
        site = self._folder / "site"
        shutil.rmtree(site, ignore_errors=True)
        image_folders = ImageFolders(self._bench.work / "images", Path("/tmp"))
        settings = read_site({"cache": str(self._cache)})
        uv = str(self._bench.folder / "uv")
        made = lay_out_site(
            settings,
            make_plan(recipe, "apptainer"),
            folder=site,
            image_folders=image_folders,
            uv=uv,
        )
        (site / "site.env").chmod(0o644)
        self._open(self._cache)
        definition = self._folder / "plain.def"
        definition.write_text(definition_file(recipe))
        binds = ",".join(f"{source}:{target}" for source, target in made.binds)
        words = ["apptainer", "build", "--force", "--mksquashfs-args", SQUASH, "--bind", binds]
        return [*words, str(self.image), str(definition)]

    @property
    def image(self) -> Path:
        return self._folder / "plain.sif"

    def _open(self, cache: Path) -> None:
        """Written by root, used by alice."""
        subprocess.run(["chown", "-R", "alice", str(cache)], check=True)
