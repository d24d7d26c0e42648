"""What this machine's settings, policy and secrets say about its data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from diamond.agent.folders import Folders
from diamond.agent.guard.policy import Policy
from diamond.agent.site.profile import Profile
from diamond.core.data_settings import DataSettings, Storage, read_data_settings
from diamond.core.errors import BadRequest
from diamond.core.ids import IDENTIFIER
from diamond.data.rate import RateCap
from diamond.data.s3 import Bucket, read_keys
from diamond.runtimes.below import below

MEGABYTE = 1e6


@dataclass(frozen=True)
class DataSetup:
    folders: Folders
    policy: Policy
    profile: Callable[[], Profile] = Profile
    cap: RateCap = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cap", RateCap(self.bytes_per_second))

    def settings(self) -> DataSettings:
        return read_data_settings(self.profile().facts.get("data"))

    def may_leave(self) -> bool:
        """Whether files may leave this machine."""
        return self.policy.allows_files

    def bytes_per_second(self) -> float | None:
        """The smallest of what the site, the person's policy and the settings of the endpoint allow."""
        limits = (self.policy.bound("data_mb_per_second")[0], self.settings().mb_per_second)
        given = [limit for limit in limits if limit]
        return min(given) * MEGABYTE if given else None

    def bucket(self, transfer: str) -> tuple[Bucket, str]:
        """The storage of this endpoint, and what the keys of a transfer begin with there."""
        storage = self._storage()
        prefix = storage.prefix.strip("/")
        folder = f"{prefix}/{transfer}/" if prefix else f"{transfer}/"
        return self._open(storage), folder

    def kept(self, tree: str) -> tuple[Bucket, str]:
        """The storage of this endpoint, and what the keys of a copy that is kept there begin with."""
        storage = self._storage()
        return self._open(storage), storage.kept(tree)

    def kept_address(self, tree: str) -> str:
        return self._storage().kept_address(tree)

    def _storage(self) -> Storage:
        storage = self.settings().s3
        if storage is None:
            raise BadRequest("No S3 storage is named here", "Set data.s3 of the endpoint.")
        return storage

    def _open(self, storage: Storage) -> Bucket:
        keys = read_keys(self.secret(storage.secret))
        return Bucket(storage.url, storage.bucket, keys, storage.region)

    def secret(self, name: str) -> str:
        file = below(self.folders.secrets, name) if IDENTIFIER.fullmatch(name) else None
        if file is None or not file.is_file():
            raise BadRequest(
                f"The secret {name} is not set here",
                f"Set it: diamond secret set {name} --on ENDPOINT",
            )
        return file.read_text().strip()
