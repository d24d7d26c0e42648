"""Stored code: what each snapshot takes, who needs it, and removing it by hand or by a rule.

Tasks keep their record, which names the code by its digest. Whoever sends the same folder again has the same digest, and
everything works as before.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX, plain_digest
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.order import Code
from diamond.service.access.principal import Principal
from diamond.service.artifacts import store as artifact_store
from diamond.service.artifacts.rows import ArtifactRow
from diamond.service.code import store
from diamond.service.code.cleanup import listed_digests
from diamond.service.code.needs import CodeNeeds, files_of_one, is_due
from diamond.service.code.schemas import RemovedCode, StoredCode
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.storage.storage import read_rules

LIST = "`diamond storage code` lists your code."
UPLOAD_SECONDS = 600.0
"""What was sent or asked for since may belong to a job that is about to be submitted."""
_PREFIX = re.compile(r"[0-9a-f]{6,64}")
Contents = dict[str, frozenset[str]]


async def list_code(services: Services, principal: Principal, limit: int) -> list[StoredCode]:
    """A person's snapshots; first those whose removal frees most."""
    owner = principal.user
    async with services.store.read() as connection:
        snapshots = await store.snapshots_of(connection, owner)
        sizes = await store.sizes_of(connection, owner)
        needs = await _needs(connection, owner)
    contents = await _contents(services, owner, [row.digest for row in snapshots])
    alone = files_of_one(contents)
    shown = [
        _show(row, needs.get(row.digest, CodeNeeds()), contents, alone, sizes) for row in snapshots
    ]
    return sorted(shown, key=lambda one: (-one.frees_bytes, one.digest))[:limit]


async def remove_code(
    services: Services, principal: Principal, text: str, *, recorded: bool
) -> RemovedCode:
    """By its digest or the first letters of it. `recorded`: also code that the records of ended tasks name."""
    async with services.store.read() as connection:
        snapshot = await _find(services, principal.user, text)
        needs = await _needs(connection, principal.user)
    _require_removable(snapshot.digest, needs.get(snapshot.digest, CodeNeeds()), recorded=recorded)
    return await _remove(services, principal.user, snapshot.digest, by_rule=False)


async def remove_unused(services: Services, principal: Principal) -> RemovedCode:
    """Everything that no task and nothing else names, such as code that was sent and never submitted."""
    owner, before = principal.user, time.time() - UPLOAD_SECONDS
    async with services.store.read() as connection:
        snapshots = [row.digest for row in await store.snapshots_of(connection, owner)]
        sizes = await store.sizes_of(connection, owner)
        needs = await _needs(connection, owner)
        diffs = await store.all_diffs(connection, owner)
    contents = await _contents(services, owner, [one for one in snapshots if one in needs])
    needed = diffs.union(needs, *contents.values())
    unused = sizes.keys() - needed

    async def remove(tx: Transaction) -> RemovedCode:
        gone = await artifact_store.drop_unused(tx, owner, unused, before=before)
        return RemovedCode(digest="", bytes=sum(gone.values()))

    return await services.store.run(remove)


async def remove_due_code(services: Services) -> None:
    """By the rules of the service, of people and of projects. One person that fails stops no other."""
    async with services.store.read() as connection:
        if not (await read_rules(services, connection)).removes_code:
            return
        people = await store.people_with_code(connection)
    await separately(people, partial(_remove_due, services), "removing old code")


async def require_code(tx: Transaction, owner: str, code: Code | None) -> None:
    """Before a task is made of an order that ran before."""
    if code is None or not code.snapshot:
        return
    removed = await store.find_removed(tx.connection, owner, code.snapshot)
    if removed is not None:
        day = time.strftime("%Y-%m-%d", time.gmtime(removed.at))
        raise Conflict(
            f"Its code {plain_digest(code.snapshot)[:12]} was removed from this service on {day}",
            "Run it from its folder: diamond run. The same files get the same digest.",
            code="code-removed",
        )


async def _remove_due(services: Services, owner: str) -> None:
    async with services.store.read() as connection:
        rules = await read_rules(services, connection)
        here = {row.digest for row in await store.snapshots_of(connection, owner)}
        needs = await _needs(connection, owner)
    for digest in sorted(here & needs.keys()):
        if is_due(needs[digest], owner, rules, time.time()):
            await _remove(services, owner, digest, by_rule=True)


async def _remove(services: Services, owner: str, digest: str, *, by_rule: bool) -> RemovedCode:
    began = time.time()
    async with services.store.read() as connection:
        snapshots = [row.digest for row in await store.snapshots_of(connection, owner)]
    contents = await _contents(services, owner, snapshots)
    files = files_of_one(contents).get(digest, frozenset())

    async def remove(tx: Transaction) -> RemovedCode:
        needs = (await store.needs_of(tx.connection, owner)).get(digest, CodeNeeds())
        _require_removable(digest, needs, recorded=True)
        diffs = await store.diffs_of(tx.connection, owner, digest)
        gone = await artifact_store.drop_unused(tx, owner, [digest], before=began)
        if not gone:
            raise Conflict(f"{digest[:12]} was used just now", "Try again.", code="code-in-use")
        gone |= await artifact_store.drop_unused(tx, owner, files | diffs, before=began)
        if needs.tasks:
            await store.note_removed(tx, owner, {digest, *diffs}, by_rule=by_rule)
        return RemovedCode(digest=PREFIX + digest, bytes=sum(gone.values()))

    return await services.store.run(remove)


async def _needs(connection: AsyncConnection, owner: str) -> dict[str, CodeNeeds]:
    needs = await store.needs_of(connection, owner)
    for digest, words in (await store.named_elsewhere(connection, owner)).items():
        needs[digest] = replace(needs.get(digest, CodeNeeds()), others=words)
    return needs


async def _find(services: Services, owner: str, text: str) -> ArtifactRow:
    prefix = plain_digest(text)
    if not _PREFIX.fullmatch(prefix):
        raise BadRequest(
            f"{text[:80]!r} is not a digest", f"Give at least 6 letters of 0-9a-f. {LIST}"
        )
    async with services.store.read() as connection:
        rows = await store.snapshots_with_prefix(connection, owner, prefix)
    if not rows:
        raise NotFound(f"You have no code {text[:80]!r} in this service", LIST)
    if len(rows) > 1:
        raise BadRequest(f"More than one digest begins with {prefix!r}", "Give more letters of it.")
    return rows[0]


def _require_removable(digest: str, needs: CodeNeeds, *, recorded: bool) -> None:
    if needs.blocked_by:
        raise Conflict(
            f"The code {digest[:12]} is needed by {' and '.join(needs.blocked_by)}",
            "Wait for the end, or cancel.",
            code="code-in-use",
        )
    if needs.recorded_by and not recorded:
        raise Conflict(
            f"The code {digest[:12]} is part of the record of {', '.join(needs.recorded_by)}",
            "Without it they cannot be retried, reproduced or exported with their code; "
            "the record and the digest stay. To remove it all the same: "
            "diamond storage remove DIGEST --recorded",
            code="code-recorded",
        )


async def _contents(services: Services, owner: str, snapshots: list[str]) -> Contents:
    return await services.workers.run(owner, read_contents, services.blobs, snapshots)


def read_contents(blobs: BlobStore, snapshots: list[str]) -> Contents:
    """What each snapshot lists. Blocks."""
    return {digest: frozenset(listed_digests(blobs, digest)) for digest in snapshots}


def _show(
    row: ArtifactRow,
    needs: CodeNeeds,
    contents: Contents,
    alone: Contents,
    sizes: dict[str, int],
) -> StoredCode:
    files = contents[row.digest] & sizes.keys()
    return StoredCode(
        digest=PREFIX + row.digest,
        name=needs.uses[0].name if needs.uses else "",
        files=len(files),
        bytes=row.size + sum(sizes[file] for file in files),
        frees_bytes=row.size + sum(sizes.get(file, 0) for file in alone[row.digest]),
        sent=row.created,
        used=row.used,
        tasks=needs.tasks,
        blocked_by=needs.blocked_by,
        recorded_by=needs.recorded_by,
    )
