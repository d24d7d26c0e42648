"""Every call of the sync protocol, in one table: both carriers take exactly these, and the service serves them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Type

from diamond.core.agent_messages import (
    Adopt,
    Events,
    FetchBlobs,
    FetchImagePart,
    Hello,
    ImageInventory,
    Message,
    Pair,
    Poll,
    ProfileReport,
    StreamParts,
    TransferReports,
)
from diamond.core.data_messages import (
    DataReports,
    FetchManifest,
    FetchPiece,
    FetchWants,
    TreeInventory,
)
from diamond.core.protocol import (
    BytesTaken,
    EventsTaken,
    ImageBytesTaken,
    ManifestTaken,
    Orders,
    Paired,
    PieceTaken,
    WantsTaken,
    Welcome,
)

_SUBJECT = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True)
class Nothing:
    """An empty object."""


@dataclass(frozen=True)
class SyncCall:
    name: str
    body: Optional[Type[Message]] = None
    """None: bytes alone."""
    answer: Optional[Type[Any]] = Nothing
    """None: bytes, which may be many."""
    subject: str = ""
    """What the path names behind the call, if anything: `answers/{request}`."""
    needs_key: bool = True
    """Only pairing does without one. Over ssh there is nothing to pair: the key stays with its owner."""


_CALLS = (
    SyncCall("pair", Pair, Paired, needs_key=False),
    SyncCall("hello", Hello, Welcome),
    SyncCall("events", Events, EventsTaken),
    SyncCall("adopt", Adopt),
    SyncCall("commands", Poll, Orders),
    SyncCall("bytes", StreamParts, BytesTaken),
    SyncCall("answers", subject="request"),
    SyncCall("blobs", FetchBlobs, None),
    SyncCall("images", ImageInventory),
    SyncCall("moves", TransferReports),
    SyncCall("image-bytes", answer=ImageBytesTaken, subject="sha256"),
    SyncCall("image-part", FetchImagePart, None),
    SyncCall("profile", ProfileReport),
    SyncCall("trees", TreeInventory),
    SyncCall("data-reports", DataReports),
    SyncCall("manifest-bytes", answer=ManifestTaken, subject="tree"),
    SyncCall("preview-bytes", subject="scan"),
    SyncCall("manifest-part", FetchManifest, None),
    SyncCall("data-wants", answer=WantsTaken, subject="transfer"),
    SyncCall("data-wants-part", FetchWants, None),
    SyncCall("data-bytes", answer=PieceTaken, subject="transfer"),
    SyncCall("data-part", FetchPiece, None),
)
SYNC_CALLS: Dict[str, SyncCall] = {call.name: call for call in _CALLS}


def find_call(path: str) -> Optional[SyncCall]:
    """The call that a path below `/sync/` means; None if there is none."""
    name, _, subject = path.partition("/")
    call = SYNC_CALLS.get(name)
    if call is None or bool(call.subject) != ("/" in path):
        return None
    return call if not call.subject or _SUBJECT.fullmatch(subject) else None
