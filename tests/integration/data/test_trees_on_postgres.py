"""Two processes of one service: the source calls one of them, the goal the other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.postgres import find_programs, running_postgres
from support.service import running_service
from support.tree_scene import TreeScene, data_machine, same_tree


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
