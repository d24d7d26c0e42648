"""Deposit a file at Zenodo, or any repository that runs InvenioRDM, for a DOI: its REST API, by the standard library.

From this computer straight to the repository: the token never reaches a Diamond service.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from diamond.core.errors import BadRequest, ServiceUnreachable
from diamond.sdk.transport import LOST

ZENODO = "https://zenodo.org"


@dataclass(frozen=True)
class DepositSite:
    url: str = ZENODO
    token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Deposited:
    id: str
    doi: str
    url: str
    is_published: bool


def deposit_file(site: DepositSite, file: Path, about: Mapping[str, Any]) -> Deposited:
    """A draft with its DOI reserved; published if `about["publish"]`. `about`: title, creators, description, license."""
    _require_secure(site)
    draft = _call(
        site, "POST", "/api/records", {"metadata": _metadata(about), "files": {"enabled": True}}
    )
    place = f"/api/records/{quote(str(draft['id']), safe='')}/draft"
    reserved = _call(site, "POST", f"{place}/pids/doi", {})
    _call(site, "POST", f"{place}/files", [{"key": file.name}])
    name = f"{place}/files/{quote(file.name, safe='')}"
    with file.open("rb") as opened:
        _call(site, "PUT", f"{name}/content", opened, size=file.stat().st_size)
    _call(site, "POST", f"{name}/commit", {})
    done = reserved
    if about.get("publish"):
        done = _call(site, "POST", f"{place}/actions/publish", {})
    doi = done.get("pids", {}).get("doi", {}).get("identifier", "")
    links = done.get("links", {})
    page = links.get("self_html") or f"{site.url}/uploads/{draft['id']}"
    return Deposited(str(draft["id"]), str(doi), str(page), bool(about.get("publish")))


def _metadata(about: Mapping[str, Any]) -> dict[str, Any]:
    names = [str(name) for name in about.get("creators") or []]
    if not about.get("title") or not names:
        raise BadRequest("A deposit needs a title and at least one creator", "--title, --creator")
    found: dict[str, Any] = {
        "title": str(about["title"]),
        "publication_date": str(about.get("date", "")) or _today(),
        "resource_type": {"id": "dataset"},
        "creators": [_creator(name) for name in names],
    }
    if about.get("description"):
        found["description"] = str(about["description"])
    if about.get("license"):
        found["rights"] = [{"id": str(about["license"])}]
    return found


def _creator(name: str) -> dict[str, Any]:
    """`Lovelace, Ada`, or `Ada Lovelace`."""
    family, comma, given = name.partition(",")
    if not comma:
        given, _, family = name.rpartition(" ")
    person = {"type": "personal", "family_name": family.strip(), "given_name": given.strip()}
    return {"person_or_org": person}


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()


def _require_secure(site: DepositSite) -> None:
    parts = urlsplit(site.url)
    is_here = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise BadRequest(
            f"{site.url!r} is not an https address", "The token must not be read on its way."
        )
    if not site.token:
        raise BadRequest(
            "There is no token for the repository", "Set DIAMOND_DEPOSIT_TOKEN; it is not stored."
        )


def _call(
    site: DepositSite, method: str, path: str, body: Any, *, size: int | None = None
) -> dict[str, Any]:
    """Redirects are not followed: the token would go along."""
    parts = urlsplit(site.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=120)
    headers = {"Authorization": f"Bearer {site.token}", "Accept": "application/json"}
    content: bytes | BinaryIO
    if size is None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(body).encode()
    else:
        headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        content = body
    try:
        connection.request(method, parts.path.rstrip("/") + path, body=content, headers=headers)
        answer = connection.getresponse()
        text = answer.read(4 << 20)
    except LOST as error:
        raise ServiceUnreachable(
            f"{parts.hostname} does not answer ({error or type(error).__name__})",
            "Try again later.",
        ) from error
    finally:
        connection.close()
    if answer.status >= 300:
        raise BadRequest(_refusal(site, answer.status, text), _hint(answer.status))
    return _object(text)


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _refusal(site: DepositSite, status: int, text: bytes) -> str:
    said = _object(text)
    words = str(said.get("message") or text.decode(errors="replace"))[:300]
    faults = said.get("errors")
    for fault in faults if isinstance(faults, list) else []:
        if isinstance(fault, dict):
            words += (
                f"; {fault.get('field', '')}: {fault.get('messages', fault.get('message', ''))}"
            )
    return f"{urlsplit(site.url).hostname} answered {status}: {words}".replace(
        site.token, "[token]"
    )


def _hint(status: int) -> str:
    if status in (401, 403):
        return "Is the token right, and may it write deposits?"
    return (
        "A draft that was begun stays at the repository; remove it there." if status >= 400 else ""
    )
