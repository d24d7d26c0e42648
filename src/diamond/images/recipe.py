"""A recipe: an environment with nothing left open. Its digest is the identity of every image built from it."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, Dict

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, canonical, environment_from

VERSION = 2
"""2: packages are readable by everybody, and tests run in the finished file. Older images are built again."""
_PLATFORMS = {
    "x86_64": "linux/amd64",
    "amd64": "linux/amd64",
    "aarch64": "linux/arm64",
    "arm64": "linux/arm64",
    "ppc64le": "linux/ppc64le",
}


@dataclass(frozen=True)
class Recipe:
    """`environment.base` and `environment.lock` are for people; what counts is the digest and the lock here."""

    environment: Environment
    base_digest: str = ""
    lock: str = ""
    """The text of the lock, or '' where no Python packages are asked for."""
    platform: str = "linux/amd64"

    @property
    def identity(self) -> str:
        return digest_of(
            {
                "version": VERSION,
                "environment": _without(environment_data(self.environment), "base", "lock"),
                "base": self.base_digest,
                "lock": hashlib.sha256(self.lock.encode()).hexdigest() if self.lock else "",
                "platform": self.platform,
            }
        )


def environment_data(environment: Environment) -> Dict[str, Any]:
    """Only what is set: a field that a later version adds changes no identity."""
    return {name: value for name, value in asdict(environment).items() if value}


def recipe_data(recipe: Recipe) -> Dict[str, Any]:
    return {**asdict(recipe), "environment": environment_data(recipe.environment)}


def recipe_from(data: Dict[str, Any]) -> Recipe:
    return Recipe(
        environment=environment_from(data["environment"]),
        base_digest=str(data.get("base_digest") or ""),
        lock=str(data.get("lock") or ""),
        platform=str(data["platform"]),
    )


def lock_key(environment: Environment, *, platform: str, python: str) -> str:
    """One lock for equal requirements, accelerator, platform and Python."""
    return digest_of(
        {
            "requirements": environment.requirements,
            "accelerator": environment.accelerator,
            "platform": platform,
            "python": python,
        }
    )


def platform_of(machine: str) -> str:
    """`x86_64`, as a kernel says it, is `linux/amd64`. Raises `BadRequest` for one that nobody builds for."""
    platform = _PLATFORMS.get(machine.lower())
    if platform is None:
        raise BadRequest(
            f"No images are built for {machine!r}", f"Known are: {', '.join(sorted(_PLATFORMS))}."
        )
    return platform


def digest_of(data: Any) -> str:
    return "sha256:" + hashlib.sha256(canonical(data)).hexdigest()


def _without(data: Dict[str, Any], *names: str) -> Dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}
