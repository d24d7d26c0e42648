"""A list that was cut goes on from its cursor, from Python as from the API."""

from __future__ import annotations

from diamond.sdk import Client
from support.scene import new_scene
from support.service import RunningService


def test_the_next_of_a_list_is_where_the_following_one_begins(service: RunningService) -> None:
    scene = new_scene(service)
    made = [scene.submit(name="one-of-five")["id"] for _ in range(5)][::-1]
    client = Client(service.url, service.token)
    first = client.tasks(name="one-of-five", limit=2)
    assert [task.id for task in first] == made[:2]
    assert first.next
    rest = client.tasks(name="one-of-five", cursor=first.next)
    assert [task.id for task in rest] == made[2:]
    assert rest.next is None


def test_a_limit_that_is_just_reached_leaves_nothing_behind(service: RunningService) -> None:
    scene = new_scene(service)
    for _ in range(2):
        scene.submit(name="one-of-two")
    whole = Client(service.url, service.token).tasks(name="one-of-two", limit=2)
    assert len(list(whole)) == 2 and whole.next is None
