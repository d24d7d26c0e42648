"""What an image is built on: where it comes from, in one word and an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from diamond.core.errors import BadRequest

KINDS = {
    "docker": "an image of a registry: docker://NAME[:TAG][@sha256:…]",
    "oras": "a SIF in a registry: oras://NAME[:TAG][@sha256:…]",
    "sif": "a SIF or squashfs file on the endpoint: sif:PATH",
    "oci-archive": "an OCI archive on the endpoint: oci-archive:PATH",
    "docker-archive": "what `docker save` writes, on the endpoint: docker-archive:PATH",
    "rootfs": "a tar of a root file system on the endpoint: rootfs:PATH",
    "image": "an image that Diamond built: image:sha256:…",
    "": "no container: the endpoint's own Python",
}
REGISTRIES = ("docker", "oras")
FILES = ("sif", "oci-archive", "docker-archive", "rootfs")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*(@sha256:[0-9a-f]{64})?")


@dataclass(frozen=True)
class Base:
    kind: str
    address: str

    @property
    def reference(self) -> str:
        """As a person writes it."""
        if not self.kind:
            return ""
        mark = "://" if self.kind in REGISTRIES else ":"
        return f"{self.kind}{mark}{self.address}"

    @property
    def digest(self) -> str:
        """The digest that the address itself names, or ''."""
        match = _DIGEST.search(self.address)
        return match.group() if match else ""

    @property
    def repository(self) -> str:
        """The address of a registry without tag and digest."""
        name = self.address.split("@")[0]
        head, _, last = name.rpartition("/")
        return f"{head}/{last.split(':')[0]}" if head else last.split(":")[0]


def read_base(text: str) -> Base:
    """The base that a reference names; a bare name is one of a registry. Raises `BadRequest`."""
    text = text.strip()
    if not text:
        return Base("", "")
    for kind in KINDS:
        mark = f"{kind}://" if kind in REGISTRIES else f"{kind}:"
        if kind and text.startswith(mark):
            return _checked(Base(kind, text[len(mark) :].strip()), text)
    if text.endswith((".sif", ".sqfs")):
        return _checked(Base("sif", text), text)
    return _checked(Base("docker", text), text)


def _checked(base: Base, text: str) -> Base:
    if base.kind in REGISTRIES and _REFERENCE.fullmatch(base.address):
        return base
    if base.kind == "image" and _DIGEST.fullmatch(base.address):
        return base
    if base.kind in FILES and base.address and "\0" not in base.address:
        return base
    known = "; ".join(described for kind, described in KINDS.items() if kind)
    raise BadRequest(f"{text!r} names no base image", f"Write one of: {known}.")
