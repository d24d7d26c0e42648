"""People are told, in the page, by mail and by webhook: by a real mail server and a real receiver."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from diamond.service.platform.delivery.webhooks import signature
from support.postgres import Postgres
from support.receivers import Mailbox, Receiver, mailbox_up, receiver_up
from support.scene import Scene, new_scene
from support.service import RunningService, free_port, running_service
from support.waiting import wait_for

DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiver_up() as found:
        yield found


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mailbox_up() as box:
        yield box


@pytest.fixture(params=DATABASES, scope="module")
def service(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    mailbox: Mailbox,
) -> Iterator[RunningService]:
    server: Postgres | None = None
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
    variables = {**mailbox.variables, "DIAMOND_WEBHOOK_PRIVATE": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        url = server.new_database() if server else ""
        with running_service(tmp_path_factory.mktemp("home"), database_url=url) as running:
            yield running


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def put(scene: Scene, **settings: Any) -> Any:
    answer = scene.client.call("PUT", "/me/notifications", settings)
    assert answer.status == 200, answer.body
    return answer.json


def ended(scene: Scene, code: int = 0, **spec: Any) -> str:
    task, attempt = scene.taken(**spec)
    scene.tell("started", task, attempt, run=1, node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=code)
    if code:
        scene.tell("observed", task, attempt, status="ended", exit_code=code)
    return task


def notices(scene: Scene, task: str) -> list[Any]:
    items = scene.client.get("/notifications?limit=200")["items"]
    return [one for one in items if one["task"] == task]


def test_an_end_is_told_in_the_page_at_once_and_until_it_is_read(scene: Scene) -> None:
    put(scene)
    events = scene.client.events()
    task = ended(scene, 3, name="unlucky")
    told = events.until("notification", task=task)
    events.close()
    assert told.data["kind"] == "failed"
    assert told.data["title"].startswith(f"unlucky failed on {scene.name}")
    assert told.data["unread"] >= 1
    (kept,) = notices(scene, task)
    assert kept["read"] is None
    left = scene.client.post("/notifications/read", {"ids": [kept["id"]]})["unread"]
    assert left == told.data["unread"] - 1
    assert scene.client.post("/notifications/read", {})["unread"] == 0
    assert scene.client.get("/notifications?unread=true")["items"] == []


def test_what_nobody_asked_for_is_not_kept(scene: Scene) -> None:
    put(scene, page={"events": ["failed"]})
    task = ended(scene, name="fine")
    assert notices(scene, task) == []


def test_mail_and_webhook_are_sent_once_each(
    scene: Scene, mailbox: Mailbox, receiver: Receiver
) -> None:
    shown = put(
        scene,
        email={"address": "ada@example.org", "events": ["succeeded"]},
        webhook={"url": receiver.url, "events": ["succeeded"], "secret": "s3cret"},
    )
    assert shown["email_ready"]
    assert shown["has_secret"]
    assert shown["webhook"]["secret"] is None
    task = ended(scene, name="telling")
    wait_for(lambda: receiver.told(task), 30, what="webhook")
    (kept,) = wait_for(
        lambda: [
            one
            for one in notices(scene, task)
            if [d["state"] for d in one["deliveries"]] == ["sent", "sent"]
        ],
        30,
        what="both deliveries",
    )
    mails = [mail for mail in mailbox.mails if f"/tasks/{task}" in mail.get_content()]
    assert [mail["To"] for mail in mails] == ["ada@example.org"]
    assert mails[0]["Subject"] == f"telling succeeded on {scene.name}"
    assert len(receiver.told(task)) == 1
    headers, body = next(call for call in receiver.calls if json.loads(call[1])["task"] == task)
    assert headers["diamond-delivery"] == kept["id"]
    assert headers["diamond-signature"] == signature("s3cret", headers["diamond-timestamp"], body)
    # The agent tells all it knows again: nobody hears of it twice.
    attempt = scene.task(task)["attempt"]
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    later = ended(scene, name="later")
    wait_for(lambda: receiver.told(later), 30, what="the next webhook")
    assert len(receiver.told(task)) == 1


def test_a_secret_stays_until_it_is_removed(scene: Scene, receiver: Receiver) -> None:
    put(scene, webhook={"url": receiver.url, "secret": "x"})
    assert put(scene, webhook={"url": receiver.url})["has_secret"]
    assert not put(scene, webhook={"url": receiver.url, "secret": ""})["has_secret"]


def test_a_failed_delivery_is_tried_again(scene: Scene, receiver: Receiver) -> None:
    put(scene, webhook={"url": receiver.url, "events": ["succeeded"]})
    receiver.failures = 1
    task = ended(scene)
    wait_for(lambda: receiver.told(task), 60, what="the second try")
    (delivery,) = wait_for(
        lambda: [d for d in notices(scene, task)[0]["deliveries"] if d["state"] == "sent"],
        30,
        what="the delivery's end",
    )
    assert delivery["tries"] == 2


def test_a_test_message_says_how_it_went(scene: Scene, receiver: Receiver) -> None:
    put(scene, webhook={"url": receiver.url})
    told = scene.client.post("/me/notifications/try", {"channel": "webhook"})
    assert (told["state"], told["error"]) == ("sent", "")
    put(scene, webhook={"url": f"http://127.0.0.1:{free_port()}/"})
    told = scene.client.post("/me/notifications/try", {"channel": "webhook"})
    assert told["state"] == "failed"
    assert "127.0.0.1" in told["error"]
    put(scene)
    answer = scene.client.call("POST", "/me/notifications/try", {"channel": "email"})
    assert (answer.status, answer.json["code"]) == (409, "conflict")


def test_an_endpoint_that_needs_its_person_is_told_while_tasks_are_open(
    service: RunningService,
) -> None:
    scene = new_scene(service, carrier="ssh")
    put(scene)
    scene.client.post(f"/endpoints/{scene.name}/away")
    assert not [
        one for one in scene.client.get("/notifications")["items"] if one["endpoint"] == scene.name
    ]
    scene.agent.hello()
    scene.submit()
    scene.client.post(f"/endpoints/{scene.name}/away")
    (told,) = [
        one for one in scene.client.get("/notifications")["items"] if one["endpoint"] == scene.name
    ]
    assert told["kind"] == "sign-in"
    assert f"diamond endpoint connect {scene.name}" in told["text"]


def test_a_pairing_that_waits_for_a_word_is_told(service: RunningService) -> None:
    scene = new_scene(service)
    put(scene)
    name = f"paired-{scene.name}"
    added = scene.client.post("/endpoints", {"name": name, "carrier": "https"})
    body = {"code": added["pairing_code"], "host": "login9", "user": "eve"}
    assert scene.client.call("POST", "/sync/pair", body).status == 200
    (told,) = [
        one for one in scene.client.get("/notifications")["items"] if one["endpoint"] == name
    ]
    assert (told["kind"], "eve@login9" in told["title"]) == ("confirm", True)
