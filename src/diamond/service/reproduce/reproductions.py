"""Reproductions as the API shows them."""

from __future__ import annotations

from diamond.core.errors import Conflict, NotFound
from diamond.core.task import FINAL_WORDS
from diamond.service.access.principal import Principal
from diamond.service.platform.services import Services
from diamond.service.reproduce import store
from diamond.service.reproduce.judge import judge_two
from diamond.service.reproduce.rows import ReproductionRow
from diamond.service.reproduce.schemas import (
    ReproduceBody,
    Reproduction,
    Reproductions,
    VerdictShown,
)
from diamond.service.reproduce.start import start_reproduction
from diamond.service.tasks.tasks import find_task, load_task


async def reproduce(
    services: Services, principal: Principal, task: str, body: ReproduceBody
) -> Reproduction:
    return show(await start_reproduction(services, principal, task, body))


async def list_reproductions(services: Services, principal: Principal, task: str) -> Reproductions:
    """Those whose second run the caller may see."""
    row = await load_task(services, principal, task)
    async with services.store.read() as connection:
        items = []
        for each in await store.reproductions_of(connection, row.id):
            try:
                await find_task(connection, principal, each.task)
            except NotFound:
                continue
            items.append(show(each))
        own = await store.find_reproduction(connection, row.id)
    return Reproductions(items=items, reproduces=show(own) if own else None)


async def compare_two(
    services: Services, principal: Principal, task: str, against: str, tolerance: list[str]
) -> VerdictShown:
    """How `task` compares with `against`, an earlier run."""
    second = await load_task(services, principal, task)
    first = await load_task(services, principal, against)
    for row in (first, second):
        if row.state not in FINAL_WORDS:
            raise Conflict(f"{row.id} has not ended: it is {row.state}", "Wait for its end first.")
    return VerdictShown.model_validate(
        await judge_two(services, principal.user, first, second, tolerance)
    )


def show(row: ReproductionRow) -> Reproduction:
    verdict = VerdictShown.model_validate(row.verdict) if row.verdict else None
    tolerance = row.asked.get("tolerance")
    return Reproduction.model_validate(
        {
            **vars(row),
            "tolerance": tolerance if isinstance(tolerance, list) else [],
            "verdict": verdict,
        }
    )
