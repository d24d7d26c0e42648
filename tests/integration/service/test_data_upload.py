"""A folder of a person's computer becomes a version on an endpoint, by pieces through the service."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.data.manifest import FileEntry, files_of, read_manifest
from diamond.data.packing import BYTES, END, read_piece
from diamond.data.wants import Wants, encode_wants
from diamond.sdk.client import Client
from support.data_scene import data_commands, manifest_of, report
from support.people import add_person
from support.scene import Scene, new_scene
from support.service import RunningService

CONTENT = {"a.txt": b"alpha", "sub/b.bin": bytes(range(256)) * 40}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "home"))
    for name, content in CONTENT.items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(content)
    return tmp_path / "data"


class Receiving(threading.Thread):
    """The goal's part of a transfer: asks for everything, takes the pieces, reports the end."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(daemon=True)
        self.scene, self.received = scene, dict[str, bytes]()

    def run(self) -> None:
        command = next(one for one in _until_fetch(self.scene) if one["act"] == "fetch")
        transfer, tree = command["transfer"], command["tree"]
        manifest = self.scene.agent.call("manifest-part", {"tree": tree}).body
        files = _files(manifest)
        wants = encode_wants(Wants(whole=[(0, len(files))]))
        number = self.scene.agent.good(f"data-wants/{transfer}", wants)["round"]
        n = 0
        while n >= 0:
            asked = {"transfer": transfer, "round": number, "n": n}
            piece = self.scene.agent.call("data-part", asked).body
            if not piece:
                continue
            n = -1 if self._take(piece, files) else n + 1
        report(self.scene, name=transfer, act="fetch", state="done", tree=tree, path="/w/x")

    def _take(self, piece: bytes, files: list[FileEntry]) -> bool:
        for frame, content in read_piece(piece, files):
            if frame.kind == BYTES:
                self.received[files[frame.file].path] = bytes(content)
            elif frame.kind == END:
                return True
        return False


def _until_fetch(scene: Scene) -> list[dict[str, Any]]:
    while not (commands := data_commands(scene)):
        pass
    return commands


def _files(manifest: bytes) -> list[FileEntry]:
    return files_of(read_manifest(io.BytesIO(manifest)))


def test_an_uploaded_folder_arrives_whole_and_becomes_a_version(
    service: RunningService, folder: Path
) -> None:
    scene = new_scene(service)
    goal = Receiving(scene)
    goal.start()
    client = Client(service.url, service.token)
    made = client.upload_data(f"up-{scene.name}", folder, on=scene.name, license="CC0")
    goal.join(30)
    assert goal.received == CONTENT
    assert (made["version"], made["is_new"]) == ("v1", True)
    assert made["digest"] == f"sha256:{manifest_of(CONTENT)[0]}"
    again = client.upload_data(f"up-{scene.name}", folder, on=scene.name)
    assert (again["version"], again["is_new"]) == ("v1", False)


def test_nobody_sends_to_the_upload_of_another(service: RunningService, folder: Path) -> None:
    scene = new_scene(service)
    _, eve = add_person(service, "eve")
    digest, manifest = manifest_of({"x": b"1"})
    address = f"/datasets/manifests/{digest}?offset=0&size={len(manifest)}"
    service.client.call("POST", address, manifest)
    body = {"name": f"up-{scene.name}", "endpoint": scene.name, "digest": digest}
    upload = service.client.post("/datasets/uploads", body)["id"]
    assert eve.call("GET", f"/datasets/uploads/{upload}/wants?round=1").status == 404
    assert eve.call("POST", f"/datasets/uploads/{upload}/pieces?round=1&n=0", b"x").status == 404
    assert eve.call("POST", "/datasets/uploads", body).status == 404
    wrong = eve.call("POST", f"/datasets/manifests/{'0' * 64}?offset=0&size=5", b"hello")
    assert wrong.status == 400


def test_a_file_that_cannot_be_part_of_a_tree_is_named(
    service: RunningService, folder: Path
) -> None:
    (folder / "broken").symlink_to("nowhere")
    with pytest.raises(BadRequest, match="broken"):
        Client(service.url, service.token).upload_data("bad", folder)
