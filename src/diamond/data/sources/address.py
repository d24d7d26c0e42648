"""Addresses of sources: which protocol, which server, which part. Pure, so that service and agent read them alike."""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import dataclass

from diamond.core.errors import BadRequest

FORMS = (
    "Use https://HOST/FILE, s3://BUCKET/PREFIX, git+https://HOST/REPOSITORY@COMMIT, "
    "or hf://datasets/OWNER/NAME@REVISION."
)
COMMIT = re.compile(r"[0-9a-f]{40}")
_SCHEME = re.compile(r"(https?|s3|git\+(?:https?|ssh|file)|hf)://")
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
_HUB = re.compile(
    r"(?:(?P<kind>datasets|models)/)?(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)"
    r"(?:@(?P<revision>[^/\s]+))?(?:/(?P<folder>[^\s]+))?"
)
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


@dataclass(frozen=True)
class WebFile:
    url: str


@dataclass(frozen=True)
class Bucket:
    name: str
    prefix: str


@dataclass(frozen=True)
class Repository:
    url: str
    revision: str
    """A commit, a branch or a tag; HEAD where none is named."""


@dataclass(frozen=True)
class Hub:
    kind: str
    """datasets or models."""
    repository: str
    """OWNER/NAME."""
    revision: str
    folder: str
    """Only what is below; '' for everything."""


def read_address(text: str) -> WebFile | Bucket | Repository | Hub:
    """Raises `BadRequest`, which says what an address looks like."""
    match = _SCHEME.match(text)
    if match is None or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise BadRequest(f"{text[:80]!r} is not a source that Diamond can read", FORMS)
    scheme, rest = match[1], text[match.end() :]
    if not rest.strip("/"):
        raise BadRequest(f"{text[:80]!r} names nothing to fetch", FORMS)
    if scheme == "s3":
        return _bucket(text, rest)
    if scheme == "hf":
        return _hub(text, rest)
    if scheme.startswith("git+"):
        return _repository(scheme[4:], text, rest)
    if not urllib.parse.urlsplit(text).hostname:
        raise BadRequest(f"{text[:80]!r} names no server", FORMS)
    return WebFile(urllib.parse.urldefrag(text).url)


def name_of(url: str) -> str:
    """What the file of a URL is called."""
    last = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rsplit("/", 1)[-1]
    last = re.sub(r"[\x00-\x1f\x7f]", "_", last)
    return "data" if last in ("", ".", "..") else last.encode()[:200].decode("utf-8", "ignore")


def _bucket(text: str, rest: str) -> Bucket:
    name, _, prefix = rest.partition("/")
    if not _BUCKET.fullmatch(name):
        raise BadRequest(f"{text[:80]!r} names no bucket", "Write s3://BUCKET/PREFIX.")
    return Bucket(name, prefix)


def _hub(text: str, rest: str) -> Hub:
    match = _HUB.fullmatch(rest.rstrip("/"))
    if match is None:
        raise BadRequest(
            f"{text[:80]!r} is not a repository of a hub",
            "Write hf://datasets/OWNER/NAME@REVISION, or hf://models/OWNER/NAME@REVISION.",
        )
    revision = urllib.parse.unquote(match["revision"] or "main")
    repository = f"{match['owner']}/{match['name']}"
    return Hub(match["kind"] or "models", repository, revision, match["folder"] or "")


def _repository(scheme: str, text: str, rest: str) -> Repository:
    path, at, revision = rest.rpartition("@")
    if not at or "/" not in path:  # an @ before the host names a user
        path, revision = rest, "HEAD"
    if not _REF.fullmatch(revision) or ".." in revision:
        raise BadRequest(
            f"{revision[:80]!r} is not a commit, a branch or a tag",
            "Write git+https://HOST/REPOSITORY@COMMIT.",
        )
    host = urllib.parse.urlsplit(f"{scheme}://{path}").hostname
    if scheme != "file" and not host:
        raise BadRequest(f"{text[:80]!r} names no server", FORMS)
    return Repository(f"{scheme}://{path}", revision)
