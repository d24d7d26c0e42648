"""How a person names a version of a dataset or a model: `NAME`, `NAME@v2`, `NAME@sha256:…`, `NAME@alias`, `OWNER/NAME@…`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from diamond.core.errors import BadRequest

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
ALIAS = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_NUMBER = re.compile(r"v([1-9][0-9]{0,8})")
_LIKE_NUMBER = re.compile(r"v[0-9]+")
_DIGEST = re.compile(r"sha256:([0-9a-f]{8,64})")
_OWNER = re.compile(r"[A-Za-z0-9][^/\s\x00-\x1f\x7f]{0,199}")
FORMS = "Write NAME for the newest version, NAME@v2, NAME@sha256:…, or OWNER/NAME@v2 for one that somebody shares with you."


@dataclass(frozen=True)
class Reference:
    """A name, and at most one of number, digest and alias; none of them: the newest version."""

    name: str
    owner: str = ""
    """Whose it is, if not the reader's own: an id, or an e-mail address."""
    number: int = 0
    digest: str = ""
    """The first hex digits of the digest of its files: at least 8."""
    alias: str = ""

    @property
    def is_newest(self) -> bool:
        return not (self.number or self.digest or self.alias)

    def __str__(self) -> str:
        digest = f"sha256:{self.digest}" if self.digest else ""
        version = f"v{self.number}" if self.number else digest or self.alias
        named = f"{self.owner}/{self.name}" if self.owner else self.name
        return f"{named}@{version}" if version else named


def read_reference(text: str) -> Reference:
    """Raises `BadRequest`, which says what a reference looks like."""
    owner, slash, rest = text.rpartition("/")
    name, at, version = rest.partition("@")
    if slash and not _OWNER.fullmatch(owner):
        raise BadRequest(f"{owner[:80]!r} is not a person", FORMS)
    if not NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} is not a name of data or a model", FORMS)
    if not at:
        return Reference(name, owner)
    if number := _NUMBER.fullmatch(version):
        return Reference(name, owner, number=int(number[1]))
    if digest := _DIGEST.fullmatch(version):
        return Reference(name, owner, digest=digest[1])
    if is_alias(version):
        return Reference(name, owner, alias=version)
    raise BadRequest(f"{version[:80]!r} is not a version", FORMS)


def is_alias(text: str) -> bool:
    """Whether a version may be called so: not a number, which would hide a version."""
    return bool(ALIAS.fullmatch(text)) and not _LIKE_NUMBER.fullmatch(text)
