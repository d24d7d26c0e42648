"""A real agent fetches data from real servers, and shows what it looks like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.file_server import FileServer, file_server
from support.s3_server import S3Server, s3_server
from support.service import RunningService
from support.tree_scene import DataMachine
from support.waiting import wait_for

MEGABYTE = 1 << 20


@pytest.fixture
def files() -> Iterator[FileServer]:
    with file_server() as running:
        yield running


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as running:
        yield running


def add(service: RunningService, machine: DataMachine, name: str, url: str, **more: Any) -> Any:
    body = {"name": name, "endpoint": machine.name, "url": url, **more}
    addition = service.client.post("/datasets", body)
    return ended(service, f"/datasets/additions/{addition['id']}")


def ended(service: RunningService, path: str) -> Any:
    def look() -> Any:
        found = service.client.get(path)
        return found if found["state"] not in ("waiting", "running") else None

    return wait_for(look, what=path)


def set_secret(service: RunningService, machine: DataMachine, name: str, value: str) -> None:
    service.client.call("PUT", f"/endpoints/{machine.name}/secrets/{name}", {"value": value})


def root_of(service: RunningService, name: str) -> Path:
    place = service.client.get(f"/datasets/{name}/places")["items"][0]
    assert place["kind"] == "copy"
    return Path(place["path"])


def test_a_url_becomes_a_version_that_knows_where_it_came_from(
    service: RunningService, alpha: DataMachine, files: FileServer
) -> None:
    url = files.put("/tables/pairs.csv", b"x,y\n1,2\n3,5\n")
    done = add(service, alpha, "web", url)
    assert (done["state"], done["version"], done["is_new"]) == ("done", "v1", True), done
    version = service.client.get("/datasets/web")["newest"]
    origin = {"kind": "web", "address": url, "modified": ""}
    assert version["origin"] == {**origin, "revision": files.files["/tables/pairs.csv"].mark}
    root = root_of(service, "web")
    assert (root / "pairs.csv").read_bytes() == b"x,y\n1,2\n3,5\n"
    assert oct((root / "pairs.csv").stat().st_mode & 0o777) == "0o444"
    preview = ended(service, "/datasets/web/preview")
    assert preview["state"] == "done", preview
    table = preview["preview"]["parts"][0]
    assert (table["rows"], [one["name"] for one in table["columns"]]) == (2, ["x", "y"])

    files.seen.clear()
    again = add(service, alpha, "web", url)
    assert (again["version"], again["is_new"]) == ("v1", False)
    assert again["message"] == "The source is unchanged."
    assert [method for method, _, _ in files.seen] == ["HEAD"], "nothing is fetched twice"
    assert look_at_source(service)["source_changed"] is False
    files.put("/tables/pairs.csv", b"x,y\n1,2\n")
    looked = look_at_source(service)
    assert looked["source_changed"] and looked["changed"] == ["pairs.csv: changed"]
    changed = add(service, alpha, "web", url)
    assert (changed["version"], changed["is_new"]) == ("v2", True)
    assert changed["named"] == ["pairs.csv: changed"]


def look_at_source(service: RunningService) -> Any:
    started = service.client.post("/datasets/web/checks", {"source": True})["items"][0]
    return ended(service, f"/datasets/checks/{started['id']}")


def test_an_agent_that_is_killed_continues_by_range(
    service: RunningService, alpha: DataMachine, files: FileServer
) -> None:
    content = os.urandom(MEGABYTE) * 30
    url = files.put("/large.bin", content)
    files.cuts = [20 * MEGABYTE] + [0] * 50
    body = {"name": "large", "endpoint": alpha.name, "url": url}
    addition = service.client.post("/datasets", body)
    wait_for(lambda: len(files.seen) > 3, what="the first tries")
    alpha.kill()
    files.cuts = []
    alpha.start()
    done = ended(service, f"/datasets/additions/{addition['id']}")
    assert done["state"] == "done", done
    assert (root_of(service, "large") / "large.bin").read_bytes() == content
    assert files.sent_ranges()[-1] == f"bytes={20 * MEGABYTE}-"


def test_s3_needs_the_right_secret_and_names_what_changed(
    service: RunningService, alpha: DataMachine, storage: S3Server
) -> None:
    bucket = storage.open()
    names = [f"era5/{year}/{n}.bin" for year in (2020, 2021) for n in range(30)]
    for name in [*names, "era5/ü nï+%.txt", "other/x"]:
        bucket.put(name, name.encode() * 10)
    source = {"server": storage.url}
    anybody = add(service, alpha, "s3", "s3://data/era5", **source)
    assert anybody["state"] == "failed" and "does not let us" in anybody["message"]
    lacking = add(service, alpha, "s3", "s3://data/era5", secret="NONE", **source)
    assert "no secret 'NONE'" in lacking["message"]
    set_secret(service, alpha, "WRONG", f"{storage.keys.access}:wrong")
    wrong = add(service, alpha, "s3", "s3://data/era5", secret="WRONG", **source)
    assert wrong["state"] == "failed" and "secret" in wrong["message"]
    set_secret(service, alpha, "S3_KEY", storage.secret)
    source["secret"] = "S3_KEY"
    done = add(service, alpha, "s3", "s3://data/era5", **source)
    assert done["state"] == "done", done
    root = root_of(service, "s3")
    assert sorted(str(one.relative_to(root)) for one in root.rglob("*") if one.is_file()) == sorted(
        [name[5:] for name in names] + ["ü nï+%.txt"]
    )
    assert (root / "2020/7.bin").read_bytes() == b"era5/2020/7.bin" * 10
    bucket.put("era5/2020/7.bin", b"new")
    bucket.remove("era5/2021/8.bin")
    second = add(service, alpha, "s3", "s3://data/era5", **source)
    assert second["version"] == "v2"
    assert second["named"] == ["2020/7.bin: changed", "2021/8.bin: gone"]
    spoken = alpha.log() + str(service.client.get("/datasets/s3"))
    assert storage.keys.secret not in spoken
    for file in service.home.rglob("*"):
        assert not file.is_file() or storage.keys.secret.encode() not in file.read_bytes(), file


def test_a_fetch_that_is_cancelled_keeps_what_came_and_tells_how_far_it_was(
    service: RunningService, alpha: DataMachine, files: FileServer
) -> None:
    url = files.put("/slow.bin", os.urandom(MEGABYTE) * 20)
    files.cuts = [5 * MEGABYTE] + [0] * 100
    body = {"name": "slow", "endpoint": alpha.name, "url": url}
    addition = service.client.post("/datasets", body)
    path = f"/datasets/additions/{addition['id']}"
    far = wait_for(
        lambda: (found := service.client.get(path))["size"] and found, what="some progress"
    )
    assert far["size"] == 20 * MEGABYTE and far["kind"] == "import"
    service.client.post(f"{path}/cancel", {})
    assert service.client.get(path)["state"] == "cancelled"
    files.cuts = []
    assert add(service, alpha, "slow", url)["version"] == "v1"
    assert f"bytes={5 * MEGABYTE}-" in files.sent_ranges()


def test_a_preview_with_packages_is_made_in_an_environment_of_its_own(
    service: RunningService, alpha: DataMachine, tmp_path: Path
) -> None:
    from PIL import Image

    Image.new("RGB", (300, 200), (200, 30, 30)).save(tmp_path / "red.png")
    body = {"name": "images", "endpoint": alpha.name, "path": str(tmp_path)}
    addition = service.client.post("/datasets", body)
    assert ended(service, f"/datasets/additions/{addition['id']}")["state"] == "done"
    found = ended(service, "/datasets/images/preview")
    image = found["preview"]["parts"][0]["images"][0]
    assert (image["path"], image["width"], image["height"]) == ("red.png", 300, 200)
