"""S3-compatible storage with the standard library alone: signed requests (AWS Signature Version 4), addressed by path."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import http.client
import re
import ssl
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from diamond.core.errors import BadRequest, DiamondError, Forbidden, NotFound

REGION = "us-east-1"
TIMEOUT_SECONDS = 60.0
EMPTY = hashlib.sha256(b"").hexdigest()
_UNRESERVED = "-._~"
_CODE = re.compile(rb"<Code>([A-Za-z0-9]{1,60})</Code>")
_DENIED = (401, 403)


class S3Down(DiamondError):
    """No answer, or one that says: later."""

    code = "s3-down"
    retryable = True


class Keys(NamedTuple):
    """An access key with its secret; both empty: requests are not signed (a public bucket)."""

    access: str
    secret: str
    session: str = ""


class Listed(NamedTuple):
    key: str
    size: int
    etag: str


def read_keys(text: str) -> Keys:
    """`ACCESS_KEY:SECRET_KEY`, or a third part with a session token: how a secret of an endpoint is written."""
    parts = text.strip().split(":", 2)
    if len(parts) < 2 or not all(parts[:2]):
        raise BadRequest(
            "The secret for S3 is not in the form ACCESS_KEY:SECRET_KEY",
            "Set it again: diamond secret set NAME --on ENDPOINT",
        )
    return Keys(*parts)


@dataclass(frozen=True)
class Bucket:
    """One bucket of one server. Several threads may use it at once."""

    url: str
    """https://HOST[:PORT], without the bucket."""
    name: str
    keys: Keys
    region: str = REGION
    _own: threading.local = field(default_factory=threading.local, compare=False, repr=False)

    def put(self, key: str, content: bytes) -> None:
        """The server compares the digest of what it gets with the signed one."""
        self._call("PUT", key, content=content)

    def get(self, key: str, *, offset: int = 0, length: Optional[int] = None) -> bytes:
        """Raises `NotFound`."""
        headers = {}
        if offset or length is not None:
            end = "" if length is None else str(offset + length - 1)
            headers["range"] = f"bytes={offset}-{end}"
        return self._call("GET", key, headers=headers)[1]

    def size(self, key: str) -> int:
        headers, _ = self._call("HEAD", key)
        return int(headers.get("content-length", "0"))

    def remove(self, key: str) -> None:
        """One that is not there is fine."""
        try:
            self._call("DELETE", key)
        except NotFound:
            return

    def list(self, prefix: str = "") -> Iterator[Listed]:
        """Every object whose key begins so, in the order of their keys."""
        after = ""
        while True:
            query = {"list-type": "2", "prefix": prefix}
            if after:
                query["continuation-token"] = after
            _, body = self._call("GET", "", query=query)
            found, after = _read_list(body)
            yield from found
            if not after:
                return

    def _call(
        self,
        method: str,
        key: str,
        *,
        query: Optional[Mapping[str, str]] = None,
        content: bytes = b"",
        headers: Optional[Mapping[str, str]] = None,
    ) -> Tuple[Dict[str, str], bytes]:
        parts = urllib.parse.urlsplit(self.url)
        path = parts.path.rstrip("/") + "/" + quote(self.name) + ("/" + quote(key) if key else "")
        text = "&".join(f"{quote(k, '')}={quote(v, '')}" for k, v in sorted((query or {}).items()))
        request = Request(method, parts.netloc, path, text, dict(headers or {}))
        signed = sign(request, content, self.keys, self.region, datetime.datetime.now(_UTC))
        target = path + (f"?{text}" if text else "")
        for is_last in (False, True):
            try:
                return self._send(method, target, content, signed)
            except (OSError, http.client.HTTPException) as error:
                fresh = self._drop()
                if is_last or fresh:
                    raise S3Down(
                        f"{parts.netloc} does not answer: {error}",
                        "Is the address of the storage right, and is it reached from this machine?",
                    ) from None
        raise AssertionError

    def _send(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> Tuple[Dict[str, str], bytes]:
        connection = getattr(self._own, "connection", None)
        self._own.is_fresh = connection is None
        if connection is None:
            connection = self._own.connection = _connect(self.url)
        connection.request(method, target, body=content or None, headers=dict(headers))
        response = connection.getresponse()
        body = response.read()
        _check(response.status, body, f"{self.name}{urllib.parse.unquote(target)}")
        return {name.lower(): value for name, value in response.getheaders()}, body

    def _drop(self) -> bool:
        """Forget a broken connection; whether it was a new one."""
        connection = getattr(self._own, "connection", None)
        self._own.connection = None
        if connection is not None:
            connection.close()
        return bool(getattr(self._own, "is_fresh", True))


class Request(NamedTuple):
    method: str
    host: str
    path: str
    """Quoted."""
    query: str
    """Quoted, in the order of the names."""
    headers: Dict[str, str]


_UTC = datetime.timezone.utc


def quote(text: str, safe: str = "/") -> str:
    return urllib.parse.quote(text, safe=safe + _UNRESERVED)


def sign(
    request: Request, content: bytes, keys: Keys, region: str, now: datetime.datetime
) -> Dict[str, str]:
    """The headers of a request, signed; without keys, as they are."""
    digest = hashlib.sha256(content).hexdigest() if content else EMPTY
    headers = {**request.headers, "host": request.host}
    if not keys.access:
        return headers
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    headers |= {"x-amz-content-sha256": digest, "x-amz-date": stamp}
    if keys.session:
        headers["x-amz-security-token"] = keys.session
    names = sorted(headers)
    lines = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names)
    canonical = "\n".join(
        [request.method, request.path, request.query, lines, ";".join(names), digest]
    )
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashed])
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope},"
        f"SignedHeaders={';'.join(names)},Signature={signature}"
    )
    return headers


def _connect(url: str) -> http.client.HTTPConnection:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadRequest(f"{url!r} is not an address of S3 storage", "Write https://HOST[:PORT].")
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_SECONDS)
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(
        parts.hostname, parts.port, timeout=TIMEOUT_SECONDS, context=context
    )


def _check(status: int, body: bytes, what: str) -> None:
    if status < 300:
        return
    found = _CODE.search(body)
    code = found.group(1).decode() if found else str(status)
    if status == 404:
        raise NotFound(f"{what} is not in the storage ({code})")
    if status in _DENIED:
        raise Forbidden(
            f"The storage does not let us use {what} ({code})",
            "Check the secret of the endpoint, and what its key may do.",
        )
    if status >= 500 or status == 429:
        raise S3Down(f"The storage failed for {what} ({code})", "Try again later.")
    raise BadRequest(f"The storage rejected {what} ({code})")


def _read_list(body: bytes) -> Tuple[List[Listed], str]:
    """The objects of a page, and where the next one begins."""
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise BadRequest("The storage answered with a document type, which no listing has")
    try:
        root = ElementTree.fromstring(body)
    except ElementTree.ParseError:
        raise BadRequest("The storage answered with something else than a listing") from None
    space = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    found = [
        Listed(
            one.findtext(f"{space}Key") or "",
            int(one.findtext(f"{space}Size") or 0),
            (one.findtext(f"{space}ETag") or "").strip('"'),
        )
        for one in root.iter(f"{space}Contents")
    ]
    if (root.findtext(f"{space}IsTruncated") or "").lower() != "true":
        return found, ""
    return found, root.findtext(f"{space}NextContinuationToken") or ""
