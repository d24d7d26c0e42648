"""`python -m diamond.service`: run the service until it is asked to stop."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from diamond.agent.parent import end_with_parent
from diamond.core.errors import DiamondError
from diamond.service.platform.http.bulk_bodies import BulkProtocol
from diamond.service.platform.http.certificate import Certificate, keep_current, read_certificate
from diamond.service.platform.people_settings import People, read_people
from diamond.service.settings import Settings, read_proxies, read_smtp


class Server(uvicorn.Server):
    """Says when it is ready, and releases held calls when it is asked to stop."""

    def __init__(self, app: FastAPI, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._state = app.state
        self._beside: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        certificate = self._state.settings.certificate
        if certificate is not None and self.config.ssl is not None:
            self._beside = asyncio.create_task(keep_current(certificate, self.config.ssl))
        if self.started:
            print(f"ready {self._state.settings.url}", file=sys.stderr, flush=True)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._state.notifier.close()
        super().handle_exit(sig, frame)


def main(arguments: list[str] | None = None) -> int:
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        app = _make_app(_settings(arguments))
    except DiamondError as error:
        return _refused(error)
    server = Server(app, _config(app))
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    return 0 if server.started else 1


def _make_app(settings: Settings) -> FastAPI:
    """A quarter of the start would be spent looking for garbage among what stays."""
    gc.disable()
    try:
        from diamond.service.app import create_app

        return create_app(settings)
    finally:
        gc.freeze()
        gc.enable()


def _config(app: FastAPI) -> uvicorn.Config:
    settings: Settings = app.state.settings
    certificate: Certificate | None = settings.certificate
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        ssl_certfile=certificate.chain if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
        http=BulkProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        # The guard judges by the real other end of a connection.
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        # An agent's next call comes at once after a held one: the connection is kept for it.
        timeout_keep_alive=75,
    )


def _settings(arguments: list[str] | None) -> Settings:
    parser = argparse.ArgumentParser(prog="python -m diamond.service", description=__doc__)
    parser.add_argument("--home", type=Path, required=True, help="folder for database and blobs")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8642)
    parser.add_argument(
        "--database-url", default="", help="postgresql://…; default: SQLite in home"
    )
    parser.add_argument("--public-url", default="", help="https:// address, its own or a proxy's")
    parser.add_argument("--certificate", default="", help="PEM file, where no proxy ends TLS")
    parser.add_argument("--certificate-key", default="", help="PEM file of its key")
    parser.add_argument(
        "--proxies", default="", help="addresses of proxies on other machines, with commas"
    )
    parser.add_argument(
        "--people", type=Path, help="a TOML file whose [people] says who may sign in"
    )
    parser.add_argument("--with-parent", action="store_true", help="end once standard input closes")
    given = parser.parse_args(arguments)
    if given.with_parent:
        end_with_parent()
    return Settings(
        home=given.home.expanduser().resolve(),
        host=given.host,
        port=given.port,
        database_url=given.database_url,
        public_url=given.public_url,
        certificate=read_certificate(given.certificate, given.certificate_key),
        proxies=read_proxies(given.proxies),
        people=read_people(given.people) if given.people else People(),
        smtp=read_smtp(os.environ),
        webhook_private=os.environ.get("DIAMOND_WEBHOOK_PRIVATE", "") == "1",
    )


def _refused(error: DiamondError) -> int:
    print(f"{error.message}\n{error.hint}".strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
