"""A service with its own certificate: https without a proxy in front."""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

from diamond.core.errors import BadRequest

log = logging.getLogger("diamond.service")
LOOK_SECONDS = 60.0


@dataclass(frozen=True)
class Certificate:
    chain: Path
    """PEM: the service's own certificate first, then those between it and the root."""
    key: Path

    def load_into(self, context: ssl.SSLContext) -> None:
        """Raises BadRequest for files that are not a certificate with its key."""
        try:
            context.load_cert_chain(self.chain, self.key, password=_no_password)
        except (OSError, ValueError) as error:
            raise BadRequest(
                f"{self.chain} and {self.key} are not a certificate with its key: {error}",
                "Give PEM files that this account can read; the key without a password.",
            ) from None

    def check(self) -> None:
        self.load_into(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))

    @property
    def written(self) -> tuple[float, float]:
        return self.chain.stat().st_mtime, self.key.stat().st_mtime


def read_certificate(chain: str, key: str) -> Certificate | None:
    if bool(chain) != bool(key):
        raise BadRequest("A certificate needs its key", "Give certificate and certificate_key.")
    return Certificate(Path(chain).expanduser(), Path(key).expanduser()) if chain else None


async def keep_current(certificate: Certificate, context: ssl.SSLContext) -> None:
    """Certificates are renewed every few weeks: new connections get the new one, and nothing restarts."""
    known = certificate.written
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if certificate.written != known:
                certificate.check()  # Half of a new pair would spoil what is in use.
                certificate.load_into(context)
                known = certificate.written
        except (BadRequest, OSError) as error:
            log.error("the certificate stays as it was: %s", error)


def _no_password() -> str:
    """Else OpenSSL would ask for one on a terminal that nobody sits at."""
    raise ValueError("the key has a password")
