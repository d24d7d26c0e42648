"""Cores, GPUs and memory of nodes are shared out; wide executions get their turn."""

from __future__ import annotations

from diamond.pilots.journal import Node, Share
from diamond.pilots.packing import Ask, Packing, Waiting


def nodes(count: int = 2, cores: int = 4, gpus: int = 2, memory_mb: int = 8000) -> Packing:
    every = range(count)
    return Packing([Node(f"n{n}", list(range(cores)), memory_mb, list(range(gpus))) for n in every])


def test_no_core_or_gpu_is_given_twice_and_all_come_back() -> None:
    packing, taken = nodes(), []
    while shares := packing.place(Ask(cores=1, gpus=1)):
        taken.append(shares)
    assert len(taken) == 4
    given = [(s.node, "core", c) for [s] in taken for c in s.cores]
    given += [(s.node, "gpu", g) for [s] in taken for g in s.gpus]
    assert len(given) == len(set(given)) == 8
    for shares in taken:
        packing.release(shares)
    wide = packing.place(Ask(nodes=2, cores=4, gpus=2))
    assert wide is not None
    assert [(s.node, s.cores, s.gpus) for s in wide] == [
        ("n0", [0, 1, 2, 3], [0, 1]),
        ("n1", [0, 1, 2, 3], [0, 1]),
    ]


def test_small_ones_fill_one_node_before_they_touch_the_next() -> None:
    packing = nodes()
    places = [packing.place(Ask(cores=1)) for _ in range(4)]
    assert {share.node for shares in places if shares for share in shares} == {"n0"}
    assert packing.place(Ask(cores=4)) is not None


def test_memory_counts_where_a_node_says_how_much_it_has() -> None:
    assert nodes(1).place(Ask(memory_mb=9000)) is None
    assert nodes(1, memory_mb=0).place(Ask(memory_mb=9000)) is not None
    packing = nodes(1)
    first = packing.place(Ask(memory_mb=5000))
    assert first is not None
    assert packing.place(Ask(memory_mb=5000)) is None
    packing.release(first)
    assert packing.place(Ask(memory_mb=5000)) is not None


def test_what_was_on_a_lost_node_does_not_come_back() -> None:
    packing = nodes()
    shares = packing.place(Ask(nodes=2))
    assert shares is not None
    packing.remove("n0")
    packing.release(shares)
    assert not packing.could_ever_fit(Ask(nodes=2))
    assert packing.place(Ask(cores=4)) is not None


def test_a_wide_execution_goes_first_while_all_are_young() -> None:
    waiting, packing = Waiting(), nodes()
    for number in range(10):
        waiting.add(f"small{number}", Ask(), now=0)
    waiting.add("wide", Ask(nodes=2, cores=2), now=0)
    begun = [name for name, _ in waiting.start(packing, now=0, patience=10)]
    assert begun == ["wide", "small0", "small1", "small2", "small3"]


def test_nodes_are_kept_free_for_a_wide_execution_that_has_waited_long() -> None:
    waiting, packing = Waiting(), nodes()
    running: dict[str, list[Share]] = {}
    for number in range(8):
        waiting.add(f"first{number}", Ask(), now=0)
    running.update(waiting.start(packing, now=0, patience=10))
    waiting.add("wide", Ask(nodes=2, cores=4), now=1)
    for number in range(100):
        waiting.add(f"later{number}", Ask(), now=2)
    order: list[str] = []
    for now in range(3, 40):
        packing.release(running.pop(next(iter(running))))
        begun = dict(waiting.start(packing, now=now, patience=10))
        running.update(begun)
        order += begun
        if "wide" in begun:
            break
    assert order[-1] == "wide"
    assert now < 25


def test_one_that_was_removed_never_begins() -> None:
    waiting = Waiting()
    waiting.add("a", Ask(), now=0)
    waiting.add("b", Ask(), now=0)
    assert waiting.remove("a")
    assert not waiting.remove("a")
    assert [name for name, _ in waiting.start(nodes(), now=0, patience=1)] == ["b"]
    assert len(waiting) == 0


def test_one_that_fits_no_node_is_named() -> None:
    waiting = Waiting()
    waiting.add("a", Ask(cores=5), now=0)
    waiting.add("b", Ask(), now=0)
    assert waiting.impossible(nodes()) == ["a"]
