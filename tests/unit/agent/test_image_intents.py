from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, cast

import pytest

from diamond.agent.folders import Folders
from diamond.agent.images.enter import Images
from diamond.agent.images.transfers import Transfers
from diamond.agent.link.carriers import Link
from diamond.core.errors import BadRequest
from diamond.core.protocol import ImageCommand, read_command

FILE = {"sha256": "a" * 64, "size": 1, "identity": "sha256:" + "b" * 64, "format": "squashfs"}


def transfers(tmp_path: Path) -> Transfers:
    places = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
    places.make()
    return Transfers(places, cast(Link, None), lambda: cast(Images, None), threading.Event())


def command(told: dict[str, Any]) -> ImageCommand:
    return cast(ImageCommand, read_command({"id": "c1", "type": "image", **told}))


@pytest.mark.parametrize(
    "told",
    [
        {"act": "delete", "sha256": "../../../elsewhere", "format": "venv", "identity": "x"},
        {"act": "fetch", "record": {"sha256": "../elsewhere", "size": 1}},
        {"act": "cancel", "record": {"sha256": "sha256:../elsewhere"}},
        {"act": "delete", "sha256": "a" * 64, "format": "../x", "identity": "b" * 64},
        {"act": "delete", "sha256": "a" * 64, "format": "venv", "identity": "../../elsewhere"},
        {"act": "fetch", "record": {**FILE, "format": "venv"}},
        {"act": "fetch", "record": {**FILE, "identity": "sha256:../../../elsewhere"}},
    ],
)
def test_a_digest_that_leads_out_of_the_image_folder_is_refused(
    tmp_path: Path, told: dict[str, Any]
) -> None:
    made = transfers(tmp_path)
    with pytest.raises(BadRequest):
        made.handle(command({"move": "m1", **told}))
    assert not list((tmp_path / "work").glob("images/moves/*"))


def test_a_digest_is_taken_with_and_without_its_kind(tmp_path: Path) -> None:
    made = transfers(tmp_path)
    for number, digest in enumerate(("a" * 64, f"sha256:{'b' * 64}")):
        made.handle(command({"move": f"m{number}", "act": "send", "record": {"sha256": digest}}))
    assert len(list((tmp_path / "work").glob("images/moves/*"))) == 2
