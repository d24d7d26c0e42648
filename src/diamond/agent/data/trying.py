"""The ways of a transfer, each opened only when it is tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from diamond.agent.data.by_globus import GlobusTransfer
from diamond.agent.data.by_ssh import BySsh
from diamond.agent.data.carriers import (
    INTRODUCE,
    Carrier,
    RoundLost,
    ThroughService,
    ThroughStorage,
    WayFailed,
    read_introduction,
)
from diamond.agent.data.setup import DataSetup
from diamond.agent.data.storing import FromStorage
from diamond.agent.link.carriers import Link
from diamond.core.data_commands import FetchTree
from diamond.core.data_messages import Introduction
from diamond.core.errors import BadRequest, Cancelled
from diamond.data.ways import S3, SERVICE, SSH, STORAGE, WAYS


class Needs(Protocol):
    """What is needed of `Fetching`."""

    @property
    def link(self) -> Link: ...
    @property
    def setup(self) -> DataSetup: ...


class Ways:
    def __init__(self, needs: Needs, command: FetchTree, cancelled: Callable[[], bool]) -> None:
        self._needs, self._command, self._cancelled = needs, command, cancelled
        self._control = ThroughService(needs.link, command.transfer)
        self._source: Introduction | None = None

    def names(self) -> list[str]:
        """In the order that the service chose; those that this agent does not know are skipped."""
        return [name for name in self._command.ways or [SERVICE] if name in (*WAYS, STORAGE)]

    def open(self, name: str) -> Carrier:
        """Raises `WayFailed`, `LinkDown`."""
        if name == SSH:
            return self._by_ssh()
        if name == STORAGE:
            return self._from_storage()
        return self._by_storage() if name == S3 else self._control

    def globus(self) -> GlobusTransfer:
        """Raises `WayFailed`."""
        setup, source = self._needs.setup, self.introduced()
        own = setup.settings().globus
        if own is None or not source.collection:
            raise WayFailed("one of the two has no Globus collection")
        try:
            return GlobusTransfer(own, setup.secret(own.secret), source)
        except BadRequest as error:
            raise WayFailed(error.message, error.hint) from None

    def introduced(self) -> Introduction:
        """What the source says about itself; asked for once. Raises `LinkDown`, `Cancelled`, `WayFailed`."""
        while self._source is None:
            try:
                for piece in self._control.first(INTRODUCE):
                    if self._cancelled():
                        raise Cancelled(f"{self._command.transfer} was cancelled")
                    if piece:
                        self._source = read_introduction(piece)
            except RoundLost:
                continue
            except BadRequest as error:
                raise WayFailed(error.message, error.hint) from None
        return self._source

    def _by_ssh(self) -> Carrier:
        host = self._needs.setup.settings().hosts.get(self._command.source, "")
        if not host:
            raise WayFailed(f"no ssh host of {self._command.source} is named here")
        return BySsh(host, self.introduced(), self._command.tree)

    def _from_storage(self) -> Carrier:
        try:
            return FromStorage(*self._needs.setup.kept(self._command.tree))
        except BadRequest as error:
            raise WayFailed(error.message, error.hint) from None

    def _by_storage(self) -> Carrier:
        try:
            bucket, folder = self._needs.setup.bucket(self._command.transfer)
        except BadRequest as error:
            raise WayFailed(error.message, error.hint) from None
        return ThroughStorage(self._control, bucket, folder)
