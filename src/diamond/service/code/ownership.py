"""Whose code it is: a digest alone opens nothing. Only who sent bytes, or was given them, may run or read them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress

from diamond.core.artifacts import Artifact, ArtifactKind, Snapshot, plain_digest
from diamond.core.code_facts import CodeFacts
from diamond.core.errors import BadRequest, InvalidSpec, NotFound
from diamond.service.artifacts import store
from diamond.service.code import store as code_store
from diamond.service.code.manifests import read_file, read_snapshot
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services

SEND_FIRST = "Send it to POST /blobs first."


async def missing_blobs(services: Services, owner: str, digests: Sequence[str]) -> list[str]:
    """What this person must still send; what they sent before counts as sent now."""
    absent = set(await asyncio.to_thread(services.blobs.missing, digests))
    here = {plain_digest(digest) for digest in digests if digest not in absent}

    async def note(tx: Transaction) -> set[str]:
        # In this order: what is about to be removed is either young now and stays, or is reported as missing.
        await store.touch(tx, owner, here)
        return await store.owned_digests(tx.connection, owner, here)

    owned = await services.store.run(note) if here else set()
    return [digest for digest in digests if plain_digest(digest) not in owned]


async def record_files(services: Services, owner: str, sent: Sequence[Artifact]) -> None:
    await services.store.run(lambda tx: _add(tx, owner, sent))


async def record_snapshot(services: Services, owner: str, snapshot: Snapshot) -> None:
    """A snapshot with all of its files becomes this person's."""

    async def record(tx: Transaction) -> None:
        await _add(tx, owner, [snapshot.artifact, *snapshot.files])
        await store.mark_snapshot(tx, owner, snapshot.artifact.digest, is_complete=True)

    await services.store.run(record)


async def require_own_code(services: Services, owner: str, code: CodeFacts | None) -> None:
    """Raises `InvalidSpec` unless its bytes, all of them, are this person's and here."""
    if code is None:
        return
    for field, digest in (("snapshot", code.snapshot), ("diff", code.diff)):
        if digest and await missing_blobs(services, owner, [digest]):
            raise _not_sent(f"code.{field}", f"the {field} {digest} was not uploaded")
    if code.snapshot:
        await _complete(services, owner, plain_digest(code.snapshot))


async def give_code(services: Services, owner: str, code: CodeFacts | None) -> None:
    """Code of somebody else that this person may run: an assignment of their course, or a job they may read."""
    if code is None or not code.snapshot:
        return
    await record_snapshot(services, owner, await read_snapshot(services.blobs, code.snapshot))
    if code.diff:
        await record_files(services, owner, [await read_file(services.blobs, code.diff)])


async def require_readable(services: Services, owner: str, digests: Collection[str]) -> None:
    """For the owner's agents. Raises `NotFound`, whether or not somebody else has such bytes."""
    wanted = {plain_digest(digest) for digest in digests}
    async with services.store.read() as connection:
        owned = await store.owned_digests(connection, owner, wanted)
        pending = await store.incomplete_snapshots(connection, owner) if wanted - owned else []
    for digest in pending:
        with suppress(InvalidSpec):  # Its files are gone; those of others are not.
            await _complete(services, owner, digest)
    if pending:
        async with services.store.read() as connection:
            owned = await store.owned_digests(connection, owner, wanted)
    if wanted - owned:
        raise NotFound(
            f"{len(wanted - owned)} blobs are not here, {min(wanted - owned)} among them"
        )


async def _add(tx: Transaction, owner: str, sent: Sequence[Artifact]) -> None:
    await store.add_to_service(tx, owner, sent)
    await code_store.forget_removed(tx, owner, [item.digest for item in sent])


async def _complete(services: Services, owner: str, digest: str) -> None:
    """Check once that a snapshot's files are its owner's. One that was recorded as theirs before has them all."""
    async with services.store.read() as connection:
        known = await store.find_artifact(connection, owner, digest)
    if known is None or known.is_complete:
        return
    try:
        snapshot = await read_snapshot(services.blobs, digest)
    except (BadRequest, NotFound) as error:
        raise _not_sent("code.snapshot", error.message) from None
    if known.kind != ArtifactKind.SNAPSHOT.value:
        files = [file.digest for file in snapshot.files]
        if lacking := await missing_blobs(services, owner, files):
            raise _not_sent("code.snapshot", f"{len(lacking)} of its files were not uploaded")
    await record_snapshot(services, owner, snapshot)


def _not_sent(field: str, message: str) -> InvalidSpec:
    fault = {"field": field, "message": message, "hint": SEND_FIRST}
    return InvalidSpec("The code was not uploaded", SEND_FIRST, faults=[fault])
