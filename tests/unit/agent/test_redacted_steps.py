"""Where only states may leave, a build still tells that its image is there."""

from __future__ import annotations

import json

from diamond.agent.output.redacted_steps import redact_steps

RECORD = {"identity": "sha256:1", "sha256": "2", "format": "sif", "platform": "linux/amd64"}


def test_only_the_names_of_an_image_leave_and_every_byte_keeps_its_place() -> None:
    image = {"event": "image", "record": {**RECORD, "packages": {"python": ["secret==1"]}}}
    lines = [
        json.dumps({"event": "failed", "last_lines": ["secret"]}).encode(),
        json.dumps(image).encode(),
        b'{"event": "image", "record": "sec',
    ]
    content = b"\n".join(lines)
    redacted = redact_steps(content)
    first, second = redacted.splitlines()
    assert len(redacted) == len(lines[0]) + len(lines[1]) + 2
    assert not first.strip()
    assert json.loads(second) == {"event": "image", "record": RECORD}


def test_what_cannot_be_read_stays() -> None:
    lines = b'secret\n[1]\n{"event": "image"}\n{"event": "image", "record": 1}\n\xff\n\n'
    assert redact_steps(lines).split() == []
    assert len(redact_steps(lines)) == len(lines)
