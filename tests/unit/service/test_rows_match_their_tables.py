"""Each row class has the columns of its table, so that a new column is never forgotten in one of them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from diamond.service.announcements.rows import AnnouncementRow
from diamond.service.artifacts.rows import ArtifactRow, PlaceRow
from diamond.service.courses.rows import AssignmentRow
from diamond.service.endpoints.rows import CommandRow, EndpointRow
from diamond.service.images.rows import ImageRow, RequestRow, TransferRow
from diamond.service.limits.rows import LimitRow
from diamond.service.notifications.rows import DeliveryRow, NotificationRow
from diamond.service.output.rows import LogChunkRow, LogStreamRow, MetricChunkRow, SeriesRow
from diamond.service.people.rows import CredentialRow, SessionRow, UserRow
from diamond.service.planning.rows import ScaleRow
from diamond.service.platform.database.rows import TypedRow
from diamond.service.platform.database.tables import metadata
from diamond.service.platform.rows import AuditRow, EventRow
from diamond.service.projects.rows import MemberRow, ProjectRow, ShareRow
from diamond.service.sign_in.rows import DeviceRow, IdentityRow, InvitationRow
from diamond.service.storage.rows import StorageRuleRow
from diamond.service.tasks.rows import HistoryRow, JobRow, TaskRow

ROWS: dict[str, type[TypedRow]] = {
    "announcements": AnnouncementRow,
    "assignments": AssignmentRow,
    "audit": AuditRow,
    "commands": CommandRow,
    "credentials": CredentialRow,
    "deliveries": DeliveryRow,
    "device_codes": DeviceRow,
    "endpoints": EndpointRow,
    "events": EventRow,
    "history": HistoryRow,
    "identities": IdentityRow,
    "artifacts": ArtifactRow,
    "storage_rules": StorageRuleRow,
    "artifact_places": PlaceRow,
    "image_moves": TransferRow,
    "image_wishes": RequestRow,
    "images": ImageRow,
    "invitations": InvitationRow,
    "jobs": JobRow,
    "limits": LimitRow,
    "log_chunks": LogChunkRow,
    "log_streams": LogStreamRow,
    "members": MemberRow,
    "metric_chunks": MetricChunkRow,
    "metric_series": SeriesRow,
    "notifications": NotificationRow,
    "projects": ProjectRow,
    "scales": ScaleRow,
    "sessions": SessionRow,
    "shares": ShareRow,
    "tasks": TaskRow,
    "users": UserRow,
}


@pytest.mark.parametrize("table", sorted(ROWS))
def test_a_row_has_every_column_of_its_table(table: str) -> None:
    kind = ROWS[table]
    renamed = {column: codec.field for column, codec in kind.CODECS.items() if codec.field}
    columns = {renamed.get(one.name, one.name) for one in metadata.tables[table].columns}
    assert columns <= {field.name for field in fields(kind)}
