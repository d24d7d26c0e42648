"""An order that its person has signed: made just so, or not at all. Her machine checks the signature, not the service."""

from __future__ import annotations

from typing import Any

from diamond.core.errors import Conflict
from diamond.core.order import order_from
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.jobs import submit as jobs
from diamond.service.planning.node_count import is_auto
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects.terms import place_of


async def submit_signed(
    services: Services,
    principal: Principal,
    spec: dict[str, Any],
    code: dict[str, Any] | None,
    key: str | None,
    project: str,
    prediction: dict[str, Any] | None,
    signature: dict[str, Any],
) -> dict[str, Any]:
    require(principal, Action.WRITE, owner=principal.user)
    if is_auto(spec):
        raise Conflict(
            "nodes: auto cannot be signed: nobody knows the number yet",
            "Name one, or send it unsigned: diamond run --no-sign.",
        )

    async def make(tx: Transaction) -> dict[str, Any]:
        place = await place_of(tx.connection, principal, project)
        made = await jobs.submit_into(
            services, tx, principal, spec, code, place, prediction=prediction, signature=signature
        )
        _require_as_signed(made["tasks"][0], signature)
        return made

    body = {"spec": spec, "code": code, "project": project, "signature": signature}
    return await once(services.store, principal, Once.of(key, "POST /jobs", body), make)


def _require_as_signed(task: dict[str, Any], signature: dict[str, Any]) -> None:
    """Raised within the transaction: then nothing was made."""
    if task["awaits"]:
        raise Conflict(
            "Its image is not there yet, so what would run cannot be signed",
            "Bring it there first: diamond image copy, or diamond image build.",
            code="signature",
        )
    if order_from(dict(task["order"])).digest != signature["digest"]:
        raise Conflict(
            "What would run is not what was signed",
            "Check, sign and submit it again.",
            code="signature",
        )
