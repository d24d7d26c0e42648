"""What administrators do: look after people, and read what was done."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal
from diamond.service.endpoints.store import list_endpoints
from diamond.service.limits import store as rows
from diamond.service.limits.limits import limits_for_person, show_use
from diamond.service.people import session_store as sessions
from diamond.service.people import store as users
from diamond.service.people.shares import roles_of
from diamond.service.platform import audit
from diamond.service.platform.audit import AuditFilter
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.services import Services
from diamond.service.projects import store as projects
from diamond.service.settings import Settings
from diamond.service.sign_in import store as identities

Shown = dict[str, Any]
EXPORTED_AT_ONCE = 1000
CSV = "csv"
LINE = ("n", "at", "user", "name", "action", "about", "outcome", "address", "credential")


def show_settings(settings: Settings) -> Shown:
    """What this service was told at its start, but for secrets."""
    people = settings.people
    providers = [
        {name: getattr(one, name) for name in ("name", "title", "issuer", "kind", "scope")}
        for one in people.providers
    ]
    lists = ("admins", "email_domains", "idps", "affiliations", "groups")
    return {
        "mode": settings.mode,
        "url": settings.url,
        "database": "PostgreSQL" if settings.database_url else "SQLite",
        "own_certificate": settings.certificate is not None,
        "providers": providers,
        **{name: sorted(getattr(people, name)) for name in lists},
        "session_days": people.session_days,
        "calls_per_minute": people.calls_per_minute if settings.is_shared else 0.0,
        "fresh_minutes": people.freshness.minutes,
        "mfa": people.freshness.mfa,
        "sends_mail": settings.smtp is not None,
        "webhook_private": settings.webhook_private,
    }


async def list_users(services: Services, search: str, limit: int) -> list[Shown]:
    async with services.store.read() as connection:
        found = await users.list_users(connection, search, limit)
    return [_show(row) for row in found]


async def get_user(services: Services, user: str) -> Shown:
    """What an administrator sees of a person: how much she uses, never what she does."""
    async with services.store.read() as connection:
        row = await users.find_user(connection, user)
        if row is None:
            raise _absent(user)
        own = await rows.read_limits(connection, [(rows.PERSON, user)])
        roles = await roles_of(connection, user)
        return {
            **_show(row),
            "use": show_use(await rows.use_of(connection, owner=user)),
            "limits": await limits_for_person(connection, user),
            "own_limits": bool(own),
            "projects": [
                {"id": one["id"], "name": one["name"], "role": roles[one["id"]].value}
                for one in await projects.projects_by_id(connection, roles)
            ],
            "identities": await identities.list_identities(connection, user),
            "sessions": len(await sessions.list_sessions(connection, user)),
            "tokens": len(await users.list_credentials(connection, user, users.TOKEN)),
            "endpoints": len(await list_endpoints(connection, user)),
        }


async def change_user(
    services: Services, principal: Principal, user: str, change: dict[str, Any]
) -> Shown:
    """Disabling ends her browsers' sessions at once; tokens and agents are refused while it lasts, and nothing is lost."""

    async def apply(tx: Transaction) -> Shown:
        row = await users.find_user(tx.connection, user)
        if row is None:
            raise _absent(user)
        if user == principal.user:
            raise Conflict("This is your own account", "Another administrator can change it.")
        values: dict[str, Any] = {}
        if change.get("is_admin") is not None:
            values["is_admin"] = change["is_admin"]
        if change.get("disabled") is not None:
            values["disabled"] = time.time() if change["disabled"] else None
        if change.get("disabled"):
            await sessions.drop_sessions(tx, user)
        if values:
            await users.change_user(tx, user, values)
        return _show({**row, **values})

    return await services.store.run(apply)


async def end_session(services: Services, user: str, session: str) -> None:
    """One browser of a person."""
    if not await services.store.run(lambda tx: sessions.drop_session(tx, user, session)):
        raise NotFound(f"There is no session {session!r}", "It may be over already.")


async def end_sessions(services: Services, user: str) -> None:
    await services.store.run(lambda tx: sessions.drop_sessions(tx, user))


async def read_audit(services: Services, wanted: AuditFilter, limit: int) -> list[Shown]:
    async with services.store.read() as connection:
        found = await audit.read_audit(connection, wanted, limit)
    return [_line(row) for row in found]


async def export_audit(services: Services, wanted: AuditFilter, kind: str) -> AsyncIterator[bytes]:
    """A piece at a time: a slow reader holds no connection of the database."""
    if kind == CSV:
        yield _as_csv([dict(zip(LINE, LINE, strict=True))])
    while found := await read_audit(services, wanted, EXPORTED_AT_ONCE):
        yield _as_csv(found) if kind == CSV else _as_json(found)
        wanted = replace(wanted, after=found[-1]["n"])


def _as_json(lines: list[Shown]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _as_csv(lines: list[Shown]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    for line in lines:
        writer.writerow([_cell(line[name]) for name in LINE])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    """A spreadsheet must not take what a person typed for a formula."""
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _absent(user: str) -> NotFound:
    return NotFound(f"There is no person {user!r}", "`diamond admin users` lists them.")


def _show(row: Row) -> Shown:
    return {
        name: row[name]
        for name in ("id", "name", "email", "is_admin", "disabled", "seen", "created")
    }


def _line(row: Row) -> Shown:
    return {name: row["owner" if name == "user" else name] for name in LINE}
