"""The end of a build: list the contents, pack the file, write the manifest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import List

from diamond.core.order import canonical
from diamond.images.inventory import read_inventory
from diamond.images.plan import BuildPlan, has_venv
from diamond.images.scripts import VENV
from diamond.runtimes.base import Builder, Runtime
from diamond.runtimes.image_folders import ImageFolders, short
from diamond.runtimes.manifests import SUFFIXES, ImageManifest


def finished(
    builder: Builder, plan: BuildPlan, runtime: Runtime, image_folders: ImageFolders, scratch: Path
) -> ImageManifest:
    """The manifest of the image; its file still is in `scratch` (a virtual environment is in its place)."""
    packages, python = read_inventory(builder.read(plan.top, "inventory.sh"))
    target = scratch / f"packed{SUFFIXES[runtime.format]}"
    builder.pack(plan.top, target)
    environment = plan.recipe.environment
    is_venv = runtime.format == "venv"
    home = image_folders.venvs / short(plan.identity)
    venv = str(home / "venv") if is_venv else VENV
    variables = dict(environment.variables)
    if has_venv(environment):
        variables.setdefault("VIRTUAL_ENV", venv)
    return ImageManifest(
        identity=plan.identity,
        format=runtime.format,
        runtime=runtime.name,
        sha256=hashlib.sha256(canonical([packages, python])).hexdigest(),
        size=_size(home) if is_venv else 0,
        platform=plan.recipe.platform,
        file=str(home if is_venv else target),
        base={"reference": environment.base, "digest": plan.recipe.base_digest},
        python=python,
        packages=packages,
        variables=variables,
        labels=environment.labels,
        path=[f"{venv}/bin"] if has_venv(environment) else [],
        native=builder.native(plan.top),
    )


def _size(folder: Path) -> int:
    total = 0
    pending: List[str] = [str(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total
