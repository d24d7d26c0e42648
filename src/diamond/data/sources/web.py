"""Calls to the servers of sources: only where the machine's policy lets them go, and no credential follows a redirect."""

from __future__ import annotations

import contextlib
import fnmatch
import http.client
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, Dict, List, Optional

from diamond.core.errors import Forbidden
from diamond.core.redact import without_credentials
from diamond.data.sources.items import SourceDown, SourceError

TIMEOUT = 60.0
AGENT = "diamond-data"
_LATER = (408, 425, 429, 500, 502, 503, 504)
_PRIVATE = ("authorization", "cookie", "x-amz-security-token")
_MOST_WORDS = 4096


@dataclass(frozen=True)
class Web:
    allowed: List[List[str]] = field(default_factory=list)
    """For each policy file that limits sources, patterns of addresses; one of each must fit."""

    def open(
        self,
        url: str,
        headers: Optional[Dict[str, str]] = None,
        *,
        method: str = "GET",
        follows: bool = True,
    ) -> http.client.HTTPResponse:
        """Raises `Answered` for a status other than success, `SourceDown` for no answer, `Forbidden` by policy."""
        self.check(url)
        request = urllib.request.Request(url, method=method)
        request.add_header("User-Agent", AGENT)
        request.add_header("Accept-Encoding", "identity")
        for name, value in (headers or {}).items():
            request.add_unredirected_header(name, value)
        opener = urllib.request.build_opener(_Redirects(self, follows=follows))
        try:
            response: http.client.HTTPResponse = opener.open(request, timeout=TIMEOUT)
            return response
        except urllib.error.HTTPError as error:
            raise _answered(url, error) from None
        except ssl.SSLCertVerificationError as error:
            raise _untrusted(url, error) from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, ssl.SSLCertVerificationError):
                raise _untrusted(url, error.reason) from None
            raise SourceDown(f"{_host(url)} does not answer: {error.reason}") from None
        except (OSError, http.client.HTTPException, socket.timeout) as error:
            raise SourceDown(f"{_host(url)} does not answer: {error}") from None

    def check(self, url: str) -> None:
        """Raises `Forbidden` unless the policy lets this address be read."""
        for patterns in self.allowed:
            if not any(fnmatch.fnmatchcase(url, pattern) for pattern in patterns):
                raise Forbidden(
                    f"The policy of this machine does not let {without_credentials(url)[:200]} be read",
                    f"It allows: {', '.join(patterns) or 'nothing'} (data_sources).",
                )


class Answered(Exception):
    """A status other than success."""

    def __init__(self, status: int, words: str, headers: Message) -> None:
        super().__init__(words)
        self.status, self.words, self.headers = status, words, headers


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Headers that prove who somebody is stay with the server they were meant for."""

    def __init__(self, web: Web, *, follows: bool) -> None:
        self._web, self._follows = web, follows

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> Optional[urllib.request.Request]:
        if not self._follows:
            return None
        before, after = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if after.scheme not in ("http", "https") or (before.scheme, after.scheme) == (
            "https",
            "http",
        ):
            raise SourceError(
                f"{_host(req.full_url)} leads on to {after.scheme}://{after.hostname}, which is less safe",
                "Name the address it should be fetched from.",
            )
        self._web.check(newurl)
        made = urllib.request.Request(newurl, method=req.get_method())
        made.add_header("User-Agent", AGENT)
        made.add_header("Accept-Encoding", "identity")
        is_same = (before.scheme, before.netloc) == (after.scheme, after.netloc)
        for name, value in req.unredirected_hdrs.items():
            if name.lower() != "host" and (is_same or name.lower() not in _PRIVATE):
                made.add_unredirected_header(name, value)
        return made


def _answered(url: str, error: urllib.error.HTTPError) -> Exception:
    words = ""
    with contextlib.suppress(OSError, http.client.HTTPException):
        words = error.read(_MOST_WORDS).decode("utf-8", "replace")
    if error.code in _LATER:
        return SourceDown(f"{_host(url)} answered {error.code} {error.reason}")
    return Answered(error.code, words, error.headers)


def _untrusted(url: str, error: Exception) -> SourceError:
    return SourceError(
        f"{_host(url)} has a certificate that this machine does not trust: {error}",
        "Name its authority on the endpoint with the variable SSL_CERT_FILE.",
    )


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]
