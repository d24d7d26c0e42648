"""Finds a study that the caller may see."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.authorize import Action, require, role_of
from diamond.service.access.principal import Principal
from diamond.service.studies import store
from diamond.service.studies.rows import StudyRow, TrialRow


async def find_study(
    connection: AsyncConnection, principal: Principal, study: str, action: Action = Action.READ
) -> StudyRow:
    """By its id, also another person's in a shared project; else by the beginning of the id or the name of one's own."""
    exact = await store.find_study(connection, study)
    if exact is not None and role_of(principal, owner=exact.owner, project=exact.project):
        require(principal, action, owner=exact.owner, project=exact.project, what="study")
        return exact
    matches = await store.studies_called(connection, principal.user, study) if study else []
    if not matches:
        raise NotFound(f"There is no study {study!r}", "`diamond study list` lists yours.")
    if len(matches) > 1:
        candidates = ", ".join(match.id for match in matches)
        raise Conflict(f"Several studies begin with {study}", f"Which one: {candidates}?")
    return matches[0]


async def find_trial(connection: AsyncConnection, study: StudyRow, number: int) -> TrialRow:
    trial = await store.find_trial(connection, study.id, number) if number < 2**31 else None
    if trial is None:
        have = f"0 to {study.asked - 1}" if study.asked else "none yet"
        raise NotFound(f"{study.name} has no trial {number}", f"Its trials: {have}.")
    return trial
