"""Signing in to a shared Diamond, projects, and what administrators do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from diamond.core.errors import Forbidden, NotSignedIn
from diamond.sdk.client_config import ServiceAddress, check_url
from diamond.sdk.transport import API, Transport, path_segment

JsonObject = dict[str, Any]


def sign_in(
    url: str, *, name: str, scopes: Sequence[str] = (), show: Callable[[str, str], None]
) -> ServiceAddress:
    """By a device code: `show` gets the page to open and the code to compare; returns once its person has agreed there."""
    transport = Transport(ServiceAddress(check_url(url), ""))
    asked = transport.post(f"{API}/sign-in/device", {"name": name, "scopes": list(scopes)})
    show(asked["url"], asked["user_code"])
    while time.time() < asked["expires"]:
        told = transport.post(f"{API}/sign-in/device/token", {"device_code": asked["device_code"]})
        if told["state"] == "accepted":
            return ServiceAddress(transport.address.url, str(told["token"]))
        if told["state"] == "refused":
            raise Forbidden("You were not let in: the answer on the page was no")
        time.sleep(asked["interval"])
    raise NotSignedIn(
        "Nobody answered on the page within ten minutes", "Run `diamond login` again."
    )


def sign_in_here(
    url: str, *, name: str, scopes: Sequence[str] = (), show: Callable[[str, str], None]
) -> ServiceAddress:
    """By a browser on this machine, which brings the answer itself: nobody elsewhere can be let in by it."""
    from diamond.sdk.loopback import Loopback

    transport = Transport(ServiceAddress(check_url(url), ""))
    with Loopback() as here:
        body = {"name": name, "scopes": list(scopes), "redirect": here.redirect}
        asked = transport.post(f"{API}/sign-in/device", body)
        show(asked["url"], asked["user_code"])
        word = here.wait(asked["expires"])
    body = {"device_code": asked["device_code"], "word": word}
    told = transport.post(f"{API}/sign-in/device/token", body)
    if told["state"] != "accepted":
        raise Forbidden("You were not let in", "Run `diamond login` again.")
    return ServiceAddress(transport.address.url, str(told["token"]))


class People:
    """Calls of one signed-in person: `People(client.transport)`."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def me(self) -> JsonObject:
        return dict(self.transport.get(f"{API}/me"))

    def sessions(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/me/sessions")["items"])

    def projects(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/projects")["items"])

    def project(self, name: str) -> JsonObject:
        """With its members."""
        return dict(self.transport.get(_project(name)))

    def create_project(self, name: str, title: str = "") -> JsonObject:
        body = {"name": name, "title": title}
        return dict(self.transport.post(f"{API}/projects", body, creates=True))

    def put_member(self, project: str, user: str, role: str) -> JsonObject:
        """`user`: an id, or a whole address or name."""
        path = f"{_project(project)}/members/{path_segment(user)}"
        return dict(self.transport.send("PUT", path, {"role": role}))

    def remove_member(self, project: str, user: str) -> None:
        self.transport.send("DELETE", f"{_project(project)}/members/{path_segment(user)}")

    def invite(self, *, email: str = "", project: str = "", role: str = "member") -> JsonObject:
        """Into a project, or to this Diamond; `url` is shown once."""
        if project:
            body = {"email": email, "role": role}
            return dict(self.transport.post(f"{_project(project)}/invitations", body))
        return dict(self.transport.post(f"{API}/invitations", {"email": email}))

    def share(
        self, thing: str, with_kind: str, with_id: str = "", *, kind: str = "jobs"
    ) -> list[JsonObject]:
        """A job, an image (`kind="images"`) or an endpoint's profile (`kind="endpoints"`)."""
        body = {"with_kind": with_kind, "with_id": with_id}
        return list(self.transport.post(_shares(kind, thing), body)["items"])

    def shares(self, kind: str, thing: str) -> list[JsonObject]:
        return list(self.transport.get(_shares(kind, thing))["items"])

    def stop_sharing(self, kind: str, thing: str, with_kind: str, with_id: str = "") -> None:
        """`with_id` as it was given, where that still tells who."""
        known = self.shares(kind, thing)
        held = [one["with_id"] for one in known if with_id in (one["with_id"], one["name"])]
        query = {"with_kind": with_kind, "with_id": held[0] if held else with_id}
        self.transport.call("DELETE", _shares(kind, thing), query=query)

    def restrict(self, project: str, endpoints: list[str] | None) -> JsonObject:
        """To listed endpoints, or (None) to none any more."""
        return dict(self.transport.send("PATCH", _project(project), {"endpoints": endpoints}))

    def settings(self) -> JsonObject:
        """What the service was told at its start; for administrators."""
        return dict(self.transport.get(f"{API}/settings"))

    def limits(self, user: str = "") -> JsonObject:
        """Of a person, or everybody's; for administrators."""
        return dict(self.transport.get(_limits(user)))

    def set_limits(self, limits: JsonObject, *, user: str = "", project: str = "") -> JsonObject:
        path = f"{API}/limits/projects/{path_segment(project)}" if project else _limits(user)
        return dict(self.transport.send("PUT", path, limits))

    def project_limits(self, project: str, each: JsonObject | None = None) -> JsonObject:
        """What each member may use, set if it is given, and what all may."""
        path = f"{_project(project)}/limits"
        return dict(
            self.transport.get(path) if each is None else self.transport.send("PUT", path, each)
        )

    def my_usage(self) -> JsonObject:
        return dict(self.transport.get(f"{API}/me/usage"))

    def usage(self, by: str = "person") -> list[JsonObject]:
        return list(self.transport.get(f"{API}/usage", {"by": by})["items"])

    def project_usage(self, project: str) -> JsonObject:
        return dict(self.transport.get(f"{_project(project)}/usage"))

    def usage_csv(self, project: str = "") -> str:
        path = f"{_project(project)}/usage/export" if project else f"{API}/usage/export"
        return self.transport.call("GET", path).body.decode()

    def announcements(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/announcements")["items"])

    def announce(self, text: str, level: str = "info") -> JsonObject:
        return dict(self.transport.post(f"{API}/announcements", {"text": text, "level": level}))

    def withdraw(self, announcement: str) -> None:
        self.transport.send("DELETE", f"{API}/announcements/{path_segment(announcement)}")

    def users(self, search: str = "") -> list[JsonObject]:
        return list(self.transport.get(f"{API}/users", {"search": search, "limit": 500})["items"])

    def change_user(self, user: str, change: JsonObject) -> JsonObject:
        return dict(self.transport.send("PATCH", f"{API}/users/{path_segment(user)}", change))

    def audit(self, after: int = 0) -> Iterator[JsonObject]:
        """In the order of what happened."""
        while True:
            page = self.transport.get(f"{API}/audit", {"after": after, "limit": 500})
            yield from page["items"]
            if page["next"] is None:
                return
            after = int(page["next"])


def _shares(kind: str, thing: str) -> str:
    return f"{API}/{kind}/{path_segment(thing)}/shares"


def _limits(user: str) -> str:
    return f"{API}/users/{path_segment(user)}/limits" if user else f"{API}/limits"


def _project(name: str) -> str:
    return f"{API}/projects/{path_segment(name)}"
