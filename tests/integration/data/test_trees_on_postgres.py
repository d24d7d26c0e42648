"""Data with PostgreSQL: two processes of one service, and what it keeps about sources and previews."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.file_server import file_server
from support.postgres import find_programs, running_postgres
from support.service import running_service
from support.tree_scene import TreeScene, data_machine, same_tree
from support.waiting import wait_for


@pytest.mark.slow
def test_pieces_pass_between_two_processes_of_the_service(tmp_path: Path) -> None:
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL here")
    source = tmp_path / "source"
    source.mkdir()
    (source / "large").write_bytes(os.urandom(60 << 20))
    for number in range(200):
        (source / f"{number}").write_bytes(os.urandom(100))
    home = tmp_path / "home"
    with running_postgres(programs) as server:
        database = server.new_database()
        with (
            running_service(home, database_url=database) as first,
            running_service(home, database_url=database) as second,
            data_machine(first, "alpha", tmp_path / "alpha") as alpha,
            data_machine(second, "beta", tmp_path / "beta") as beta,
        ):
            scene = TreeScene(first)
            tree = scene.registered(alpha, source)
            done = scene.copied(scene.copy(tree, beta))
            assert done.state == "done", done.message
            assert same_tree(source, beta.managed(tree))
            assert not list((home / "blobs" / "pieces").glob("*/*/*.piece"))


@pytest.mark.slow
def test_a_url_its_origin_and_its_preview_are_kept_by_postgresql(tmp_path: Path) -> None:
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL here")
    with (
        running_postgres(programs) as server,
        running_service(tmp_path / "home", database_url=server.new_database()) as service,
        data_machine(service, "alpha", tmp_path / "alpha"),
        file_server() as files,
    ):
        url = files.put("/a.csv", "größe,n\nx,1\ny,2\n".encode())
        service.client.post("/datasets", {"name": "web", "endpoint": "alpha", "url": url})
        wait_for(lambda: service.client.get("/datasets/web")["newest"], what="a version")
        origin = service.client.get("/datasets/web")["newest"]["origin"]
        assert (origin["kind"], origin["address"]) == ("web", url)
        wait_for(lambda: service.client.get("/datasets/web/preview")["preview"], what="a preview")
        part = service.client.get("/datasets/web/preview")["preview"]["parts"][0]
        assert (part["rows"], part["columns"][0]["name"]) == (2, "größe")
