"""What an order names is what runs inside: also for chains that began before an upgrade of the agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diamond.agent.folders import Folders
from diamond.agent.images.enter import Images
from diamond.agent.site.profile import Profile
from diamond.core.order import Image
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.store import keep_manifest, write_manifest

IDENTITY = "sha256:" + "1" * 64


@pytest.fixture
def images(tmp_path: Path) -> Images:
    folders = Folders(tmp_path / "keep", tmp_path / "work", tmp_path / "tmp")
    return Images(folders, lambda: Profile({}))


def built(images: Images, *, version: int) -> ImageManifest:
    image_folders = ImageFolders(images.folders.work / "images", images.folders.tmp)
    image_folders.make()
    packed = image_folders.store / "packed"
    packed.write_bytes(b"an image")
    manifest = keep_manifest(
        image_folders,
        ImageManifest(
            identity=IDENTITY,
            format="squashfs",
            runtime="apptainer",
            sha256="0" * 64,
            size=8,
            platform="linux/amd64",
            file=str(packed),
            variables={"LEVEL": "recorded"},
            path=["/opt/venv/bin"],
        ),
    )
    older = replace(manifest, version=version)
    write_manifest(image_folders, older)
    return older


def test_an_order_from_before_the_upgrade_runs_with_what_was_recorded_then(images: Images) -> None:
    manifest = built(images, version=1)
    found = images.find(Image(IDENTITY, "sha256:" + manifest.sha256, "squashfs"))
    assert (found.path, found.variables) == (["/opt/venv/bin"], {"LEVEL": "recorded"})


@pytest.mark.parametrize(("version", "is_signed"), [(1, True), (2, False), (2, True)])
def test_nothing_else_is_taken_from_a_record(images: Images, version: int, is_signed: bool) -> None:
    manifest = built(images, version=version)
    image = Image(IDENTITY, "sha256:" + manifest.sha256, "squashfs")
    found = images.find(image, is_signed=is_signed)
    assert (found.path, found.variables) == ([], {})
