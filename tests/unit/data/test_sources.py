"""Sources are read from real servers, as far as one can be had: a file server, git, and a stand-in for the hub."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest, DiamondError, Forbidden, NoRoom
from diamond.data.sources import downloading
from diamond.data.sources.address import Bucket, Hub, Repository, WebFile, name_of, read_address
from diamond.data.sources.import_job import ReportTo, run_import
from diamond.data.sources.items import SourceDown
from support.file_server import FileServer, file_server
from support.hub_server import HubServer
from support.small_server import serving


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as running:
        yield running


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a server of a test."""
    monkeypatch.setattr(downloading, "LONGEST_PAUSE", 0.0)
    monkeypatch.setattr("diamond.data.sources.import_job.MOST_LOOKS", 1)


def fetch(folder: Path, source: str, **more: Any) -> dict[str, Any]:
    job = {"source": source, "folder": str(folder / "importing"), **more}
    return dict(run_import(job, ReportTo(lambda progress: None)))


def tree(folder: Path) -> dict[str, bytes]:
    root = folder / "importing" / "tree"
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://host/a/b.csv?x=1#part", WebFile("https://host/a/b.csv?x=1")),
        ("s3://bucket/era5/2020/", Bucket("bucket", "era5/2020/")),
        ("s3://bucket", Bucket("bucket", "")),
        ("git+https://host/a.git@v1.0", Repository("https://host/a.git", "v1.0")),
        ("git+ssh://git@host/a.git", Repository("ssh://git@host/a.git", "HEAD")),
        ("git+file:///srv/a@main", Repository("file:///srv/a", "main")),
        ("hf://datasets/ada/iris@abc", Hub("datasets", "ada/iris", "abc", "")),
        ("hf://ada/net", Hub("models", "ada/net", "main", "")),
        ("hf://datasets/a/b@refs%2Fpr%2F1/x/y", Hub("datasets", "a/b", "refs/pr/1", "x/y")),
    ],
)
def test_addresses_are_read(text: str, address: object) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "ftp://host/a",
            "file:///etc/passwd",
            "https://",
            "s3://",
            "s3://a/\nb",
            "https:///a",
        ),
        *(
            "git+https://host/a@--upload-pack=x",
            "git+https://host/a@a..b",
            "hf://only",
            "hf://a/b c",
        ),
    ],
)
def test_other_addresses_are_rejected_with_the_forms_that_are_valid(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_address(text)
    assert "://" in refused.value.hint


def test_the_name_of_a_file_never_leaves_its_folder() -> None:
    assert name_of("https://h/a/b%20c.csv?x") == "b c.csv"
    assert name_of("https://h/..") == name_of("https://h/") == name_of("https://h/a/") == "data"
    assert "/" not in name_of("https://h/..%2F..%2Fetc")


def test_a_file_whose_connection_breaks_continues_by_range(
    server: FileServer, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 8000
    url = server.put("/big.bin", content)
    server.cuts = [700_000, 600_000]
    done = fetch(tmp_path, url)
    assert tree(tmp_path) == {"big.bin": content}
    assert [int(one[6:-1]) for one in server.sent_ranges()] == [700_000, 1_300_000]
    assert (done["kind"], done["revision"], done["files"]) == (
        "web",
        server.files["/big.bin"].mark,
        1,
    )
    assert done["size"] == len(content) and len(done["digest"]) == 64


def test_another_process_continues_what_the_first_one_left(
    server: FileServer, tmp_path: Path
) -> None:
    content = bytes(3_000_000)
    url = server.put("/big.bin", content)
    server.cuts = [1_000_000] + 20 * [0]
    with pytest.raises(SourceDown):
        fetch(tmp_path, url)
    server.cuts = []
    server.seen.clear()
    fetch(tmp_path, url)
    assert server.sent_ranges() == ["bytes=1000000-"] and tree(tmp_path) == {"big.bin": content}


def test_a_file_that_changes_half_way_is_fetched_from_its_start(
    server: FileServer, tmp_path: Path
) -> None:
    url = server.put("/a.csv", b"old" * 100_000)
    server.cuts = [200_000] + 20 * [0]
    with pytest.raises(SourceDown):
        fetch(tmp_path, url)
    server.cuts = []
    server.put("/a.csv", b"new" * 100_000)
    fetch(tmp_path, url)
    assert tree(tmp_path) == {"a.csv": b"new" * 100_000}


def test_a_server_without_ranges_or_marks_is_read_from_the_start(
    server: FileServer, tmp_path: Path
) -> None:
    server.has_ranges = False
    url = server.put("/a", b"x" * 500_000, etag="none")
    server.cuts = [300_000]
    fetch(tmp_path, url)
    assert tree(tmp_path) == {"a": b"x" * 500_000}


def test_a_wrong_digest_is_named_with_both(server: FileServer, tmp_path: Path) -> None:
    url = server.put("/a", b"content")
    good = hashlib.sha256(b"content").hexdigest()
    assert fetch(tmp_path / "good", url, sha256=good)["digest"]
    wrong = fetch(tmp_path, url, sha256=64 * "0")
    assert not wrong["digest"]
    assert wrong["problems"] == [["a", f"its SHA-256 is {good}, not {64 * '0'}"]]
    assert not tree(tmp_path)


def test_what_is_not_there_or_not_allowed_says_the_next_step(
    server: FileServer, tmp_path: Path
) -> None:
    with pytest.raises(DiamondError, match=r"nothing at .*/none"):
        fetch(tmp_path, f"{server.url}/none")
    url = server.put("/closed", b"x", needs="Bearer open-sesame")
    with pytest.raises(DiamondError) as refused:
        fetch(tmp_path, url)
    assert "diamond secret set" in refused.value.hint
    secret = tmp_path / "secret"
    secret.write_text("open-sesame\n")
    assert fetch(tmp_path, url, secret_file=str(secret))["digest"]
    everything = [
        path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != secret
    ]
    assert not any(b"open-sesame" in content for content in everything)


def test_a_credential_does_not_follow_a_redirect_to_another_server(
    server: FileServer, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("open-sesame")
    with file_server() as other:
        goal = other.put("/b", b"moved")
        url = server.put("/a", b"", needs="Bearer open-sesame", location=goal)
        assert fetch(tmp_path, url, secret_file=str(secret))["digest"]
        assert all("authorization" not in headers for _, _, headers in other.seen)
        with pytest.raises(Forbidden, match="policy"):
            fetch(tmp_path / "x", url, secret_file=str(secret), allowed=[[f"{server.url}/*"]])


def test_the_policy_decides_which_addresses_are_read(server: FileServer, tmp_path: Path) -> None:
    url = server.put("/a", b"1")
    with pytest.raises(Forbidden, match="does not let"):
        fetch(tmp_path, url, allowed=[["https://data.example.org/*"]])
    assert not server.seen
    assert fetch(tmp_path, url, allowed=[[f"{server.url}/*"], ["http://127.*"]])["digest"]


def test_what_does_not_fit_is_not_begun(server: FileServer, tmp_path: Path) -> None:
    url = server.put("/a", b"x" * 1000)
    with pytest.raises(NoRoom, match="are free there"):
        fetch(tmp_path, url, free_bytes=1000)
    assert not tree(tmp_path)


def archive(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def test_archives_are_unpacked_only_when_that_is_asked_for(
    server: FileServer, tmp_path: Path
) -> None:
    url = server.put("/a.tar.gz", archive(**{"d/x": b"1", "y": b"2"}))
    fetch(tmp_path / "packed", url)
    assert list(tree(tmp_path / "packed")) == ["a.tar.gz"]
    fetch(tmp_path, url, unpack=True)
    assert tree(tmp_path) == {"d/x": b"1", "y": b"2"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("z/a.txt", "text")
    fetch(tmp_path / "zip", server.put("/b.zip", out.getvalue()), unpack=True)
    assert tree(tmp_path / "zip") == {"z/a.txt": b"text"}


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out"])
def test_an_archive_never_writes_outside_of_its_folder(
    server: FileServer, tmp_path: Path, name: str
) -> None:
    url = server.put("/a.tgz", archive(**{name: b"evil"}))
    with pytest.raises(DiamondError, match="path"):
        fetch(tmp_path, url, unpack=True)
    assert not list(tmp_path.rglob("out")) and not Path("/etc/out").exists()


def test_an_archive_with_a_link_out_of_itself_is_rejected(
    server: FileServer, tmp_path: Path
) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        link = tarfile.TarInfo("etc")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(link)
    with pytest.raises(DiamondError, match="leaves the archive"):
        fetch(tmp_path, server.put("/a.tar", out.getvalue()), unpack=True)


def test_an_archive_that_would_fill_the_disk_is_not_unpacked(
    server: FileServer, tmp_path: Path
) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("zeros", bytes(50_000_000))
    with pytest.raises(NoRoom):
        fetch(tmp_path, server.put("/a.zip", out.getvalue()), unpack=True, free_bytes=100_000_000)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *words],
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "data").mkdir()
    (folder / "data" / "a.csv").write_text("x\n1\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


@pytest.mark.parametrize("revision", ["commit", "main", "v1"])
def test_a_commit_of_a_repository_is_laid_out_without_its_history(
    repository: Path, tmp_path: Path, revision: str
) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "-a", "v1", "-m", "one")
    (repository / "data" / "a.csv").write_text("x\n2\n")
    if revision != "main":
        git(repository, "commit", "--quiet", "-am", "second")
    named = commit if revision == "commit" else revision
    done = fetch(tmp_path, f"git+file://{repository}@{named}")
    assert (done["kind"], done["revision"]) == ("git", commit)
    assert done["address"].endswith(f"@{commit}") and done["modified"]
    assert tree(tmp_path) == {"data/a.csv": b"x\n1\n", "run.sh": b"#!/bin/sh\n"}


def test_a_repository_over_plain_http_is_cloned_too(
    repository: Path, tmp_path: Path, server: FileServer
) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "update-server-info")
    for file in (repository / ".git").rglob("*"):
        if file.is_file():
            server.put(f"/r/{file.relative_to(repository / '.git')}", file.read_bytes())
    url = f"git+{server.url}/r@{commit}"
    assert fetch(tmp_path, url)["revision"] == commit
    looked = fetch(tmp_path, f"git+{server.url}/r@main", look=True, known=commit)
    assert looked["is_same"] and not looked["digest"]


def test_a_commit_that_is_not_there_is_named(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(DiamondError, match="1234567890"):
        fetch(tmp_path, f"git+file://{repository}@{'1234567890' * 4}")
    with pytest.raises(DiamondError) as refused:
        fetch(tmp_path, f"git+file://{repository}@no-such")
    assert "main" in refused.value.hint


def test_pointers_of_git_lfs_are_not_taken_for_data(repository: Path, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n"
    (repository / "big.bin").write_text(pointer.format(64 * "a"))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "pointer")
    with pytest.raises(DiamondError, match="pointer of Git LFS"):
        fetch(tmp_path, f"git+file://{repository}@main")


HUB_FILES = {"README.md": b"# hello", "data/a.parquet": b"PAR1" * 1000, "data/b.bin": bytes(50_000)}


def test_a_revision_of_a_hub_is_fixed_to_a_commit_and_verified(tmp_path: Path) -> None:
    hub = HubServer(token="hf_secret")
    commit = hub.commit("main", HUB_FILES)
    secret = tmp_path / "secret"
    secret.write_text("hf_secret")
    with serving(hub.answer) as server:
        job = {"server": server.url, "secret_file": str(secret)}
        done = fetch(tmp_path, "hf://datasets/ada/iris@main", **job)
        assert (done["kind"], done["revision"]) == ("hub", commit)
        assert done["address"] == f"hf://datasets/ada/iris@{commit}"
        assert tree(tmp_path) == HUB_FILES
        fetch(tmp_path / "part", "hf://datasets/ada/iris@main/data", **job)
        for path in ("data/b.bin", "README.md"):
            hub.tampered = {path}
            wrong = fetch(tmp_path / path.replace("/", "-"), "hf://datasets/ada/iris", **job)
            assert wrong["problems"][0][0] == path and not wrong["digest"]
        hub.tampered, hub.missing = set(), {"data/a.parquet"}
        gone = fetch(tmp_path / "gone", "hf://datasets/ada/iris", **job)
        assert gone["problems"] == [["data/a.parquet", "no longer at the source"]]
        with pytest.raises(DiamondError, match="Invalid rev id"):
            fetch(tmp_path / "rev", "hf://datasets/ada/iris@none", **job)
        with pytest.raises(DiamondError, match="does not let you read"):
            fetch(tmp_path / "closed", "hf://datasets/ada/iris", server=server.url)


def test_what_changed_at_the_source_is_named_and_only_that_is_fetched_again(
    tmp_path: Path,
) -> None:
    hub = HubServer()
    hub.commit("main", HUB_FILES)
    with serving(hub.answer) as server:
        source = "hf://datasets/ada/iris@main"
        first = fetch(tmp_path, source, server=server.url)
        before = {
            "previous_root": str(tmp_path / "importing" / "tree"),
            "previous_records": str(tmp_path / "importing" / "fetched.jsonl"),
            "known": first["revision"],
            "server": server.url,
        }
        same = fetch(tmp_path / "same", source, look=True, **before)
        assert same["is_same"] and same["named"] == []
        hub.commit(
            "main", {**HUB_FILES, "README.md": b"# other", "new": b"1"} | {"data/b.bin": b"2"}
        )
        hub.commits[hub.names["main"]].pop("data/a.parquet")
        looked = fetch(tmp_path / "look", source, look=True, **before)
        assert not looked["is_same"]
        expected = ["README.md: changed", "data/b.bin: changed", "new: new", "data/a.parquet: gone"]
        assert looked["named"] == expected
        server.requests.clear()
        second = fetch(tmp_path / "second", source, **before)
        assert second["named"] == expected and second["digest"] != first["digest"]
        fetched = [
            one.path.rpartition("/")[2] for one in server.requests if "/resolve/" in one.path
        ]
        assert sorted(fetched) == ["README.md", "b.bin", "new"]


def test_a_hostile_list_of_files_cannot_write_elsewhere(tmp_path: Path) -> None:
    hub = HubServer()
    hub.commit("main", {"../evil": b"1", "good": b"2", "good/under": b"3"})
    with serving(hub.answer) as server:
        done = fetch(tmp_path, "hf://datasets/a/b", server=server.url)
    assert [path for path, _ in done["problems"]] == ["../evil", "good"]
    assert not list(tmp_path.rglob("evil"))
