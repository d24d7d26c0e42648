"""What a task may use of the node-hours that limits leave."""

from __future__ import annotations

from diamond.core.errors import Conflict
from diamond.core.order import Order
from diamond.core.task import FINAL_WORDS
from diamond.service.chains.grants import node_hours_at_most, node_hours_with_follow_ups
from diamond.service.limits.limits import HoursChange, bounds_of, hours_left
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.rows import TaskRow


def counted_hours(task: TaskRow) -> float:
    """What counts against limits: what it has used, and what it may still use. In a pilot nothing: the pilot counts."""
    if task.pilot:
        return 0.0
    used = task.node_seconds / 3600
    if task.state in FINAL_WORDS:
        return used
    return used + node_hours_with_follow_ups(task.chain, task.resources, task.resume, task.attempts)


async def require_room(tx: Transaction, task: TaskRow, order: Order) -> float | None:
    """For a task whose node count is settled after it was made; gives what the limits leave for it, None without one."""
    bounds = await bounds_of(tx.connection, task.owner, task.project)
    left = hours_left(bounds, [HoursChange(task.owner, task.project, -counted_hours(task))])
    wanted = node_hours_at_most(order.resources)
    if left is not None and wanted > left * (1 + 1e-9):
        raise Conflict(
            f"Your limits leave {max(0.0, left):.4g} node-hours, and one attempt on "
            f"{order.resources.nodes} nodes may take {wanted:.4g}",
            "Set the number of nodes, or ask for a shorter time.",
            code="over-limit",
        )
    return left
