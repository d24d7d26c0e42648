"""S3-compatible storage: the objects below a prefix, each read as it was listed or not at all."""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from diamond.data.sources.address import Bucket
from diamond.data.sources.items import Item, Listing, Opened, SourceDown, SourceError
from diamond.data.sources.signing import Keys, query_string, quoted, signed_headers
from diamond.data.sources.web import Answered, Web
from diamond.data.sources.web_file import open_range

MOST_OBJECTS = 5_000_000
_MOST_XML = 16 << 20
_TAG = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class S3Source:
    address: Bucket
    web: Web
    server: str
    """The URL of the storage: https://s3.example.org."""
    region: str = "us-east-1"
    keys: Optional[Keys] = field(default=None, repr=False)
    """None: anybody may read it."""

    def look(self) -> Listing:
        found = self._objects()
        prefix = self.address.prefix
        if not found:
            raise SourceError(
                f"There is nothing below s3://{self.address.name}/{prefix}",
                "Check the bucket and the prefix.",
            )
        items = [item for item in (self._item(prefix, one) for one in found) if item is not None]
        marks = "\n".join(sorted(f"{item.path}\t{item.size}\t{item.mark}" for item in items))
        revision = f"listing:{hashlib.sha256(marks.encode()).hexdigest()}"
        newest = max(one["LastModified"] for one in found)
        return Listing("s3", f"s3://{self.address.name}/{prefix}", revision, newest, items)

    def open(self, item: Item, offset: int) -> Opened:
        headers = {"If-Match": item.mark} if item.mark else {}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        return open_range(self.web, item, self._signed(item.address, headers), offset)

    def _objects(self) -> List[Dict[str, str]]:
        found: List[Dict[str, str]] = []
        token = ""
        while True:
            some, token = self._page(token)
            found += some
            if len(found) > MOST_OBJECTS:
                raise SourceError(
                    f"There are more than {MOST_OBJECTS:,} objects", "Name a longer prefix."
                )
            if not token:
                return found

    def _page(self, token: str) -> Tuple[List[Dict[str, str]], str]:
        pairs = [("list-type", "2"), ("prefix", self.address.prefix)]
        pairs += [("continuation-token", token)] if token else []
        url = f"{self._bucket}?{query_string(pairs)}"
        try:
            with self.web.open(url, self._signed(url), follows=False) as answer:
                content = answer.read(_MOST_XML)
        except Answered as answered:
            raise self._refused(answered) from None
        except OSError as error:
            raise SourceDown(f"{self.server} broke off: {error}") from None
        return _read_page(content)

    def _item(self, prefix: str, found: Dict[str, str]) -> Optional[Item]:
        """None for the empty objects that stand for folders."""
        key = found["Key"]
        if key.endswith("/"):
            return None
        below = prefix if prefix.endswith("/") else prefix.rpartition("/")[0] + "/"
        path = key[len(below) :] if key.startswith(below) else key
        if prefix and not prefix.endswith("/") and key.startswith(f"{prefix}/"):
            path = key[len(prefix) + 1 :]
        return Item(path, f"{self._bucket}/{quoted(key)}", int(found["Size"]), found["ETag"])

    @property
    def _bucket(self) -> str:
        return f"{self.server.rstrip('/')}/{self.address.name}"

    def _signed(self, url: str, headers: Optional[Dict[str, str]] = None) -> Dict[str, str]:
        if self.keys is None:
            return dict(headers or {})
        return signed_headers("GET", url, self.keys, region=self.region, headers=headers)

    def _refused(self, answered: Answered) -> SourceError:
        code, message = _problem(answered.words)
        named = f"s3://{self.address.name}"
        if answered.status in (401, 403):
            return SourceError(
                f"{self.server} does not let you read {named}: {code} {message}".rstrip(),
                "Keep ACCESS_KEY:SECRET_KEY as a secret of the endpoint (diamond secret set NAME --on ENDPOINT), and add --secret NAME.",
            )
        if answered.status == 404:
            return SourceError(f"There is no bucket {named} at {self.server}", "Check its name.")
        if 300 <= answered.status < 400:
            return SourceError(
                f"{named} is not at {self.server}: {code} {message}".rstrip(),
                "Name the server of its region with --server.",
            )
        return SourceError(f"{self.server} answered {answered.status}: {code} {message}".rstrip())


def keys_of(secret: str) -> Optional[Keys]:
    """`ACCESS_KEY:SECRET_KEY`, or with a session token behind. Raises `SourceError`."""
    if not secret:
        return None
    parts = secret.split(":", 2)
    if len(parts) < 2 or not all(parts[:2]):
        raise SourceError(
            "The secret for S3 must be ACCESS_KEY:SECRET_KEY",
            "A session token may follow after another colon. Set it again: diamond secret set NAME --on ENDPOINT",
        )
    return Keys(*parts)


def _read_page(content: bytes) -> Tuple[List[Dict[str, str]], str]:
    root = _parsed(content)
    found = []
    for element in root:
        if _name(element) == "Contents":
            values = {_name(child): child.text or "" for child in element}
            if not values.get("Key") or not values.get("Size", "").isdigit():
                raise SourceError("The list of objects cannot be read", "Is it S3-compatible?")
            values.setdefault("ETag", "")
            values.setdefault("LastModified", "")
            found.append(values)
    values = {_name(child): child.text or "" for child in root}
    more = values.get("IsTruncated") == "true"
    return found, values.get("NextContinuationToken", "") if more else ""


def _problem(words: str) -> Tuple[str, str]:
    try:
        values = {_name(child): child.text or "" for child in _parsed(words.encode())}
    except SourceError:
        return "", ""
    return values.get("Code", ""), values.get("Message", "")


def _parsed(content: bytes) -> xml.Element:
    """XML without a document type: entities that grow without end have no place to be declared."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise SourceError("The answer declares entities, which no S3 storage does")
    try:
        return xml.fromstring(content)
    except xml.ParseError:
        raise SourceError(
            "The answer is not that of S3-compatible storage", "Check --server."
        ) from None


def _name(element: xml.Element) -> str:
    return _TAG.sub("", element.tag)
