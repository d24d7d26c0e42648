"""S3-compatible storage as a source: the objects below a prefix, each read as it was listed or not at all."""

from __future__ import annotations

import datetime
import hashlib
import urllib.parse
from dataclasses import dataclass, field
from typing import Dict, Optional

from diamond.core.errors import NotFound
from diamond.data.s3 import Bucket as Storage
from diamond.data.s3 import Keys, Listed, Request, S3Down, quote, read_keys, sign
from diamond.data.sources.address import Bucket
from diamond.data.sources.items import Item, Listing, Opened, SourceDown, SourceError
from diamond.data.sources.web import Web
from diamond.data.sources.web_file import open_range

MOST_OBJECTS = 5_000_000
ANYBODY = Keys("", "")


@dataclass(frozen=True)
class S3Source:
    address: Bucket
    web: Web
    server: str
    """The URL of the storage: https://s3.example.org."""
    region: str
    keys: Keys = field(default=ANYBODY, repr=False)

    def look(self) -> Listing:
        named = f"s3://{self.address.name}/{self.address.prefix}"
        self.web.check(f"{self._bucket}/")
        items = []
        try:
            storage = Storage(self.server, self.address.name, self.keys, self.region)
            for found in storage.list(self.address.prefix):
                item = self._item(found)
                items += [item] if item else []
                if len(items) > MOST_OBJECTS:
                    raise SourceError(
                        f"There are more than {MOST_OBJECTS:,} objects", "Name a longer prefix."
                    )
        except S3Down as error:
            raise SourceDown(error.message) from None
        except NotFound:
            raise SourceError(
                f"There is no bucket {self.address.name} at {self.server}",
                "Check its name, and --server.",
            ) from None
        if not items:
            raise SourceError(f"There is nothing below {named}", "Check the bucket and the prefix.")
        marks = "\n".join(sorted(f"{item.path}\t{item.size}\t{item.mark}" for item in items))
        revision = f"listing:{hashlib.sha256(marks.encode()).hexdigest()}"
        return Listing("s3", named, revision, "", items)

    def open(self, item: Item, offset: int) -> Opened:
        headers = {"if-match": f'"{item.mark}"'} if item.mark else {}
        if offset:
            headers["range"] = f"bytes={offset}-"
        opened = open_range(self.web, item, self._signed(item.address, headers), offset)
        return Opened(opened.stream, opened.offset, opened.size, item.mark)

    def _item(self, found: Listed) -> Optional[Item]:
        """None for the empty objects that stand for folders."""
        if found.key.endswith("/"):
            return None
        address = f"{self._bucket}/{quote(found.key)}"
        return Item(_below(self.address.prefix, found.key), address, found.size, found.etag)

    @property
    def _bucket(self) -> str:
        return f"{self.server.rstrip('/')}/{self.address.name}"

    def _signed(self, url: str, headers: Dict[str, str]) -> Dict[str, str]:
        parts = urllib.parse.urlsplit(url)
        request = Request("GET", parts.netloc, parts.path, parts.query, headers)
        now = datetime.datetime.now(datetime.timezone.utc)
        return sign(request, b"", self.keys, self.region, now)


def keys_of(secret: str) -> Keys:
    """Raises `BadRequest`."""
    return read_keys(secret) if secret else ANYBODY


def _below(prefix: str, key: str) -> str:
    """`era5/` and `era5` both mean what is in that folder; `era5/20` means what begins so."""
    if key.startswith(f"{prefix.rstrip('/')}/") and prefix:
        return key[len(prefix.rstrip("/")) + 1 :]
    folder = prefix.rpartition("/")[0]
    return key[len(folder) + 1 :] if folder else key
