"""Outside of the API: the pages, the browser's sign-in, the agent as a file."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from diamond import __version__
from diamond.core.errors import NotFound
from diamond.service.people.caller import refuse_foreign_page
from diamond.service.people.cookies import proof_of, set_cookie
from diamond.service.people.tokens import use_link, who_link_is_for
from diamond.service.platform import page_files
from diamond.service.platform.http.routing import Service
from diamond.service.platform.services import Services
from diamond.service.sign_in.refusals import HEADERS, refused


class PageConvertor(PathConvertor):
    """Any path but those of the API, whose unknown ones are answered with a problem."""

    regex = "(?!api/).*"


register_url_convertor("page", PageConvertor())
router = APIRouter(include_in_schema=False)
NOT_BUILT = (Path(__file__).parent / "front.html").read_text()
CONFIRM = (Path(__file__).parent / "confirm.html").read_text()
PLAIN = {
    **page_files.SAFE,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}


FORM = {
    **HEADERS,
    "Content-Security-Policy": f"{HEADERS['Content-Security-Policy']}; form-action 'self'",
    # Without a referrer, browsers send the form with `Origin: null`.
    "Referrer-Policy": "same-origin",
}


@router.get("/open")
async def open_link(request: Request, services: Service, code: str = "") -> Response:
    """A link that may be another person's asks first: who signs in by it unawares works in the account of its sender."""
    if not services.settings.is_shared:
        return await _sign_in(request, services, code)
    person = await who_link_is_for(services, code)
    if person is None:
        return _used_up()
    shown = {"code": code, "email": person.email, "name": person.name}
    page = CONFIRM
    for name, value in shown.items():
        page = page.replace(f"{{{name}}}", html.escape(value))
    return HTMLResponse(page, headers=FORM)


@router.post("/open")
async def confirm_link(request: Request, services: Service) -> Response:
    refuse_foreign_page(request)
    form = parse_qs((await request.body()).decode("ascii", "replace"))
    return await _sign_in(request, services, form.get("code", [""])[0])


async def _sign_in(request: Request, services: Services, code: str) -> Response:
    """Trade the one-time code for a cookie."""
    session = await use_link(services, code, proof_of(request))
    if session is None:
        return _used_up()
    response = RedirectResponse("/", status_code=303, headers=PLAIN)
    set_cookie(response, services, session)
    return response


def _used_up() -> Response:
    return refused(
        "This link was used up, or is older than ten minutes",
        "Run `diamond open` on the machine where Diamond runs for another.",
    )


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
    file = page_files.part(path, packed=packed)
    if file is None and path.startswith("assets/"):
        raise NotFound(f"There is no file /{path}", "Reload the page: a newer Diamond has others.")
    return file or page_files.document()
