"""What takes up space, how long it is kept, and the quota."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.core.units import show_bytes
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import list_endpoints
from diamond.service.people import store as people_store
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project
from diamond.service.storage import schemas, store
from diamond.service.storage.rows import StorageRuleRow, StoredRow
from diamond.service.storage.rules import EVERYONE, PERSON, PROJECT, StorageRules, rules_from

LARGEST = 10
OVER_QUOTA = "over-quota"


async def read_rules(services: Services, connection: AsyncConnection) -> StorageRules:
    rows = await store.list_rules(connection)
    return rules_from(rows, is_shared=services.settings.is_shared)


async def my_storage(services: Services, principal: Principal) -> schemas.MyStorage:
    user = principal.user
    async with services.store.read() as connection:
        rules = await read_rules(services, connection)
        stored = (await store.stored_by(connection, [user]))[user]
        by_task = await store.stored_by_tasks(connection, user)
        largest = sorted(by_task.items(), key=lambda item: (-item[1], item[0]))[:LARGEST]
        names = await store.named_tasks(connection, [task for task, _ in largest])
        endpoints = await _endpoints(connection, user)
    own = rules.own_rule(PERSON, user)
    return schemas.MyStorage(
        service=show_stored(stored),
        quota_bytes=rules.quota_of(user),
        endpoints=endpoints,
        largest=[
            schemas.StoredTask(id=task, name=names[task].name, ended=names[task].ended, bytes=size)
            for task, size in largest
        ],
        days=own.days if own else None,
        default_days=rules.default.days,
        code_days=own.code_days if own else None,
        default_code_days=rules.default.code_days,
    )


async def storage_of_people(
    services: Services, search: str, limit: int
) -> list[schemas.PersonStorage]:
    """For administrators, the largest first."""
    async with services.store.read() as connection:
        rules = await read_rules(services, connection)
        people = await people_store.list_users(connection, search, limit)
        stored = await store.stored_by(connection, [person.id for person in people])
    lines = [
        schemas.PersonStorage(
            id=person.id,
            name=person.name,
            email=person.email,
            service=show_stored(stored[person.id]),
            quota_bytes=rules.quota_of(person.id),
        )
        for person in people
    ]
    return sorted(lines, key=lambda line: -line.service.total)


async def require_room(services: Services, user: str, more: int = 0) -> None:
    """Before a person's code is taken in. Raises `Conflict` if they have used up their quota."""
    async with services.store.read() as connection:
        quota = (await read_rules(services, connection)).quota_of(user)
        if quota is None:
            return
        stored = (await store.stored_by(connection, [user]))[user]
    if stored.total + more > quota:
        raise Conflict(
            f"You store {show_bytes(stored.total)} in this service, and may store {show_bytes(quota)}",
            "See what takes up space: diamond storage show. Archive old tasks (diamond storage archive TASK), "
            "remove old code (diamond storage code), or ask an administrator for more.",
            code=OVER_QUOTA,
        )


async def quota_used(services: Services, user: str) -> float:
    """What a person stores, as a part of their quota, some seconds ago; 0 without a quota."""

    async def measure() -> float:
        async with services.store.read() as connection:
            quota = (await read_rules(services, connection)).quota_of(user)
            if quota is None:
                return 0.0
            stored = (await store.stored_by(connection, [user]))[user]
        return stored.total / quota if quota else float("inf")

    return await services.storage_use.get(user, measure)


async def set_own_retention(
    services: Services, principal: Principal, wanted: schemas.Retention
) -> schemas.Retention:
    return await _change_retention(services, principal, PERSON, principal.user, wanted)


async def show_project_retention(
    services: Services, principal: Principal, project: str
) -> schemas.Retention:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project)
        rules = await read_rules(services, connection)
    return _retention(rules.own_rule(PROJECT, row.id))


async def set_project_retention(
    services: Services, principal: Principal, project: str, wanted: schemas.Retention
) -> schemas.Retention:
    async with services.store.read() as connection:
        row = await find_project(connection, principal, project, Role.MANAGER)
    return await _change_retention(services, principal, PROJECT, row.id, wanted)


async def show_defaults(services: Services) -> schemas.StorageDefaults:
    async with services.store.read() as connection:
        default = (await read_rules(services, connection)).default
    return schemas.StorageDefaults(
        days=default.days, code_days=default.code_days, quota_bytes=default.quota
    )


async def set_defaults(
    services: Services, principal: Principal, wanted: schemas.StorageDefaults
) -> schemas.StorageDefaults:
    rule = StorageRuleRow(
        EVERYONE,
        "",
        principal.user,
        wanted.days,
        wanted.quota_bytes,
        time.time(),
        wanted.code_days,
    )
    await services.store.run(lambda tx: store.put_rule(tx, rule))
    return wanted


async def set_quota(
    services: Services, principal: Principal, user: str, wanted: schemas.Quota
) -> schemas.Quota:
    async with services.store.read() as connection:
        if await people_store.find_user(connection, user) is None:
            raise NotFound(f"There is no person {user!r}", "`diamond admin users` lists them.")
    await _change_rule(
        services, principal, PERSON, user, lambda rule: replace(rule, quota=wanted.quota_bytes)
    )
    return wanted


def show_stored(stored: StoredRow) -> schemas.StoredBytes:
    return schemas.StoredBytes(
        code=stored.code,
        logs=stored.logs,
        curves=stored.curves,
        copies=stored.copies,
        total=stored.total,
    )


async def _change_retention(
    services: Services, principal: Principal, kind: str, subject: str, wanted: schemas.Retention
) -> schemas.Retention:
    named = wanted.model_fields_set

    def change(rule: StorageRuleRow) -> StorageRuleRow:
        days = wanted.days if "days" in named else rule.days
        code_days = wanted.code_days if "code_days" in named else rule.code_days
        return replace(rule, days=days, code_days=code_days)

    return _retention(await _change_rule(services, principal, kind, subject, change))


async def _change_rule(
    services: Services,
    principal: Principal,
    kind: str,
    subject: str,
    change: Callable[[StorageRuleRow], StorageRuleRow],
) -> StorageRuleRow:

    async def save(tx: Transaction) -> StorageRuleRow:
        known = (await read_rules(services, tx.connection)).own_rule(kind, subject)
        known = known or StorageRuleRow(kind, subject, "", None, None, 0.0)
        rule = replace(change(known), owner=principal.user, updated=time.time())
        await store.put_rule(tx, rule)
        return rule

    return await services.store.run(save)


def _retention(rule: StorageRuleRow | None) -> schemas.Retention:
    if rule is None:
        return schemas.Retention()
    return schemas.Retention(days=rule.days, code_days=rule.code_days)


async def _endpoints(connection: AsyncConnection, user: str) -> list[schemas.OnEndpoint]:
    images = await store.images_by_endpoint(connection, user)
    folders = await store.run_directories_by_endpoint(connection, user)
    return [
        schemas.OnEndpoint(
            endpoint=endpoint.name,
            images=images.get(endpoint.id, 0),
            run_directories=folders.get(endpoint.id, 0),
        )
        for endpoint in await list_endpoints(connection, user)
    ]
