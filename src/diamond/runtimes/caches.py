"""What podman, docker and charliecloud keep of builds in their own storages."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.podman import layers_name, storage_words

ANSWER_SECONDS = 60.0


PROGRAMS = ("podman", "docker")


def oci_layers(image_folders: ImageFolders, program: str, before: float) -> List[Tuple[str, int]]:
    """Layers of builds that were made before then and that none younger stands on, with the bytes that each adds."""
    known = _layers(image_folders, program)
    old = [layer for layer in known if layer["made"] < before]
    young = [layer for layer in known if layer["made"] >= before]
    unneeded = [layer for layer in old if not any(_stands_on(other, layer) for other in young)]
    return [(layer["name"], _added(layer, known)) for layer in unneeded]


def remove_oci_layers(image_folders: ImageFolders, program: str, names: Sequence[str]) -> None:
    _ask(image_folders, program, ["rmi", "--force", *names])


def charliecloud_cache(image_folders: ImageFolders) -> List[Path]:
    """Its cache is one repository, which goes as a whole, and the marks of the steps in it."""
    folders = [image_folders.root / "charliecloud", image_folders.layers / "charliecloud"]
    return [folder for folder in folders if folder.is_dir()]


def _layers(image_folders: ImageFolders, program: str) -> List[Dict[str, Any]]:
    is_used = program != "podman" or (image_folders.root / "oci").is_dir()
    if not is_used or not shutil.which(program):
        return []
    names = _ask(image_folders, program, ["images", "--format", "{{.Repository}}:{{.Tag}}"]).split()
    own = f"{layers_name(program, image_folders.root)}:"
    layers = [name for name in names if name.startswith(own)]
    inspected = _ask(image_folders, program, ["image", "inspect", *layers]) if layers else ""
    return [_layer(name, facts) for name, facts in zip(layers, json.loads(inspected or "[]"))]


def _layer(name: str, facts: Dict[str, Any]) -> Dict[str, Any]:
    made = datetime.fromisoformat(str(facts["Created"])[:19] + "+00:00").timestamp()
    stack = list((facts.get("RootFS") or {}).get("Layers") or [])
    return {"name": name, "made": made, "size": int(facts.get("Size") or 0), "stack": stack}


def _stands_on(upper: Dict[str, Any], lower: Dict[str, Any]) -> bool:
    count = len(lower["stack"])
    return len(upper["stack"]) > count and upper["stack"][:count] == lower["stack"]


def _added(layer: Dict[str, Any], known: List[Dict[str, Any]]) -> int:
    below = [int(lower["size"]) for lower in known if _stands_on(layer, lower)]
    return max(int(layer["size"]) - max(below, default=0), 0)


def _ask(image_folders: ImageFolders, program: str, arguments: Sequence[str]) -> str:
    """What it says; nothing where it fails: room is then not freed, and nothing is said of it."""
    command = [program, *storage_words(program, image_folders.root), *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=ANSWER_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout if done.returncode == 0 else ""
