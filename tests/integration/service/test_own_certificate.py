"""A service that ends TLS itself, without a proxy in front."""

from __future__ import annotations

import asyncio
import http.client
import ssl
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest
from diamond.service.platform.http import certificate as certificates
from diamond.service.platform.http.certificate import Certificate, keep_current, read_certificate
from diamond.service.settings import Settings, check_settings
from support.service import RunningService, free_port, running_service
from support.tls_proxy import HOST, make_certificate
from support.waiting import PATIENCE


def ask(service: RunningService, trusted: Path, method: str, path: str) -> http.client.HTTPResponse:
    context = ssl.create_default_context(cafile=str(trusted))
    connection = http.client.HTTPSConnection(HOST, service.port, timeout=30, context=context)
    connection.request(method, path, headers={"Authorization": f"Bearer {service.token}"})
    return connection.getresponse()


def test_people_reach_it_by_https_alone(tmp_path: Path) -> None:
    chain, key = make_certificate(tmp_path)
    port = free_port()
    url, more = (
        f"https://{HOST}:{port}",
        ["--certificate", str(chain), "--certificate-key", str(key)],
    )
    with running_service(tmp_path / "home", port=port, public_url=url, more=more) as service:
        assert service.url == url
        assert ask(service, chain, "GET", "/api/v1/me").status == 200
        link = ask(service, chain, "POST", "/api/v1/open").read().decode()
        path = link.partition(url)[2].strip('"}')
        cookie = ask(service, chain, "GET", path).getheader("set-cookie") or ""
        assert "Secure" in cookie and "HttpOnly" in cookie
        plain = http.client.HTTPConnection(HOST, port, timeout=30)
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            plain.request("GET", "/api/v1/me")
            plain.getresponse()


def test_a_renewed_certificate_is_taken_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "LOOK_SECONDS", 0.01)
    certificate = Certificate(*make_certificate(tmp_path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.load_into(context)

    async def renewed() -> bool:
        server = await asyncio.start_server(lambda r, w: w.close(), HOST, 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        keeping = asyncio.create_task(keep_current(certificate, context))
        first = await asyncio.to_thread(ssl.get_server_certificate, (HOST, port))
        await asyncio.to_thread(make_certificate, tmp_path)
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(ssl.get_server_certificate, (HOST, port)) == first:
                await asyncio.sleep(0.02)
        keeping.cancel()
        server.close()
        return True

    assert asyncio.run(renewed())


def test_half_a_certificate_and_one_without_a_name_are_refused(tmp_path: Path) -> None:
    chain, key = make_certificate(tmp_path)
    with pytest.raises(BadRequest, match="needs its key"):
        read_certificate(str(chain), "")
    with pytest.raises(BadRequest, match="for a name"):
        check_settings(Settings(tmp_path, certificate=Certificate(chain, key)))
    url = "https://d.example.org"
    with pytest.raises(BadRequest, match="not a certificate with its key"):
        check_settings(Settings(tmp_path, public_url=url, certificate=Certificate(chain, chain)))
