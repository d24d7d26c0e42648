from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from diamond.core.order import OrderedTree, order_data, order_from
from diamond.service.access.principal import Role
from diamond.service.lineage.edges import add_inputs, add_output, input_edges
from diamond.service.platform.database.engine import Store
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings
from support.http import Client
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.service import RunningService


def digest(letter: str, number: int = 0) -> str:
    return (letter * 60) + f"{number:04x}"


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def note(
    service: RunningService,
    task: str,
    owner: str,
    *,
    used: Sequence[str] = (),
    made: Sequence[str] = (),
) -> None:
    """What the slices of data write with the task; they are tested with the real thing elsewhere."""

    async def write() -> None:
        settings = Settings(home=service.home, database_url=service.database_url)
        store = Store(settings.database, Notifier())
        async with store.write() as tx:
            trees = {f"in{n}": {"digest": each} for n, each in enumerate(used)}
            await add_inputs(tx, task, owner, {"trees": trees})
            for each in made:
                await add_output(tx, task, owner, digest=each, role="result")
        await store.close()

    asyncio.run(write())


def lineage(client: Client, of: str, **query: str) -> Any:
    words = "".join(f"&{name}={value}" for name, value in query.items())
    return client.get(f"/lineage?of={of}{words}")


def depths(graph: Any) -> dict[str, int]:
    return {node["id"]: node["depth"] for node in graph["nodes"]}


def test_a_task_leads_back_to_its_data_and_forward_to_all_that_used_its_results(
    scene: Scene,
) -> None:
    raw, clean, model = digest("a"), digest("b"), digest("c")
    prepare, train, score = (
        scene.submit(name=name)["id"] for name in ("prepare", "train", "score")
    )
    note(scene.service, prepare, "local", used=[raw], made=[clean])
    note(scene.service, train, "local", used=[clean], made=[model])
    note(scene.service, score, "local", used=[model])
    graph = lineage(scene.client, train)
    assert depths(graph) == {train: 0, clean: -1, prepare: -2, raw: -3, model: 1, score: 2}
    assert {"source": clean, "target": train, "role": "in0"} in graph["edges"]
    assert depths(lineage(scene.client, train, direction="backward")).keys() == {
        train,
        clean,
        prepare,
        raw,
    }
    assert depths(lineage(scene.client, train, direction="forward", depth="1")) == {
        train: 0,
        model: 1,
    }


def test_what_is_affected_by_a_bad_dataset_version(scene: Scene) -> None:
    bad, other = digest("d"), digest("e")
    users = [scene.submit(name=f"user{n}")["id"] for n in range(3)]
    for n, task in enumerate(users):
        note(scene.service, task, "local", used=[bad, other], made=[digest("f", n)])
    graph = lineage(scene.client, f"sha256:{bad}", direction="forward")
    assert (graph["tasks"], graph["made"], graph["is_complete"]) == (3, 3, True)
    assert set(users) < set(depths(graph)) and other not in depths(graph)


def test_nobody_sees_a_node_that_is_not_shared_with_them(service: RunningService) -> None:
    owner_id, owner = add_person(service, "lineage-owner")
    member_id, member = add_person(service, "lineage-member")
    stranger_id, stranger = add_person(service, "lineage-stranger")
    project = owner.post("/projects", {"name": "lineage-group"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    for client in (owner, stranger):
        client.post("/endpoints", {"name": "away", "carrier": "local"})
    spec = {"run": "true", "on": "away"}

    def submit(client: Client, name: str, **more: str) -> str:
        made = client.post("/jobs", {"spec": {**spec, "name": name}, **more})
        return str(made["tasks"][0]["id"])

    raw, middle = digest("1", 1), digest("1", 2)
    private = submit(owner, "private")
    shown = submit(owner, "shown", project="lineage-group")
    elsewhere = submit(stranger, "elsewhere")
    note(service, private, owner_id, used=[raw], made=[middle])
    note(service, shown, owner_id, used=[middle])
    note(service, elsewhere, stranger_id, used=[middle])
    assert depths(lineage(owner, shown)).keys() == {shown, middle, private, raw}
    assert depths(lineage(member, shown)).keys() == {shown, middle}
    assert depths(lineage(owner, middle)).keys() == {middle, private, raw, shown}
    assert depths(lineage(stranger, middle)).keys() == {middle, elsewhere}
    for hidden in (raw, private, shown, "t2345", digest("9")):
        answer = stranger.call("GET", f"/lineage?of={hidden}")
        absent = stranger.call("GET", "/lineage?of=tneverwas2345")
        assert answer.status == 404
        assert answer.body.decode().replace(hidden, "tneverwas2345") == absent.body.decode()


def test_a_loop_ends(scene: Scene) -> None:
    """A task may leave what another had before: content has no time."""
    first, second = digest("7", 1), digest("7", 2)
    there, back = scene.submit(name="there")["id"], scene.submit(name="back")["id"]
    note(scene.service, there, "local", used=[first], made=[second])
    note(scene.service, back, "local", used=[second], made=[first])
    assert depths(lineage(scene.client, there)).keys() == {there, back, first, second}


def test_an_order_with_a_tree_has_an_edge() -> None:
    order = order_data(order_from({"name": "x", "command": "true"}))
    order["trees"] = {"era5": vars(OrderedTree(digest("8")))}
    order["code"] = {"snapshot": f"sha256:{digest('9')}"}
    edges = {(edge.kind, edge.digest, edge.role) for edge in input_edges("t", "u", order)}
    assert edges == {("tree", digest("8"), "era5"), ("code", digest("9"), "code")}
