"""The same once more: a run with its image, or a build, which goes on where it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.compose.spec_check import check
from diamond.core.errors import Conflict
from diamond.core.order import build_from, order_from
from diamond.core.task import Reason
from diamond.service.store import images as image_rows
from diamond.service.store.engine import Transaction
from diamond.service.store.rows import Row
from diamond.service.store.tasks import find_task
from diamond.service.use_cases.jobs import add_run_task, known_images
from diamond.service.use_cases.making import make_task
from diamond.service.use_cases.wanting import Ready, Wanted, endpoint_facts, want_build

NEVER_SETTLED = (Reason.PROBES.value, Reason.BUDGET.value)
"""Why a task with `nodes: auto` may end before it has a number of nodes."""


async def repeat_task(tx: Transaction, row: Row, job: Row, endpoint: Row) -> dict[str, Any]:
    if row["kind"] == "build":
        return await repeat_build(tx, row, job, endpoint)
    if row["kind"] == "probe":
        raise Conflict("A probe belongs to its scale", "Begin that again: diamond scale start SPEC")
    if row["reason"] in NEVER_SETTLED and row["started"] is None:
        raise Conflict("It never got a number of nodes", "Name one in the spec, and run it again.")
    require_unsigned(row, endpoint)
    order = row["order"]
    has_image = bool((order.get("image") or {}).get("sha256"))
    if not has_image and _needs_image(job["spec"].get("environment")):
        images = await known_images(tx.connection, row["owner"], job["spec"], [endpoint])
        spec = {**job["spec"], "on": endpoint["name"]}
        composed = check(
            spec, endpoints=[endpoint_facts(endpoint)], code=job["code"], images=images
        )
        return await add_run_task(tx, endpoint, job, composed, retry_of=row["id"])
    made = await make_task(tx, job=job, endpoint=endpoint, order=order, retry_of=row["id"])
    used = await image_rows.image_used_by(tx.connection, row["id"])
    if used:
        await image_rows.add_use(tx, image=used, task=made["id"], owner=made["owner"])
    return made


def require_unsigned(row: Mapping[str, Any], endpoint: Mapping[str, Any]) -> None:
    """A signature is good for one task: whatever is to run anew on a machine that asks for one is signed anew."""
    signature = (row["chain"] or {}).get("signature")
    if signature and (endpoint["policy"] or {}).get("require_signed"):
        raise Conflict(
            f"{endpoint['name']} takes only signed specs, and the signature of {row['id']} was used",
            f"Sign it anew on your computer: diamond run, with the spec of `diamond show {row['id']}`.",
            code="signature",
        )


async def repeat_build(tx: Transaction, row: Row, job: Row, endpoint: Row) -> dict[str, Any]:
    order = order_from(row["order"])
    wanted = Wanted(build_from(row["order"]["build"]), row["name"], order, job["spec"])
    begun = await want_build(tx, endpoint, wanted, retry_of=row["id"], afresh=True)
    assert not isinstance(begun, Ready)
    made = await find_task(tx.connection, begun.what)
    assert made is not None
    return dict(made)


def _needs_image(environment: Any) -> bool:
    if isinstance(environment, str):
        return True
    beyond = set(environment or {}) - {"requirements", "python", "variables"}
    return any((environment or {}).get(name) for name in beyond)
