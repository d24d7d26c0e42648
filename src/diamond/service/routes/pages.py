"""Outside of the API: the pages, the browser's sign-in, the agent as a file."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from diamond import __version__
from diamond.service.routes.common import Service, cookie_name
from diamond.service.use_cases.tokens import SESSION_SECONDS, use_link


class PageConvertor(PathConvertor):
    """Any path but those of the API, whose unknown ones are answered with a problem."""

    regex = "(?!api/).*"


register_url_convertor("page", PageConvertor())
router = APIRouter(include_in_schema=False)
STATIC = Path(__file__).parents[1] / "static"
NOT_BUILT = (Path(__file__).parent / "front.html").read_text()
USED_UP = "<!doctype html><title>Diamond</title><p>This link was used up or is older than ten minutes. Run <code>diamond open</code> for another."
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PLAIN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
# Mantine sets styles on elements; scripts come from here alone.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
FOR_EVER = "public, max-age=31536000, immutable"


@router.get("/open")
async def open_link(services: Service, code: str = "") -> Response:
    """Trade the one-time code for a cookie."""
    session = await use_link(services, code)
    if session is None:
        return HTMLResponse(USED_UP, status_code=403, headers=_plain())
    response = RedirectResponse("/", status_code=303, headers=_plain())
    response.set_cookie(
        cookie_name(services.instance),
        session,
        max_age=int(SESSION_SECONDS),
        httponly=True,
        samesite="strict",
        secure=services.settings.url.startswith("https:"),
    )
    return response


@router.api_route("/agent.pyz", methods=["GET", "HEAD"])
async def agent_file(request: Request, services: Service) -> Response:
    path, digest = await services.agent_file.get()
    etag = f'"{digest}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={"ETag": etag})
    return FileResponse(path, media_type="application/octet-stream", headers={"ETag": etag})


@router.api_route("/{path:page}", methods=["GET", "HEAD"])
async def page(path: str) -> Response:
    """A file of the pages, or, for every view of them, the page itself."""
    index = STATIC / "index.html"
    if not index.is_file():
        return HTMLResponse(NOT_BUILT.replace("{version}", __version__), headers=_plain())
    file = _inside(STATIC, path)
    if file is not None:
        return FileResponse(file, headers={**_page(), **_caching(path)})
    if path.startswith("assets/"):
        return Response(status_code=404, headers=_plain())
    return FileResponse(index, headers={**_page(), "Cache-Control": "no-cache"})


def _inside(folder: Path, path: str) -> Path | None:
    """The file below `folder`, also when a name would lead out of it: then none."""
    if not path or path == "index.html" or "\0" in path:
        return None
    found = (folder / path).resolve()
    return found if found.is_relative_to(folder.resolve()) and found.is_file() else None


def _caching(path: str) -> dict[str, str]:
    """Files in assets/ carry their content's hash in their names."""
    return {"Cache-Control": FOR_EVER if path.startswith("assets/") else "no-cache"}


def _plain() -> dict[str, str]:
    return {**SAFE, "Content-Security-Policy": PLAIN_POLICY}


def _page() -> dict[str, str]:
    return {**SAFE, "Content-Security-Policy": PAGE_POLICY}
