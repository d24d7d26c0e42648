"""The built web pages, as they are handed out: one document for every address, and its parts by name."""

from __future__ import annotations

import gzip
import mimetypes
from functools import lru_cache
from pathlib import Path

from starlette.responses import Response

STATIC = Path(__file__).parents[1] / "static"
# A part's name holds a digest of its bytes, so it never changes under that name.
FOREVER = "public, max-age=31536000, immutable"
# The few others hardly ever change: a browser draws with those it has, and looks for newer ones beside.
AWHILE = "public, max-age=600, stale-while-revalidate=604800"
WORTH_PACKING = ("text/", "application/javascript", "application/json", "image/svg+xml")
# Mantine sets styles on elements; scripts come from here alone.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HEADERS = {**SAFE, "Content-Security-Policy": POLICY}


def are_built() -> bool:
    return (STATIC / "index.html").is_file()


def document() -> Response:
    """The one page; which of its views is shown is decided by the address, in the browser."""
    body = (STATIC / "index.html").read_bytes()
    headers = {**HEADERS, "Cache-Control": "no-cache"}
    return Response(body, media_type="text/html", headers=headers)


def part(name: str, *, packed: bool) -> Response | None:
    """A file that the document names; None where there is no such one."""
    path = file_below(STATIC, name) if name != "index.html" else None
    lasts = FOREVER if name.startswith("assets/") else AWHILE
    return as_response(path, lasts=lasts, packed=packed) if path else None


def file_below(folder: Path, name: str) -> Path | None:
    """The file of that name, if there is one and it is in the folder."""
    if not name or "\0" in name:
        return None
    path = (folder / name).resolve()
    try:
        return path if path.is_relative_to(folder.resolve()) and path.is_file() else None
    except OSError:  # longer than a file's name can be
        return None


def as_response(path: Path, *, lasts: str, packed: bool) -> Response:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = {**HEADERS, "Cache-Control": lasts, "Vary": "Accept-Encoding"}
    if packed and kind.startswith(WORTH_PACKING):
        body = _packed(path, path.stat().st_mtime_ns)
        return Response(body, media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@lru_cache(maxsize=256)
def _packed(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 9)
