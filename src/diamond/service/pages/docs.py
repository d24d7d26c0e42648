"""The documentation at /docs, from the files that `make docs` built into the package; without sign-in, as the pages."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from diamond.service.platform import page_files

SITE = Path(__file__).parents[1] / "docs_site"
# The generator puts a digest of the content into the names of scripts and styles.
DIGEST = re.compile(r"\.[0-9a-f]{8}\.")
PLAIN = (Path(__file__).parent / "docs.html").read_text()
PLAIN_HEADERS = {
    **page_files.SAFE,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
NOT_BUILT = (
    "An installed release comes with it. In a clone of Diamond, run `make docs`, then reload."
)
router = APIRouter(include_in_schema=False)


@router.api_route("/docs", methods=["GET", "HEAD"])
async def front(request: Request) -> Response:
    return RedirectResponse("/docs/", status_code=307, headers=page_files.HEADERS)


@router.api_route("/docs/{path:path}", methods=["GET", "HEAD"])
async def page(request: Request, path: str) -> Response:
    """A page of the documentation, by its folder as `/docs/tutorial/`, or a file that pages use."""
    if not (SITE / "index.html").is_file():
        return _plain("The documentation is not built", NOT_BUILT, status=503)
    is_folder = not path or path.endswith("/")
    file = page_files.file_below(SITE, f"{path}index.html" if is_folder else path)
    if file is not None:
        packed = "gzip" in request.headers.get("accept-encoding", "")
        return page_files.as_response(file, lasts=_lasts(file), packed=packed)
    if page_files.file_below(SITE, f"{path}/index.html"):
        return RedirectResponse(f"/docs/{path}/", status_code=307, headers=page_files.HEADERS)
    return _plain(
        "There is no such page",
        "It may have another name now. Search the documentation.",
        status=404,
    )


def _lasts(path: Path) -> str:
    if DIGEST.search(path.name):
        return page_files.FOREVER
    return "no-cache" if path.suffix in (".html", ".json") else page_files.AWHILE


def _plain(title: str, hint: str, *, status: int) -> Response:
    text = PLAIN.replace("{title}", title).replace("{hint}", hint)
    return HTMLResponse(text, status_code=status, headers=PLAIN_HEADERS)
