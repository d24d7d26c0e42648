"""Files come home whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.sdk import Client
from diamond.sdk.downloads import destination_for, path_inside
from diamond.sdk.transport import API
from support.small_server import Reply, Request, serving

CONTENT = bytes(range(256)) * 1000


REFUSED = {"odd/pipe": "bad-request", "odd/gone": "not-found"}


class Files:
    """A run directory with `out/model.pt`; the first answers may be cut short."""

    def __init__(self, *, cuts: int = 0, lie: bool = False, odd: bool = False) -> None:
        self.cuts, self.odd = cuts, odd
        self.etag = '"sha256:' + ("0" * 64 if lie else hashlib.sha256(CONTENT).hexdigest()) + '"'

    def __call__(self, request: Request) -> Reply:
        if request.path == f"{API}/tasks/t1":
            return Reply(b'{"id": "t1"}')
        if request.path.endswith("/files"):
            return self._list(request.query.get("path", [""])[0])
        if (path := request.query.get("path", [""])[0]) in REFUSED:
            problem = {"title": f"{path} cannot be read", "code": REFUSED[path], "hint": ""}
            return Reply(json.dumps(problem).encode(), 400)
        return self._content(request.headers.get("range", ""))

    def _list(self, path: str) -> Reply:
        if path == "odd":
            names = [*REFUSED, "odd/z"]
            return Reply(
                json.dumps({"items": [{"path": name, "kind": "file"} for name in names]}).encode()
            )
        listed = {
            "": [("out", "folder"), *([("odd", "folder")] if self.odd else [])],
            "out": [("out/model.pt", "file"), ("out/link", "link")],
        }
        items = [{"path": name, "kind": kind, "size": 1} for name, kind in listed[path]]
        return Reply(json.dumps({"items": items}).encode())

    def _content(self, wanted: str) -> Reply:
        start = int(wanted.removeprefix("bytes=").removesuffix("-") or 0)
        cut = None
        if self.cuts:
            self.cuts -= 1
            cut = 100_000
        return Reply(CONTENT[start:], 206 if wanted else 200, {"ETag": self.etag}, cut=cut)


def test_a_fetch_goes_on_where_it_broke_off(tmp_path: Path) -> None:
    with serving(Files(cuts=2)) as server:
        [written] = Client(server.url, "t").get("t1", "out/model.pt", tmp_path / "m.pt")
    assert written.read_bytes() == CONTENT
    ranges = [one.headers.get("range") for one in server.requests if one.path.endswith("/content")]
    assert ranges[0] is None and ranges[1] == "bytes=99999-" and len(ranges) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["m.pt"]


def test_a_damaged_file_never_gets_its_name(tmp_path: Path) -> None:
    with serving(Files(lie=True)) as server, pytest.raises(Conflict, match="damaged"):
        Client(server.url, "t").get("t1", "out/model.pt", tmp_path / "m.pt")
    assert not list(tmp_path.iterdir())


def test_a_folder_comes_with_all_in_it(tmp_path: Path) -> None:
    with serving(Files()) as server:
        written = Client(server.url, "t").get("t1", ".", tmp_path / "all")
    assert written == [tmp_path / "all" / "out" / "model.pt"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with serving(Files()) as server, pytest.raises(NotFound, match="nothing"):
        Client(server.url, "t").get("t1", "out/nothing", tmp_path)


def test_a_file_goes_into_a_folder_under_its_own_name(tmp_path: Path) -> None:
    assert destination_for("a/b.txt", tmp_path) == tmp_path / "b.txt"
    assert destination_for("a/b.txt", tmp_path / "c.txt") == tmp_path / "c.txt"
    assert destination_for("a/b.txt", None) == Path("b.txt")
    with pytest.raises(BadRequest):
        destination_for("a/..", tmp_path)


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to("/etc")
    for path in ("../x", "link/passwd", "/etc/passwd"):
        with pytest.raises(BadRequest, match="outside"):
            path_inside(tmp_path / "out", path)


def test_what_cannot_be_read_does_not_keep_the_rest_of_a_folder(tmp_path: Path) -> None:
    heard: list[str] = []
    with serving(Files(odd=True)) as server:
        client = Client(server.url, "t")
        with pytest.raises(
            NotFound, match=r"1 of 2 files could not be downloaded: odd/gone"
        ) as caught:
            client.get("t1", "odd", tmp_path, say=heard.append)
        client.get("t1", "out", tmp_path, say=heard.append)
    assert str(tmp_path) in caught.value.hint
    assert (tmp_path / "z").read_bytes() == CONTENT
    assert heard == [
        "Skipped: pipe (not a regular file)",
        "Skipped: link (a link, which is not followed)",
    ]
