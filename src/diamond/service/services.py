"""What use cases work with, made once per process."""

from __future__ import annotations

from dataclasses import dataclass, field

from diamond.service.agent_file import AgentFile
from diamond.service.blobs import BlobStore
from diamond.service.image_files import ImageFiles
from diamond.service.notify import Notifier
from diamond.service.presence import Presence
from diamond.service.recent import Recent
from diamond.service.relay import Relay
from diamond.service.settings import Settings
from diamond.service.sign_in.providers import Providers
from diamond.service.store.engine import Store


@dataclass(frozen=True)
class Services:
    settings: Settings
    store: Store
    notifier: Notifier
    relay: Relay
    blobs: BlobStore
    image_files: ImageFiles
    agent_file: AgentFile
    presence: Presence
    providers: Providers
    instance: str
    recent: Recent = field(default_factory=Recent)
