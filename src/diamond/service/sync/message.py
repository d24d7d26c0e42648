"""Messages of agents, decoded once for each call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends

from diamond.core.agent_messages import (
    Adopt,
    Events,
    FetchBlobs,
    FetchImagePart,
    Hello,
    ImageInventory,
    Pair,
    Poll,
    ProfileReport,
    TransferReports,
)
from diamond.core.data_messages import (
    DataReports,
    FetchManifest,
    FetchPiece,
    FetchWants,
    TreeInventory,
)
from diamond.core.decoding import decode
from diamond.service.platform.text import clean

Kind = TypeVar("Kind")


def _body_as(kind: type[Kind]) -> Callable[[dict[str, Any]], Awaitable[Kind]]:
    async def read(message: dict[str, Any]) -> Kind:
        """Async, since FastAPI would run a plain function in a separate thread."""
        return decode(kind, clean(message))

    return read


PairMessage = Annotated[Pair, Depends(_body_as(Pair))]
HelloMessage = Annotated[Hello, Depends(_body_as(Hello))]
EventsMessage = Annotated[Events, Depends(_body_as(Events))]
AdoptMessage = Annotated[Adopt, Depends(_body_as(Adopt))]
PollMessage = Annotated[Poll, Depends(_body_as(Poll))]
BlobsMessage = Annotated[FetchBlobs, Depends(_body_as(FetchBlobs))]
InventoryMessage = Annotated[ImageInventory, Depends(_body_as(ImageInventory))]
TransfersMessage = Annotated[TransferReports, Depends(_body_as(TransferReports))]
ImagePartMessage = Annotated[FetchImagePart, Depends(_body_as(FetchImagePart))]
ProfileMessage = Annotated[ProfileReport, Depends(_body_as(ProfileReport))]
TreesMessage = Annotated[TreeInventory, Depends(_body_as(TreeInventory))]
DataReportsMessage = Annotated[DataReports, Depends(_body_as(DataReports))]
ManifestPartMessage = Annotated[FetchManifest, Depends(_body_as(FetchManifest))]
WantsPartMessage = Annotated[FetchWants, Depends(_body_as(FetchWants))]
DataPartMessage = Annotated[FetchPiece, Depends(_body_as(FetchPiece))]
