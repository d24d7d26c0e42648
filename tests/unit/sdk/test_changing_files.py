"""A file that changes while it is sent: the folder is read again, and a file that never rests is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diamond.code.snapshots import take_snapshot
from diamond.sdk.code_selection import CodeSelection, upload_code
from diamond.sdk.transport import Transport
from diamond.sdk.uploads import FileChanged


class Sent(Transport):
    """Takes everything, and writes to a file whenever it is asked what is missing, as a growing log does."""

    def __init__(self, growing: Path, times: int) -> None:
        self.growing, self.times, self.archives = growing, times, 0

    def post(self, path: str, body: object = None, *, creates: bool = False) -> Any:
        if self.times:
            self.times -= 1
            with self.growing.open("a") as out:
                out.write("a line\n")
        assert isinstance(body, dict)
        return {"missing": body["digests"]}

    def call(self, *args: Any, **more: Any) -> Any:
        self.archives += 1


def upload(tmp_path: Path, times: int) -> tuple[Sent, list[str], CodeSelection]:
    (tmp_path / "train.py").write_text("print(1)")
    growing = tmp_path / "out"
    growing.write_text("")
    sent, said = Sent(growing, times), list[str]()
    code = upload_code(sent, lambda: CodeSelection(take_snapshot(tmp_path)), said.append)
    return sent, said, code


def test_a_file_that_changed_once_is_read_again(tmp_path: Path) -> None:
    sent, said, code = upload(tmp_path, 1)
    assert sent.archives == 1
    assert f"{tmp_path / 'out'} changes while it is uploaded; reading the folder again" in said
    assert code.snapshot is not None and code.snapshot.size == len("print(1)") + len("a line\n")


def test_a_file_that_never_rests_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileChanged) as failed:
        upload(tmp_path, 100)
    assert str(tmp_path / "out") in failed.value.message
    assert ".diamondignore" in failed.value.hint
