"""Whoever started something that continues without them, such as a pipeline or a study."""

from __future__ import annotations

from diamond.service.access.principal import Kind, Principal
from diamond.service.people.shares import roles_and_courses
from diamond.service.people.signed_in import account_disabled
from diamond.service.people.store import find_user
from diamond.service.platform.database.engine import Transaction


async def owner_of(tx: Transaction, user: str) -> Principal:
    """With the roles that they have now. Raises `Forbidden` for a disabled account."""
    person = await find_user(tx.connection, user)
    if person is None or person.disabled:
        raise account_disabled()
    roles, courses = await roles_and_courses(tx.connection, user)
    return Principal(Kind.PERSON, user, person.name, projects=roles, courses=courses)
