"""The same key and body give the first answer again, also when both come at once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from diamond.core.errors import BadRequest, Conflict
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.tables import idempotency
from diamond.service.platform.http.problems import IdempotencyMismatch

Answer = dict[str, Any]
Work = Callable[[Transaction], Awaitable[Answer]]
Model = TypeVar("Model", bound=BaseModel)
KEEP_SECONDS = 86400.0
MAX_KEY = 255

# Used by every submission: built once.
_COLUMNS: dict[str, Any] = {
    name: bindparam(name) for name in ("owner", "key", "request", "created")
}
_CLAIM_SQLITE = sqlite.insert(idempotency).values(_COLUMNS).on_conflict_do_nothing()
_CLAIM_POSTGRESQL = postgresql.insert(idempotency).values(_COLUMNS).on_conflict_do_nothing()
_KEEP = (
    update(idempotency)
    .where(idempotency.c.owner == bindparam("of_owner"))
    .where(idempotency.c.key == bindparam("of_key"))
    .values(answer=bindparam("new_answer"))
)


@dataclass(frozen=True)
class Once:
    """A request that must act once. Without a key each call acts."""

    key: str | None
    request: str

    @classmethod
    def of(cls, key: str | None, what: str, body: Any) -> Once:
        if key is not None and not 0 < len(key) <= MAX_KEY:
            raise BadRequest(f"An Idempotency-Key has 1 to {MAX_KEY} characters")
        text = json.dumps([what, body], sort_keys=True)
        return cls(key and _digest(key), _digest(text))


async def once(
    store: Store, principal: Principal, once: Once, work: Work, *, secret: bool = False
) -> Answer:
    """Run `work` and keep its answer in the same transaction. A `secret` answer is not kept."""
    if once.key is None:
        return await store.run(work)
    return await store.run(lambda tx: _guarded(tx, store, principal.user, once, work, secret))


async def once_as(
    kind: type[Model],
    store: Store,
    principal: Principal,
    request: Once,
    work: Callable[[Transaction], Awaitable[Model]],
    *,
    secret: bool = False,
) -> Model:
    """As `once`, for an answer that is a model: it is stored as JSON."""
    if request.key is None:
        return await store.run(work)

    made: list[tuple[Model, Answer]] = []

    async def work_as_json(tx: Transaction) -> Answer:
        model = await work(tx)
        made.append((model, model.model_dump(mode="json")))
        return made[-1][1]

    answer = await once(store, principal, request, work_as_json, secret=secret)
    if made and made[-1][1] is answer:  # of a lost race the answer is another call's
        return made[-1][0]
    return kind.model_validate(answer)


async def _guarded(
    tx: Transaction, store: Store, owner: str, once: Once, work: Work, secret: bool
) -> Answer:
    if not await _claim(tx, store, owner, once):
        return await _first_answer(tx, owner, once)
    answer = await work(tx)
    if not secret:
        kept = {"of_owner": owner, "of_key": once.key, "new_answer": answer}
        await tx.connection.execute(_KEEP, kept)
    return answer


async def _claim(tx: Transaction, store: Store, owner: str, once: Once) -> bool:
    """Whether this call is the first. PostgreSQL waits here for another that is still at work."""
    row = {"owner": owner, "key": once.key, "request": once.request, "created": time.time()}
    claim = _CLAIM_SQLITE if store.is_sqlite else _CLAIM_POSTGRESQL
    return bool((await tx.connection.execute(claim, row)).rowcount)


async def _first_answer(tx: Transaction, owner: str, once: Once) -> Answer:
    query = select(idempotency).where(idempotency.c.owner == owner, idempotency.c.key == once.key)
    row = (await tx.connection.execute(query)).mappings().one()
    if row["request"] != once.request:
        raise IdempotencyMismatch(
            "This Idempotency-Key was used for another request", "Use a new key."
        )
    if row["answer"] is None:
        raise Conflict(
            "This was already made, and its secret is shown only once",
            "Ask for a new key or token, and remove the one that was never shown.",
        )
    answer: Answer = row["answer"]
    return answer


async def forget_keys(tx: Transaction) -> None:
    before = time.time() - KEEP_SECONDS
    await tx.connection.execute(delete(idempotency).where(idempotency.c.created < before))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
