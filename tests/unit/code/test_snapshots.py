"""What travels with a job, and what stays at home."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from diamond.code.snapshots import (
    Snapshot,
    checkout,
    missing_blobs,
    take_snapshot,
    unpack_blobs,
    why_not_by_itself,
)
from diamond.core.errors import BadRequest, Conflict, TooLarge


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def paths(snapshot: Snapshot) -> list[str]:
    return [entry["path"] for entry in json.loads(snapshot.manifest)["files"]]


def tar_of(blobs: Iterable[tuple[str, bytes]]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w|") as archive:
        for name, content in blobs:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    stream.seek(0)
    return stream


def blobs_of(snapshot: Snapshot) -> io.BytesIO:
    files = snapshot.files.items()
    return tar_of((digest.removeprefix("sha256:"), path.read_bytes()) for digest, path in files)


def manifest_of(*entries: dict[str, object]) -> bytes:
    return json.dumps({"version": 1, "files": list(entries)}).encode()


def test_a_snapshot_comes_out_as_it_went_in(tmp_path: Path) -> None:
    source = write(
        tmp_path / "code", {"train.py": "print(1)\n", "lib/net.py": "", "run.sh": "true"}
    )
    (source / "run.sh").chmod(0o755)
    (source / "lib" / "again.py").symlink_to("../train.py")
    snapshot = take_snapshot(source)
    blobs, target = tmp_path / "blobs", tmp_path / "out"
    assert len(missing_blobs(snapshot.manifest, blobs)) == 3
    unpack_blobs(blobs_of(snapshot), blobs)
    for _ in range(2):
        checkout(snapshot.manifest, blobs, target)
    assert (target / "train.py").read_text() == "print(1)\n"
    assert os.access(target / "run.sh", os.X_OK)
    assert (target / "lib" / "again.py").read_text() == "print(1)\n"
    assert take_snapshot(target).digest == snapshot.digest
    assert snapshot.digest == "sha256:" + hashlib.sha256(snapshot.manifest).hexdigest()


def test_git_says_what_is_ignored_and_what_has_changed(tmp_path: Path) -> None:
    files = {
        ".gitignore": "*.log\ndata/\n",
        "a.py": "1\n",
        "x.log": "",
        "data/big": "",
        ".env": "K=1",
    }
    folder = write(tmp_path / "repo", files)
    git(folder, "init", "-q")
    git(folder, "add", "-f", "a.py", ".gitignore", ".env")
    git(folder, "commit", "-qm", "first")
    write(folder, {"a.py": "2\n", "new.py": "", ".env": "K=secret"})
    snapshot = take_snapshot(folder)
    assert paths(snapshot) == [".gitignore", "a.py", "new.py"]
    assert snapshot.left_out == [(".env", "looks like a key or password file")]
    assert len(snapshot.commit) == 40 and snapshot.dirty
    assert b"+2" in snapshot.dirty_diff and b"secret" not in snapshot.dirty_diff


def test_a_deleted_tracked_file_does_not_travel(tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {"a.py": "", "b.py": ""})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    (folder / "b.py").unlink()
    assert paths(take_snapshot(folder)) == ["a.py"]


def test_a_nested_repository_travels_by_its_own_rules(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "repo",
        {"a.py": "", "inner/.gitignore": "*.o\n", "inner/b.py": "", "inner/c.o": ""},
    )
    git(folder / "inner", "init", "-q")
    git(folder, "init", "-q")
    assert paths(take_snapshot(folder)) == ["a.py", "inner/.gitignore", "inner/b.py"]


def test_ignore_files_are_read_without_git_too(tmp_path: Path) -> None:
    files = {
        "diamond.yaml": "",
        ".gitignore": "*.tmp\n/out/\n!keep.tmp\n# note\n",
        "a.tmp": "",
        "keep.tmp": "",
        "out/x": "",
        "src/out/y": "",
        ".diamondignore": "src/**/z\n",
        "src/deep/er/z": "",
        "src/.gitignore": "local.py\n",
        "src/local.py": "",
        "local.py": "",
    }
    snapshot = take_snapshot(write(tmp_path / "code", files))
    assert paths(snapshot) == [
        ".diamondignore",
        ".gitignore",
        "diamond.yaml",
        "keep.tmp",
        "local.py",
        "src/.gitignore",
        "src/out/y",
    ]


def test_diamondignore_also_leaves_out_what_git_tracks(tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {"a.py": "", "notes/n.md": "", ".diamondignore": "notes/\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    assert paths(take_snapshot(folder)) == [".diamondignore", "a.py"]


@pytest.mark.parametrize(
    "name",
    [
        "id_rsa",
        "id_ed25519",
        "server.pem",
        "tls.key",
        ".env",
        ".env.local",
        ".netrc",
        ".aws/config",
        "credentials",
    ],
)
def test_key_files_stay_home_and_are_named(tmp_path: Path, name: str) -> None:
    snapshot = take_snapshot(write(tmp_path / "code", {"a.py": "", name: "secret"}))
    assert paths(snapshot) == ["a.py"]
    assert [path for path, _ in snapshot.left_out] == [name]


@pytest.mark.parametrize(
    "first",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "\n-----BEGIN PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
        "PuTTY-User-Key-File-3: ssh-ed25519",
    ],
)
def test_a_private_key_under_a_harmless_name_stays_home(tmp_path: Path, first: str) -> None:
    folder = write(tmp_path / "code", {"diamond.yaml": "", "deploy": f"{first}\nAAAA\n"})
    snapshot = take_snapshot(folder)
    assert paths(snapshot) == ["diamond.yaml"]
    assert snapshot.left_out == [("deploy", "is a private key")]
    assert snapshot.size == 0


def test_a_changed_key_that_git_tracks_is_not_in_the_diff_either(tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {"a.py": "", "deploy": "-----BEGIN PRIVATE KEY-----\nA\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    write(folder, {"a.py": "1\n", "deploy": "-----BEGIN PRIVATE KEY-----\nsecret\n"})
    snapshot = take_snapshot(folder)
    assert paths(snapshot) == ["a.py"]
    assert b"+1" in snapshot.dirty_diff and b"secret" not in snapshot.dirty_diff


def test_code_and_public_parts_that_speak_of_keys_travel(tmp_path: Path) -> None:
    files = {
        "test_tls.py": 'KEY = """\n-----BEGIN PRIVATE KEY-----\n"""\n',
        "ca.crt": "-----BEGIN CERTIFICATE-----\n",
    }
    snapshot = take_snapshot(write(tmp_path / "code", files))
    assert (paths(snapshot), snapshot.left_out) == (["ca.crt", "test_tls.py"], [])


def test_without_git_what_tools_make_stays_home_and_is_named_once(tmp_path: Path) -> None:
    files = {
        "train.py": "",
        ".venv/bin/python": "",
        "my-env/pyvenv.cfg": "",
        "my-env/lib/x.py": "",
        "__pycache__/a.pyc": "",
        "lib/__pycache__/b.pyc": "",
        "web/node_modules/x/index.js": "",
        "venv/model.py": "",
    }
    snapshot = take_snapshot(write(tmp_path / "code", files))
    assert paths(snapshot) == ["train.py", "venv/model.py"]
    assert [path for path, _ in snapshot.left_out] == [".venv, __pycache__, my-env, node_modules"]


def test_an_ignore_file_brings_back_what_tools_make(tmp_path: Path) -> None:
    files = {"train.py": "", ".diamondignore": "!node_modules/\n", "node_modules/x.js": ""}
    snapshot = take_snapshot(write(tmp_path / "code", files))
    assert paths(snapshot) == [".diamondignore", "node_modules/x.js", "train.py"]
    assert snapshot.left_out == []


def test_a_folder_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "code", {"a.py": "", "data/small": "x"})
    with (folder / "data" / "huge.bin").open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(TooLarge) as caught:
        take_snapshot(folder)
    assert "data/ (10.0 GB)" in caught.value.message
    assert ".gitignore" in caught.value.hint and ".diamondignore" in caught.value.hint


def test_a_name_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "code", {"a.py": ""})
    with open(os.fsencode(folder) + b"/caf\xe9.py", "wb"):  # noqa: PTH123
        pass
    with pytest.raises(BadRequest, match=r"caf\\xe9.py"):
        take_snapshot(folder)


def test_strange_names_travel(tmp_path: Path) -> None:
    names = ['quo"te.py', "new\nline.py", "$(touch x).py", "sp ace.py", "é.py"]
    folder = write(tmp_path / "code", dict.fromkeys(names, ""))
    git(folder, "init", "-q")
    assert paths(take_snapshot(folder)) == sorted(names)


def test_links_that_lead_outside_are_left_out(tmp_path: Path) -> None:
    folder = write(tmp_path / "code", {"a.py": ""})
    (folder / "etc").symlink_to("/etc/passwd")
    (folder / "absolute").symlink_to(folder / "a.py")
    snapshot = take_snapshot(folder)
    assert paths(snapshot) == ["a.py", "absolute"]
    assert snapshot.left_out == [("etc", "a link that leads outside, to /etc/passwd")]
    assert b'"link":"a.py"' in snapshot.manifest


def test_home_never_travels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = write(tmp_path / "home", {"diamond.yaml": "", "project/a.py": ""})
    monkeypatch.setenv("HOME", str(home))
    for folder in (home, tmp_path, Path("/")):
        with pytest.raises(BadRequest, match="home folder"):
            take_snapshot(folder)
    git(home, "init", "-q")
    assert "neither a git work tree" in why_not_by_itself(home / "project")
    write(home, {"project/diamond.yaml": ""})
    assert why_not_by_itself(home / "project") == ""


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "code", {"a.py": "1", "b.py": "2"})
    for name in ("a.py", "b.py"):
        os.utime(folder / name, (1, 1))
    first = take_snapshot(folder, cache=tmp_path / "cache")
    (folder / "b.py").write_text("3")
    read: list[str] = []

    def note(file: Path) -> str:
        read.append(file.name)
        return "0" * 64

    monkeypatch.setattr("diamond.code.hashing.hash_file", note)
    take_snapshot(folder, cache=tmp_path / "cache")
    assert read == ["b.py"]
    assert first.size == 2


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "", "a//b", "./x"])
def test_no_path_leaves_the_target(tmp_path: Path, path: str) -> None:
    manifest = manifest_of({"path": path, "mode": "644", "size": 0, "sha256": "0" * 64})
    with pytest.raises(BadRequest, match="outside"):
        checkout(manifest, tmp_path / "blobs", tmp_path / "out")


@pytest.mark.parametrize("link", ["/etc", "..", "../..", "a/../../.."])
def test_no_link_leaves_the_target(tmp_path: Path, link: str) -> None:
    with pytest.raises(BadRequest, match="outside"):
        checkout(manifest_of({"path": "x", "link": link}), tmp_path / "blobs", tmp_path / "out")


def test_no_file_is_written_through_a_link(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    entry = {"path": "d/x", "mode": "644", "size": 1, "sha256": digest}
    with pytest.raises(BadRequest, match="outside"):
        checkout(manifest_of({"path": "d", "link": "e"}, entry), tmp_path, tmp_path / "out")
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "d").symlink_to(outside)
    unpack_blobs(tar_of([(digest, b"x")]), tmp_path)
    checkout(manifest_of(entry), tmp_path, tmp_path / "out")
    assert not list(outside.iterdir())
    assert (tmp_path / "out" / "d" / "x").read_text() == "x"


def test_a_blob_that_lies_about_its_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="not what its name says"):
        unpack_blobs(tar_of([("0" * 64, b"x")]), tmp_path)
    with pytest.raises(BadRequest, match="not the name of a blob"):
        unpack_blobs(tar_of([("../../x", b"x")]), tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_missing_blob_is_named(tmp_path: Path) -> None:
    manifest = manifest_of({"path": "a", "mode": "644", "size": 0, "sha256": "0" * 64})
    with pytest.raises(Conflict, match="0000"):
        checkout(manifest, tmp_path, tmp_path / "out")


@pytest.mark.parametrize("with_git", [True, False])
def test_files_that_an_ignore_file_holds_back_are_named(tmp_path: Path, with_git: bool) -> None:
    files = {".gitignore": "*.bin\nout/\n__pycache__/\n*.pyc\n", "train.py": "pass"}
    files |= {"data/train.bin": "x", "out/a": "x", "out/b": "x", "__pycache__/t.pyc": "x"}
    folder = write(tmp_path / "code", {**files, "diamond.yaml": ""})
    if with_git:
        git(folder, "init")
    [warning] = take_snapshot(folder).warnings
    assert "lists them: data/train.bin, out/. If" in warning
    assert "`data:`" in warning
    (folder / ".gitignore").write_text("__pycache__/\n*.pyc\n")
    assert take_snapshot(folder).warnings == []
