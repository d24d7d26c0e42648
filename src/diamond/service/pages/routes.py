"""Outside of the API: the pages, the browser's sign-in, the agent as a file."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from diamond import __version__
from diamond.core.errors import NotFound
from diamond.service.people.cookies import proof_of, set_cookie
from diamond.service.people.tokens import use_link
from diamond.service.platform import page_files
from diamond.service.platform.http.routing import Service
from diamond.service.sign_in.refusals import refused


class PageConvertor(PathConvertor):
    """Any path but those of the API, whose unknown ones are answered with a problem."""

    regex = "(?!api/).*"


register_url_convertor("page", PageConvertor())
router = APIRouter(include_in_schema=False)
NOT_BUILT = (Path(__file__).parent / "front.html").read_text()
PLAIN = {
    **page_files.SAFE,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}


@router.get("/open")
async def open_link(request: Request, services: Service, code: str = "") -> Response:
    """Trade the one-time code for a cookie."""
    session = await use_link(services, code, proof_of(request))
    if session is None:
        return refused(
            "This link was used up, or is older than ten minutes",
            "Run `diamond open` on the machine where Diamond runs for another.",
        )
    response = RedirectResponse("/", status_code=303, headers=PLAIN)
    set_cookie(response, services, session)
    return response


@router.api_route("/agent.pyz", methods=["GET", "HEAD"])
async def agent_file(request: Request, services: Service) -> Response:
    path, digest = await services.agent_file.get()
    etag = f'"{digest}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={"ETag": etag})
    return FileResponse(path, media_type="application/octet-stream", headers={"ETag": etag})


@router.api_route("/{path:page}", methods=["GET", "HEAD"])
async def page(request: Request, path: str) -> Response:
    """A file of the pages, or, for every view of them, the page itself; without sign-in: they ask for it."""
    if not page_files.are_built():
        return HTMLResponse(NOT_BUILT.replace("{version}", __version__), headers=PLAIN)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    found = page_files.part(path, packed=packed)
    if found is None and path.startswith("assets/"):
        raise NotFound(f"There is no file /{path}", "Reload the page: a newer Diamond has others.")
    return found or page_files.document()
