"""A file at an HTTP(S) address, continued by range where the server can."""

from __future__ import annotations

import contextlib
import http.client
import re
from dataclasses import dataclass, field
from typing import Dict, Optional

from diamond.core.redact import without_credentials
from diamond.data.sources.address import WebFile, name_of
from diamond.data.sources.items import Item, ItemProblem, Listing, Opened, SourceError, StartOver
from diamond.data.sources.web import Answered, Web

_NO_HEAD = (400, 403, 404, 405, 501)
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,63}): *([^\r\n]+)")


@dataclass(frozen=True)
class WebSource:
    address: WebFile
    web: Web
    secret: str = field(default="", repr=False)
    sha256: str = ""
    """What it must be; '' if whoever asked did not say."""

    def look(self) -> Listing:
        url = self.address.url
        with contextlib.closing(self._answer()) as answer:
            mark, size = mark_of(answer), size_of(answer)
            modified = answer.headers.get("Last-Modified", "")
        item = Item(name_of(url), url, size, mark, self.sha256)
        return Listing("web", without_credentials(url), mark, modified, [item])

    def open(self, item: Item, offset: int) -> Opened:
        headers = dict(_credentials(self.secret))
        if offset:
            headers["Range"] = f"bytes={offset}-"
            if item.mark.startswith('"'):
                headers["If-Range"] = item.mark
        return open_range(self.web, item, headers, offset)

    def _answer(self) -> http.client.HTTPResponse:
        """Not every server answers HEAD, and a signed link is signed for GET alone."""
        url, headers = self.address.url, _credentials(self.secret)
        try:
            return self.web.open(url, headers, method="HEAD")
        except Answered as answered:
            if answered.status not in _NO_HEAD:
                raise refused(url, answered) from None
        try:
            return self.web.open(url, headers)
        except Answered as answered:
            raise refused(url, answered) from None


def open_range(web: Web, item: Item, headers: Dict[str, str], offset: int) -> Opened:
    """The answer as it came: from the offset, or from the start."""
    try:
        answer = web.open(item.address, headers)
    except Answered as answered:
        if answered.status == 416:
            raise StartOver("it has become shorter") from None
        if answered.status in (404, 410):
            raise ItemProblem("no longer at the source") from None
        if answered.status == 412:
            raise ItemProblem("changed at the source while it was fetched") from None
        raise refused(item.address, answered) from None
    started = (
        _RANGE.match(answer.headers.get("Content-Range", "")) if answer.status == 206 else None
    )
    if started is not None:
        size = int(started[2]) if started[2] != "*" else None
        return Opened(answer, int(started[1]), size, mark_of(answer))
    return Opened(answer, 0, size_of(answer), mark_of(answer))


def mark_of(answer: http.client.HTTPResponse) -> str:
    return str(answer.headers.get("ETag") or answer.headers.get("Last-Modified") or "").strip()


def size_of(answer: http.client.HTTPResponse) -> Optional[int]:
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None


def refused(url: str, answered: Answered) -> SourceError:
    """What an answer means, with the next step."""
    plain = without_credentials(url.partition("?")[0])
    if answered.status in (401, 403):
        return SourceError(
            f"The source does not let you read {plain} ({answered.status})",
            "Keep its key as a secret of the endpoint (diamond secret set NAME --on ENDPOINT), and add --secret NAME.",
        )
    if answered.status in (404, 410):
        return SourceError(f"There is nothing at {plain} ({answered.status})", "Check the address.")
    return SourceError(
        f"{plain} was answered with {answered.status}", "Try the address in a browser."
    )


def _credentials(secret: str) -> Dict[str, str]:
    """A token; or a whole header, such as `X-Api-Key: …`, `Authorization: Basic …`."""
    if not secret:
        return {}
    header = _HEADER.fullmatch(secret)
    return {header[1]: header[2]} if header else {"Authorization": f"Bearer {secret}"}
