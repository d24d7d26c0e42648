"""What administrators do: manage people, and read the audit log."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal
from diamond.service.access.verbs import verb_of
from diamond.service.endpoints.store import list_endpoints
from diamond.service.limits import store as limit_store
from diamond.service.limits.limits import limits_for_person, show_use
from diamond.service.limits.schemas import Limits, RoleInProject, Use, UserPage
from diamond.service.people import session_store
from diamond.service.people import store as people_store
from diamond.service.people.rows import UserRow
from diamond.service.people.shares import roles_of
from diamond.service.platform import audit
from diamond.service.platform.audit import AuditFilter
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.rows import AuditRow
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.settings import Settings
from diamond.service.sign_in import store as sign_in_store
from diamond.service.sign_in.schemas import (
    AuditLine,
    IdentityShown,
    ProviderSettings,
    ServiceSettings,
    User,
    UserChange,
)

EXPORTED_AT_ONCE = 1000
CSV = "csv"


def show_settings(settings: Settings) -> ServiceSettings:
    """The settings that this service started with, without secrets."""
    people = settings.people
    return ServiceSettings(
        mode=settings.mode,
        url=settings.url,
        database="PostgreSQL" if settings.database_url else "SQLite",
        own_certificate=settings.certificate is not None,
        providers=[
            ProviderSettings.model_validate(provider, from_attributes=True)
            for provider in people.providers
        ],
        admins=sorted(people.admins),
        email_domains=sorted(people.email_domains),
        idps=sorted(people.idps),
        affiliations=sorted(people.affiliations),
        groups=sorted(people.groups),
        session_days=people.session_days,
        calls_per_minute=people.calls_per_minute if settings.is_shared else 0.0,
        fresh_minutes=people.freshness.minutes,
        mfa=people.freshness.mfa,
        sends_mail=settings.smtp is not None,
        webhook_private=settings.webhook_private,
    )


async def list_users(services: Services, search: str, limit: int) -> list[User]:
    async with services.store.read() as connection:
        users = await people_store.list_users(connection, search, limit)
    return [_show(user) for user in users]


async def get_user(services: Services, user: str) -> UserPage:
    """What an administrator sees of a person: how much they use, never what they do."""
    async with services.store.read() as connection:
        row = await people_store.find_user(connection, user)
        if row is None:
            raise _absent(user)
        use = show_use(await limit_store.use_of(connection, owner=user))
        limits = await limits_for_person(connection, user)
        own_limits = await limit_store.read_limits(connection, [(limit_store.PERSON, user)])
        identities = await sign_in_store.list_identities(connection, user)
        tokens = await people_store.list_credentials(connection, user, people_store.TOKEN)
        return UserPage(
            **dict(_show(row)),
            use=Use.model_validate(use),
            limits=Limits.model_validate(limits, from_attributes=True),
            own_limits=bool(own_limits),
            projects=await _projects_of(connection, user),
            identities=[
                IdentityShown.model_validate(identity, from_attributes=True)
                for identity in identities
            ],
            sessions=len(await session_store.list_sessions(connection, user)),
            tokens=len(tokens),
            endpoints=len(await list_endpoints(connection, user)),
        )


async def _projects_of(connection: AsyncConnection, user: str) -> list[RoleInProject]:
    roles = await roles_of(connection, user)
    return [
        RoleInProject(id=project.id, name=project.name, role=roles[project.id].value)
        for project in await project_store.projects_by_id(connection, roles)
    ]


async def change_user(
    services: Services, principal: Principal, user: str, change: UserChange
) -> User:
    """Disabling signs all browsers out; tokens and agents are rejected meanwhile, and nothing is lost."""

    async def apply(tx: Transaction) -> User:
        row = await people_store.find_user(tx.connection, user)
        if row is None:
            raise _absent(user)
        if user == principal.user:
            raise Conflict("This is your own account", "Another administrator can change it.")
        if change.is_admin is not None:
            row = replace(row, is_admin=change.is_admin)
            await people_store.change_user(tx, user, {"is_admin": row.is_admin})
        if change.disabled is not None:
            row = replace(row, disabled=time.time() if change.disabled else None)
            await people_store.change_user(tx, user, {"disabled": row.disabled})
        if change.disabled:
            await session_store.drop_sessions(tx, user)
        return _show(row)

    return await services.store.run(apply)


async def end_session(services: Services, user: str, session: str) -> None:
    """Sign one browser of a person out."""
    if not await services.store.run(lambda tx: session_store.drop_session(tx, user, session)):
        raise NotFound(f"There is no session {session!r}", "It may have ended already.")


async def end_sessions(services: Services, user: str) -> None:
    await services.store.run(lambda tx: session_store.drop_sessions(tx, user))


async def read_audit(services: Services, wanted: AuditFilter, limit: int) -> list[AuditLine]:
    async with services.store.read() as connection:
        rows = await audit.read_audit(connection, wanted, limit)
    return [_line(row) for row in rows]


async def export_audit(services: Services, wanted: AuditFilter, kind: str) -> AsyncIterator[bytes]:
    """In pieces, so that a slow reader does not hold a database connection."""
    if kind == CSV:
        yield _as_csv([list(AuditLine.model_fields)])
    while lines := await read_audit(services, wanted, EXPORTED_AT_ONCE):
        if kind == CSV:
            yield _as_csv([[_cell(value) for _, value in line] for line in lines])
        else:
            yield b"".join(json.dumps(line.model_dump()).encode() + b"\n" for line in lines)
        wanted = replace(wanted, after=lines[-1].n)


def _as_csv(lines: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


def _cell(value: object) -> str:
    """Quoted where a spreadsheet would take what a person typed for a formula."""
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _absent(user: str) -> NotFound:
    return NotFound(f"There is no person {user!r}", "`diamond admin users` lists them.")


def _show(user: UserRow) -> User:
    return User.model_validate(user, from_attributes=True)


def _line(row: AuditRow) -> AuditLine:
    return AuditLine(
        n=row.n,
        at=row.at,
        user=row.owner,
        name=row.name,
        action=row.action,
        words=verb_of(row.action),
        about=row.about,
        outcome=row.outcome,
        address=row.address,
        credential=row.credential,
    )
