"""Who calls: the person behind a request, admitted by the rule of its route."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from diamond.core.errors import Forbidden
from diamond.service.access.authorize import admit
from diamond.service.access.principal import Principal
from diamond.service.people.signed_in import SentCredentials, authenticate
from diamond.service.platform.audit import CALL, Call
from diamond.service.platform.http.guard import SAFE_METHODS
from diamond.service.platform.http.rate_limit import mark_signed_in
from diamond.service.platform.http.routing import (
    PREFIX,
    StatedRule,
    address_of,
    bearer,
    get_services,
)


async def get_person(request: Request, rule: StatedRule) -> Principal:
    """By token or cookie; a cookie may only write from our own pages."""
    services = get_services(request)
    cookie = request.cookies.get(cookie_name(services.instance), "")
    sent = SentCredentials(bearer(request), cookie, address_of(request))
    principal = await authenticate(services, sent)
    mark_signed_in(request.scope)
    if principal.by_cookie:
        refuse_foreign_page(request)
    admit(principal, rule, services.settings.people.freshness)
    if rule.is_noted:
        CALL.set(_call(request, principal))
    return principal


def _call(request: Request, principal: Principal) -> Call:
    """As the audit log stores it; without the body, which may hold a secret."""
    path = str(getattr(request.scope.get("route"), "path", "")).removeprefix(PREFIX)
    about = {name: str(value) for name, value in request.path_params.items()}
    return Call(
        principal.user,
        principal.name,
        f"{request.method} {path}",
        about,
        principal.address,
        principal.credential,
    )


def refuse_foreign_page(request: Request) -> None:
    """Browsers send cookies by themselves, so a write must prove that it comes from our own page."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site", "same-origin")
    if "origin" not in request.headers or site != "same-origin":
        raise Forbidden("A browser's write names the page it comes from", code="bad-origin")


def cookie_name(instance: str) -> str:
    return f"diamond_{instance}"


Person = Annotated[Principal, Depends(get_person)]
