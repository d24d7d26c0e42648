"""An order that its owner has signed runs exactly as signed, or not at all. The endpoint checks the signature itself."""

from __future__ import annotations

from diamond.compose.raw_spec import RawSpec, has_auto_nodes
from diamond.core.errors import Conflict
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.jobs.images import OrderWithImage
from diamond.service.jobs.schemas import Signature
from diamond.service.tasks.rows import TaskRow


def require_signable(spec: RawSpec) -> None:
    if has_auto_nodes(spec):
        raise Conflict(
            "nodes: auto cannot be signed: the node count is not known yet",
            "Set the number of nodes, or send it unsigned: diamond run --no-sign.",
        )


def require_as_signed(ready: OrderWithImage, signature: Signature) -> None:
    """Raised within the transaction: then nothing was submitted."""
    if ready.waits_for:
        raise Conflict(
            "The image is not on the endpoint yet, so what would run cannot be signed",
            "Bring it there first: diamond image copy, or diamond image build.",
            code="signature",
        )
    if ready.order.digest != signature.digest:
        raise Conflict(
            "What would run differs from what was signed",
            "Check, sign and submit it again.",
            code="signature",
        )


def require_unsigned(task: TaskRow, endpoint: EndpointRow) -> None:
    """A signature is good for one task: whatever runs again on an endpoint that asks for one is signed again."""
    if task.chain.signature and endpoint.policy.require_signed:
        raise Conflict(
            f"{endpoint.name} accepts only signed specs, and the signature of {task.id} was used",
            f"Sign it again on your computer: diamond run, with the spec of `diamond show {task.id}`.",
            code="signature",
        )
