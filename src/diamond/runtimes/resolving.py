"""From an environment to a recipe: the base by digest, the packages by a lock with hashes. Needs the network."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Optional

from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Environment
from diamond.images.bases import FILES, REGISTRIES, read_base
from diamond.images.diagnosis import diagnose
from diamond.images.plan import BASE, PYTHON
from diamond.images.recipe import Recipe, lock_key, platform_of
from diamond.runtimes.base import NotBegun
from diamond.runtimes.bases import base_file
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders, read_json, short, write_json, write_whole
from diamond.runtimes.manifests import stat_of
from diamond.runtimes.site import Site
from diamond.runtimes.store import file_sha256

_UV_PLATFORMS = {
    "linux/amd64": "x86_64-unknown-linux-gnu",
    "linux/arm64": "aarch64-unknown-linux-gnu",
    "linux/ppc64le": "powerpc64le-unknown-linux-gnu",
}


@dataclass(frozen=True)
class Resolver:
    image_folders: ImageFolders
    site: Site
    call: Call
    uv: Optional[str] = None

    def resolve_base(self, environment: Environment, known_digest: str = "") -> Recipe:
        """The recipe but for the lock. Raises `EnvironmentFailed` with the registry's own words."""
        digest = known_digest or self._base_digest(environment)
        return Recipe(environment, digest, environment.lock, platform_of(platform.machine()))

    def with_lock(self, recipe: Recipe, python: str, *, upgrade: bool = False) -> Recipe:
        """The recipe with a lock for this version of Python. Raises `EnvironmentFailed` with uv's own words."""
        if recipe.lock or not recipe.environment.requirements:
            return recipe
        lock = self._lock(recipe.environment, recipe.platform, python, upgrade=upgrade)
        return replace(recipe, lock=lock)

    def _base_digest(self, environment: Environment) -> str:
        base = read_base(environment.base)
        if not base.kind:
            return "" if environment.python else f"python-{python_version()}"
        if base.kind in REGISTRIES:
            from diamond.runtimes.oci import (
                resolve_digest,  # TLS and http: only where a registry is asked
            )

            site = self.site
            return resolve_digest(base, ca=site.ca, insecure=site.insecure, registry=site.registry)
        if base.kind in FILES:
            return "sha256:" + self._known_sha256(
                base_file(self.image_folders, base), base.reference
            )
        return base.address

    def _known_sha256(self, file: Path, reference: str) -> str:
        """Computed once for a file that nobody has touched since."""
        if not file.is_file():
            raise NotBegun(
                BASE,
                f"The base {reference} is not on this machine",
                "Check the path; it is the endpoint's.",
            )
        note = self.image_folders.bases / f"{short(_name_of(file))}.sha256.json"
        known = read_json(note)
        if known and known.get("stat") == stat_of(file):
            return str(known["sha256"])
        sha256 = file_sha256(file)
        write_json(note, {"file": str(file), "sha256": sha256, "stat": stat_of(file)})
        return sha256

    def _lock(self, environment: Environment, where: str, python: str, *, upgrade: bool) -> str:
        key = lock_key(environment, platform=where, python=python)
        kept = self.image_folders.locks / f"{short(key)}.txt"
        if kept.is_file() and not upgrade:
            return kept.read_text(encoding="utf-8")
        text = self._compile(environment, where, python)
        write_whole(kept, text.encode())
        return text

    def _compile(self, environment: Environment, where: str, python: str) -> str:
        if not self.uv:
            raise EnvironmentFailed(
                "uv, which locks the packages, is not installed and cannot be downloaded",
                "Install it (`pip install --user uv`), or give a `lock:`.",
            )
        listed = self.image_folders.building / f"requirements-{os.getpid()}.in"
        listed.write_text("\n".join(environment.requirements) + "\n", encoding="utf-8")
        self.call.say(f"finding versions for {', '.join(environment.requirements)} on {where}")
        command = [self.uv, "pip", "compile", "--quiet", "--generate-hashes", "--no-header"]
        command += ["--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
        command += ["--python-platform", _UV_PLATFORMS[where], "--python-version", python]
        command += ["--no-index"] if self.site.no_index else []  # uv 0.13 has no variable for it
        variables = site_variables(self.site, self.image_folders, environment.accelerator)
        variables["UV_PYTHON_DOWNLOADS"] = "never"
        here = (
            self.image_folders.building
        )  # uv would take up a .venv of the folder it is started in
        text = self.call.output([*command, str(listed)], variables=variables, folder=here)
        if text is None and variables.pop("UV_TORCH_BACKEND", "") and self._is_unreachable():
            self.call.say("PyTorch's own package index cannot be reached; asking the site's alone")
            text = self.call.output([*command, str(listed)], variables=variables, folder=here)
        listed.unlink()
        if text is None:
            raise unresolved(list(self.call.last))
        return pinned(text)

    def _is_unreachable(self) -> bool:
        return diagnose(self.call.last, 1, step=PYTHON).cause == "network"


def python_version() -> str:
    """Of the machine's own Python: another one makes another virtual environment."""
    return ".".join(platform.python_version_tuple()[:2])


def site_variables(site: Site, image_folders: ImageFolders, accelerator: str) -> Dict[str, str]:
    """The site's settings for a uv that runs on the machine itself."""
    variables = {
        **site.variables,
        "UV_CACHE_DIR": str(Path(site.cache or image_folders.cache) / "uv"),
    }
    if site.find_links:
        variables["UV_FIND_LINKS"] = ",".join(site.find_links)
    if site.ca:
        variables["SSL_CERT_FILE"] = site.ca
    index, backend = site.accelerated(accelerator)
    if backend:
        variables["UV_TORCH_BACKEND"] = backend
    if index:
        variables["UV_EXTRA_INDEX_URL"] = (
            f"{index} {variables.get('UV_EXTRA_INDEX_URL', '')}".strip()
        )
    return variables


def pinned(text: str) -> str:
    """The lock without what belongs to this site: comments, index and wheel-folder lines, and image_folders of wheels."""
    lines = []
    for line in text.splitlines():
        if line.startswith(("#", "--index-url", "--extra-index-url", "--find-links", "--no-index")):
            continue
        lines.append(re.sub(r"^(\S+) @ file://\S+/\1-([^-]+)-\S+\.whl", r"\1==\2", line).rstrip())
    return "\n".join(line for line in lines if line) + "\n"


def unresolved(lines: List[str]) -> EnvironmentFailed:
    """uv's explanation of a conflict is good: it is shown in full."""
    diagnosis = diagnose(lines, 1, step="python")
    said = "\n".join(f"    {line}" for line in lines)
    return NotBegun(PYTHON, f"{diagnosis.message}:\n{said}", diagnosis.hint)


def _name_of(file: Path) -> str:
    return hashlib.sha256(str(file.resolve()).encode()).hexdigest()
