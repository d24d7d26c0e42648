"""A plain HTTP client for tests: one call, one answer, nothing hidden."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from support.waiting import PATIENCE


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Calls below `/api/v1` of a service; paths that start with // are relative to the root."""

    def __init__(self, url: str, token: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self._place = urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._headers |= headers or {}
        self.headers = self._headers

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> Answer:
        connection = http.client.HTTPConnection(self._place, timeout=timeout)
        try:
            connection.request(method, _path(path), *self._sent(body, headers))
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Any:
        """The JSON answer of a call that must succeed."""
        return self._good(self.call("GET", path, headers=headers))

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._good(self.call("POST", path, body if body is not None else {}, headers))

    def events(self, query: str = "", last_id: str = "", timeout: float = PATIENCE) -> EventReader:
        headers = {**self._headers, **({"Last-Event-ID": last_id} if last_id else {})}
        connection = http.client.HTTPConnection(self._place, timeout=timeout)
        connection.request("GET", f"/api/v1/events{query}", headers=headers)
        return EventReader(connection)

    def _sent(self, body: Any, headers: Mapping[str, str] | None) -> tuple[Any, dict[str, str]]:
        sent = {**self._headers, **(headers or {})}
        if body is None or isinstance(body, (bytes, Iterator)):
            return body, sent
        return json.dumps(body).encode(), {"Content-Type": "application/json", **sent}

    @staticmethod
    def _good(answer: Answer) -> Any:
        assert answer.status < 300, (answer.status, answer.body.decode("utf-8", "replace"))
        return answer.json if answer.body else None


@dataclass(frozen=True)
class StreamEvent:
    """One event of the stream."""

    id: str
    event: str
    data: Any


class EventReader:
    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection
        self.response = connection.getresponse()

    def __iter__(self) -> Iterator[StreamEvent]:
        fields: dict[str, str] = {}
        while line := self.response.readline():
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "data" in fields:
                yield StreamEvent(fields["id"], fields["event"], json.loads(fields["data"]))
                fields = {}
            else:
                fields = {}

    def until(self, kind: str, **wanted: Any) -> StreamEvent:
        """The next event of that kind whose data contains `wanted`."""
        for told in self:
            if told.event == kind and all(told.data.get(k) == v for k, v in wanted.items()):
                return told
        raise AssertionError(f"the stream ended before {kind} {wanted}")

    def close(self) -> None:
        self.response.close()
        self._connection.close()


def _path(path: str) -> str:
    return path[1:] if path.startswith("//") else f"/api/v1{path}"
