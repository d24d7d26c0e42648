"""What a browser sees that was not let in: the service's words in the look of the pages."""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path

from starlette.responses import HTMLResponse, Response

from diamond.service.platform import page_files

PAGE = (Path(__file__).parent / "refused.html").read_text()
HEADERS = {
    **page_files.SAFE,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


def refused(
    title: str, hint: str, *, status: int = 403, headers: Mapping[str, str] | None = None
) -> Response:
    text = PAGE.replace("{title}", html.escape(title)).replace("{hint}", html.escape(hint))
    return HTMLResponse(text, status_code=status, headers={**HEADERS, **(headers or {})})
