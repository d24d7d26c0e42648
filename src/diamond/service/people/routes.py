"""The caller: who they are, their tokens, and links that sign a browser in."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from diamond import __version__
from diamond.service.people import schemas, tokens
from diamond.service.people.caller import Person, cookie_name
from diamond.service.people.cookies import set_cookie
from diamond.service.people.me import renew_cookie, show_me
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(tags=["people"])


@router.get("/health", response_model=schemas.Health, responses=problems())
async def health(services: Service) -> schemas.Health:
    """Needs no sign-in."""
    instance, mode = services.instance, services.settings.mode
    return schemas.Health(ok=True, version=__version__, instance=instance, mode=mode)


@router.get("/me", response_model=schemas.Me, responses=problems())
async def me(request: Request, response: Response, services: Service, person: Person) -> schemas.Me:
    """Also renews a browser's cookie from time to time."""
    session = request.cookies.get(cookie_name(services.instance), "")
    secret = await renew_cookie(services, session) if person.by_cookie else None
    if secret:
        set_cookie(response, services, secret)
    return await show_me(services, person)


@router.get("/tokens", response_model=Page[schemas.Token], responses=problems())
async def list_tokens(services: Service, person: Person) -> Page[schemas.Token]:
    return Page(items=await tokens.list_tokens(services, person))


@router.post("/tokens", status_code=201, response_model=schemas.NewToken, responses=problems(409))
async def add_token(
    body: schemas.TokenRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.NewToken:
    """The secret is shown only once."""
    wanted = tokens.TokenWanted(body.name, body.days, tuple(body.scopes))
    return await tokens.add_token(services, person, wanted, key)


@router.delete("/tokens/{token}", status_code=204, responses=problems(404))
async def remove_token(token: str, services: Service, person: Person) -> Response:
    await tokens.remove_token(services, person, token)
    return Response(status_code=204)


@router.post("/open", response_model=schemas.Link, responses=problems())
async def make_link(services: Service, person: Person) -> schemas.Link:
    """A one-time link that signs a browser in."""
    return schemas.Link(url=await tokens.make_link(services, person))
