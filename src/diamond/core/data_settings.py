"""The fact `data` of a site profile: how data reaches an endpoint and leaves it (docs/internals/site-profile.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from diamond.core.decoding import Line, decode
from diamond.core.errors import BadRequest


@dataclass(frozen=True)
class Storage:
    """A bucket that this endpoint reaches. Two endpoints that name the same one can pass data through it."""

    url: Line
    bucket: Line
    prefix: Line = "diamond"
    region: Line = "us-east-1"
    secret: Line = "S3_KEYS"
    """The name of the endpoint's secret with ACCESS_KEY:SECRET_KEY."""

    def is_same(self, other: Optional[Storage]) -> bool:
        """Each may open it with keys of its own."""
        if other is None:
            return False
        mine = (self.url.rstrip("/"), self.bucket, self.prefix)
        return mine == (other.url.rstrip("/"), other.bucket, other.prefix)

    def kept(self, tree: str) -> str:
        """What the keys of a copy that is kept there begin with."""
        return f"{self.prefix.strip('/')}/kept/{tree}/".lstrip("/")

    def kept_address(self, tree: str) -> str:
        """The same for everybody who names this bucket."""
        return f"{self.url.rstrip('/')}/{self.bucket}/{self.kept(tree)}"


@dataclass(frozen=True)
class Collection:
    """A Globus collection that shows this endpoint's files."""

    id: Line
    root: Line = "/"
    """The folder of this machine that is the root of the collection."""
    python: Line = ""
    """A Python of this machine that has globus-sdk."""
    secret: Line = "GLOBUS_TOKEN"
    """The name of the endpoint's secret with an access token for transfers."""


@dataclass(frozen=True)
class DataSettings:
    ways: Optional[List[str]] = None
    """The only ways that transfers here may take, to and from it (data/ways.py); default: all."""
    hosts: Dict[str, Line] = field(default_factory=dict)
    """By the name of another endpoint: the ssh host by which this machine reaches it, as the person's own ssh knows it."""
    transfer_node: Line = ""
    """The ssh host of the site's data-transfer node: transfers run there."""
    mb_per_second: Optional[float] = None
    """The most that all transfers of this endpoint together may use."""
    shared: Line = ""
    """A folder of a Unix group: copies are there for all of its members."""
    s3: Optional[Storage] = None
    globus: Optional[Collection] = None


def read_data_settings(fact: Any) -> DataSettings:
    """What is not in the known form counts as not set."""
    try:
        return decode(DataSettings, fact) if isinstance(fact, dict) else DataSettings()
    except BadRequest:
        return DataSettings()
