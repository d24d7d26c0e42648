"""Outside of the API: the front page, the browser's sign-in, the agent as a file."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from diamond import __version__
from diamond.service.routes.common import Service, cookie_name
from diamond.service.use_cases.tokens import SESSION_SECONDS, use_link

router = APIRouter(include_in_schema=False)
FRONT = (Path(__file__).parent / "front.html").read_text()
USED_UP = "<!doctype html><title>Diamond</title><p>This link was used up or is older than ten minutes. Run <code>diamond open</code> for another."
SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@router.get("/")
async def front() -> Response:
    return HTMLResponse(FRONT.replace("{version}", __version__), headers=SAFE)


@router.get("/open")
async def open_link(services: Service, code: str = "") -> Response:
    """Trade the one-time code for a cookie."""
    session = await use_link(services, code)
    if session is None:
        return HTMLResponse(USED_UP, status_code=403, headers=SAFE)
    response = RedirectResponse("/", status_code=303, headers=SAFE)
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
