"""What use cases work with, made once per process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from diamond.service.platform.agent_file import AgentFile
from diamond.service.platform.answer_cache import Lately, Recent
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.identity_providers.registry import Providers
from diamond.service.platform.image_files import ImageFiles
from diamond.service.platform.kept_trees import KeptTrees
from diamond.service.platform.manifest_files import ManifestFiles
from diamond.service.platform.pieces import Pieces
from diamond.service.platform.presence import Presence
from diamond.service.platform.relay.relay import Relay
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.platform.workers import Workers
from diamond.service.settings import Settings

STORAGE_USE_SECONDS = 30.0
"""A sum over all of a person's logs and curves is not made for each piece of them."""


@dataclass(frozen=True)
class Services:
    settings: Settings
    store: Store
    notifier: Notifier
    relay: Relay
    blobs: BlobStore
    image_files: ImageFiles
    manifests: ManifestFiles
    pieces: Pieces
    kept_trees: KeptTrees
    agent_file: AgentFile
    presence: Presence
    providers: Providers
    instance: str
    forget_endpoint: Callable[[Transaction, str], Awaitable[None]]
    """What slices above `endpoints` do in the transaction that removes one."""
    workers: Workers
    recent: Recent = field(default_factory=Recent)
    storage_use: Lately[float] = field(default_factory=lambda: Lately(STORAGE_USE_SECONDS))
    """How much of their quota a person uses: 1.0 is all of it."""
