"""Outside the API: a browser's way to the sign-in provider and back."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from diamond.core.errors import DiamondError, Forbidden, NotFound, NotSignedIn
from diamond.service.access.principal import Principal
from diamond.service.people.caller import cookie_name
from diamond.service.people.cookies import proof_of, set_cookie
from diamond.service.people.signed_in import SentCredentials, authenticate
from diamond.service.platform.http.routing import Service, address_of
from diamond.service.platform.identity_providers.trips import (
    SECONDS,
    Journey,
    new_trip,
    open_journey,
    own_path,
    seal_journey,
)
from diamond.service.platform.services import Services
from diamond.service.sign_in.refusals import HEADERS, refused
from diamond.service.sign_in.sign_in import sign_in

router = APIRouter(prefix="/auth", include_in_schema=False)


@router.get("/{provider}")
async def leave(
    provider: str,
    request: Request,
    services: Service,
    next: str = "/",
    fresh: bool = False,
    link: bool = False,
    invitation: str = "",
) -> Response:
    """To the provider. `fresh`: to sign in again; `link`: to add this identity to the account that is signed in."""
    try:
        way = services.providers.get(provider)
        trip = new_trip(_callback(services, provider), is_fresh=fresh)
        now = await _signed_in(request, services)
        if link and now is None:
            raise NotSignedIn("You are not signed in", "Sign in first, then add another identity.")
        journey = Journey(
            provider,
            trip,
            time.time(),
            own_path(next),
            now.user if link and now else "",
            invitation,
            now.credential if now else "",
        )
        response = RedirectResponse(await way.leave(trip), status_code=303, headers=HEADERS)
    except DiamondError as error:
        return _page(error)
    sealed = seal_journey(services.providers.seal, journey)
    response.set_cookie(
        _trip_cookie(services),
        sealed,
        max_age=int(SECONDS),
        path="/auth",
        httponly=True,
        samesite="lax",  # The provider's redirect is another site's.
        secure=services.settings.url.startswith("https:"),
    )
    return response


@router.get("/{provider}/callback")
async def arrive(provider: str, request: Request, services: Service) -> Response:
    """From the provider: its answer becomes a session."""
    try:
        way = services.providers.get(provider)
        journey = _journey(request, services, provider)
        identity = await way.arrive(journey.trip, str(request.url))
        secret = await sign_in(services, identity, journey, proof_of(request))
    except DiamondError as error:
        return _page(error)
    response = RedirectResponse(journey.next, status_code=303, headers=HEADERS)
    set_cookie(response, services, secret)
    response.delete_cookie(_trip_cookie(services), path="/auth")
    return response


def _journey(request: Request, services: Services, provider: str) -> Journey:
    text = request.cookies.get(_trip_cookie(services), "")
    journey = open_journey(services.providers.seal, text, provider)
    if journey is None or request.query_params.get("state") != journey.trip.state:
        raise Forbidden(
            "This answer does not belong to a sign-in that this browser began in the last ten minutes",
            "Start signing in again from the Diamond page.",
            code="bad-state",
        )
    issuer = request.query_params.get("iss")
    if issuer is not None and issuer != services.providers.get(provider).provider.issuer:
        raise Forbidden("This answer comes from another provider", code="bad-state")
    return journey


async def _signed_in(request: Request, services: Services) -> Principal | None:
    """The person who is signed in, if any; a link on another site does not carry their cookie."""
    cookie = request.cookies.get(cookie_name(services.instance), "")
    try:
        sent = SentCredentials(session=cookie, address=address_of(request))
        return await authenticate(services, sent) if cookie else None
    except (NotSignedIn, Forbidden):
        return None


def _callback(services: Services, provider: str) -> str:
    return f"{services.settings.url}/auth/{provider}/callback"


def _trip_cookie(services: Services) -> str:
    return f"{cookie_name(services.instance)}_trip"


def _page(error: DiamondError) -> Response:
    if isinstance(error, NotFound):
        raise error
    headers = {"Diamond-Problem": error.detail_code}
    return refused(error.message, error.hint, status=error.status, headers=headers)
