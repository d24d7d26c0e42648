"""Folders in which people keep images together: which one is given to, and what lies there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.errors import EnvironmentFailed
from diamond.runtimes import sharing
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import ImageManifest, stat_of
from diamond.runtimes.sharing import share, shared_folders, take_shared, writable_shared_folder
from diamond.runtimes.store import file_sha256, find

IDENTITY = "sha256:" + "1" * 64


def own(tmp_path: Path, name: str) -> ImageFolders:
    image_folders = ImageFolders(tmp_path / name / "images", tmp_path)
    image_folders.make()
    return image_folders


def built(image_folders: ImageFolders, text: str) -> ImageManifest:
    file = image_folders.store / "new.sqfs"
    file.write_text(text)
    target = file.rename(image_folders.store / f"{file_sha256(file)}.sqfs")
    return ImageManifest(
        identity=IDENTITY,
        format="squashfs",
        runtime="apptainer",
        platform="linux/amd64",
        sha256=target.stem,
        size=len(text),
        file=str(target),
        stat=stat_of(target),
    )


def test_one_folder_or_several_may_be_named() -> None:
    assert shared_folders("/a") == ["/a"]
    assert shared_folders(["/a", "/b"]) == ["/a", "/b"]
    assert shared_folders(None) == shared_folders("") == []


def test_an_image_of_a_folder_that_is_only_read_is_found_and_none_is_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, group = tmp_path / "site", tmp_path / "group"
    site.mkdir()
    group.mkdir()
    makers = own(tmp_path, "maker")
    made = share(_given([str(site)], makers), makers, built(makers, "of the site"))
    monkeypatch.setattr("os.access", lambda path, mode: site not in [path, *path.parents])
    mine = own(tmp_path, "mine")
    image_folders = sharing.group_folders([str(site), str(group)], mine)
    found = take_shared(image_folders, mine, IDENTITY, ["squashfs"])
    assert found is not None
    assert (found.file, found.shared) == (made.file, True)
    assert find(mine, IDENTITY, ["squashfs"]) == found
    assert _given([str(site), str(group)], mine).root == group
    assert writable_shared_folder([str(site)], mine) is None


def test_a_file_of_that_name_that_is_something_else_is_not_believed(tmp_path: Path) -> None:
    group = tmp_path / "group"
    group.mkdir()
    mine = own(tmp_path, "mine")
    manifest = built(mine, "what was built")
    place = _given([str(group)], mine)
    (place.store / f"{manifest.sha256}.sqfs").write_text("slipped in")
    assert share(place, mine, manifest) == manifest
    assert Path(manifest.file).read_text() == "what was built"
    (place.store / f"{manifest.sha256}.sqfs").unlink()
    (place.store / f"{manifest.sha256}.sqfs").symlink_to(manifest.file)
    assert share(place, mine, manifest) == manifest


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match="is not there"):
        writable_shared_folder([str(tmp_path / "none")], own(tmp_path, "mine"))


def _given(folders: list[str], image_folders: ImageFolders) -> ImageFolders:
    found = writable_shared_folder(folders, image_folders)
    assert found is not None
    return found
