"""Names by any part of them, as a range of an index.

Every ending of a name is kept ("digits", "igits", … "s"), so whatever stands in the middle of a name is the beginning
of one of its endings. It works alike on SQLite and PostgreSQL, where trigram indexes need what a site may not have:
a newer SQLite, or an extension.
"""

from __future__ import annotations

from sqlalchemy import bindparam, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import name_endings

# Letters beyond these are compared by the exact search that follows; and a name has at most 100.
ENDING_LENGTH = 32
# Above every character that may follow in an ending.
LAST = "\U0010ffff"

_KNOWN = select(name_endings.c.name).where(
    name_endings.c.owner == bindparam("of_owner"),
    name_endings.c.ending == bindparam("of_ending"),
    name_endings.c.name == bindparam("of_name"),
)
_ADD = insert(name_endings)


async def remember_name(tx: Transaction, owner: str, name: str) -> None:
    """Once for each name that an owner gives; of two who write it at once, one runs again."""
    whole = {"of_owner": owner, "of_ending": fold_case(name)[:ENDING_LENGTH], "of_name": name}
    if (await tx.connection.execute(_KNOWN, whole)).first() is None:
        rows = [
            {"owner": owner, "ending": ending, "name": name} for ending in sorted(endings(name))
        ]
        await tx.connection.execute(_ADD, rows)


async def names_containing(
    connection: AsyncConnection, owner: str, part: str, *, limit: int
) -> set[str] | None:
    """The names that hold `part`, in the database's own sense of letters; None if there are too many to tell."""
    begins = fold_case(part)[:ENDING_LENGTH]
    query = select(name_endings.c.name).where(
        name_endings.c.owner == owner,
        name_endings.c.ending >= begins,
        name_endings.c.ending < begins + LAST,
        name_endings.c.name.contains(part, autoescape=True),
    )
    names = (await connection.execute(query.limit(limit + 1))).scalars().all()
    return set(names) if len(names) <= limit else None


def endings(name: str) -> set[str]:
    lower = fold_case(name)
    return {lower[at : at + ENDING_LENGTH] for at in range(len(lower))}


def fold_case(text: str) -> str:
    """Letters of ASCII in lower case, as SQLite's LIKE treats them as equal; PostgreSQL compares again."""
    return "".join(character.lower() if character.isascii() else character for character in text)
