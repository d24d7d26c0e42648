"""Code goes from the network to the disk: how large it is does not show in the service's memory."""

from __future__ import annotations

import hashlib
import http.client
import re
import tarfile
from pathlib import Path

import pytest

from support.service import RunningService, running_service

SIZE = 300 << 20
BLOCK = bytes(1 << 20)


@pytest.mark.slow
def test_one_file_of_300_mb_is_taken_in_one_call_without_memory_for_it(tmp_path: Path) -> None:
    archive, digest = archive_of_one_large_blob(tmp_path)
    with running_service(tmp_path / "home") as service:
        before = peak_memory(service)
        assert post(service, archive) == 201
        assert service.client.post("/blobs/missing", {"digests": [digest]})["missing"] == []
        assert peak_memory(service) - before < 64 << 20


def archive_of_one_large_blob(folder: Path) -> tuple[Path, str]:
    content, digest = folder / "large", hashlib.sha256()
    with content.open("wb") as out:
        out.truncate(SIZE)
    for _ in range(SIZE // len(BLOCK)):
        digest.update(BLOCK)
    archive = folder / "blobs.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(content, arcname=digest.hexdigest())
    return archive, f"sha256:{digest.hexdigest()}"


def post(service: RunningService, archive: Path) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    headers = {
        "Authorization": f"Bearer {service.token}",
        "Content-Type": "application/x-tar",
        "Content-Length": str(archive.stat().st_size),
    }
    with archive.open("rb") as body:
        connection.request("POST", "/api/v1/blobs", body=body, headers=headers)
        status = connection.getresponse().status
    connection.close()
    return status


def peak_memory(service: RunningService) -> int:
    text = Path(f"/proc/{service.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    assert found
    return int(found.group(1)) << 10
