"""Attempts of a task and what holds them together, as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel


class Run(BaseModel):
    run: int
    node: str = ""
    started: float | None = None
    ended: float | None = None
    exit_code: int | None = None


class Attempt(BaseModel):
    id: str
    number: int
    native_id: str
    run: int
    runs: list[Run]
    queued: float | None
    """When the batch system accepted it."""
    arrived: float | None
    """When a follow-up had its nodes and waited there for the attempt before it."""
    started: float | None
    ended: float | None
    reason: str
    ending: str = ""
    """How it ended, in words; empty while it has not."""
    gap: float | None
    """Seconds without a running program before it; null for the first, or before it has started."""
    checkpoint: str
    """The newest one when it ended."""
    step: int | None
    """The highest that it logged."""


class BudgetUse(BaseModel):
    """Amounts are in `unit`. `left` counts the full time limit of everything queued or running (`committed`)."""

    amount: float
    unit: str
    spent: float
    committed: float
    left: float


class Chain(BaseModel):
    """What holds a task's attempts together."""

    asks: bool
    """It can continue, and waits for its owner's approval: POST /tasks/{task}/resume."""
    may_resume: bool
    """Whether that call would continue it, as this task or as a new one."""
    follow_up: str
    """The attempt that is queued ahead; empty if there is none."""
    max_attempts: int
    allowed_attempts: int | None
    """So many may begin before it asks; null where a budget decides."""
    stalled: int
    """Attempts in a row without progress; at two the chain stops."""
    checkpoint: str
    step: int | None
    node_hours: float
    """Used by attempts that have ended."""
    budget: BudgetUse | None
    continues: str
    """The task whose run directory it uses."""
    words: str
    """From where it can continue if you resume it; empty where it cannot, or has nothing to start from."""
