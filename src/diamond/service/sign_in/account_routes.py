"""Signing in and out, the caller's browsers and identities, invitations, and programs that ask to be let in."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from diamond.service.access.principal import Role
from diamond.service.people.caller import Person, cookie_name
from diamond.service.people.cookies import drop_cookie
from diamond.service.platform.http.routing import Service, address_of, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.sign_in import accounts, devices, schemas

router = APIRouter(tags=["people"])


@router.get("/sign-in", response_model=schemas.SignInWays, responses=problems())
async def sign_in_ways(services: Service) -> schemas.SignInWays:
    """Needs no sign-in: how people can sign in here."""
    items = [
        schemas.SignInProvider(name=way.name, title=way.title, url=f"/auth/{way.name}")
        for way in services.providers.all()
    ]
    return schemas.SignInWays(mode=services.settings.mode, items=items)


@router.post("/sign-out", response_model=schemas.SignedOut, responses=problems())
async def sign_out(
    request: Request, response: Response, services: Service, person: Person
) -> schemas.SignedOut:
    """Sign this browser out."""
    session = request.cookies.get(cookie_name(services.instance), "")
    url = await accounts.sign_out(services, person, session)
    drop_cookie(response, services)
    return schemas.SignedOut(url=url)


@router.get("/me/sessions", response_model=Page[schemas.Session], responses=problems())
async def list_sessions(services: Service, person: Person) -> Page[schemas.Session]:
    return Page(items=await accounts.list_sessions(services, person))


@router.delete("/me/sessions/{session}", status_code=204, responses=problems(404))
async def end_session(session: str, services: Service, person: Person) -> Response:
    await accounts.end_session(services, person, session)
    return Response(status_code=204)


@router.get("/me/identities", response_model=Page[schemas.IdentityShown], responses=problems())
async def list_identities(services: Service, person: Person) -> Page[schemas.IdentityShown]:
    return Page(items=await accounts.list_identities(services, person))


@router.delete("/me/identities", status_code=204, responses=problems(404, 409))
async def drop_identity(issuer: str, subject: str, services: Service, person: Person) -> Response:
    await accounts.drop_identity(services, person, issuer, subject)
    return Response(status_code=204)


@router.get("/invitations", response_model=Page[schemas.Invitation], responses=problems())
async def list_invitations(services: Service, person: Person) -> Page[schemas.Invitation]:
    """Those that the caller sent."""
    return Page(items=await accounts.list_invitations(services, person))


@router.post(
    "/invitations", status_code=201, response_model=schemas.NewInvitation, responses=problems()
)
async def invite(
    body: schemas.InvitationRequest, services: Service, person: Person
) -> schemas.NewInvitation:
    """Invite somebody to this Diamond; for administrators. The link is shown only once."""
    wanted = accounts.InvitationWanted(body.email, body.days)
    return await accounts.invite(services, person, wanted)


@router.post(
    "/projects/{project}/invitations",
    status_code=201,
    response_model=schemas.NewInvitation,
    responses=problems(404, 409),
)
async def invite_into_project(
    project: str, body: schemas.ProjectInvitationRequest, services: Service, person: Person
) -> schemas.NewInvitation:
    """Invite somebody to the project, and thereby to this Diamond; for managers. The link is shown only once."""
    wanted, role = accounts.InvitationWanted(body.email, body.days), Role(body.role)
    return await accounts.invite_into(services, person, wanted, project, role)


@router.delete("/invitations/{invitation}", status_code=204, responses=problems(404))
async def withdraw(invitation: str, services: Service, person: Person) -> Response:
    await accounts.withdraw(services, person, invitation)
    return Response(status_code=204)


@router.post("/invitations/look", response_model=schemas.InvitationShown, responses=problems(404))
async def look_at_invitation(
    body: schemas.InvitationCode, services: Service
) -> schemas.InvitationShown:
    """Who invites to what: for whoever holds the link, before they sign in."""
    return await accounts.look_at_invitation(services, body.code)


@router.post("/invitations/accept", status_code=204, responses=problems(404, 409))
async def accept(body: schemas.InvitationCode, services: Service, person: Person) -> Response:
    """Accept as the signed-in user. People without an account accept by signing in through the link."""
    await accounts.accept(services, person, body.code)
    return Response(status_code=204)


@router.post(
    "/sign-in/device", status_code=201, response_model=schemas.DeviceAsked, responses=problems(413)
)
async def ask_for_device(
    body: schemas.DeviceRequest, request: Request, services: Service
) -> schemas.DeviceAsked:
    """Needs no sign-in. A program gets a code and an address to show to its user."""
    address = address_of(request)
    return await devices.ask(services, body.name, body.scopes, address, body.redirect)


@router.post("/sign-in/device/token", response_model=schemas.DeviceToken, responses=problems(404))
async def fetch_device_token(body: schemas.DeviceCode, services: Service) -> schemas.DeviceToken:
    """Needs no sign-in. Poll every few seconds; the token is sent only once."""
    return await devices.fetch(services, body.device_code, body.word)


@router.get("/sign-in/device/{code}", response_model=schemas.DeviceShown, responses=problems(404))
async def look_at_device(code: str, services: Service, person: Person) -> schemas.DeviceShown:
    """The program that asks, where it runs, and the scopes it asks for."""
    return await devices.show_device(services, code)


@router.post(
    "/sign-in/device/{code}", response_model=schemas.DeviceDecided, responses=problems(404, 409)
)
async def decide_on_device(
    code: str, body: schemas.DeviceWord, services: Service, person: Person
) -> schemas.DeviceDecided:
    return await devices.decide(services, person, code, body.accept)
