"""API calls about sign-in, projects, sharing, limits and administration."""

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
    """Sign in with a device code: `show` gets the page to open and the code to compare. Returns once the user agreed there."""
    transport = Transport(ServiceAddress(check_url(url), ""))
    started = transport.post(f"{API}/sign-in/device", {"name": name, "scopes": list(scopes)})
    show(started["url"], started["user_code"])
    while time.time() < started["expires"]:
        answer = transport.post(
            f"{API}/sign-in/device/token", {"device_code": started["device_code"]}
        )
        if answer["state"] == "accepted":
            return ServiceAddress(transport.address.url, str(answer["token"]))
        if answer["state"] == "refused":
            raise Forbidden("Sign-in was declined on the page")
        time.sleep(started["interval"])
    raise NotSignedIn(
        "No answer on the sign-in page within ten minutes", "Run `diamond login` again."
    )


def sign_in_here(
    url: str, *, name: str, scopes: Sequence[str] = (), show: Callable[[str, str], None]
) -> ServiceAddress:
    """Sign in with a browser on this machine, which returns the answer itself, so nobody elsewhere can use it."""
    from diamond.sdk.loopback import Loopback

    transport = Transport(ServiceAddress(check_url(url), ""))
    with Loopback() as here:
        body = {"name": name, "scopes": list(scopes), "redirect": here.redirect}
        started = transport.post(f"{API}/sign-in/device", body)
        show(started["url"], started["user_code"])
        code = here.wait(started["expires"])
    body = {"device_code": started["device_code"], "word": code}
    answer = transport.post(f"{API}/sign-in/device/token", body)
    if answer["state"] != "accepted":
        raise Forbidden("Sign-in failed", "Run `diamond login` again.")
    return ServiceAddress(transport.address.url, str(answer["token"]))


class People:
    """API calls about people: `People(client.transport)`."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def me(self) -> JsonObject:
        return dict(self.transport.get(f"{API}/me"))

    def sessions(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/me/sessions")["items"])

    def projects(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/projects")["items"])

    def project(self, name: str) -> JsonObject:
        """A project with its members."""
        return dict(self.transport.get(_project(name)))

    def create_project(self, name: str, title: str = "") -> JsonObject:
        body = {"name": name, "title": title}
        return dict(self.transport.post(f"{API}/projects", body, creates=True))

    def put_member(self, project: str, user: str, role: str) -> JsonObject:
        """`user`: an id, or the full e-mail address or name."""
        path = f"{_project(project)}/members/{path_segment(user)}"
        return dict(self.transport.send("PUT", path, {"role": role}))

    def remove_member(self, project: str, user: str) -> None:
        self.transport.send("DELETE", f"{_project(project)}/members/{path_segment(user)}")

    def invite(self, *, email: str = "", project: str = "", role: str = "member") -> JsonObject:
        """Invite someone to a project or to this service; `url` is shown only once."""
        if project:
            body = {"email": email, "role": role}
            return dict(self.transport.post(f"{_project(project)}/invitations", body))
        return dict(self.transport.post(f"{API}/invitations", {"email": email}))

    def share(
        self, thing: str, with_kind: str, with_id: str = "", *, kind: str = "jobs"
    ) -> list[JsonObject]:
        """Share a job, a pipeline (`kind="pipelines"`), an image (`kind="images"`) or an endpoint's profile (`kind="endpoints"`)."""
        body = {"with_kind": with_kind, "with_id": with_id}
        return list(self.transport.post(_shares(kind, thing), body)["items"])

    def shares(self, kind: str, thing: str) -> list[JsonObject]:
        return list(self.transport.get(_shares(kind, thing))["items"])

    def stop_sharing(self, kind: str, thing: str, with_kind: str, with_id: str = "") -> None:
        """`with_id` is an id or a name, as given when sharing."""
        known = self.shares(kind, thing)
        matches = [
            share["with_id"] for share in known if with_id in (share["with_id"], share["name"])
        ]
        query = {"with_kind": with_kind, "with_id": matches[0] if matches else with_id}
        self.transport.call("DELETE", _shares(kind, thing), query=query)

    def restrict(self, project: str, endpoints: list[str] | None) -> JsonObject:
        """Restrict a project to these endpoints; None removes the restriction."""
        return dict(self.transport.send("PATCH", _project(project), {"endpoints": endpoints}))

    def settings(self) -> JsonObject:
        """The settings of the service; for administrators."""
        return dict(self.transport.get(f"{API}/settings"))

    def limits(self, user: str = "") -> JsonObject:
        """Limits of one user, or the defaults foreveryone; for administrators."""
        return dict(self.transport.get(_limits(user)))

    def set_limits(self, limits: JsonObject, *, user: str = "", project: str = "") -> JsonObject:
        path = f"{API}/limits/projects/{path_segment(project)}" if project else _limits(user)
        return dict(self.transport.send("PUT", path, limits))

    def storage_of_people(self, search: str = "") -> list[JsonObject]:
        """Who stores how much in the service, the largest first; for administrators."""
        return list(self.transport.get(f"{API}/storage/people", {"search": search})["items"])

    def storage_defaults(self) -> JsonObject:
        """How long the service keeps logs and curves, and the quota of each person."""
        return dict(self.transport.get(f"{API}/storage/defaults"))

    def set_storage_defaults(self, rule: JsonObject) -> JsonObject:
        return dict(self.transport.send("PUT", f"{API}/storage/defaults", rule))

    def set_quota(self, user: str, quota_bytes: int | None) -> JsonObject:
        """None: the default applies."""
        path = f"{API}/users/{path_segment(user)}/quota"
        return dict(self.transport.send("PUT", path, {"quota_bytes": quota_bytes}))

    def project_limits(self, project: str, each: JsonObject | None = None) -> JsonObject:
        """Limits per member (set if given) and for the whole project."""
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
        """Audit entries, oldest first."""
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
