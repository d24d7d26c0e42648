"""A revision of a repository on the Hugging Face hub, by its own HTTP protocol.

The revision is fixed to a commit first; every file is read at that commit and verified: large ones by the SHA-256 that the
hub states for LFS, the others by the id that git gives to their content.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, List, Tuple

from diamond.data.sources.address import COMMIT, Hub
from diamond.data.sources.items import Item, Listing, Opened, SourceDown, SourceError
from diamond.data.sources.web import Answered, Web
from diamond.data.sources.web_file import open_range

MOST_PAGES = 10_000
_MOST_JSON = 64 << 20
_NEXT = re.compile(r'<([^>]+)>; *rel="next"')
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class HubSource:
    address: Hub
    web: Web
    server: str
    token: str = field(default="", repr=False)

    def look(self) -> Listing:
        hub = self.address
        about, _ = self._ask(f"{self._api}/revision/{_quoted(hub.revision)}")
        commit = str(about.get("sha", "")) if isinstance(about, dict) else ""
        if not COMMIT.fullmatch(commit):
            raise SourceError(
                f"{self.server} gives no commit for {hub.repository}@{hub.revision}",
                "Check --server: it must speak the protocol of the Hugging Face hub.",
            )
        items = self._items(commit)
        if not items:
            raise SourceError(
                f"There are no files in {hub.repository}@{hub.revision} below {hub.folder or '/'}",
                "Check the folder behind the revision.",
            )
        modified = str(about.get("lastModified", ""))
        folder = f"/{hub.folder}" if hub.folder else ""
        named = f"hf://{hub.kind}/{hub.repository}@{commit}{folder}"
        return Listing("hub", named, commit, modified, items)

    def open(self, item: Item, offset: int) -> Opened:
        headers = self._headers()
        if offset:
            headers["Range"] = f"bytes={offset}-"
        opened = open_range(self.web, item, headers, offset)
        # What is stored elsewhere has an ETag of its own. The commit fixes the content, which is verified.
        return Opened(opened.stream, opened.offset, opened.size, item.mark)

    def _items(self, commit: str) -> List[Item]:
        folder = f"/{_quoted_path(self.address.folder)}" if self.address.folder else ""
        url = f"{self._api}/tree/{commit}{folder}?recursive=true&expand=false"
        items: List[Item] = []
        for _ in range(MOST_PAGES):
            entries, url = self._ask(url)
            if not isinstance(entries, list):
                raise SourceError(f"The list of files of {self.address.repository} cannot be read")
            items += [self._item(commit, one) for one in entries if _is_file(one)]
            if not url:
                return items
        raise SourceError(f"{self.address.repository} has too many files", "Name a folder of it.")

    def _item(self, commit: str, entry: Dict[str, Any]) -> Item:
        path, lfs = str(entry["path"]), entry.get("lfs")
        prefix = f"{self.address.folder.rstrip('/')}/" if self.address.folder else ""
        below = path[len(prefix) :] if prefix and path.startswith(prefix) else path
        digest = str(lfs.get("oid", "")).replace("sha256:", "") if isinstance(lfs, dict) else ""
        blob = str(entry.get("oid", ""))
        if digest and not _SHA256.fullmatch(digest):
            raise SourceError(f"The hub gives no good digest for {path}")
        kind = "datasets/" if self.address.kind == "datasets" else ""
        base = f"{self.server.rstrip('/')}/{kind}{self.address.repository}"
        url = f"{base}/resolve/{commit}/{_quoted_path(path)}"
        blob = "" if digest else blob
        return Item(below, url, int(entry["size"]), digest or blob, digest, blob)

    @property
    def _api(self) -> str:
        return f"{self.server.rstrip('/')}/api/{self.address.kind}/{self.address.repository}"

    def _headers(self) -> Dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def _ask(self, url: str) -> Tuple[Any, str]:
        """The JSON, and the address of the next page."""
        try:
            with self.web.open(url, self._headers()) as answer:
                content, link = answer.read(_MOST_JSON), answer.headers.get("Link", "")
        except Answered as answered:
            raise self._refused(answered) from None
        except OSError as error:
            raise SourceDown(f"{self.server} interrupted the transfer: {error}") from None
        try:
            value = json.loads(content)
        except ValueError:
            raise SourceError(
                f"{self.server} does not answer as the Hugging Face hub does", "Check --server."
            ) from None
        following = _NEXT.search(link)
        after = urllib.parse.urljoin(url, following[1]) if following else ""
        if after and urllib.parse.urlsplit(after).netloc != urllib.parse.urlsplit(url).netloc:
            raise SourceError("The next page of the list of files is on another server")
        return value, after

    def _refused(self, answered: Answered) -> SourceError:
        hub = self.address
        named = f"{hub.kind}/{hub.repository}@{hub.revision}"
        if answered.status in (401, 403):
            return SourceError(
                f"The hub does not let you read {named} ({answered.status})",
                "Accept its terms there, keep your token as a secret of the endpoint (diamond secret set NAME --on ENDPOINT), and add --secret NAME.",
            )
        if answered.status == 404:
            why = answered.headers.get("X-Error-Message", "") or "it does not exist, or is private"
            return SourceError(f"The hub has no {named}: {why}", "Check the name and the revision.")
        return SourceError(f"{self.server} answered {answered.status} for {named}")


def _is_file(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise SourceError("The list of files cannot be read")
    return entry.get("type") == "file"


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _quoted_path(path: str) -> str:
    return urllib.parse.quote(path, safe="/")
