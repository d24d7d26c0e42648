"""Folders of an endpoint, asked of its agent while a person looks for data."""

from __future__ import annotations

from dataclasses import dataclass, field

from diamond.core.decoding import Count, decode
from diamond.core.errors import BadRequest, EndpointAway
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.schemas import BrowsedFolder, BrowsedItem
from diamond.service.endpoints.secrets import online_endpoint
from diamond.service.platform.services import Services

MOST_ITEMS = 1000


@dataclass(frozen=True)
class _Item:
    name: str
    kind: str
    size: Count | None = None
    modified: float | None = None
    is_usable: bool = False


@dataclass(frozen=True)
class _Answer:
    folder: str
    items: list[_Item] = field(default_factory=list)
    next: Count | None = None
    is_cut: bool = False


async def browse(
    services: Services, principal: Principal, name: str, path: str, start: int
) -> BrowsedFolder:
    """For the owner of the endpoint. What may be shown is decided by its agent and the machine's policy."""
    endpoint = await online_endpoint(services, principal, name, Action.READ)
    answer = await services.relay.ask_json(endpoint.id, "browse", path=path, start=start)
    try:
        said = decode(_Answer, answer)
    except BadRequest as error:
        raise EndpointAway(
            f"{name} sent no folder: {error.message}", "Upgrade its agent."
        ) from None
    items = [
        BrowsedItem(
            name=item.name,
            path=_joined(said.folder, item.name),
            kind="folder" if item.kind == "folder" else "file",
            size=item.size,
            modified=item.modified,
            is_usable=item.is_usable,
        )
        for item in said.items[:MOST_ITEMS]
    ]
    return BrowsedFolder(folder=said.folder, items=items, next=said.next, is_cut=said.is_cut)


def _joined(folder: str, name: str) -> str:
    return name if not folder else f"{folder.rstrip('/')}/{name}"
