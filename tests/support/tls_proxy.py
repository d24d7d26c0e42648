"""A proxy that terminates TLS in front of a service, like nginx: one request per connection, then bytes both ways."""

from __future__ import annotations

import asyncio
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HOST = "localhost"
_DROPPED = re.compile(rb"(?im)^(connection|x-forwarded-proto):[^\n]*\n")


@dataclass(frozen=True)
class TlsProxy:
    url: str
    certificate: Path
    """What a client must trust."""


@contextmanager
def tls_proxy(folder: Path, port: int, service_port: int) -> Iterator[TlsProxy]:
    """Serves https on `port` for the plain service on another port."""
    certificate, key = make_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        await asyncio.start_server(lambda r, w: carry(r, w, service_port), HOST, port, ssl=context)
        ready.set()

    thread = threading.Thread(target=lambda: (loop.create_task(serve()), loop.run_forever()))
    thread.start()
    try:
        assert ready.wait(30)
        yield TlsProxy(f"https://{HOST}:{port}", certificate)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "proxy.crt", folder / "proxy.key"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    return certificate, key


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        head = await reader.readuntil(b"\r\n\r\n")
        behind, before = await asyncio.open_connection("127.0.0.1", port)
        said = b"X-Forwarded-Proto: https\r\nConnection: close\r\n\r\n"
        before.write(_DROPPED.sub(b"", head[:-2]) + said)
        await asyncio.gather(pipe(reader, before), pipe(behind, writer))
    with suppress(OSError, ssl.SSLError):
        writer.close()  # also where nobody answers behind it


async def pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError, ssl.SSLError):
        while block := await source.read(65536):
            target.write(block)
            await target.drain()
    with suppress(OSError, ssl.SSLError):
        target.close()
